// Backward errors of tridiagonal systems beside LAPACK's, lengths and numbers of systems, and
// diffusion along the axes of volumes, on every device.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/tridiagonal_reference.h"
#include "tesela/tridiagonal.h"
#include "tridiagonal_lines.h"

namespace tesela {
namespace {

enum class Matrix { dominant, toeplitz, graded, random };

template <class T>
struct System {
    std::vector<T> a, b, c, d;

    System(std::int64_t rows, Matrix matrix) {
        std::mt19937 generator(static_cast<std::uint32_t>(rows));
        std::uniform_real_distribution<double> any(-1, 1);
        for (std::int64_t r = 0; r < rows; ++r) {
            double lower = any(generator), upper = any(generator), middle = any(generator);
            if (matrix == Matrix::toeplitz) {
                lower = upper = 1;
                middle = 4;
            }
            if (matrix == Matrix::dominant || matrix == Matrix::graded)
                middle = std::copysign(
                    (1.05 + std::abs(middle)) * (std::abs(lower) + std::abs(upper)), middle);
            // Rows of six orders of magnitude.
            const double scale =
                matrix == Matrix::graded
                    ? std::pow(10.0, 6 * double(r) / double(std::max<std::int64_t>(rows - 1, 1)))
                    : 1;
            a.push_back(static_cast<T>(scale * lower));
            b.push_back(static_cast<T>(scale * middle));
            c.push_back(static_cast<T>(scale * upper));
            d.push_back(static_cast<T>(scale * any(generator)));
        }
    }
};

template <class T>
std::vector<T> system_of(const TridiagonalLines& lines, const std::vector<T>& all, std::int64_t i,
                         std::int64_t j) {
    std::vector<T> values;
    for (std::int64_t r = 0; r < lines.rows; ++r)
        values.push_back(all[static_cast<std::size_t>(r * lines.stride + i * lines.strides[0] +
                                                      j * lines.strides[1])]);
    return values;
}

class TridiagonalSystems : public testing::OnDevice {
  protected:
    // The error of the first and of the last system is at most 4 times LAPACK's, or 16 epsilon.
    template <class T>
    void expect_as_good(const TridiagonalLines& lines, Matrix matrix) {
        const System<T> s(lines.rows, matrix);
        const auto x = solve_tridiagonal<T>(queue, lines, spread(lines, s.a), spread(lines, s.b),
                                            spread(lines, s.c), spread(lines, s.d));
        const auto error = [&](const std::vector<T>& solved) {
            return testing::tridiagonal_backward_error(s.a, s.b, s.c, s.d, solved);
        };
        const auto peer = testing::lapack_gtsv(s.a, s.b, s.c, s.d);
        const double limit =
            std::max(peer ? 4 * error(*peer) : 0, 16.0 * std::numeric_limits<T>::epsilon());
        for (const bool last : {false, true}) {
            const std::int64_t i = last ? lines.counts[0] - 1 : 0,
                               j = last ? lines.counts[1] - 1 : 0;
            ASSERT_LE(error(system_of(lines, x, i, j)), limit)
                << lines.rows << " rows, " << lines.systems() << " systems, stride " << lines.stride
                << ", matrix " << int(matrix);
        }
    }
    template <class T>
    void expect_lengths_solved() {
        testing::Cases cases(GetParam());
        for (std::int64_t rows = 1; rows <= 1100; ++rows) {
            if (!cases.take()) continue;
            expect_as_good<T>(contiguous_lines(rows, 3), Matrix::dominant);
            expect_as_good<T>(interleaved_lines(rows, 9), Matrix::dominant);
        }
        for (int power = 11; power <= 20; ++power)
            for (const int beside : {-1, 0, 1}) {
                if (!cases.take()) continue;
                const std::int64_t rows = (std::int64_t{1} << power) + beside;
                expect_as_good<T>(contiguous_lines(rows, 1), Matrix::dominant);
                if (power <= 14) expect_as_good<T>(interleaved_lines(rows, 5), Matrix::dominant);
            }
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(TridiagonalSystems);

TEST_P(TridiagonalSystems, EveryLengthInFloat) { expect_lengths_solved<float>(); }

TEST_P(TridiagonalSystems, EveryLengthInDouble) {
    if (GetParam().properties().has_f64) expect_lengths_solved<double>();
}

TEST_P(TridiagonalSystems, EveryMatrixThatNeedsNoPivoting) {
    for (const Matrix matrix : {Matrix::dominant, Matrix::toeplitz, Matrix::graded})
        for (const std::int64_t rows : {7, 64, 500, 5000, 70001}) {
            expect_as_good<float>(contiguous_lines(rows, 2), matrix);
            if (GetParam().properties().has_f64)
                expect_as_good<double>(contiguous_lines(rows, 2), matrix);
        }
}

// F01 and F03: lengths that are powers of two and others.
TEST_P(TridiagonalSystems, ErrorOfAMillionRows) {
    const auto error = [&]<class T>(const System<T>& s) {
        const auto rows = static_cast<std::int64_t>(s.b.size());
        return testing::relative_l2_error(
            solve_tridiagonal<T>(queue, contiguous_lines(rows, 1), s.a, s.b, s.c, s.d),
            testing::plain_tridiagonal(s.a, s.b, s.c, s.d));
    };
    const bool is_cpu = GetParam().back_end() == BackEnd::cpu;
    for (const std::int64_t rows : {1 << 20, 1000003}) {
        EXPECT_LE(error(System<float>(rows, Matrix::dominant)), is_cpu ? 2e-7 : 3e-7);
        if (GetParam().properties().has_f64) {
            EXPECT_LE(error(System<double>(rows, Matrix::dominant)), 1e-15);
        }
    }
}

// F13: rows 0 1 0 0 behind a system, up to a power of two, are solved by 0 and change nothing.
TEST_P(TridiagonalSystems, PaddingChangesNothing) {
    for (const std::int64_t rows : {5, 100, 700, 5000, 40000}) {
        System<float> s(rows, Matrix::dominant);
        s.c.back() = 0;
        const auto solve = [&](std::int64_t count) {
            return solve_tridiagonal<float>(queue, contiguous_lines(count, 1), s.a, s.b, s.c, s.d);
        };
        const std::vector<float> alone = solve(rows);
        std::int64_t padded = 1;
        while (padded < rows) padded *= 2;
        const auto length = static_cast<std::size_t>(padded);
        for (std::vector<float>* values : {&s.a, &s.c, &s.d}) values->resize(length, 0);
        s.b.resize(length, 1);
        const std::vector<float> found = solve(padded);
        float largest = 0;
        for (const float x : alone) largest = std::max(largest, std::abs(x));
        for (std::size_t r = 0; r < length; ++r)
            ASSERT_NEAR(found[r], r < alone.size() ? alone[r] : 0,
                        r < alone.size() ? 2e-7f * largest : 0)
                << rows << " rows, row " << r;
    }
}

// Without pivoting no bound holds; what is said of the solution does.
TEST_P(TridiagonalSystems, RandomMatricesAreJudged) {
    for (const std::int64_t rows : {5, 300, 3000}) {
        const System<float> s(rows, Matrix::random);
        TridiagonalQuality quality;
        const auto x =
            solve_tridiagonal<float>(queue, contiguous_lines(rows, 1), s.a, s.b, s.c, s.d,
                                     {.method = TridiagonalMethod::plain}, &quality);
        EXPECT_LT(quality.dominance, 1);
        EXPECT_NE(quality.warning().find("not diagonally dominant"), std::string::npos);
        EXPECT_DOUBLE_EQ(quality.backward_error,
                         testing::tridiagonal_backward_error(s.a, s.b, s.c, s.d, x));
    }
}

TEST_P(TridiagonalSystems, FromOneSystemToSeventyThousand) {
    testing::Cases cases(GetParam());
    for (const std::int64_t systems : {1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4096, 70000})
        for (const std::int64_t rows : {1, 3, 33}) {
            if (!cases.take()) continue;
            expect_as_good<float>(contiguous_lines(rows, systems), Matrix::dominant);
            expect_as_good<float>(interleaved_lines(rows, systems), Matrix::dominant);
        }
    for (const Shape& shape :
         {Shape{65, 33, 7}, Shape{7, 1100, 3}, Shape{3, 2, 700}, Shape{5000, 3, 2}})
        for (const int axis : {0, 1, 2})
            expect_as_good<float>(volume_lines(shape, axis), Matrix::dominant);
}

// Backward Euler steps of diffusion along x, y and z in turn: the variance of a blob grows by 2 t
// along each axis, whatever the spacing.
TEST_P(TridiagonalSystems, DiffusionWidensABlob) {
    const Shape shape{96, 80, 48};
    const std::array<double, 3> spacing{1, 1.25, 2.5};
    const std::array<std::int64_t, 3> axes{shape.x, shape.y, shape.z};
    constexpr double start = 25, step = 2;  // variance and time, in squares of the unit
    constexpr int steps = 5;
    std::vector<float> u(static_cast<std::size_t>(shape.elements()));
    const auto for_points = [&](auto use) {
        std::size_t at = 0;
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x, ++at)
                    use(at, std::array{(double(x) - double(shape.x - 1) / 2) * spacing[0],
                                       (double(y) - double(shape.y - 1) / 2) * spacing[1],
                                       (double(z) - double(shape.z - 1) / 2) * spacing[2]});
    };
    for_points([&](std::size_t at, const std::array<double, 3>& p) {
        u[at] =
            static_cast<float>(std::exp(-(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2 * start)));
    });
    const auto variances = [&](const std::vector<float>& values) {
        std::array<double, 3> sums{};
        double total = 0;
        for_points([&](std::size_t at, const std::array<double, 3>& p) {
            total += values[at];
            for (std::size_t axis = 0; axis < 3; ++axis)
                sums[axis] += values[at] * p[axis] * p[axis];
        });
        for (double& sum : sums) sum /= total;
        return sums;
    };
    const std::array<double, 3> before = variances(u);

    auto field = queue.upload(std::span<const float>(u), "field");
    auto status = queue.allocate<std::uint32_t>(1, "status");
    for (int k = 0; k < steps; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            const TridiagonalLines lines = volume_lines(shape, axis);
            const auto r = static_cast<float>(step / std::pow(spacing[std::size_t(axis)], 2));
            std::vector<float> middle(static_cast<std::size_t>(axes[std::size_t(axis)]), 1 + 2 * r);
            middle.front() = middle.back() = 1 + r;  // nothing flows through the ends
            const Buffer<const float> beside =
                queue.allocate_filled<float>(field.size(), -r, "beside the diagonal");
            solve_tridiagonal<float>(
                queue, lines, beside,
                queue.upload(std::span<const float>(spread(lines, middle)), "diagonal"), beside,
                field, status);
        }
    EXPECT_EQ(queue.download(status)[0], 0u);
    const std::array<double, 3> after = variances(queue.download(field));
    for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(after[axis] - before[axis], 2 * step * steps, 0.01 * 2 * step * steps)
            << "axis " << axis;
}

// A second call allocates nothing.
TEST_P(TridiagonalSystems, MemoryIsReused) {
    for (const TridiagonalLines& lines :
         {contiguous_lines(100, 50), interleaved_lines(3000, 40), contiguous_lines(100000, 1)}) {
        const System<float> s(lines.rows, Matrix::dominant);
        const auto upload = [&](const std::vector<float>& values) {
            return queue.upload(std::span<const float>(spread(lines, values)), "diagonal");
        };
        const Buffer<const float> a = upload(s.a), b = upload(s.b), c = upload(s.c);
        auto d = upload(s.d);
        auto status = queue.allocate<std::uint32_t>(1, "status");
        solve_tridiagonal(queue, lines, a, b, c, d, status);
        const QueueWork before = queue.counters();
        solve_tridiagonal(queue, lines, a, b, c, d, status);
        const QueueWork work = queue.counters() - before;
        EXPECT_EQ(work.allocations, 0);
        EXPECT_EQ(work.downloads + work.small_transfers, 0);
    }
}

// Finite numbers, and solutions that are none.
class TridiagonalRange : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(TridiagonalRange);

TEST_P(TridiagonalRange, SolutionsAreFinite) {
    Queue queue{GetParam()};
    const auto solve = [&]<class T>(std::vector<T> b, std::vector<T> d) {
        const std::vector<T> none(b.size());
        TridiagonalQuality quality;
        return solve_tridiagonal<T>(queue, contiguous_lines(std::ssize(b), 1), none, b, none, d, {},
                                    &quality);
    };
    EXPECT_EQ(solve(std::vector<float>{2, 1}, std::vector<float>{8, 1}),
              (std::vector<float>{4, 1}));
    EXPECT_THROW(solve(std::vector<float>{1e-20f, 1}, std::vector<float>{1e30f, 1}),
                 InvalidArgument);
    EXPECT_THROW(solve(std::vector<float>{1, 1}, std::vector<float>{INFINITY, 1}), InvalidArgument);
    if (!GetParam().properties().has_f64) return;
    EXPECT_THROW(solve(std::vector<double>{1e-30, 1}, std::vector<double>{1e300, 1}),
                 InvalidArgument);
    // The largest coefficient and the largest unknown are of different rows.
    EXPECT_EQ(solve(std::vector<double>{1e200, 1e-200}, std::vector<double>{1, 1}),
              (std::vector<double>{1 / 1e200, 1 / 1e-200}));
}

}  // namespace
}  // namespace tesela
