#include "tesela/tridiagonal_thesis.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "kernels/transforms/tridiagonal_thesis.kernel.h"
#include "kernels/transforms/tridiagonal_thesis_f64.kernel.h"
#include "transforms/thesis/tridiagonal_host.h"

namespace tesela {

class ThesisTridiagonal::Work {
  public:
    virtual ~Work() = default;
    virtual void load() = 0;
    virtual void solve() = 0;
    virtual std::vector<double> solution() const = 0;
    virtual std::vector<std::int32_t> places() const = 0;
    ThesisTridiagonalCounts counts;
};

namespace {

using std::int64_t;
using Method = ThesisTridiagonalMethod;
using kernels::i32;

constexpr int64_t block = kernels::tridiagonal_thesis_block,
                  window = kernels::tridiagonal_thesis_window, most_rows = int64_t{1} << 30;

int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Equations of a part of Wang's method.
int64_t wang_size(int64_t rows, const ThesisTridiagonalOptions& options) {
    if (options.part > 0) return options.part;
    int64_t size = 2;
    while (size * size < rows) size *= 2;
    return size;
}
// Equations with those that stand behind the system to fill the last part.
int64_t padded_rows(int64_t rows, const ThesisTridiagonalOptions& options) {
    const int64_t size = options.method == Method::bondeli ? block
                         : options.method == Method::wang  ? wang_size(rows, options)
                                                           : 1;
    return parts_of(rows, size) * size;
}
int levels_of(const ThesisTridiagonalOptions& options) {
    const int most =
        options.method == Method::pcr_split ? kernels::tridiagonal_thesis_most_levels : 7;
    return options.levels == 0 ? most : options.levels;
}
bool is_on_host(Method method) { return method == Method::thomas || method == Method::threads; }

// Elements of the four further arrays.
int64_t further_rows(int64_t rows, const ThesisTridiagonalOptions& options) {
    switch (options.method) {
        case Method::pcr:
        case Method::pcr_split:
            return rows;
        case Method::cr_reordered:
            return 2 * rows;
        case Method::bondeli:
            return std::max<int64_t>(1, 2 * (padded_rows(rows, options) / block - 1));
        default:
            return 0;
    }
}
// Elements of the arrays that only one method has.
int64_t kept_elements(int64_t rows, const ThesisTridiagonalOptions& options) {
    const int64_t padded = padded_rows(rows, options);
    switch (options.method) {
        case Method::pcr_split:
            return std::max<int64_t>(1,
                                     (levels_of(options) - 1) * 4 * ((rows - 1) / block) * window);
        case Method::bondeli:  // solutions of unit right-hand sides
            return std::max<int64_t>(1, 2 * (padded - block));
        case Method::wang:  // f and g
            return padded;
        default:
            return 0;
    }
}

template <class T>
struct Kernels;

#define TESELA_THESIS_KERNELS(T, suffix)                                                         \
    template <>                                                                                  \
    struct Kernels<T> {                                                                          \
        static constexpr auto& divide = kernels::tridiagonal_thesis_divide_##suffix;             \
        static constexpr auto& reduce = kernels::tridiagonal_thesis_reduce_##suffix;             \
        static constexpr auto& substitute = kernels::tridiagonal_thesis_substitute_##suffix;     \
        static constexpr auto& reorder = kernels::tridiagonal_thesis_reorder_##suffix;           \
        static constexpr auto& reduce_reordered =                                                \
            kernels::tridiagonal_thesis_reduce_reordered_##suffix;                               \
        static constexpr auto& substitute_reordered =                                            \
            kernels::tridiagonal_thesis_substitute_reordered_##suffix;                           \
        static constexpr auto& restore = kernels::tridiagonal_thesis_restore_##suffix;           \
        static constexpr auto& reduce_all = kernels::tridiagonal_thesis_reduce_all_##suffix;     \
        static constexpr auto& split = kernels::tridiagonal_thesis_split_##suffix;               \
        static constexpr auto& merge = kernels::tridiagonal_thesis_merge_##suffix;               \
        static constexpr auto& substitute_block =                                                \
            kernels::tridiagonal_thesis_substitute_block_##suffix;                               \
        static constexpr auto& split_all = kernels::tridiagonal_thesis_split_all_##suffix;       \
        static constexpr auto& merge_all = kernels::tridiagonal_thesis_merge_all_##suffix;       \
        static constexpr auto& solve_parts = kernels::tridiagonal_thesis_solve_parts_##suffix;   \
        static constexpr auto& couplings = kernels::tridiagonal_thesis_couplings_##suffix;       \
        static constexpr auto& combine = kernels::tridiagonal_thesis_combine_##suffix;           \
        static constexpr auto& wang_lower = kernels::tridiagonal_thesis_wang_lower_##suffix;     \
        static constexpr auto& wang_upper = kernels::tridiagonal_thesis_wang_upper_##suffix;     \
        static constexpr auto& wang_between = kernels::tridiagonal_thesis_wang_between_##suffix; \
        static constexpr auto& wang_pivots = kernels::tridiagonal_thesis_wang_pivots_##suffix;   \
        static constexpr auto& wang_factors = kernels::tridiagonal_thesis_wang_factors_##suffix; \
        static constexpr auto& wang_down = kernels::tridiagonal_thesis_wang_down_##suffix;       \
        static constexpr auto& wang_quotients =                                                  \
            kernels::tridiagonal_thesis_wang_quotients_##suffix;                                 \
        static constexpr auto& wang_up = kernels::tridiagonal_thesis_wang_up_##suffix;           \
    };
TESELA_THESIS_KERNELS(float, f32)
TESELA_THESIS_KERNELS(double, f64)
#undef TESELA_THESIS_KERNELS

// Four arrays of equations on a device.
template <class T>
struct Rows {
    Rows() = default;
    Rows(Queue& queue, int64_t count)
        : a(queue.allocate<T>(count, "tridiagonal system")),
          b(queue.allocate<T>(count, "tridiagonal system")),
          c(queue.allocate<T>(count, "tridiagonal system")),
          d(queue.allocate<T>(count, "tridiagonal system")) {}
    Buffer<T> a, b, c, d;
};

template <class T>
class TypedWork final : public ThesisTridiagonal::Work {
  public:
    TypedWork(const TridiagonalSystems& system, const ThesisTridiagonalOptions& options,
              Queue& queue, int threads)
        : options_(options),
          queue_(queue),
          threads_(threads),
          rows_(system.lines.rows),
          padded_(padded_rows(rows_, options)) {
        const auto as = [&](const std::vector<double>& values, T beyond) {
            std::vector<T> made(static_cast<std::size_t>(padded_), beyond);
            std::transform(values.begin(), values.end(), made.begin(),
                           [](double value) { return static_cast<T>(value); });
            return made;
        };
        host_ = {as(system.a, 0), as(system.b, 1), as(system.c, 0), as(system.d, 0)};
        host_.a.front() = host_.c[static_cast<std::size_t>(rows_ - 1)] = 0;
        solved_ = host_;
        if (is_on_host(options.method)) return;
        own_ = Rows<T>(queue, padded_);
        x_ = queue.allocate<T>(padded_, "solution");
        if (const int64_t count = further_rows(rows_, options); count > 0)
            further_ = Rows<T>(queue, count);
        if (options.method == Method::cr_reordered)
            places_ = queue.allocate<i32>(rows_, "places of equations");
        if (const int64_t count = kept_elements(rows_, options); count > 0) {
            kept_ = queue.allocate<T>(count, "tridiagonal system");
            second_ = queue.allocate<T>(options.method == Method::pcr_split
                                            ? 1
                                            : std::max(padded_, further_rows(rows_, options)),
                                        "tridiagonal system");
        }
    }

    void load() override {
        if (is_on_host(options_.method)) {
            solved_ = host_;
            return;
        }
        queue_.write(own_.a, std::span<const T>(host_.a));
        queue_.write(own_.b, std::span<const T>(host_.b));
        queue_.write(own_.c, std::span<const T>(host_.c));
        queue_.write(own_.d, std::span<const T>(host_.d));
        queue_.finish();
    }

    void solve() override {
        counts = {};
        switch (options_.method) {
            case Method::thomas:
                detail::solve_by_thomas(solved_.a.data(), solved_.b.data(), solved_.c.data(),
                                        solved_.d.data(), static_cast<std::size_t>(rows_));
                count_host();
                return;
            case Method::threads:
                detail::solve_on_threads(solved_, threads_);
                return;
            case Method::cr:
                reduce_and_substitute(own_, x_, rows_);
                break;
            case Method::cr_reordered:
                solve_reordered();
                break;
            case Method::cr_split:
                solve_split();
                break;
            case Method::pcr:
                solve_parallel(1);
                break;
            case Method::pcr_split:
                solve_parallel(levels_of(options_) + 1);
                break;
            case Method::bondeli:
                solve_bondeli();
                break;
            case Method::wang:
                solve_wang();
        }
        queue_.finish();
    }

    std::vector<double> solution() const override {
        if (is_on_host(options_.method)) return {solved_.d.begin(), solved_.d.end()};
        const std::vector<T> x = queue_.download(x_);
        return {x.begin(), x.begin() + rows_};
    }

    std::vector<std::int32_t> places() const override {
        if (options_.method != Method::cr_reordered) return {};
        return queue_.download(places_);
    }

  private:
    using K = Kernels<T>;

    // Of one equation in one step.
    static constexpr ThesisTridiagonalCounts of_reduction{12, 16, 0}, of_substitution{5, 7, 0},
        of_move{0, 8, 0};
    void count(int64_t equations, const ThesisTridiagonalCounts& each) {
        const auto times = static_cast<double>(equations);
        counts.operations += times * each.operations;
        counts.accesses += times * each.accesses;
        counts.group_accesses += times * each.group_accesses;
    }
    void count_host() { count(rows_, {8, 17, 0}); }

    void reduce(Rows<T>& rows, int64_t count_of_rows, int64_t h) {
        const int64_t items = count_of_rows / (2 * h);
        queue_.launch(K::reduce, Range{items}, rows.a, rows.b, rows.c, rows.d, count_of_rows, h);
        count(items, of_reduction);
    }
    void substitute(const Rows<T>& rows, Buffer<T>& x, int64_t count_of_rows, int64_t h) {
        const int64_t items = (count_of_rows / h + 1) / 2;
        queue_.launch(K::substitute, Range{items}, rows.a, rows.b, rows.c, rows.d, x, count_of_rows,
                      h);
        count(items, of_substitution);
    }
    void reduce_and_substitute(Rows<T>& rows, Buffer<T>& x, int64_t count_of_rows) {
        int64_t h = 1;
        for (; 2 * h <= count_of_rows; h *= 2) reduce(rows, count_of_rows, h);
        for (; h > 0; h /= 2) substitute(rows, x, count_of_rows, h);
    }

    void solve_reordered() {
        std::vector<kernels::tridiagonal_thesis_segment> segments;
        int64_t from = 0, h = 1;
        for (int64_t left = rows_; left > 0; left /= 2, h *= 2) {
            segments.push_back({from, from + left, (left + 1) / 2, (left / 2 + 1) / 2, 2 * h});
            from += left;
        }
        queue_.launch(K::reorder, Range{rows_}, own_.a, own_.b, own_.c, own_.d, further_.a,
                      further_.b, further_.c, further_.d, places_, segments.front().odd);
        count(rows_, of_move);
        for (const auto& segment : segments) {
            const int64_t items = segment.to - segment.from - segment.odd;
            queue_.launch(K::reduce_reordered, Range{items}, further_.a, further_.b, further_.c,
                          further_.d, places_, segment);
            count(items, of_reduction);
        }
        for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
            h /= 2;
            queue_.launch(K::substitute_reordered, Range{segment->odd}, further_.a, further_.b,
                          further_.c, further_.d, places_, segment->from, rows_, h);
            count(segment->odd, of_substitution);
        }
        queue_.launch(K::restore, Range{rows_}, further_.d, places_, x_);
        count(rows_, {0, 2, 0});
    }

    void solve_split() {
        const int levels = levels_of(options_);
        int64_t g = 1;
        for (int64_t left = rows_; left >= block; left >>= levels, g <<= levels) {
            split(left, g, levels);
        }
        int64_t h = g;
        for (; 2 * h <= rows_; h *= 2) reduce(own_, rows_, h);
        for (; h >= block; h /= 2) substitute(own_, x_, rows_, h);
        const int64_t groups = parts_of(rows_, block);
        queue_.launch(K::substitute_block, Groups{groups}, own_.a, own_.b, own_.c, own_.d, x_,
                      rows_);
        count(rows_, {5, 5, 4});
        count(groups, {0, 2, 2});
    }
    // `levels` levels of `left` equations, g apart.
    void split(int64_t left, int64_t g, int levels) {
        const int64_t borders = left / block;
        queue_.launch(K::split, Groups{parts_of(left, block)}, own_.a, own_.b, own_.c, own_.d, left,
                      g, static_cast<i32>(levels));
        count(left, {0, 4, 4});
        count(left / 2, {0, 4, 4});
        for (int level = 1; level <= levels; ++level) count((left >> level) - borders, {12, 0, 16});
        if (borders == 0) return;
        queue_.launch(K::merge, Range{borders}, own_.a, own_.b, own_.c, own_.d, left, g,
                      static_cast<i32>(levels));
        count(borders, {12.0 * levels, 8 + 8.0 * levels, 0});
    }

    // All levels from `level` on a launch each, those before by splitting and merging.
    void solve_parallel(int level) {
        Rows<T>*from = &own_, *to = &further_;
        if (level > 1) {
            split_all(level - 1);
            std::swap(from, to);
        }
        for (int64_t h = int64_t{1} << (level - 1); h < rows_; h *= 2) {
            queue_.launch(K::reduce_all, Range{rows_}, from->a, from->b, from->c, from->d, to->a,
                          to->b, to->c, to->d, rows_, h);
            count(rows_, of_reduction);
            std::swap(from, to);
        }
        queue_.launch(K::divide, Range{rows_}, from->b, from->d, x_);
        count(rows_, {1, 3, 0});
    }
    void split_all(int levels) {
        const int64_t groups = parts_of(rows_, block), borders = groups - 1;
        queue_.launch(K::split_all, Groups{groups}, own_.a, own_.b, own_.c, own_.d, further_.a,
                      further_.b, further_.c, further_.d, kept_, rows_, static_cast<i32>(levels));
        count(rows_, {0, 4, 4});
        for (int level = 1; level <= levels; ++level) {
            const int64_t pending = 2 * ((int64_t{1} << level) - 1);
            count(rows_ - borders * pending, {12, 0, 16});
            if (level < levels) count(borders * (window - pending), {0, 4, 0});
            if (borders == 0) continue;
            queue_.launch(
                K::merge_all, Range{pending, borders}, own_.a, own_.b, own_.c, own_.d, further_.a,
                further_.b, further_.c, further_.d, kept_,
                kernels::tridiagonal_thesis_border{rows_, borders, level, level == levels});
            count(borders * pending, of_reduction);
        }
        count(rows_ - borders * 2 * ((int64_t{1} << levels) - 1), {0, 4, 4});
    }

    void solve_bondeli() {
        const int64_t parts = padded_ / block, borders = parts - 1, unknowns = 2 * borders;
        queue_.launch(K::solve_parts, Groups{parts}, own_.a, own_.b, own_.c, own_.d, x_, i32{0});
        count_parts(parts);
        if (borders == 0) return;
        queue_.launch(K::solve_parts, Groups{unknowns}, own_.a, own_.b, own_.c, own_.d, kept_,
                      i32{1});
        count_parts(unknowns);
        queue_.launch(K::couplings, Range{unknowns}, own_.a, own_.b, own_.c, x_, kept_, further_.a,
                      further_.b, further_.c, further_.d, borders);
        count(unknowns, {2, 12, 0});
        reduce_and_substitute(further_, second_, unknowns);
        queue_.launch(K::combine, Range{padded_}, own_.a, own_.b, own_.c, x_, kept_, second_,
                      own_.d, borders);
        count(padded_, {4, 10, 0});
        std::swap(own_.d, x_);
    }
    // Parts that groups solve.
    void count_parts(int64_t parts) {
        const int64_t half = block / 2;
        count(parts * half, {12, 12, 4});        // first level
        count(parts * (half - 1), {12, 0, 16});  // others
        count(parts * half, {5, 0, 7});          // unknowns of even number
        count(parts * half, {5, 6, 3});          // of odd number
    }

    void solve_wang() {
        const int64_t size = wang_size(rows_, options_), parts = padded_ / size;
        Buffer<T>&f = kept_, &g = second_;
        queue_.launch(K::wang_lower, Range{parts}, own_.a, own_.b, own_.c, own_.d, f, size);
        count(padded_, {6, 12, 0});
        queue_.launch(K::wang_upper, Range{parts}, own_.b, own_.c, own_.d, f, g, size);
        count(padded_, {6, 12, 0});
        if (parts > 1) {
            queue_.launch(K::wang_between, Range{parts - 1}, own_.b, own_.c, own_.d, f, g, size);
            count(parts - 1, {6, 10, 0});
            queue_.launch(K::wang_pivots, Range{1}, own_.b, f, g, parts, size);
            count(parts - 1, {3, 5, 0});
            queue_.launch(K::wang_factors, Range{padded_ - size}, own_.b, f, g, size);
            count(padded_ - size, {3, 6, 0});
        }
        for (int64_t part = 1; part < parts; ++part) {
            queue_.launch(K::wang_down, Range{size}, own_.d, f, part * size - 1);
            count(size, {2, 4, 0});
        }
        queue_.launch(K::wang_quotients, Range{padded_ - 1}, own_.b, g, size);
        count(padded_, {1, 3, 0});
        for (int64_t part = parts - 1; part >= 0; --part) {
            const int64_t first = std::max<int64_t>(part * size - 1, 0);
            const int64_t last = (part + 1) * size - 1;
            queue_.launch(K::wang_up, Range{part == 0 ? size - 1 : size}, own_.d, g, first, last);
            count(size, {2, 4, 0});
        }
        queue_.launch(K::divide, Range{padded_}, own_.b, own_.d, x_);
        count(padded_, {1, 3, 0});
    }

    const ThesisTridiagonalOptions options_;
    Queue& queue_;
    const int threads_;
    const int64_t rows_, padded_;
    detail::HostSystem<T> host_, solved_;
    Rows<T> own_, further_;
    Buffer<T> x_, kept_, second_;
    Buffer<i32> places_;
};

void check(const TridiagonalSystems& system, const ThesisTridiagonalOptions& options,
           const Device& device) {
    const int64_t rows = system.lines.rows;
    if (system.lines.systems() != 1)
        throw InvalidArgument("the thesis's methods solve one system, not " +
                              std::to_string(system.lines.systems()) + "; give them one by one");
    if (rows < 1 || rows > most_rows)
        throw InvalidArgument("a system has 1 to 2^30 rows here, not " + std::to_string(rows));
    if (options.method == Method::pcr_split &&
        options.levels > kernels::tridiagonal_thesis_most_levels)
        throw InvalidArgument("--levels of pcr-split is 4 at most, not " +
                              std::to_string(options.levels));
    if (options.part == 1) throw InvalidArgument("--part is 1; a part has at least 2 equations");
    if (options.precision == Precision::double_ && !is_on_host(options.method) &&
        !device.properties().has_f64)
        throw DeviceUnavailable("device " + device.id() +
                                " has no double precision; use --precision single");
}

}  // namespace

ThesisTridiagonal::ThesisTridiagonal(const TridiagonalSystems& system,
                                     const ThesisTridiagonalOptions& options, Queue& queue,
                                     int threads) {
    check(system, options, queue.device());
    if (options.precision == Precision::double_)
        work_ = std::make_unique<TypedWork<double>>(system, options, queue, threads);
    else
        work_ = std::make_unique<TypedWork<float>>(system, options, queue, threads);
}
ThesisTridiagonal::~ThesisTridiagonal() = default;

void ThesisTridiagonal::load() { work_->load(); }
void ThesisTridiagonal::solve() { work_->solve(); }
std::vector<double> ThesisTridiagonal::solution() const { return work_->solution(); }
const ThesisTridiagonalCounts& ThesisTridiagonal::counts() const { return work_->counts; }
std::vector<std::int32_t> ThesisTridiagonal::places() const { return work_->places(); }

std::int64_t tridiagonal_thesis_bytes(std::int64_t rows, const ThesisTridiagonalOptions& options) {
    if (is_on_host(options.method)) return 0;
    const int64_t number = options.precision == Precision::double_ ? 8 : 4;
    const int64_t padded = padded_rows(rows, options);
    return number * (6 * padded + 4 * further_rows(rows, options) + kept_elements(rows, options)) +
           4 * rows;
}

std::vector<long double> tridiagonal_in_long_double(const TridiagonalSystems& system) {
    const auto wide = [](const std::vector<double>& values) {
        return std::vector<long double>(values.begin(), values.end());
    };
    const std::vector<long double> a = wide(system.a), c = wide(system.c);
    std::vector<long double> b = wide(system.b), x = wide(system.d);
    detail::solve_by_thomas(a.data(), b.data(), c.data(), x.data(), x.size());
    return x;
}

TridiagonalErrors tridiagonal_errors(const std::vector<double>& x,
                                     const std::vector<long double>& exact) {
    long double difference = 0, size = 0, relative = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const long double error = static_cast<long double>(x[i]) - exact[i];
        difference += error * error;
        size += exact[i] * exact[i];
        if (exact[i] != 0) relative += error * error / (exact[i] * exact[i]);
    }
    return {static_cast<double>(std::sqrt(difference / size)),
            static_cast<double>(std::sqrt(relative) / static_cast<long double>(exact.size()))};
}

}  // namespace tesela
