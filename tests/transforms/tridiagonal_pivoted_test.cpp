// Tridiagonal systems that need pivoting, beside LAPACK's, and periodic ones, on every device.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "devices.h"
#include "reference/tridiagonal_reference.h"
#include "tesela/tridiagonal.h"
#include "tridiagonal_lines.h"

namespace tesela {
namespace {

enum class Matrix { random, graded, zero_diagonal, small_diagonal, near_singular, toeplitz };

template <class T>
struct System {
    std::vector<T> a, b, c, d;

    System(std::int64_t rows, Matrix matrix) {
        std::mt19937 generator(static_cast<std::uint32_t>(rows) * 8 +
                               static_cast<std::uint32_t>(matrix));
        std::uniform_real_distribution<double> any(-1, 1);
        for (std::int64_t r = 0; r < rows; ++r) {
            double lower = any(generator), upper = any(generator), middle = any(generator);
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
            if (matrix == Matrix::toeplitz) lower = upper = middle = 1;
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

class TridiagonalPivoted : public testing::OnDevice {
  protected:
    // Device level, which refines nothing. The last system of `lines`.
    template <class T>
    std::vector<T> solve(const TridiagonalLines& lines, const System<T>& s,
                         bool is_periodic = false) {
        const auto upload = [&](const std::vector<T>& values) {
            return queue.upload(std::span<const T>(spread(lines, values)), "diagonal");
        };
        const Buffer<const T> a = upload(s.a), b = upload(s.b), c = upload(s.c);
        auto x = upload(s.d);
        auto status = queue.allocate<std::uint32_t>(1, "status");
        solve_tridiagonal_pivoted<T>(queue, lines, is_periodic, a, b, c, x, status);
        EXPECT_EQ(queue.download(status)[0], 0u);
        const std::vector<T> all = queue.download(x);
        std::vector<T> last;
        for (std::int64_t r = 0; r < lines.rows; ++r)
            last.push_back(all[static_cast<std::size_t>(r * lines.stride +
                                                        (lines.counts[0] - 1) * lines.strides[0])]);
        return last;
    }
    // The backward error is at most 4 times LAPACK's, or 16 epsilon.
    template <class T>
    void expect_as_good(const TridiagonalLines& lines, Matrix matrix) {
        const System<T> s(lines.rows, matrix);
        const auto error = [&](const std::vector<T>& x) {
            return testing::tridiagonal_backward_error(s.a, s.b, s.c, s.d, x);
        };
        const auto peer = testing::lapack_gtsv(s.a, s.b, s.c, s.d);
        const double limit =
            std::max(peer ? 4 * error(*peer) : 0, 16.0 * std::numeric_limits<T>::epsilon());
        EXPECT_LE(error(solve(lines, s)), limit)
            << lines.rows << " rows, " << lines.systems() << " systems, stride " << lines.stride
            << ", matrix " << int(matrix);
    }
    template <class T>
    void expect_lengths_solved() {
        testing::Cases cases(GetParam());
        for (const std::int64_t rows :
             {2,    4,    6,    8,    14,   16,   18,   30,   32,   34,    100,   222,
              224,  226,  256,  258,  446,  448,  450,  510,  512,  514,   900,   1022,
              1024, 1026, 2046, 2050, 4094, 4096, 4098, 8190, 8194, 20000, 70000, 300000})
            for (const Matrix matrix : {Matrix::random, Matrix::graded, Matrix::zero_diagonal,
                                        Matrix::small_diagonal, Matrix::near_singular}) {
                if (!cases.take()) continue;
                expect_as_good<T>(contiguous_lines(rows, rows > 10000 ? 1 : 40), matrix);
                if (rows < 10000) expect_as_good<T>(interleaved_lines(rows, 9), matrix);
            }
        // 1 1 1 is singular with 2, 5, 8, ... rows.
        for (const std::int64_t rows : {1, 3, 4, 7, 9, 255, 447, 513, 1023, 4095, 4099}) {
            if (!cases.take()) continue;
            for (const Matrix matrix : {Matrix::random, Matrix::graded, Matrix::toeplitz})
                expect_as_good<T>(contiguous_lines(rows, 3), matrix);
        }
    }
    template <class T>
    void expect_periodic_solved(const TridiagonalLines& lines, Matrix matrix) {
        const System<T> s(lines.rows, matrix);
        const std::vector<T> x = solve(lines, s, true);
        const auto rows = x.size();
        double residual = 0, size = 0, largest_x = 0, largest_d = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            residual = std::max(
                residual, std::abs(double(s.d[r]) - double(s.a[r]) * x[(r + rows - 1) % rows] -
                                   double(s.b[r]) * x[r] - double(s.c[r]) * x[(r + 1) % rows]));
            size = std::max<double>(size, std::abs(s.a[r]) + std::abs(s.b[r]) + std::abs(s.c[r]));
            largest_x = std::max<double>(largest_x, std::abs(x[r]));
            largest_d = std::max<double>(largest_d, std::abs(s.d[r]));
        }
        EXPECT_LE(residual, 16 * std::numeric_limits<T>::epsilon() * (size * largest_x + largest_d))
            << lines.rows << " rows, " << lines.systems() << " systems, matrix " << int(matrix);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(TridiagonalPivoted);

TEST_P(TridiagonalPivoted, EveryMatrixInFloat) { expect_lengths_solved<float>(); }

TEST_P(TridiagonalPivoted, EveryMatrixInDouble) {
    if (GetParam().properties().has_f64) expect_lengths_solved<double>();
}

TEST_P(TridiagonalPivoted, PeriodicSystems) {
    testing::Cases cases(GetParam());
    for (const std::int64_t rows :
         {1, 2, 3, 4, 5, 15, 16, 17, 33, 100, 447, 448, 449, 513, 1000, 4095, 4097, 20001, 150001})
        for (const Matrix matrix : {Matrix::random, Matrix::graded}) {
            if (!cases.take()) continue;
            expect_periodic_solved<float>(contiguous_lines(rows, rows > 10000 ? 1 : 300), matrix);
            if (rows < 10000) expect_periodic_solved<float>(interleaved_lines(rows, 40), matrix);
            if (GetParam().properties().has_f64)
                expect_periodic_solved<double>(contiguous_lines(rows, 3), matrix);
        }
}

// x = 1, 2, 3, 4: rows 0 1, of which none may be the first, and a ring of four.
TEST_P(TridiagonalPivoted, SystemsByHand) {
    const auto expect_1_to_4 = [](const std::vector<float>& x) {
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(x[i], static_cast<double>(i + 1), 1e-5);
    };
    const std::vector<float> ones{1, 1, 1, 1}, zeros(4);
    TridiagonalQuality quality;
    expect_1_to_4(solve_tridiagonal<float>(queue, contiguous_lines(4, 1), ones, zeros, ones,
                                           std::vector<float>{2, 4, 6, 3}, {}, &quality));
    EXPECT_TRUE(quality.is_pivoted);
    EXPECT_EQ(quality.warning(), "");
    const std::vector<float> threes{3, 3, 3, 3};
    expect_1_to_4(solve_tridiagonal<float>(queue, contiguous_lines(4, 1), ones, threes, ones,
                                           std::vector<float>{9, 10, 15, 16}, {.is_periodic = true},
                                           &quality));
    EXPECT_TRUE(quality.is_pivoted);
    expect_1_to_4(solve_tridiagonal<float>(queue, contiguous_lines(4, 1), ones, threes, ones,
                                           std::vector<float>{5, 10, 15, 15}, {}, &quality));
    EXPECT_FALSE(quality.is_pivoted);
}

// Without pivoting a diagonal of 0.001 costs three digits, which a step of refinement gives back.
TEST_P(TridiagonalPivoted, RefinementLowersTheBackwardError) {
    System<float> s(64, Matrix::small_diagonal);
    for (float& middle : s.b) middle = std::copysign(1e-3f, middle);
    const auto quality = [&](const TridiagonalOptions& options) {
        TridiagonalQuality found;
        solve_tridiagonal<float>(queue, contiguous_lines(64, 1), s.a, s.b, s.c, s.d, options,
                                 &found);
        return found;
    };
    const auto plain = quality({.method = TridiagonalMethod::plain});
    const auto refined = quality({.method = TridiagonalMethod::plain, .refine = true});
    EXPECT_GT(plain.backward_error, 16 * std::numeric_limits<float>::epsilon());
    EXPECT_LT(refined.backward_error, 0.1 * plain.backward_error);
    EXPECT_TRUE(refined.is_refined);
}

TEST_P(TridiagonalPivoted, FaultsAreNamed) {
    const TridiagonalLines lines = contiguous_lines(100, 3);
    const System<float> one(100, Matrix::random);
    const auto expect_named = [&](auto spoil, const std::string& row, const std::string& fault,
                                  bool is_periodic = false) {
        std::vector<float> a = spread(lines, one.a), b = spread(lines, one.b),
                           c = spread(lines, one.c), d = spread(lines, one.d);
        spoil(a, b, c, d);
        try {
            solve_tridiagonal<float>(queue, lines, a, b, c, d, {.is_periodic = is_periodic});
            ADD_FAILURE() << fault << " was solved";
        } catch (const InvalidArgument& error) {
            const std::string said = error.what();
            EXPECT_NE(said.find(row), std::string::npos) << said;
            EXPECT_NE(said.find(fault), std::string::npos) << said;
        }
    };
    using Values = std::vector<float>;
    for (const bool is_periodic : {false, true}) {
        expect_named([](Values&, Values& b, Values&, Values&) { b[241] = NAN; }, "system 3, row 42",
                     "b is not a finite number", is_periodic);
        expect_named([](Values& a, Values&, Values&, Values&) { a[150] = INFINITY; },
                     "system 2, row 51", "a is not a finite number", is_periodic);
        expect_named([](Values&, Values&, Values&, Values& d) { d[0] = NAN; },
                     "system 1, row 1:", "d is not a finite number", is_periodic);
        expect_named([](Values& a, Values& b, Values& c, Values&) { a[199] = b[199] = c[199] = 0; },
                     "system 2, row 100", "a, b and c are 0", is_periodic);
    }
    // Rows 1 and 2 hold the second unknown alone.
    expect_named(
        [](Values& a, Values& b, Values& c, Values&) { b[0] = a[1] = c[1] = 0, c[0] = b[1] = 1; },
        "system 1, row ", "singular");
    expect_named([](Values& a, Values&, Values&, Values&) { a[0] = NAN; },
                 "system 1, row 1:", "a is not a finite number", true);
    EXPECT_THROW(
        solve_tridiagonal<float>(queue, contiguous_lines(100, 1), one.a, one.b, one.c, one.d,
                                 {.method = TridiagonalMethod::plain, .is_periodic = true}),
        InvalidArgument);
}

// Rows of the whole range of single precision, in one system.
TEST_P(TridiagonalPivoted, RowsAreScaledByPowersOfTwo) {
    System<float> s(600, Matrix::random);
    const std::vector<float> x = solve(contiguous_lines(600, 1), s);
    for (std::size_t r = 0; r < 600; ++r)
        for (std::vector<float>* values : {&s.a, &s.b, &s.c, &s.d})
            (*values)[r] = std::ldexp((*values)[r], static_cast<int>(r * 53 % 160) - 80);
    EXPECT_EQ(solve(contiguous_lines(600, 1), s), x);
}

TEST_P(TridiagonalPivoted, MemoryIsReused) {
    for (const TridiagonalLines& lines : {contiguous_lines(100, 50), contiguous_lines(100000, 1)}) {
        const System<float> s(lines.rows, Matrix::random);
        solve(lines, s);
        const QueueWork before = queue.counters();
        solve(lines, s);
        EXPECT_EQ((queue.counters() - before).allocations, 0);
    }
}

}  // namespace
}  // namespace tesela
