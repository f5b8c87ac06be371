#include "morphology/gray_steps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/morphology/morphology_gray.kernel.h"
#include "morphology/run_groups.h"

namespace tesela {
namespace {

using kernels::i32;

template <class T>
struct Kernels;
#define TESELA_KERNELS(T, type)                                               \
    template <>                                                               \
    struct Kernels<T> {                                                       \
        static constexpr auto& grow = kernels::morphology_grow_##type;        \
        static constexpr auto& unite = kernels::morphology_unite_##type;      \
        static constexpr auto& box = kernels::morphology_box_##type;          \
        static constexpr auto& runs = kernels::morphology_runs_##type;        \
        static constexpr auto& minus = kernels::morphology_difference_##type; \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(float, f32);
#undef TESELA_KERNELS

// Windows of half length `half` of points `stride` apart; `values` becomes them.
template <class T>
void grow(Queue& queue, i32 is_max, std::int64_t stride, std::int64_t n, i32 from, i32 half,
          Buffer<T>& values, Buffer<T>& room) {
    while (from < half) {
        const i32 away = std::min(half - from, from + 1);
        queue.launch(Kernels<T>::grow, Range{values.size()}, values, room, is_max, away, stride,
                     static_cast<i32>(n));
        std::swap(values, room);
        from += away;
    }
}

// ---- On a GPU: an item takes a point ----

template <class T>
Buffer<T> box_by_points(Queue& queue, const Shape& shape, const StructuringElement& element,
                        i32 is_max, const Buffer<const T>& values) {
    auto picked = queue.allocate<T>(shape.points(), "filtered image");
    auto room = queue.allocate<T>(shape.points(), "windows");
    queue.copy(values, picked);
    const auto& [x, y, z] = element.reach;
    grow<T>(queue, is_max, 1, shape.x, 0, x, picked, room);
    grow<T>(queue, is_max, shape.x, shape.y, 0, y, picked, room);
    grow<T>(queue, is_max, shape.x * shape.y, shape.z, 0, z, picked, room);
    return picked;
}

template <class T>
Buffer<T> runs_by_points(Queue& queue, const Shape& shape, const StructuringElement& element,
                         i32 is_max, const Buffer<const T>& values) {
    auto picked = queue.allocate<T>(shape.points(), "filtered image");
    auto grown = queue.allocate<T>(shape.points(), "windows");
    auto room = queue.allocate<T>(shape.points(), "windows");
    queue.copy(values, grown);
    const kernels::morphology_grid grid{static_cast<i32>(shape.x), static_cast<i32>(shape.y),
                                        static_cast<i32>(shape.z), 0};
    const RunGroups groups(queue, element);
    i32 half = 0;
    for (const RunGroup& group : groups.list) {
        grow<T>(queue, is_max, 1, shape.x, half, group.half, grown, room);
        half = group.half;
        queue.launch(Kernels<T>::unite, Range{shape.x, shape.y, shape.z}, grown, groups.runs,
                     picked, is_max, group.first, group.count, i32{group.first == 0}, grid);
    }
    return picked;
}

// ---- On a processor: a group takes strips of lines ----

// How lines are shared out: those of neighbors along an axis in strips.
kernels::morphology_strips strips_along(const Shape& shape, int axis, i32 half, i32 reach) {
    const std::int64_t plane = shape.x * shape.y;
    const std::int64_t lines = axis == 1 ? shape.y : shape.z;
    // What strips share is filtered twice.
    const std::int64_t strip = std::min<std::int64_t>(lines, std::max<std::int64_t>(64, reach));
    const std::int64_t pitch = (shape.x + 2 * half + 63) / 64 * 64;
    return {.stride = axis == 1 ? shape.x : plane,
            .stride_other = axis == 1 ? plane : shape.x,
            .words = (strip + 2 * reach + 2) * pitch,
            .n = static_cast<i32>(shape.x),
            .lines = static_cast<i32>(lines),
            .others = static_cast<i32>(axis == 1 ? shape.z : shape.y),
            .half_length = half,
            .reach = reach,
            .strip = static_cast<i32>(strip),
            .pitch = static_cast<i32>(pitch),
            .is_max = 0};
}
std::int64_t groups_of(const kernels::morphology_strips& job) {
    const std::int64_t strips = (job.lines + job.strip - 1) / job.strip;
    return std::clamp<std::int64_t>(strips * job.others, 1, 64);
}

template <class T>
void box_along(Queue& queue, kernels::morphology_strips job, i32 is_max,
               const Buffer<const T>& values, Buffer<T>& picked) {
    job.is_max = is_max;
    const std::int64_t groups = groups_of(job);
    auto memory = queue.allocate<T>(groups * job.words, "strips");
    queue.launch(Kernels<T>::box, Groups{groups}, values, picked, memory, job);
}

template <class T>
Buffer<T> box_by_strips(Queue& queue, const Shape& shape, const StructuringElement& element,
                        i32 is_max, const Buffer<const T>& values) {
    auto picked = queue.allocate<T>(shape.points(), "filtered image");
    box_along(queue, strips_along(shape, 1, element.reach[0], element.reach[1]), is_max, values,
              picked);
    if (element.reach[2] == 0) return picked;
    auto result = queue.allocate<T>(shape.points(), "filtered image");
    const Buffer<const T> planes(std::move(picked));
    box_along(queue, strips_along(shape, 2, 0, element.reach[2]), is_max, planes, result);
    return result;
}

template <class T>
Buffer<T> runs_by_strips(Queue& queue, const Shape& shape, const StructuringElement& element,
                         i32 is_max, const Buffer<const T>& values) {
    kernels::morphology_strips job = strips_along(shape, 1, 0, element.reach[1]);
    job.is_max = is_max;
    const std::int64_t groups = groups_of(job);
    auto memory = queue.allocate<T>(groups * job.words, "strips");
    auto picked = queue.allocate<T>(shape.points(), "filtered image");
    queue.launch(Kernels<T>::runs, Groups{groups}, values, on_device(queue, element.runs), picked,
                 memory, static_cast<i32>(element.runs.size()), job);
    return picked;
}

}  // namespace

template <class T>
Buffer<T> picked_values(Queue& queue, const Shape& shape, const StructuringElement& element,
                        Picked picked, const Buffer<const T>& values) {
    const i32 is_max = picked == Picked::highest ? 1 : 0;
    const bool is_box = element.shape == MorphologyShape::box;
    if (prefers_groups(queue.device()))
        return is_box ? box_by_points(queue, shape, element, is_max, values)
                      : runs_by_points(queue, shape, element, is_max, values);
    return is_box ? box_by_strips(queue, shape, element, is_max, values)
                  : runs_by_strips(queue, shape, element, is_max, values);
}

template <class T>
Buffer<T> difference(Queue& queue, const Buffer<const T>& a, const Buffer<const T>& b) {
    auto result = queue.allocate<T>(a.size(), "difference");
    queue.launch(Kernels<T>::minus, Range{a.size()}, a, b, result);
    return result;
}

#define TESELA_INSTANTIATE(T)                                                                 \
    template Buffer<T> picked_values(Queue&, const Shape&, const StructuringElement&, Picked, \
                                     const Buffer<const T>&);                                 \
    template Buffer<T> difference(Queue&, const Buffer<const T>&, const Buffer<const T>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t picked_values_bytes(const Shape& shape, std::int64_t value_bytes,
                                 const StructuringElement& element) {
    const auto strips = [](const kernels::morphology_strips& job) {
        return groups_of(job) * job.words;
    };
    const std::int64_t memory =
        std::max(strips(strips_along(shape, 1, element.reach[0], element.reach[1])),
                 strips(strips_along(shape, 2, 0, element.reach[2])));
    return value_bytes * (3 * shape.points() + memory);
}

}  // namespace tesela
