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

enum class Matrix {
    random,
    graded,
    zero_diagonal,
    small_diagonal,
    near_singular,
    toeplitz,
    dominant
};

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
            if (matrix == Matrix::dominant) middle = std::copysign(2.5, middle);
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

struct Systems {
    std::vector<float> a, b, c, d;
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
    // What is said of systems that are one and the same but for what `spoil` changes.
    template <class Spoil>
    std::string expect_refused(const TridiagonalLines& lines, Matrix matrix, const Spoil& spoil,
                               const TridiagonalOptions& options, const std::string& words) {
        const System<float> one(lines.rows, matrix);
        Systems s{spread(lines, one.a), spread(lines, one.b), spread(lines, one.c),
                  spread(lines, one.d)};
        spoil(s);
        try {
            solve_tridiagonal<float>(queue, lines, s.a, s.b, s.c, s.d, options);
            ADD_FAILURE() << "was solved; expected: " << words;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
            return error.what();
        }
        return {};
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
        for (const Matrix matrix : {Matrix::random, Matrix::graded, Matrix::zero_diagonal}) {
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
    for (const Matrix matrix : {Matrix::random, Matrix::dominant})
        for (const bool is_periodic : {false, true}) {
            const auto expect_named = [&](auto spoil, const std::string& row,
                                          const std::string& fault) {
                expect_refused(lines, matrix, spoil, {.is_periodic = is_periodic}, row + fault);
            };
            expect_named([](Systems& s) { s.b[241] = NAN; },
                         "system 3, row 42: ", "b is not a finite number");
            expect_named([](Systems& s) { s.b[141] = INFINITY; },
                         "system 2, row 42: ", "b is not a finite number");
            expect_named([](Systems& s) { s.a[150] = INFINITY; },
                         "system 2, row 51: ", "a is not a finite number");
            expect_named([](Systems& s) { s.d[50] = NAN; },
                         "system 1, row 51: ", "d is not a finite number");
            expect_named([](Systems& s) { s.a[199] = s.b[199] = s.c[199] = 0; },
                         "system 2, row 100: ", "a, b and c are 0");
        }
    expect_refused(
        lines, Matrix::random, [](Systems& s) { s.a[0] = NAN; }, {.is_periodic = true},
        "system 1, row 1: a is not a finite number");
    const System<float> one(100, Matrix::random);
    EXPECT_THROW(
        solve_tridiagonal<float>(queue, contiguous_lines(100, 1), one.a, one.b, one.c, one.d,
                                 {.method = TridiagonalMethod::plain, .is_periodic = true}),
        InvalidArgument);
}

TEST_P(TridiagonalPivoted, SingularSystemsAreNamed) {
    const TridiagonalLines lines = contiguous_lines(100, 3);
    // The first two rows of the second system hold its second unknown alone.
    expect_refused(
        lines, Matrix::random,
        [](Systems& s) {
            s.b[100] = s.a[101] = s.c[101] = 0;
            s.c[100] = s.b[101] = 1;
        },
        {}, "system 2, row 1: the pivot is 0 or not finite; the matrix is singular");
    // The last two rows hold the difference of their unknowns alone: dominant, and singular. It is
    // so in any order of elimination, without rounding.
    const auto difference_alone = [](Systems& s) {
        s.c[297] = s.a[298] = 0;
        s.b[298] = s.b[299] = 1;
        s.c[298] = s.a[299] = -1;
    };
    for (const TridiagonalMethod method : {TridiagonalMethod::automatic, TridiagonalMethod::plain})
        EXPECT_EQ(expect_refused(lines, Matrix::dominant, difference_alone, {.method = method},
                                 "system 3, row 100: the pivot is 0 or not finite; the matrix is "
                                 "singular")
                      .find("pivoting"),
                  std::string::npos);
    // A ring that 1, 0, -1, 0, 1, ... solves where the right-hand sides are 0.
    const auto loose_ring = [](Systems& s) {
        for (std::size_t row = 100; row < 200; ++row) {
            s.a[row] = s.c[row] = 1;
            s.b[row] = 0;
        }
    };
    expect_refused(lines, Matrix::random, loose_ring, {.is_periodic = true},
                   "system 2: the matrix is singular");
    // Numbers below the range of normal ones are no zeros.
    expect_refused(
        lines, Matrix::dominant,
        [&](Systems& s) {
            difference_alone(s);
            s.a[50] = s.c[50] = 0;
            s.b[50] = s.d[50] = 1e-39f;
        },
        {}, "system 3, row 100: the pivot is 0");
}

// A diagonal too small for its inverse, of which rows that are scaled know nothing.
TEST_P(TridiagonalPivoted, SubnormalDiagonalsAreSolved) {
    const std::vector<float> none(2), b{1e-39f, 1};
    TridiagonalQuality quality;
    const std::vector<float> x =
        solve_tridiagonal<float>(queue, contiguous_lines(2, 1), none, b, none, b, {}, &quality);
    EXPECT_EQ(x, (std::vector<float>{1, 1}));
    EXPECT_TRUE(quality.is_pivoted);
}

// The residual of x is beyond 1e39, which single precision does not hold.
TEST_P(TridiagonalPivoted, RefinementNeedsResidualsInRange) {
    constexpr std::size_t rows = 100000;
    const std::vector<float> outer(rows, -1e38f), middle(rows, 2e38f), right(rows, 1e38f);
    TridiagonalQuality quality;
    const std::vector<float> x =
        solve_tridiagonal<float>(queue, contiguous_lines(rows, 1), outer, middle, outer, right,
                                 {.method = TridiagonalMethod::pivoted, .refine = true}, &quality);
    EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](float value) { return std::isfinite(value); }));
    EXPECT_FALSE(quality.is_refined);
}

// Rows of most of the range of single precision, in one system. Beyond 1e30 none is scaled further.
TEST_P(TridiagonalPivoted, RowsAreScaledByPowersOfTwo) {
    System<float> s(600, Matrix::random);
    const std::vector<float> x = solve(contiguous_lines(600, 1), s);
    for (std::size_t r = 0; r < 600; ++r)
        for (std::vector<float>* values : {&s.a, &s.b, &s.c, &s.d})
            (*values)[r] = std::ldexp((*values)[r], static_cast<int>(r * 53 % 180) - 80);
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
