// Tridiagonal systems on the host: which solver, what is said of the solution, whose fault it is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "tesela/options.h"
#include "tesela/tridiagonal.h"
#include "transforms/tridiagonal_checks.h"

namespace tesela {
namespace {

// Systems on the host.
template <class T>
struct HostSystems {
    const TridiagonalLines& lines;
    bool is_periodic;
    std::span<const T> a, b, c, d;
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
    double lower(std::int64_t row) const { return has_lower(row) ? double(all_.a[at(row)]) : 0; }
    double middle(std::int64_t row) const { return double(all_.b[at(row)]); }
    double upper(std::int64_t row) const { return has_upper(row) ? double(all_.c[at(row)]) : 0; }
    double right(std::int64_t row) const { return double(all_.d[at(row)]); }
    // d - A x.
    double residual(const std::vector<T>& x, std::int64_t row) const {
        double sum = right(row) - middle(row) * double(x[at(row)]);
        if (has_lower(row)) sum -= lower(row) * double(x[at(row - 1)]);
        if (has_upper(row)) sum -= upper(row) * double(x[at(row + 1)]);
        return sum;
    }
    // The first row whose pivot is 0 or not finite, in the arithmetic of T; -1 where there is none.
    std::int64_t singular_row(bool is_pivoted) const {
        T pivot = static_cast<T>(middle(0)), next = static_cast<T>(upper(0));
        for (std::int64_t row = 0; row < all_.lines.rows; ++row) {
            const bool is_last = row + 1 == all_.lines.rows;
            T below = is_last ? T{0} : static_cast<T>(lower(row + 1)),
              diagonal = is_last ? T{0} : static_cast<T>(middle(row + 1)),
              after = is_last ? T{0} : static_cast<T>(upper(row + 1)), next_after = 0;
            if (is_pivoted && std::abs(below) > std::abs(pivot)) {
                std::swap(below, pivot);
                std::swap(diagonal, next);
                std::swap(after, next_after);
            }
            if (!std::isfinite(pivot) || !std::isfinite(1 / pivot)) return row;
            const T factor = below / pivot;
            pivot = diagonal - factor * next;
            next = after - factor * next_after;
        }
        return -1;
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
    if (is_pivoted) require_good_rows(all);
    const std::string reason =
        is_pivoted ? "the matrix is singular"
                   : "the matrix is singular or needs pivoting: use the method pivoted";
    if (!all.is_periodic)
        for_lines(all, [&](std::int64_t system, const HostLine<T>& line) {
            if (const std::int64_t row = line.singular_row(is_pivoted); row >= 0)
                throw InvalidArgument(row_text(system, row) + ": the pivot is 0 or not finite; " +
                                      reason);
        });
    throw InvalidArgument(reason);
}

template <class T>
void require_finite(const HostSystems<T>& all, const std::vector<T>& x) {
    const auto finite = [](T value) { return std::isfinite(value); };
    if (std::all_of(x.begin(), x.end(), finite)) return;
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
        const double scale = matrix * largest_x + largest_d;
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
    std::vector<T> solve(std::span<const T> d, bool is_pivoted) {
        auto x = queue_.upload(d, "right-hand sides");
        if (is_pivoted)
            solve_tridiagonal_pivoted<T>(queue_, all_.lines, all_.is_periodic, a_, b_, c_, x,
                                         status_);
        else
            solve_tridiagonal<T>(queue_, all_.lines, a_, b_, c_, x, status_);
        if (queue_.download(status_)[0] > 0) refuse_singular(all_, is_pivoted);
        return queue_.download(x);
    }

  private:
    Queue& queue_;
    const HostSystems<T>& all_;
    Buffer<const T> a_, b_, c_;
    Buffer<std::uint32_t> status_;
};

// A step of iterative refinement, kept where the backward error is lower behind it.
template <class T>
void refine(DeviceMatrix<T>& matrix, const HostSystems<T>& all, std::vector<T>& x,
            TridiagonalQuality& quality) {
    std::vector<T> residual(x.size());
    for_lines(all, [&](std::int64_t, const HostLine<T>& line) {
        for (std::int64_t row = 0; row < all.lines.rows; ++row)
            residual[line.at(row)] = static_cast<T>(line.residual(x, row));
    });
    std::vector<T> refined = matrix.solve(residual, quality.is_pivoted);
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
    const HostSystems<T> all{lines, options.is_periodic, a, b, c, d};
    DeviceMatrix<T> matrix(queue, all);
    TridiagonalQuality found;
    found.is_pivoted = options.method == TridiagonalMethod::pivoted || options.is_periodic ||
                       (options.method == TridiagonalMethod::automatic && !matrix.is_dominant());
    std::vector<T> x = matrix.solve(d, found.is_pivoted);
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

#define TESELA_TRIDIAGONAL_OF(T)                                                 \
    template std::vector<T> solve_tridiagonal(                                   \
        Queue&, const TridiagonalLines&, std::span<const T>, std::span<const T>, \
        std::span<const T>, std::span<const T>, const TridiagonalOptions&, TridiagonalQuality*);
TESELA_TRIDIAGONAL_OF(float)
TESELA_TRIDIAGONAL_OF(double)
#undef TESELA_TRIDIAGONAL_OF

}  // namespace tesela
