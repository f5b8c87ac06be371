// Tridiagonal systems on the host: which solver, what is said of the solution, whose fault it is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tesela/options.h"
#include "tesela/tridiagonal_factors.h"
#include "transforms/tridiagonal_checks.h"

namespace tesela {
namespace {

// Systems on the host. Where the matrix is shared, a, b and c are those of one line.
template <class T>
struct HostSystems {
    const TridiagonalLines& lines;
    bool is_periodic, is_shared;
    std::span<const T> a, b, c, d;
};

// A pivot of elimination, beside the coefficients of its row; 0 where it is 0 or not finite.
struct WeakPivot {
    std::int64_t row = 0;
    double size = std::numeric_limits<double>::infinity();
};

// An equation of a ring: x[-1], x[0], and the unknowns under elimination.
struct RingEquation {
    double before, first, here, next, after;

    // What is left of it without the unknown `here`.
    RingEquation without(const RingEquation& pivot) const {
        const double factor = here / pivot.here;
        return {before - factor * pivot.before, first - factor * pivot.first,
                next - factor * pivot.next, after - factor * pivot.after, 0};
    }
    // The last two unknowns are x[-1] and x[0] themselves.
    void close() { *this = {0, 0, before + here, first + next, 0}; }
};

// The rows of one system.
template <class T>
class HostLine {
  public:
    HostLine(const HostSystems<T>& all, std::int64_t system)
        : all_(all),
          first_(system % all.lines.counts[0] * all.lines.strides[0] +
                 system / all.lines.counts[0] * all.lines.strides[1]) {}

    std::size_t at(std::int64_t row) const {
        const std::int64_t rows = all_.lines.rows;
        return static_cast<std::size_t>(first_ + (row + rows) % rows * all_.lines.stride);
    }
    double lower(std::int64_t row) const {
        return has_lower(row) ? double(all_.a[of_matrix(row)]) : 0;
    }
    double middle(std::int64_t row) const { return double(all_.b[of_matrix(row)]); }
    double upper(std::int64_t row) const {
        return has_upper(row) ? double(all_.c[of_matrix(row)]) : 0;
    }
    double right(std::int64_t row) const { return double(all_.d[at(row)]); }
    // d - A x.
    double residual(const std::vector<T>& x, std::int64_t row) const {
        double sum = right(row) - middle(row) * double(x[at(row)]);
        if (has_lower(row)) sum -= lower(row) * double(x[at(row - 1)]);
        if (has_upper(row)) sum -= upper(row) * double(x[at(row + 1)]);
        return sum;
    }
    // The pivot that is least beside the coefficients of its row, in the arithmetic of T.
    WeakPivot weakest_pivot(bool is_pivoted) const {
        WeakPivot weakest;
        const auto scaled = [&](double value, std::int64_t row) {
            return static_cast<T>(is_pivoted ? std::ldexp(value, -exponent(row)) : value);
        };
        T pivot = scaled(middle(0), 0), next = scaled(upper(0), 0);
        for (std::int64_t row = 0; row < all_.lines.rows; ++row) {
            const bool is_last = row + 1 == all_.lines.rows;
            T below = is_last ? T{0} : scaled(lower(row + 1), row + 1),
              diagonal = is_last ? T{0} : scaled(middle(row + 1), row + 1),
              after = is_last ? T{0} : scaled(upper(row + 1), row + 1), next_after = 0;
            if (is_pivoted && std::abs(below) > std::abs(pivot)) {
                std::swap(below, pivot);
                std::swap(diagonal, next);
                std::swap(after, next_after);
            }
            if (!std::isfinite(pivot)) return {row, 0};
            if (!std::isfinite(1 / pivot)) return {row, std::abs(double(pivot))};
            const double size =
                std::ldexp(std::abs(double(pivot)), is_pivoted ? 0 : -exponent(row));
            if (size < weakest.size) weakest = {row, size};
            const T factor = below / pivot;
            pivot = diagonal - factor * next;
            next = after - factor * next_after;
        }
        return weakest;
    }
    // The same of a ring, eliminated as on a device: two equations of x[-1] and x[0] are left.
    double weakest_ring_pivot() const {
        const std::int64_t rows = all_.lines.rows;
        const auto scaled = [&](double value, std::int64_t row) {
            return std::ldexp(value, -exponent(row));
        };
        const auto row_of = [&](std::int64_t row) {
            return RingEquation{0, 0, scaled(lower(row), row), scaled(middle(row), row),
                                scaled(upper(row), row)};
        };
        RingEquation one = row_of(0), two = row_of(1);
        if (rows == 1) return std::abs(one.here + one.next + one.after);
        one = {one.here, one.next, one.after, 0, 0};
        two = {0, two.here, two.next, two.after, 0};
        double weakest = std::numeric_limits<double>::infinity();
        for (std::int64_t r = 2; r < rows && weakest > 0; ++r) {
            RingEquation pivot = row_of(r);
            if (std::abs(one.here) > std::abs(pivot.here)) std::swap(one, pivot);
            if (std::abs(two.here) > std::abs(pivot.here)) std::swap(two, pivot);
            weakest = std::min(weakest, std::abs(pivot.here));
            one = one.without(pivot);
            two = two.without(pivot);
        }
        one.close();
        two.close();
        if (std::abs(one.here) > std::abs(two.here)) std::swap(one, two);
        weakest = std::min(weakest, std::abs(two.here));
        return weakest > 0 ? std::min(weakest, std::abs(one.without(two).here)) : 0;
    }
    bool is_dominant() const {
        for (std::int64_t row = 0; row < all_.lines.rows; ++row)
            if (!(std::abs(middle(row)) >= std::abs(lower(row)) + std::abs(upper(row))))
                return false;
        return true;
    }
    // What is wrong with a row before anything is computed; else nothing.
    std::string fault(std::int64_t row) const {
        for (const auto& [name, value] :
             {std::pair{"a", lower(row)}, {"b", middle(row)}, {"c", upper(row)}, {"d", right(row)}})
            if (!std::isfinite(value)) return std::string(name) + " is not a finite number";
        return lower(row) == 0 && middle(row) == 0 && upper(row) == 0
                   ? "a, b and c are 0, so that the matrix is singular"
                   : "";
    }

  private:
    // Of the power of two at or below the largest coefficient of a row.
    int exponent(std::int64_t row) const {
        return std::ilogb(
            std::max({std::abs(lower(row)), std::abs(middle(row)), std::abs(upper(row))}));
    }
    std::size_t of_matrix(std::int64_t row) const {
        return all_.is_shared ? static_cast<std::size_t>(row) : at(row);
    }
    bool has_lower(std::int64_t row) const { return row > 0 || all_.is_periodic; }
    bool has_upper(std::int64_t row) const { return row + 1 < all_.lines.rows || all_.is_periodic; }

    const HostSystems<T>& all_;
    std::int64_t first_;
};

std::string row_text(std::int64_t system, std::int64_t row) {
    return "system " + std::to_string(system + 1) + ", row " + std::to_string(row + 1);
}

// Calls use(system, line) for each system.
template <class T, class Use>
void for_lines(const HostSystems<T>& all, const Use& use) {
    for (std::int64_t system = 0; system < all.lines.systems(); ++system)
        use(system, HostLine<T>(all, system));
}

template <class T>
void require_good_rows(const HostSystems<T>& all) {
    for_lines(all, [&](std::int64_t system, const HostLine<T>& line) {
        for (std::int64_t row = 0; row < all.lines.rows; ++row)
            if (const std::string fault = line.fault(row); !fault.empty())
                throw InvalidArgument(row_text(system, row) + ": " + fault);
    });
}

template <class T>
[[noreturn]] void refuse_singular(const HostSystems<T>& all, bool is_pivoted) {
    require_good_rows(all);
    WeakPivot weakest;
    std::int64_t weakest_system = 0;
    for_lines(all, [&](std::int64_t system, const HostLine<T>& line) {
        const WeakPivot pivot = all.is_periodic ? WeakPivot{0, line.weakest_ring_pivot()}
                                                : line.weakest_pivot(is_pivoted);
        if (pivot.size >= weakest.size) return;
        weakest = pivot;
        weakest_system = system;
    });
    const HostLine<T> line(all, weakest_system);
    const bool is_singular = is_pivoted || (weakest.size == 0 && line.is_dominant());
    const std::string reason =
        is_singular ? "the matrix is singular"
                    : "the matrix is singular or needs pivoting: use the method pivoted";
    // A ring's last two pivots are of no row. The device may have met a 0 where another order of
    // elimination leaves a rounding error.
    if (all.is_periodic || weakest.size > 0)
        throw InvalidArgument("system " + std::to_string(weakest_system + 1) + ": " + reason);
    throw InvalidArgument(row_text(weakest_system, weakest.row) +
                          ": the pivot is 0 or not finite; " + reason);
}

template <class T>
void require_finite(const HostSystems<T>& all, const std::vector<T>& x) {
    const auto finite = [](T value) { return std::isfinite(value); };
    if (std::all_of(x.begin(), x.end(), finite)) return;
    require_good_rows(all);
    for_lines(all, [&](std::int64_t system, const HostLine<T>& line) {
        for (std::int64_t row = 0; row < all.lines.rows; ++row)
            if (!finite(x[line.at(row)]))
                throw InvalidArgument(row_text(system, row) +
                                      ": the solution is beyond the range of the precision; scale "
                                      "the system");
    });
}

// Dominance and backward error.
template <class T>
void judge(const HostSystems<T>& all, const std::vector<T>& x, TridiagonalQuality& quality) {
    quality.dominance = std::numeric_limits<double>::infinity();
    quality.backward_error = 0;
    for_lines(all, [&](std::int64_t system, const HostLine<T>& line) {
        double residual = 0, matrix = 0, largest_x = 0, largest_d = 0;
        for (std::int64_t row = 0; row < all.lines.rows; ++row) {
            const double middle = std::abs(line.middle(row)),
                         outer = std::abs(line.lower(row)) + std::abs(line.upper(row));
            if (outer > 0) quality.dominance = std::min(quality.dominance, middle / outer);
            residual = std::max(residual, std::abs(line.residual(x, row)));
            matrix = std::max(matrix, outer + middle);
            largest_x = std::max(largest_x, std::abs(double(x[line.at(row)])));
            largest_d = std::max(largest_d, std::abs(line.right(row)));
        }
        // The matrix may be largest in one row and x in another: no product beyond the range.
        const double unit = std::ldexp(1.0, std::max(std::ilogb(matrix), 0));
        residual /= unit;
        const double scale = matrix / unit * largest_x + largest_d / unit;
        if (!std::isfinite(residual) || !std::isfinite(scale))
            throw InvalidArgument("system " + std::to_string(system + 1) +
                                  ": its numbers are too large to check the solution; scale the "
                                  "system");
        if (residual > 0)
            quality.backward_error = std::max(quality.backward_error, residual / scale);
    });
}

// One solution on a device; the matrix is there already.
template <class T>
class DeviceMatrix {
  public:
    DeviceMatrix(Queue& queue, const HostSystems<T>& all)
        : queue_(queue),
          all_(all),
          a_(queue.lend(all.a, "lower diagonal")),
          b_(queue.lend(all.b, "diagonal")),
          c_(queue.lend(all.c, "upper diagonal")),
          status_(queue.allocate<std::uint32_t>(1, "status of tridiagonal systems")) {}

    bool is_dominant() {
        return is_diagonally_dominant<T>(queue_, all_.lines, all_.is_periodic, a_, b_, c_);
    }
    // Nothing where a pivot was 0 or not finite.
    std::optional<std::vector<T>> solve(std::span<const T> d, bool is_pivoted) {
        auto x = queue_.upload(d, "right-hand sides");
        if (is_pivoted)
            solve_tridiagonal_pivoted<T>(queue_, all_.lines, all_.is_periodic, a_, b_, c_, x,
                                         status_);
        else
            solve_tridiagonal<T>(queue_, all_.lines, a_, b_, c_, x, status_);
        if (queue_.download(status_)[0] > 0) return {};
        return queue_.download(x);
    }

  private:
    Queue& queue_;
    const HostSystems<T>& all_;
    Buffer<const T> a_, b_, c_;
    Buffer<std::uint32_t> status_;
};

// The same of a matrix that all systems share, which is factored once.
template <class T>
class DeviceFactors {
  public:
    DeviceFactors(Queue& queue, const HostSystems<T>& all) : queue_(queue), all_(all) {
        try {
            factors_.emplace(queue, all.lines.rows, all.is_periodic,
                             queue.lend(all.a, "lower diagonal"), queue.lend(all.b, "diagonal"),
                             queue.lend(all.c, "upper diagonal"));
        } catch (const InvalidArgument&) {
            refuse_singular(all, true);
        }
    }
    bool is_dominant() { return false; }
    std::optional<std::vector<T>> solve(std::span<const T> d, bool) {
        auto x = queue_.upload(d, "right-hand sides");
        factors_->solve(queue_, all_.lines, x);
        return queue_.download(x);
    }

  private:
    Queue& queue_;
    const HostSystems<T>& all_;
    std::optional<TridiagonalFactors<T>> factors_;
};

// A step of iterative refinement, kept where the backward error is lower behind it.
template <class T, class Matrix>
void refine(Matrix& matrix, const HostSystems<T>& all, std::vector<T>& x,
            TridiagonalQuality& quality) {
    std::vector<T> residual(x.size());
    bool fits = true;
    for_lines(all, [&](std::int64_t, const HostLine<T>& line) {
        for (std::int64_t row = 0; row < all.lines.rows; ++row) {
            const double left = line.residual(x, row);
            fits = fits && std::abs(left) <= double(std::numeric_limits<T>::max());
            if (fits) residual[line.at(row)] = static_cast<T>(left);
        }
    });
    if (!fits) return;
    std::optional<std::vector<T>> solved = matrix.solve(residual, quality.is_pivoted);
    if (!solved) return;
    std::vector<T> refined = std::move(*solved);
    for (std::size_t i = 0; i < x.size(); ++i) refined[i] += x[i];
    const auto finite = [](T value) { return std::isfinite(value); };
    if (!std::all_of(refined.begin(), refined.end(), finite)) return;
    TridiagonalQuality better = quality;
    judge(all, refined, better);
    better.is_refined = true;
    if (better.backward_error >= quality.backward_error) return;
    quality = better;
    x = std::move(refined);
}

// `Matrix` is DeviceMatrix or DeviceFactors.
template <class T, class Matrix>
std::vector<T> solve(Matrix& matrix, const HostSystems<T>& all, const TridiagonalOptions& options,
                     TridiagonalQuality* quality) {
    TridiagonalQuality found;
    found.is_pivoted = options.method == TridiagonalMethod::pivoted || options.is_periodic ||
                       (options.method == TridiagonalMethod::automatic && !matrix.is_dominant());
    std::optional<std::vector<T>> solved = matrix.solve(all.d, found.is_pivoted);
    if (!solved && !found.is_pivoted && options.method == TridiagonalMethod::automatic) {
        // Rows that are scaled may still do, where the inverse of a pivot is beyond the range.
        found.is_pivoted = true;
        solved = matrix.solve(all.d, true);
    }
    if (!solved) refuse_singular(all, found.is_pivoted);
    std::vector<T> x = std::move(*solved);
    require_finite(all, x);
    if (quality || found.is_pivoted || options.refine) {
        judge(all, x, found);
        const double limit = 16 * double(std::numeric_limits<T>::epsilon());
        if (options.refine || (found.is_pivoted && found.backward_error > limit))
            refine(matrix, all, x, found);
        if (quality) *quality = found;
    }
    return x;
}

}  // namespace

std::string TridiagonalQuality::warning() const {
    if (dominance >= 1 || is_pivoted) return {};
    return "the matrix is not diagonally dominant (lowest |b| / (|a| + |c|): " +
           detail::shown(dominance) + "), and rows are not exchanged; the backward error is " +
           detail::shown(backward_error);
}

template <class T>
std::vector<T> solve_tridiagonal(Queue& queue, const TridiagonalLines& lines, std::span<const T> a,
                                 std::span<const T> b, std::span<const T> c, std::span<const T> d,
                                 const TridiagonalOptions& options, TridiagonalQuality* quality) {
    check_tridiagonal<T>(queue, lines,
                         {std::ssize(a), std::ssize(b), std::ssize(c), std::ssize(d)});
    if (options.is_periodic && options.method == TridiagonalMethod::plain)
        throw InvalidArgument("periodic systems need the method pivoted");
    const HostSystems<T> all{lines, options.is_periodic, false, a, b, c, d};
    DeviceMatrix<T> matrix(queue, all);
    return solve(matrix, all, options, quality);
}

template <class T>
std::vector<T> solve_tridiagonal_sides(Queue& queue, const TridiagonalLines& sides,
                                       std::span<const T> a, std::span<const T> b,
                                       std::span<const T> c, std::span<const T> d,
                                       const TridiagonalOptions& options,
                                       TridiagonalQuality* quality) {
    check_tridiagonal<T>(queue, contiguous_lines(sides.rows, 1),
                         {std::ssize(a), std::ssize(b), std::ssize(c), sides.rows});
    check_tridiagonal<T>(queue, sides,
                         {std::ssize(d), std::ssize(d), std::ssize(d), std::ssize(d)});
    if (options.method == TridiagonalMethod::plain)
        throw InvalidArgument("several right-hand sides of one matrix need the method pivoted");
    const HostSystems<T> all{sides, options.is_periodic, true, a, b, c, d};
    require_good_rows(all);
    DeviceFactors<T> factors(queue, all);
    return solve(factors, all, options, quality);
}

#define TESELA_TRIDIAGONAL_OF(T)                                                                 \
    template std::vector<T> solve_tridiagonal(                                                   \
        Queue&, const TridiagonalLines&, std::span<const T>, std::span<const T>,                 \
        std::span<const T>, std::span<const T>, const TridiagonalOptions&, TridiagonalQuality*); \
    template std::vector<T> solve_tridiagonal_sides(                                             \
        Queue&, const TridiagonalLines&, std::span<const T>, std::span<const T>,                 \
        std::span<const T>, std::span<const T>, const TridiagonalOptions&, TridiagonalQuality*);
TESELA_TRIDIAGONAL_OF(float)
TESELA_TRIDIAGONAL_OF(double)
#undef TESELA_TRIDIAGONAL_OF

}  // namespace tesela
