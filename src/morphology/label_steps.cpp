#include "morphology/label_steps.h"

#include <utility>

#include "kernels/morphology/morphology_labels.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr u32 no_distance = MORPHOLOGY_NONE;

// Distances that are in reach: of windows all that there are.
u32 limit_of(const StructuringElement& element) {
    return element.shape == MorphologyShape::ball ? element.limit : no_distance - 1;
}

// Calls `pass` with a job and whether its axis is the first, for each axis that the structuring
// element has.
template <class Pass>
void for_each_axis(const Shape& shape, const StructuringElement& element, const Pass& pass) {
    const std::array<std::int64_t, 3> points{shape.x, shape.y, shape.z};
    std::int64_t stride = 1;
    bool is_first = true;
    for (std::size_t axis = 0; axis < 3; stride *= points[axis], ++axis) {
        if (element.reach[axis] == 0) continue;
        const bool adds = element.shape == MorphologyShape::cross && !is_first;
        pass(kernels::morphology_windows{.stride = stride,
                                         .n = static_cast<i32>(points[axis]),
                                         .nx = static_cast<i32>(shape.x),
                                         .reach = element.reach[axis],
                                         .adds = adds ? 1 : 0,
                                         .weight = element.weights[axis],
                                         .only_background = 0});
        is_first = false;
    }
}

// The passes of all axes, of which each goes on with what the one before it gave; those of a cross
// all begin with `start`. `launch` is called with a job, what it reads and what it writes.
template <class T, class Launch>
Buffer<T> along_axes(Queue& queue, const Shape& shape, const StructuringElement& element,
                     Buffer<T> start, const Launch& launch) {
    auto result = queue.allocate<T>(shape.points(), "distances to labels");
    bool is_first = true;
    for_each_axis(shape, element, [&](const kernels::morphology_windows& job) {
        if (!is_first && !job.adds) std::swap(start, result);
        launch(job, start, result);
        is_first = false;
    });
    return is_first ? std::move(start) : std::move(result);
}

}  // namespace

Buffer<u32> dilated_labels(Queue& queue, const Shape& shape, const StructuringElement& element,
                           const Buffer<const u32>& labels) {
    const std::int64_t points = shape.points();
    auto keys = queue.allocate<std::int64_t>(points, "distances to labels");
    queue.launch(kernels::morphology_keys, Range{points}, labels, keys);
    const bool by_points = prefers_groups(queue.device());
    keys =
        along_axes(queue, shape, element, std::move(keys),
                   [&](const kernels::morphology_windows& job, auto& from, auto& to) {
                       if (by_points)
                           queue.launch(kernels::morphology_nearest, Range{points}, from, to, job);
                       else
                           queue.launch(kernels::morphology_nearest_rows, Range{shape.y * shape.z},
                                        from, to, job);
                   });
    auto result = queue.allocate<u32>(points, "labels");
    queue.launch(kernels::morphology_within, Range{points}, keys, result, limit_of(element));
    return result;
}

Buffer<u32> eroded_labels(Queue& queue, const Shape& shape, const StructuringElement& element,
                          LabelBorder border, const Buffer<const u32>& labels) {
    const std::int64_t points = shape.points();
    auto squared = queue.allocate_filled<u32>(points, no_distance, "distances to labels");
    const bool by_points = prefers_groups(queue.device());
    const u32 only_background = border == LabelBorder::background ? 1 : 0;
    squared = along_axes(queue, shape, element, std::move(squared),
                         [&](kernels::morphology_windows job, auto& from, auto& to) {
                             job.only_background = only_background;
                             if (by_points)
                                 queue.launch(kernels::morphology_borders, Range{points}, labels,
                                              from, to, job);
                             else
                                 queue.launch(kernels::morphology_borders_rows,
                                              Range{shape.y * shape.z}, labels, from, to, job);
                         });
    auto result = queue.allocate<u32>(points, "labels");
    queue.launch(kernels::morphology_beyond, Range{points}, labels, squared, result,
                 limit_of(element));
    return result;
}

Buffer<u32> labels_without(Queue& queue, const Buffer<const u32>& a, const Buffer<const u32>& b) {
    auto result = queue.allocate<u32>(a.size(), "labels");
    queue.launch(kernels::morphology_labels_difference, Range{a.size()}, a, b, result);
    return result;
}

std::int64_t label_step_bytes(const Shape& shape) { return (2 * 8 + 4) * shape.points(); }

}  // namespace tesela
