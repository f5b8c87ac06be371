#include "tesela/distance.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/single_precision.h"
#include "kernels/transforms/distance.kernel.h"
#include "pixels/device_values.h"
#include "tesela/tridiagonal.h"

namespace tesela {
namespace {

using kernels::i32;

void check(const Shape& shape, const DistanceOptions& options) {
    validate_options(options);
    if (shape.channels != 1)
        throw UnsupportedFormat(
            "distances are of a mask or label map of one channel; this image has " +
            std::to_string(shape.channels));
    if (shape.t > 1)
        throw UnsupportedFormat("distances are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
    if (options.inside_positive && options.side != DistanceSide::both)
        throw InvalidArgument(
            "--inside-positive goes with --side both: distances of one side are positive");
    if (options.is_part && !options.within)
        throw InvalidArgument("distances of a part need a bound; give --within");
}

template <class T>
std::vector<std::uint8_t> inside_of(const PixelView<T>& image, std::int64_t label) {
    std::vector<std::uint8_t> inside(image.pixels().size());
    std::transform(image.pixels().begin(), image.pixels().end(), inside.begin(),
                   [&](T value) -> std::uint8_t {
                       return label == 0 ? value != T{}
                                         : static_cast<double>(value) == static_cast<double>(label);
                   });
    return inside;
}

// What roots are at most, and what they are multiplied by then.
struct Factors {
    float most, inside, outside;
};
Factors factors_of(const DistanceOptions& options) {
    const float most =
        options.within ? static_cast<float>(*options.within) : std::numeric_limits<float>::max();
    if (options.side == DistanceSide::inside) return {most, 1, 0};
    if (options.side == DistanceSide::outside) return {most, 0, 1};
    return options.inside_positive ? Factors{most, 1, -1} : Factors{most, -1, 1};
}

using Spacing = std::array<double, 3>;

bool is_in_millimeters(const Geometry& geometry, const DistanceOptions& options) {
    return geometry.known() && !options.pixels;
}
Spacing spacing_of(const Geometry& geometry, const DistanceOptions& options) {
    return is_in_millimeters(geometry, options) ? spacing_in_range(geometry) : Spacing{1, 1, 1};
}

float squared_step(const Spacing& spacing, int axis) {
    const auto step = static_cast<float>(spacing[static_cast<std::size_t>(axis)]);
    return step * step;
}

kernels::distance_job job_of(const TridiagonalLines& lines, float step2, DistanceSide side,
                             const Factors& factors, bool is_last) {
    static_assert(static_cast<int>(DistanceSide::inside) == kernels::distance_inside &&
                  static_cast<int>(DistanceSide::outside) == kernels::distance_outside);
    return {.stride = lines.stride,
            .stride_j = lines.strides[1],
            .lines_i = static_cast<i32>(lines.counts[0]),
            .lines_j = static_cast<i32>(lines.counts[1]),
            .rows = static_cast<i32>(lines.rows),
            .side = static_cast<i32>(side),
            .step2 = step2,
            .most = is_last ? factors.most : 0,
            .inside_factor = factors.inside,
            .outside_factor = factors.outside};
}

// Of each line, the rows that bound the search in those between them: every fourth and the last.
std::int64_t bounds_of(const TridiagonalLines& lines) { return (lines.rows + 2) / 4 + 1; }

// The rows that are searched first are so far apart that there are few of them, but not so far that
// there are fewer than `least` points on them.
i32 widest_spacing(const TridiagonalLines& lines, std::int64_t least) {
    const std::int64_t count = lines.counts[0] * lines.counts[1];
    i32 widest = 4;
    while (lines.rows / widest >= 8 && lines.rows / (4 * widest) * count >= least) widest *= 4;
    return widest;
}

// ---- On a GPU: an item takes a point ----

void beside_by_items(Queue& queue, const Shape& shape, float step2,
                     const Buffer<const std::uint8_t>& inside, Buffer<float>& squared) {
    const std::int64_t rows = shape.y * shape.z, words = (shape.x + 31) / 32;
    auto bits = queue.allocate<std::uint32_t>(words * rows, "classes");
    queue.launch(kernels::distance_bits, Range{words, rows}, inside, bits,
                 static_cast<i32>(shape.x));
    queue.launch(kernels::distance_beside, Range{shape.x, rows}, bits, squared, step2,
                 static_cast<i32>(shape.x));
}

void along_by_items(Queue& queue, const TridiagonalLines& lines, const kernels::distance_job& job,
                    Buffer<float>& squared) {
    auto next = queue.allocate<float>(squared.size(), "squared distances");
    const std::int64_t bounds = bounds_of(lines) * lines.counts[0] * lines.counts[1];
    auto first = queue.allocate<i32>(bounds, "first sites");
    auto last = queue.allocate<i32>(bounds, "last sites");
    const i32 widest = widest_spacing(lines, 1 << 16);  // fewer items would leave a GPU idle
    for (i32 spacing = widest; spacing > 1; spacing /= 4)
        queue.launch(kernels::distance_along,
                     Range{lines.counts[0], (lines.rows - 2) / spacing + 2, lines.counts[1]},
                     squared, next, first, last, spacing, widest, job);
    queue.launch(kernels::distance_rest,
                 Range{lines.counts[0], (lines.rows + 2) / 4, lines.counts[1]}, squared, next,
                 first, last, widest, job);
    squared = std::move(next);
}

// ---- On a processor: lines are gathered ----

std::int64_t groups_of(const TridiagonalLines& lines) {
    const std::int64_t tiles =
        (lines.counts[0] + kernels::distance_tile - 1) / kernels::distance_tile * lines.counts[1];
    return std::clamp<std::int64_t>(tiles / 4, 1, 64);
}

void along_by_tiles(Queue& queue, const TridiagonalLines& lines, const kernels::distance_job& job,
                    Buffer<float>& squared) {
    const std::int64_t groups = groups_of(lines), lanes = groups * kernels::distance_tile;
    auto heights = queue.allocate<float>(lanes * lines.rows, "lines");
    auto first = queue.allocate<i32>(lanes * bounds_of(lines), "first sites");
    auto last = queue.allocate<i32>(lanes * bounds_of(lines), "last sites");
    const i32 widest = widest_spacing(lines, 1);
    queue.launch(kernels::distance_tiles, Groups{groups}, squared, heights, first, last, widest,
                 job);
}

// In `squared`, of one element a point, or in memory of its own.
Buffer<float> distance_of(Queue& queue, const Shape& shape, const Spacing& spacing,
                          const Buffer<const std::uint8_t>& inside, const DistanceOptions& options,
                          Buffer<float> squared) {
    const Factors factors = factors_of(options);
    const bool by_items = prefers_groups(queue.device());
    if (by_items)
        beside_by_items(queue, shape, squared_step(spacing, 0), inside, squared);
    else
        queue.launch(kernels::distance_runs, Range{shape.y * shape.z}, inside, squared,
                     squared_step(spacing, 0), static_cast<i32>(shape.x));
    for (const int axis : {1, 2}) {
        const TridiagonalLines lines = volume_lines(shape, axis);
        if (lines.rows == 1) continue;
        const auto job = job_of(lines, squared_step(spacing, axis), options.side, factors,
                                axis == 2 || shape.z == 1);
        (by_items ? along_by_items : along_by_tiles)(queue, lines, job, squared);
    }
    if (shape.y == 1 && shape.z == 1)
        queue.launch(kernels::distance_roots, Range{shape.x}, squared, factors.most, factors.inside,
                     factors.outside);
    return squared;
}

[[noreturn]] void refuse_empty(const DistanceOptions& options) {
    throw InvalidArgument(options.label == 0
                              ? "the object is empty: no pixel is above 0"
                              : "--label: no pixel has the label " + std::to_string(options.label));
}
[[noreturn]] void refuse_whole() {
    throw InvalidArgument("the object is the whole image: nothing is outside of it");
}

// Of one byte a point, which is not 0 in the object; in `squared`, or in memory of its own.
std::pair<Buffer<float>, DistanceReport> measured(Queue& queue, const Shape& shape,
                                                  const Geometry& geometry,
                                                  const Buffer<const std::uint8_t>& inside,
                                                  const DistanceOptions& options,
                                                  Buffer<float> squared) {
    DistanceReport report;
    report.millimeters = is_in_millimeters(geometry, options);
    const Spacing spacing = spacing_of(geometry, options);
    auto distances = distance_of(queue, shape, spacing, inside, options, std::move(squared));
    const ValueRange range = range_of(queue, distances);
    report.lowest = range.lowest;
    report.highest = range.highest;
    if (!geometry.known() && !options.pixels)
        report.warnings.push_back("the image has no spacing: distances are in pixels");
    return {std::move(distances), std::move(report)};
}

// `inside` has one byte a point, which is not 0 in the object.
DistanceResult distance_of_object(std::span<const std::uint8_t> inside, const Shape& shape,
                                  const Geometry& geometry, const DistanceOptions& options,
                                  Queue& queue) {
    const std::int64_t inside_points =
        shape.points() - std::count(inside.begin(), inside.end(), std::uint8_t{0});
    if (!options.is_part && inside_points == 0) refuse_empty(options);
    if (!options.is_part && inside_points == shape.points()) refuse_whole();
    auto distance = Image<float>::unwritten(shape, geometry);
    const std::span<float> pixels(distance.pixels());
    auto [found, report] = measured(queue, shape, geometry, queue.lend(inside, "object"), options,
                                    queue.allocate_for(pixels, "squared distances"));
    queue.read(found, pixels);
    return {std::move(report), std::move(distance), inside_points};
}

template <class T>
const auto& inside_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::distance_inside_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::distance_inside_u16;
    else
        return kernels::distance_inside_u32;
}

// No distance is 0 but on the side that is not wanted: so an object that is nowhere or everywhere
// shows by the lowest and the highest.
void check_object(const DistanceReport& report, const DistanceOptions& options) {
    const bool all_positive = report.lowest > 0;
    const bool none_positive = report.highest <= 0;
    const bool inside_is_positive = options.side == DistanceSide::inside || options.inside_positive;
    if (inside_is_positive ? none_positive : all_positive) refuse_empty(options);
    if (all_positive || none_positive) refuse_whole();
}

}  // namespace

Buffer<float> signed_distance(Queue& queue, const Shape& shape,
                              const std::array<double, 3>& spacing,
                              const Buffer<const std::uint8_t>& inside) {
    return distance_of(queue, shape, spacing, inside, {},
                       queue.allocate<float>(shape.points(), "squared distances"));
}

template <class T>
DeviceDistanceResult signed_distance(const DeviceImage<const T>& object,
                                     const DistanceOptions& options, Queue& queue,
                                     const Progress& progress) {
    const Shape& shape = object.shape;
    check(shape, options);
    progress.report(0, "distance");
    const auto of_bytes = [&](const Buffer<const std::uint8_t>& inside) {
        auto [found, report] = measured(queue, shape, object.geometry, inside, options,
                                        queue.allocate<float>(shape.points(), "squared distances"));
        if (!options.is_part) check_object(report, options);
        return DeviceDistanceResult{std::move(report), {std::move(found), shape, object.geometry}};
    };
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (options.label == 0) return of_bytes(object.pixels);
    auto inside = queue.allocate<std::uint8_t>(shape.points(), "object");
    queue.launch(inside_kernel<T>(), Range{shape.points()}, object.pixels, inside,
                 static_cast<std::uint32_t>(options.label));
    return of_bytes(Buffer<const std::uint8_t>(std::move(inside)));
}

#define TESELA_INSTANTIATE(T)                                                  \
    template DeviceDistanceResult signed_distance(const DeviceImage<const T>&, \
                                                  const DistanceOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::uint32_t);
#undef TESELA_INSTANTIATE

DistanceResult signed_distance(const AnyImageView& object, const DistanceOptions& options,
                               Queue& queue, const Progress& progress) {
    check(object.shape(), options);
    progress.report(0, "distance");
    DistanceResult result = object.visit([&]<class T>(const PixelView<T>& image) {
        if constexpr (std::is_same_v<T, std::uint8_t>)
            if (options.label == 0)
                return distance_of_object(image.pixels(), image.shape(), image.geometry, options,
                                          queue);
        return distance_of_object(inside_of(image, options.label), image.shape(), image.geometry,
                                  options, queue);
    });
    progress.report(1, "done");
    return result;
}

std::optional<std::int64_t> distance_reach(const DistanceOptions& options, const Shape& shape,
                                           const Geometry& geometry) {
    constexpr double most = 1000;
    if (!options.within) return {};
    validate_options(options);
    const Spacing spacing = spacing_of(geometry, options);
    const std::array<std::int64_t, 3> sizes{shape.x, shape.y, shape.z};
    double farthest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (sizes[axis] > 1) farthest = std::max(farthest, *options.within / spacing[axis]);
    if (farthest >= most) return {};
    return static_cast<std::int64_t>(farthest) + 1;
}

std::int64_t signed_distance_device_bytes(const Shape& shape) {
    constexpr std::int64_t word = 4;
    const std::int64_t classes = (shape.x + 31) / 32 * shape.y * shape.z;
    std::int64_t by_items = word * classes, by_tiles = 0;
    for (const int axis : {1, 2}) {
        const TridiagonalLines lines = volume_lines(shape, axis);
        const std::int64_t words = 2 * bounds_of(lines);
        by_items =
            std::max(by_items, word * (shape.points() + words * lines.counts[0] * lines.counts[1]));
        by_tiles = std::max(
            by_tiles, word * groups_of(lines) * kernels::distance_tile * (lines.rows + words));
    }
    return (1 + word) * shape.points() + std::max(by_items, by_tiles);
}

}  // namespace tesela
