#include "compute/portable_fft.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "compute/fft_lanes.h"
#include "compute/fft_plan.h"
#include "compute/queue_core.h"
#include "kernels/primitives/fft_passes.kernel.h"

namespace tesela::detail::portable {
namespace {

using kernels::fft_lines;
using kernels::fft_step_shape;
using kernels::i32;

// The values of all lines along an axis: [outer][length][inner].
struct Lines {
    std::int64_t outer, length, inner;
};

// Lines of complex arrays along `axis`.
Lines lines_along(const std::array<std::int64_t, 3>& size, std::int64_t batch, int axis) {
    Lines lines{batch, size[axis], 1};
    for (int other = 0; other < 3; ++other)
        if (other != axis) (other < axis ? lines.inner : lines.outer) *= size[other];
    return lines;
}
fft_lines kernel_lines(const FftLengths& lengths, const Lines& along, FftDirection direction) {
    const auto small = [](std::int64_t value) { return static_cast<i32>(value); };
    fft_lines lines{};
    lines.outer = along.outer;
    lines.inner = along.inner;
    lines.length = small(lengths.length);
    lines.transformed = small(lengths.transformed);
    lines.padded = small(lengths.padded);
    lines.chirp = small(lengths.chirp);
    lines.filter = small(lengths.filter);
    lines.half_turns = small(lengths.half_turns);
    lines.is_inverse = direction == FftDirection::inverse;
    lines.passes = small(std::ssize(lengths.radices));
    std::copy(lengths.radices.begin(), lengths.radices.end(), lines.radices);
    return lines;
}
std::array<std::int64_t, 3> half_size(const FftShape& shape) {
    return {shape.size[0] / 2 + 1, shape.size[1], shape.size[2]};
}

constexpr std::int64_t float_bytes = sizeof(float);

// A CPU, through OpenCL too, takes lines beside each other, as far as its cache holds them.
bool is_in_lanes(const Device& device, const FftLengths& lengths, const Lines& along, FftWay way) {
    constexpr std::int64_t longest = 1 << 14;
    return way == FftWay::best && !prefers_groups(device) && lengths.padded <= longest &&
           along.outer * along.inner > 1;
}
std::int64_t slots_of(Queue& queue, const Lines& along) {
    const int asked = queue.core().options().threads;
    const int units = queue.device().properties().compute_units;
    const int threads = asked > 0 ? std::min(asked, units) : units;
    return std::min<std::int64_t>(along.outer * along.inner, 2 * std::max(threads, 1));
}
// Whether a group has memory for a whole line.
bool is_one_step(const FftLengths& lengths, const Lines& along) {
    return along.inner == 1 && lengths.padded <= kernels::fft_tile;
}
// Passes that are done together: of whole lines, or of as many columns that neighbors in memory are
// read together.
std::vector<fft_step_shape> steps_of(const FftLengths& lengths, const Lines& along) {
    constexpr std::int64_t tile = kernels::fft_tile, neighbors = 16;
    const std::int64_t widest = is_one_step(lengths, along) ? tile : tile / neighbors;
    std::vector<fft_step_shape> steps;
    fft_step_shape step{};
    step.width = step.done = 1;
    const auto finish = [&] {
        for (step.shift = 0;
             step.width << (step.shift + 1) <= tile && 1 << (step.shift + 1) <= kernels::fft_group;)
            ++step.shift;
        steps.push_back(step);
        step.first = step.end;
        step.done *= step.width;
        step.width = 1;
    };
    for (const i32 radix : lengths.radices) {
        if (step.width * radix > widest) finish();
        step.width *= radix;
        ++step.end;
    }
    finish();
    return steps;
}
// Floats of one of the rooms of a slot, of the lines that are under way in all, and of a whole
// transform.
std::int64_t room_values(const FftLengths& lengths) {
    return 2 * (lengths.padded + 1) * kernels::fft_most_lanes;
}
std::int64_t room_values(const FftLengths& lengths, std::int64_t slots) {
    return 2 * slots * room_values(lengths);
}
std::int64_t area_values(const FftLengths& lengths, const Lines& along) {
    return 2 * along.outer * lengths.padded * along.inner;
}

// Device memory of the transform of lines, all its areas together.
std::int64_t bytes_of(Queue& queue, const Lines& along, bool is_real, FftWay way) {
    const FftLengths lengths = fft_lengths(along.length, is_real);
    std::int64_t values = 2 * lengths.table_pairs;
    if (is_in_lanes(queue.device(), lengths, along, way)) {
        values += room_values(lengths, slots_of(queue, along));
    } else {
        const bool is_convolution = lengths.padded != lengths.transformed;
        const std::int64_t areas = std::min<std::int64_t>(std::ssize(steps_of(lengths, along)), 3);
        values += (areas - 1 + is_convolution) * area_values(lengths, along);
        if (is_real && (is_convolution || !is_one_step(lengths, along)))
            values += 2 * along.outer * lengths.transformed;
    }
    return values * float_bytes;
}

const FftPlan& plan_of(Queue& queue, std::int64_t length, bool is_real) {
    QueueCore& core = queue.core();
    if (const FftPlan* plan = core.fft_plans().find(length, is_real)) return *plan;
    const FftLengths lengths = fft_lengths(length, is_real);
    const std::vector<float> tables = fft_tables(lengths);
    const auto bytes = std::ssize(tables) * float_bytes;
    FftPlan plan{lengths, Buffer<float>(core.allocate_kept(bytes, "tables of transforms"),
                                        std::ssize(tables))};
    queue.write(plan.tables, std::span<const float>(tables));
    ++core.counters.plans;
    return core.fft_plans().keep(length, is_real, std::move(plan));
}

// Lines of one length on their way through a transform.
class LineTransform {
  public:
    LineTransform(Queue& queue, const Lines& along, bool is_real, FftDirection direction,
                  FftWay way)
        : queue_(queue),
          plan_(plan_of(queue, along.length, is_real)),
          along_(along),
          lines_(kernel_lines(plan_.lengths, along, direction)),
          steps_(steps_of(plan_.lengths, along)),
          is_in_lanes_(is_in_lanes(queue.device(), plan_.lengths, along, way)) {
        if (is_in_lanes_) {
            lines_.slots = static_cast<i32>(slots_of(queue, along));
            rooms_ =
                queue.allocate<float>(room_values(plan_.lengths, lines_.slots), "lines under way");
        } else {
            for (std::size_t i = 0; i < 2 && i + 1 < steps_.size(); ++i)
                areas_[i] = queue.allocate<float>(area_values(plan_.lengths, along),
                                                  "transforms under way");
        }
    }

    void complex(Buffer<float>& values) {
        if (is_in_lanes_)
            queue_.launch(kernels::fft_lanes_complex, groups(), values, plan_.tables, rooms_,
                          lines_);
        else
            transform(values, values);
    }
    void forward(const Buffer<float>& real, Buffer<float>& spectrum) {
        if (is_in_lanes_) {
            queue_.launch(kernels::fft_lanes_forward, groups(), real, spectrum, plan_.tables,
                          rooms_, lines_);
            return;
        }
        if (is_whole_step()) {
            steps_[0].begins = is_even() ? kernels::fft_values : kernels::fft_reals;
            steps_[0].ends = kernels::fft_spectra;
            launch(steps_[0], lines_, real, spectrum);
            return;
        }
        const Range halves{lines_.length / 2 + 1, lines_.outer};
        auto whole = queue_.allocate<float>(2 * lines_.outer * lines_.transformed, "transform");
        if (is_even()) {
            transform(real, whole);
        } else {
            queue_.launch(kernels::fft_widen, Range{lines_.length, lines_.outer}, real, whole,
                          lines_.length);
            transform(whole, whole);
        }
        queue_.launch(kernels::fft_half, halves, whole, spectrum, plan_.tables, lines_);
    }
    void inverse(const Buffer<float>& spectrum, Buffer<float>& real) {
        if (is_in_lanes_) {
            queue_.launch(kernels::fft_lanes_inverse, groups(), spectrum, real, plan_.tables,
                          rooms_, lines_);
            return;
        }
        if (is_whole_step()) {
            steps_[0].begins = kernels::fft_spectra;
            steps_[0].ends = is_even() ? kernels::fft_values : kernels::fft_reals;
            launch(steps_[0], lines_, spectrum, real);
            return;
        }
        auto whole = queue_.allocate<float>(2 * lines_.outer * lines_.transformed, "transform");
        queue_.launch(kernels::fft_whole, Range{lines_.transformed, lines_.outer}, spectrum, whole,
                      plan_.tables, lines_);
        if (is_even()) {
            transform(whole, real);
            return;
        }
        transform(whole, whole);
        queue_.launch(kernels::fft_narrow, Range{lines_.length, lines_.outer}, whole, real,
                      lines_.length);
    }

  private:
    bool is_even() const { return lines_.transformed != lines_.length; }
    bool is_convolution() const { return lines_.padded != lines_.transformed; }
    // Real lines go to half spectra, or back, in one launch.
    bool is_whole_step() const { return !is_convolution() && is_one_step(plan_.lengths, along_); }
    Groups groups() const { return {lines_.slots}; }

    void transform(const Buffer<float>& from, Buffer<float>& to) {
        if (!is_convolution()) {
            steps(lines_, from, to);
            return;
        }
        const Range values{lines_.inner, lines_.transformed, lines_.outer};
        const Range padded{lines_.inner, lines_.padded, lines_.outer};
        fft_lines inside = lines_;
        inside.is_inverse = 0;
        auto convolved = queue_.allocate<float>(area_values(plan_.lengths, along_), "convolution");
        queue_.launch(kernels::fft_chirp_begin, padded, from, convolved, plan_.tables, lines_);
        steps(inside, convolved, convolved);
        queue_.launch(kernels::fft_chirp_filter, padded, convolved, plan_.tables, lines_);
        steps(inside, convolved, convolved);
        queue_.launch(kernels::fft_chirp_end, values, convolved, to, plan_.tables, lines_);
    }

    // All steps, through the areas; the last one comes to `to`.
    void steps(const fft_lines& lines, const Buffer<float>& from, Buffer<float>& to) {
        const Buffer<float>* source = &from;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            Buffer<float>& target = i + 1 == steps_.size() ? to : areas_[i % 2];
            launch(steps_[i], lines, *source, target);
            source = &target;
        }
    }
    void launch(fft_step_shape step, const fft_lines& lines, const Buffer<float>& from,
                Buffer<float>& to) {
        const std::int64_t columns = lines.outer * (lines.padded / step.width) * lines.inner;
        step.is_in_place = &from == &to;
        queue_.launch(kernels::fft_step, Groups{((columns - 1) >> step.shift) + 1},
                      step.is_in_place ? plan_.tables : from, to, plan_.tables, lines, step);
    }

    Queue& queue_;
    const FftPlan& plan_;
    Lines along_;
    fft_lines lines_;
    std::vector<fft_step_shape> steps_;
    bool is_in_lanes_;
    Buffer<float> rooms_;
    Buffer<float> areas_[2];
};

void other_axes(Queue& queue, const std::array<std::int64_t, 3>& size, std::int64_t batch,
                FftDirection direction, Buffer<float>& values, FftWay way) {
    for (const int axis : {1, 2})
        if (size[axis] > 1)
            LineTransform(queue, lines_along(size, batch, axis), false, direction, way)
                .complex(values);
}

}  // namespace

void fft_forward(Queue& queue, const FftShape& shape, const Buffer<float>& real,
                 Buffer<float>& spectrum, FftWay way) {
    const Lines rows = lines_along(shape.size, shape.batch, 0);
    LineTransform(queue, rows, true, FftDirection::forward, way).forward(real, spectrum);
    other_axes(queue, half_size(shape), shape.batch, FftDirection::forward, spectrum, way);
}

void fft_inverse(Queue& queue, const FftShape& shape, Buffer<float>& spectrum, Buffer<float>& real,
                 FftWay way) {
    other_axes(queue, half_size(shape), shape.batch, FftDirection::inverse, spectrum, way);
    const Lines rows = lines_along(shape.size, shape.batch, 0);
    LineTransform(queue, rows, true, FftDirection::inverse, way).inverse(spectrum, real);
}

void fft_complex(Queue& queue, const FftShape& shape, FftDirection direction, Buffer<float>& values,
                 FftWay way) {
    LineTransform(queue, lines_along(shape.size, shape.batch, 0), false, direction, way)
        .complex(values);
    other_axes(queue, shape.size, shape.batch, direction, values, way);
}

std::int64_t fft_device_bytes(Queue& queue, const FftShape& shape, FftKind kind, FftWay way) {
    const bool is_real = kind == FftKind::real;
    const auto size = is_real ? half_size(shape) : shape.size;
    std::int64_t bytes = bytes_of(queue, lines_along(shape.size, shape.batch, 0), is_real, way);
    for (const int axis : {1, 2})
        if (size[axis] > 1)
            bytes += bytes_of(queue, lines_along(size, shape.batch, axis), false, way);
    return bytes;
}

}  // namespace tesela::detail::portable

namespace tesela::detail {

bool takes_lanes(const Device& device, const LaneLines& lines) {
    const FftLengths lengths = fft_lengths(lines.length, lines.is_real);
    return lengths.padded == lengths.transformed &&
           portable::is_in_lanes(device, lengths, {lines.outer, lines.length, lines.inner},
                                 portable::FftWay::best);
}

LanePlan lane_plan(Queue& queue, const LaneLines& lines) {
    const FftPlan& plan = portable::plan_of(queue, lines.length, lines.is_real);
    const portable::Lines along{lines.outer, lines.length, lines.inner};
    LanePlan made{portable::kernel_lines(plan.lengths, along, FftDirection::forward), plan.tables,
                  portable::room_values(plan.lengths)};
    made.lines.slots = static_cast<kernels::i32>(portable::slots_of(queue, along));
    return made;
}

std::int64_t lane_bytes(const Device& device, const LaneLines& lines, std::int64_t rooms) {
    const FftLengths lengths = fft_lengths(lines.length, lines.is_real);
    const std::int64_t items = std::min<std::int64_t>(
        lines.outer * lines.inner, 2 * std::max(device.properties().compute_units, 1));
    return portable::float_bytes *
           (2 * lengths.table_pairs + rooms * items * portable::room_values(lengths));
}

}  // namespace tesela::detail
