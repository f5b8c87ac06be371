// One tridiagonal matrix and many right-hand sides, beside LAPACK's gttrf and gttrs, on every
// device.
#include "tesela/tridiagonal_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/tridiagonal_reference.h"

namespace tesela {
namespace {

enum class Matrix { random, dominant, graded, zero_diagonal, small_diagonal, near_singular };

template <class T>
struct HostMatrix {
    std::vector<T> a, b, c;

    HostMatrix(std::int64_t rows, Matrix matrix) {
        std::mt19937 generator(static_cast<std::uint32_t>(rows) * 8 +
                               static_cast<std::uint32_t>(matrix));
        std::uniform_real_distribution<double> any(-1, 1);
        for (std::int64_t r = 0; r < rows; ++r) {
            double lower = any(generator), upper = any(generator), middle = any(generator);
            if (matrix == Matrix::dominant) middle = std::copysign(2 + std::abs(middle), middle);
            if (matrix == Matrix::zero_diagonal) middle = 0;
            if (matrix == Matrix::small_diagonal) middle *= 1e-6;
            // Of nearly equal magnitudes, so that the unknowns stay within the range.
            if (matrix == Matrix::zero_diagonal || matrix == Matrix::small_diagonal) {
                lower = std::copysign(1 - lower * lower / 1024, lower);
                upper = std::copysign(1 - upper * upper / 1024, upper);
            }
            if (matrix == Matrix::near_singular) {
                lower = upper = -1;
                middle = 2;
            }
            // Rows of six orders of magnitude.
            const double scale =
                matrix == Matrix::graded
                    ? std::pow(10.0, 6 * double(r) / double(std::max<std::int64_t>(rows - 1, 1)))
                    : 1;
            a.push_back(static_cast<T>(scale * lower));
            b.push_back(static_cast<T>(scale * middle));
            c.push_back(static_cast<T>(scale * upper));
        }
    }
};

template <class T>
std::vector<T> random_sides(const TridiagonalLines& sides) {
    std::mt19937 generator(11);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(sides.elements()));
    for (T& value : values) value = static_cast<T>(any(generator));
    return values;
}

template <class T>
std::vector<T> side_of(const TridiagonalLines& sides, const std::vector<T>& values,
                       std::int64_t side) {
    const std::int64_t first =
        side % sides.counts[0] * sides.strides[0] + side / sides.counts[0] * sides.strides[1];
    std::vector<T> line;
    for (std::int64_t r = 0; r < sides.rows; ++r)
        line.push_back(values[static_cast<std::size_t>(first + r * sides.stride)]);
    return line;
}

class TridiagonalFactorsOf : public testing::OnDevice {
  protected:
    template <class T>
    std::vector<T> solve(const TridiagonalLines& sides, const HostMatrix<T>& m,
                         const std::vector<T>& d, bool is_periodic = false) {
        const auto lend = [&](const std::vector<T>& values) {
            return queue.lend(std::span<const T>(values), "diagonal");
        };
        const TridiagonalFactors<T> factors(queue, sides.rows, is_periodic, lend(m.a), lend(m.b),
                                            lend(m.c));
        auto x = queue.upload(std::span<const T>(d), "right-hand sides");
        factors.solve(queue, sides, x);
        return queue.download(x);
    }
    // The backward error of every side is at most 4 times that of LAPACK's factors, or 16 epsilon.
    template <class T>
    void expect_as_good(const TridiagonalLines& sides, Matrix matrix) {
        const HostMatrix<T> m(sides.rows, matrix);
        const std::vector<T> d = random_sides<T>(sides), x = solve(sides, m, d);
        for (std::int64_t side = 0; side < sides.systems(); side += 1 + sides.systems() / 5) {
            const std::vector<T> right = side_of(sides, d, side);
            const auto error = [&](const std::vector<T>& found) {
                return testing::tridiagonal_backward_error(m.a, m.b, m.c, right, found);
            };
            const auto peer = testing::lapack_gttrs(m.a, m.b, m.c, right);
            const double limit =
                std::max(peer ? 4 * error(*peer) : 0, 16.0 * std::numeric_limits<T>::epsilon());
            EXPECT_LE(error(side_of(sides, x, side)), limit)
                << sides.rows << " rows, side " << side << " of " << sides.systems() << ", stride "
                << sides.stride << ", matrix " << int(matrix);
        }
    }
    template <class T>
    void expect_lengths_solved() {
        testing::Cases cases(GetParam());
        for (const std::int64_t rows :
             {2,   4,   6,   8,    16,   18,   34,    126,   128,   130,   448,   450,
              512, 514, 900, 4094, 4096, 4098, 14336, 14338, 20000, 70000, 300000})
            for (const Matrix matrix :
                 {Matrix::random, Matrix::dominant, Matrix::graded, Matrix::zero_diagonal,
                  Matrix::small_diagonal, Matrix::near_singular}) {
                if (!cases.take()) continue;
                expect_as_good<T>(contiguous_lines(rows, rows > 10000 ? 3 : 40), matrix);
                expect_as_good<T>(interleaved_lines(rows, rows > 10000 ? 2 : 70), matrix);
            }
        // Odd numbers of rows with a diagonal of 0 are singular.
        for (const std::int64_t rows : {1, 3, 5, 15, 17, 127, 129, 447, 449, 4097, 20001}) {
            if (!cases.take()) continue;
            for (const Matrix matrix : {Matrix::random, Matrix::dominant, Matrix::graded})
                expect_as_good<T>(contiguous_lines(rows, 3), matrix);
        }
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(TridiagonalFactorsOf);

TEST_P(TridiagonalFactorsOf, EveryMatrixInFloat) { expect_lengths_solved<float>(); }

TEST_P(TridiagonalFactorsOf, EveryMatrixInDouble) {
    if (GetParam().properties().has_f64) expect_lengths_solved<double>();
}

TEST_P(TridiagonalFactorsOf, LinesOfVolumes) {
    for (const int axis : {0, 1, 2}) {
        expect_as_good<float>(volume_lines({70, 41, 9}, axis), Matrix::random);
        expect_as_good<float>(volume_lines({3, 600, 33}, axis), Matrix::dominant);
    }
}

TEST_P(TridiagonalFactorsOf, Rings) {
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 16, 17, 100, 447, 448, 449, 4097, 20001}) {
        const TridiagonalLines sides = contiguous_lines(rows, 5);
        const HostMatrix<float> m(rows, Matrix::random);
        const std::vector<float> d = random_sides<float>(sides), x = solve(sides, m, d, true);
        const auto n = static_cast<std::size_t>(rows);
        for (const std::int64_t side : {0, 4}) {
            const std::vector<float> given = side_of(sides, d, side),
                                     found = side_of(sides, x, side);
            double residual = 0, size = 0, largest_x = 0, largest_d = 0;
            for (std::size_t r = 0; r < n; ++r) {
                residual = std::max(
                    residual,
                    std::abs(double(given[r]) - double(m.a[r]) * found[(r + n - 1) % n] -
                             double(m.b[r]) * found[r] - double(m.c[r]) * found[(r + 1) % n]));
                size =
                    std::max<double>(size, std::abs(m.a[r]) + std::abs(m.b[r]) + std::abs(m.c[r]));
                largest_x = std::max<double>(largest_x, std::abs(found[r]));
                largest_d = std::max<double>(largest_d, std::abs(given[r]));
            }
            EXPECT_LE(residual,
                      16 * std::numeric_limits<float>::epsilon() * (size * largest_x + largest_d))
                << rows << " rows, side " << side;
        }
    }
}

// x = 1, 2, 3, 4 and its double: rows 0 1, of which none may be the first.
TEST_P(TridiagonalFactorsOf, SidesByHand) {
    const std::vector<float> ones{1, 1, 1, 1}, zeros(4);
    TridiagonalQuality quality;
    const std::vector<float> x =
        solve_tridiagonal_sides<float>(queue, contiguous_lines(4, 2), ones, zeros, ones,
                                       std::vector<float>{2, 4, 6, 3, 4, 8, 12, 6}, {}, &quality);
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(x[i], static_cast<double>((i % 4 + 1) * (i / 4 + 1)), 1e-5);
    EXPECT_TRUE(quality.is_pivoted);
    EXPECT_EQ(quality.dominance, 0);
    EXPECT_LT(quality.backward_error, 1e-6);
}

TEST_P(TridiagonalFactorsOf, FaultsAreNamed) {
    const TridiagonalLines sides = contiguous_lines(100, 3);
    const auto expect_named = [&](auto spoil, const std::string& row, const std::string& fault) {
        HostMatrix<float> m(100, Matrix::random);
        std::vector<float> d = random_sides<float>(sides);
        spoil(m, d);
        try {
            solve_tridiagonal_sides<float>(queue, sides, m.a, m.b, m.c, d);
            ADD_FAILURE() << fault << " was solved";
        } catch (const InvalidArgument& error) {
            const std::string said = error.what();
            EXPECT_NE(said.find(row), std::string::npos) << said;
            EXPECT_NE(said.find(fault), std::string::npos) << said;
        }
    };
    using Given = HostMatrix<float>;
    using Right = std::vector<float>;
    expect_named([](Given& m, Right&) { m.b[41] = NAN; }, "row 42", "b is not a finite number");
    expect_named([](Given&, Right& d) { d[150] = INFINITY; }, "system 2, row 51",
                 "d is not a finite number");
    expect_named([](Given& m, Right&) { m.a[99] = m.b[99] = 0; }, "row 100", "a, b and c are 0");
    expect_named([](Given& m, Right&) { m.b[0] = m.a[1] = m.c[1] = 0, m.c[0] = m.b[1] = 1; },
                 "row ", "singular");
    const Given m(100, Matrix::random);
    const auto d = queue.lend(std::span<const float>(m.b), "diagonal");
    const TridiagonalFactors<float> factors(queue, 100, false, d, d, d);
    auto x = queue.allocate<float>(300, "right-hand sides");
    EXPECT_THROW(factors.solve(queue, contiguous_lines(99, 1), x), InvalidArgument);
    EXPECT_THROW(factors.solve(queue, contiguous_lines(100, 4), x), InvalidArgument);
    EXPECT_THROW(
        solve_tridiagonal_sides<float>(queue, sides, m.a, m.b, m.c, random_sides<float>(sides),
                                       {.method = TridiagonalMethod::plain}),
        InvalidArgument);
}

TEST_P(TridiagonalFactorsOf, MemoryIsReused) {
    const HostMatrix<float> m(20000, Matrix::random);
    const auto d = queue.lend(std::span<const float>(m.b), "diagonal");
    const TridiagonalFactors<float> factors(queue, 20000, false, d, d, d);
    const TridiagonalLines sides = contiguous_lines(20000, 5);
    auto x = queue.upload(std::span<const float>(random_sides<float>(sides)), "right-hand sides");
    factors.solve(queue, sides, x);
    const QueueWork before = queue.counters();
    factors.solve(queue, sides, x);
    EXPECT_EQ((queue.counters() - before).allocations, 0);
}

}  // namespace
}  // namespace tesela
