// Tridiagonal systems, on every device.
#include "tesela/tridiagonal.h"

#include <cmath>
#include <limits>
#include <random>

#include "devices.h"

namespace tesela {
namespace {

template <class T>
struct Systems {
    std::vector<T> a, b, c, d;
};

class Tridiagonal : public testing::OnDevice {
  protected:
    // Diagonally dominant; NaN where nothing is read.
    template <class T>
    Systems<T> random_systems(const TridiagonalLines& lines) {
        std::uniform_real_distribution<double> any(-1, 1);
        const auto count = static_cast<std::size_t>(lines.elements());
        Systems<T> made{std::vector<T>(count), std::vector<T>(count), std::vector<T>(count),
                        std::vector<T>(count)};
        for (std::size_t i = 0; i < count; ++i) {
            made.a[i] = static_cast<T>(any(generator_));
            made.c[i] = static_cast<T>(any(generator_));
            made.b[i] = static_cast<T>(std::copysign(2.2 + any(generator_) / 8, any(generator_)));
            made.d[i] = static_cast<T>(any(generator_));
        }
        for (std::int64_t j = 0; j < lines.counts[1]; ++j)
            for (std::int64_t i = 0; i < lines.counts[0]; ++i) {
                const std::int64_t first = i * lines.strides[0] + j * lines.strides[1];
                made.a[static_cast<std::size_t>(first)] = std::numeric_limits<T>::quiet_NaN();
                made.c[static_cast<std::size_t>(first + (lines.rows - 1) * lines.stride)] =
                    std::numeric_limits<T>::quiet_NaN();
            }
        return made;
    }
    template <class T>
    std::vector<T> solve(const TridiagonalLines& lines, const Systems<T>& s,
                         TridiagonalQuality* quality = nullptr) {
        return solve_tridiagonal<T>(queue, lines, s.a, s.b, s.c, s.d,
                                    {.method = TridiagonalMethod::plain}, quality);
    }
    template <class T>
    void expect_solved(const TridiagonalLines& lines) {
        TridiagonalQuality quality;
        solve(lines, random_systems<T>(lines), &quality);
        EXPECT_GT(quality.dominance, 1);
        EXPECT_LE(quality.backward_error, 16 * std::numeric_limits<T>::epsilon())
            << lines.rows << " rows, " << lines.systems() << " systems, stride " << lines.stride;
    }
    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{3};
};
TESELA_ON_EVERY_DEVICE(Tridiagonal);

TEST_P(Tridiagonal, EveryLayoutAndLengthIsSolved) {
    testing::Cases cases(GetParam());
    for (const std::int64_t rows : {1, 2, 3, 16, 127, 128, 129, 130, 143, 145, 512, 1023, 5000})
        for (const std::int64_t systems : {1, 7, 100}) {
            if (!cases.take()) continue;
            expect_solved<float>(contiguous_lines(rows, systems));
            expect_solved<float>(interleaved_lines(rows, systems));
            if (GetParam().properties().has_f64)
                expect_solved<double>(contiguous_lines(rows, systems));
        }
    for (const int axis : {0, 1, 2}) expect_solved<float>(volume_lines({19, 150, 4}, axis));
    expect_solved<float>(contiguous_lines((1 << 18) + 1, 1));
}

// x = 1, 2, 3 solves these rows.
TEST_P(Tridiagonal, ASystemByHand) {
    const Systems<float> s{{0, 1, 2}, {4, 5, 6}, {1, 2, 0}, {6, 17, 22}};
    const std::vector<float> x = solve(contiguous_lines(3, 1), s);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[static_cast<std::size_t>(i)], i + 1, 1e-5);
}

TEST_P(Tridiagonal, SingularRowsAreNamed) {
    const TridiagonalLines lines = contiguous_lines(4, 3);
    Systems<float> s = random_systems<float>(lines);
    s.a[6] = s.b[6] = 0;
    try {
        solve(lines, s);
        FAIL() << "a singular matrix was solved";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("system 2, row 3"), std::string::npos)
            << error.what();
    }
    EXPECT_THROW(solve(contiguous_lines(5, 3), s), InvalidArgument);
    EXPECT_THROW(solve(contiguous_lines(0, 3), s), InvalidArgument);
    EXPECT_THROW(volume_lines({3, 3, 3}, 3), InvalidArgument);
}

}  // namespace
}  // namespace tesela
