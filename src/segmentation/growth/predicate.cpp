#include "segmentation/growth/predicate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/growth/region_fill.kernel.h"
#include "kernels/growth/region_predicate.kernel.h"
#include "kernels/growth/region_seeds.kernel.h"
#include "segmentation/components/components.h"

namespace tesela {
namespace {

constexpr std::uint32_t none = 0xffffffffu;  // no seed has this label

template <class T>
struct Kernels;
#define TESELA_PREDICATE_KERNELS(type, suffix)                                \
    template <>                                                               \
    struct Kernels<type> {                                                    \
        static constexpr auto& gray = kernels::region_gray_within_##suffix;   \
        static constexpr auto& color = kernels::region_color_within_##suffix; \
    }
TESELA_PREDICATE_KERNELS(std::uint8_t, u8);
TESELA_PREDICATE_KERNELS(std::uint16_t, u16);
TESELA_PREDICATE_KERNELS(std::int16_t, i16);
TESELA_PREDICATE_KERNELS(float, f32);
#undef TESELA_PREDICATE_KERNELS

// Limits in the type that kernels compare. Those beyond a type's range hold nothing more than it.
template <class T>
using Limit = std::conditional_t<std::is_integral_v<T>, std::int32_t, float>;
template <class T>
Limit<T> lowest_of(double lower) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>)
        return static_cast<std::int32_t>(
            std::ceil(std::clamp(lower, double{Limits::lowest()}, double{Limits::max()} + 1)));
    else
        return std::max(static_cast<float>(lower), Limits::lowest());
}
template <class T>
Limit<T> highest_of(double upper) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>)
        return static_cast<std::int32_t>(
            std::floor(std::clamp(upper, double{Limits::lowest()} - 1, double{Limits::max()})));
    else
        return std::min(static_cast<float>(upper), Limits::max());
}

Range items_for(std::int64_t points) {
    constexpr std::int64_t lanes = kernels::t_item_lanes;
    return Range{lanes * ((points - 1) / (lanes * kernels::t_item_points) + 1)};
}

std::int64_t words_of_row(const Shape& shape) { return (shape.x - 1) / kernels::region_word + 1; }

}  // namespace

template <class T>
Buffer<std::uint8_t> mask_within(Queue& queue, const DeviceImage<const T>& image,
                                 const ValueLimits& limits) {
    std::array<Limit<T>, 3> lower{}, upper{};
    for (std::size_t c = 0; c < 3; ++c) {
        lower[c] = lowest_of<T>(limits.lower[c]);
        upper[c] = highest_of<T>(limits.upper[c]);
    }
    const Shape& shape = image.shape;
    auto mask = queue.allocate<std::uint8_t>(shape.points(), "mask of the predicate");
    if (shape.channels == 1)
        queue.launch(Kernels<T>::gray, Range{shape.points()}, image.pixels, lower[0], upper[0],
                     mask);
    else
        queue.launch(Kernels<T>::color, items_for(shape.points()), image.pixels,
                     static_cast<std::uint32_t>(shape.points()), shape.channels, limits.channels,
                     lower[0], upper[0], lower[1], upper[1], lower[2], upper[2], mask);
    return mask;
}
#define TESELA_INSTANTIATE(T)                                                      \
    template Buffer<std::uint8_t> mask_within(Queue&, const DeviceImage<const T>&, \
                                              const ValueLimits&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

PredicateGrowth::PredicateGrowth(Queue& queue, const Shape& shape, const PlacedSeeds& seeds,
                                 int axes, SeededSearch search)
    : queue_(queue),
      shape_(shape),
      axes_(axes),
      by_components_(search == SeededSearch::automatic ? prefers_groups(queue.device())
                                                       : search == SeededSearch::components),
      labels_(seeds.labels),
      seeds_(upload_seeds(queue, seeds)) {
    shape_.channels = 1;
}

void PredicateGrowth::add_to_mask(PlacedSeeds::Range seeds, Buffer<std::uint8_t>& mask) {
    queue_.launch(kernels::region_add_to_mask, Range{seeds.end - seeds.first}, seeds_.points,
                  static_cast<std::int32_t>(seeds.first), mask);
}

void PredicateGrowth::grow(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds,
                           Buffer<std::uint32_t>& labels) {
    if (by_components_) {
        grow_by_components(mask, seeds, labels);
    } else if (label_at(seeds.first) == label_at(seeds.end - 1)) {
        paint(fill(mask, seeds), label_at(seeds.first), labels);
    } else {
        queue_.fill(labels, 0u);
        fill_from_seeds(mask, seeds, true, labels);
    }
}

void PredicateGrowth::grow_by_components(const Buffer<const std::uint8_t>& mask,
                                         PlacedSeeds::Range seeds, Buffer<std::uint32_t>& labels) {
    auto owners =
        queue_.allocate_filled<std::uint32_t>(shape_.points(), none, "owners of components");
    tell_components_apart(queue_, shape_, mask, axes_, labels);
    queue_.launch(kernels::region_mark_components, Range{seeds.end - seeds.first}, seeds_.points,
                  seeds_.labels, static_cast<std::int32_t>(seeds.first), mask, labels, owners);
    queue_.launch(kernels::region_take_components, items_for(shape_.points()), mask, owners,
                  static_cast<std::uint32_t>(shape_.points()), std::uint32_t{none}, labels);
}

RegionBits PredicateGrowth::fill_from_seeds(const Buffer<const std::uint8_t>& mask,
                                            PlacedSeeds::Range seeds, bool paints,
                                            Buffer<std::uint32_t>& labels) {
    const kernels::region_fill_job job{
        {static_cast<std::int32_t>(shape_.x), static_cast<std::int32_t>(shape_.y),
         static_cast<std::int32_t>(shape_.z), static_cast<std::int32_t>(shape_.t)},
        axes_,
        static_cast<std::int32_t>(seeds.first),
        static_cast<std::int32_t>(seeds.end),
        int{paints}};
    const std::int64_t words = words_of_row(shape_), rows = shape_.y * shape_.z * shape_.t;
    RegionBits region{static_cast<std::int32_t>(words),
                      queue_.allocate<std::uint64_t>(words * rows, "mask in bits"),
                      queue_.allocate<std::uint64_t>(words * rows, "open points")};
    auto frontier = queue_.allocate_filled<std::uint64_t>(words * rows, 0, "frontier points");
    auto list = queue_.allocate<std::uint32_t>(words * rows, "list of frontier points");
    queue_.launch(kernels::region_pack_mask, Range{words, rows}, mask, job.n[0], region.words,
                  region.mask);
    queue_.copy(region.mask, region.open);
    queue_.launch(kernels::region_fill_from_seeds, Groups{1}, seeds_.points, seeds_.labels,
                  region.open, frontier, list, labels, job);
    return region;
}

RegionBits PredicateGrowth::fill(const Buffer<const std::uint8_t>& mask, PlacedSeeds::Range seeds) {
    auto no_labels = queue_.allocate<std::uint32_t>(1, "no labels");
    return fill_from_seeds(mask, seeds, false, no_labels);
}

void PredicateGrowth::paint(const RegionBits& region, std::uint32_t label,
                            Buffer<std::uint32_t>& labels) {
    queue_.launch(kernels::region_paint_bits, Range{region.words, shape_.y * shape_.z * shape_.t},
                  region.mask, region.open, static_cast<std::int32_t>(shape_.x), region.words,
                  label, labels);
}

std::int64_t PredicateGrowth::bytes(const Shape& shape, std::int64_t seeds, bool in_groups) {
    const std::int64_t points = shape.points();
    const std::int64_t fill = words_of_row(shape) * shape.y * shape.z * shape.t * 28;
    const std::int64_t components = in_groups ? 4 * points + label_components_bytes(shape) : 0;
    return points + 8 * seeds + std::max(components, fill);
}

void grow_by_label(Queue& queue, const Shape& shape, const PlacedSeeds& seeds,
                   const Progress& progress, Buffer<std::uint32_t>& labels,
                   const std::function<void(PlacedSeeds::Range, Buffer<std::uint32_t>&)>& grow) {
    const std::vector<PlacedSeeds::Range> ranges = seeds.by_label();
    grow(ranges.front(), labels);
    if (ranges.size() == 1) return;
    auto more = queue.allocate<std::uint32_t>(shape.points(), "labels of one region");
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        progress.report(static_cast<double>(i) / static_cast<double>(ranges.size()), "grow");
        grow(ranges[i], more);
        queue.launch(kernels::region_add_labels, Range{shape.points()}, more, labels);
    }
}

std::int64_t grow_by_label_bytes(const Shape& shape) { return 8 * shape.points(); }

}  // namespace tesela
