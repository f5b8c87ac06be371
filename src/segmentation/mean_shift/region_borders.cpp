#include "segmentation/mean_shift/region_borders.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/mean_shift/region_borders.kernel.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// The axes of more than one point; the rest are 1.
kernels::region_border_image image_of(const Shape& shape) {
    kernels::region_border_image image{{1, 1, 1, 1}, 0};
    for (const std::int64_t length : {shape.x, shape.y, shape.z, shape.t})
        if (length > 1) image.n[image.axes++] = static_cast<int>(length);
    return image;
}

Range rows_of(const kernels::region_border_image& image) {
    return {image.n[0], std::int64_t{1} * image.n[1] * image.n[2] * image.n[3]};
}

// At most an eighth of the points, and room for the regions of a small image.
std::uint32_t slots_for(const Shape& shape) {
    constexpr std::int64_t least = 1 << 14;
    return std::bit_floor(static_cast<std::uint32_t>(std::max(shape.points() / 4, least)));
}

}  // namespace

Buffer<std::uint8_t> weak_steps(Queue& queue, const Shape& shape, int channels,
                                const Buffer<std::int32_t>& features, std::int64_t limit2) {
    auto weak = queue.allocate<std::uint8_t>(shape.points(), "weak steps");
    const auto image = image_of(shape);
    queue.launch(kernels::region_weak_steps, rows_of(image), features, weak, shape.points(),
                 static_cast<std::uint64_t>(limit2), channels, image);
    return weak;
}

Borders::Borders(Queue& queue, const Shape& shape, const WeakBorders& rules, std::int64_t room)
    : queue_(queue),
      rules_(rules),
      shape_(shape),
      mask_(slots_for(shape) - 1),
      slots_(queue.allocate<std::uint32_t>(3 * std::int64_t{slots_for(shape)}, "borders")),
      perimeter_(queue.allocate<std::uint32_t>(room, "perimeters")) {
    const int axes = image_of(shape).axes;
    if (shape.points() * axes >= std::numeric_limits<std::uint32_t>::max())
        throw InvalidArgument("borders of " + std::to_string(shape.points()) + " points along " +
                              std::to_string(axes) + " axes are too many: leave weak borders out");
}

void Borders::link(const CurrentRegions& regions, const Buffer<std::int32_t>& mean, int channels,
                   int number, int previous, Buffer<std::uint32_t>& link,
                   Buffer<std::uint32_t>& active, Buffer<std::uint32_t>& pairs) {
    const auto image = image_of(shape_);
    const std::int64_t slots = std::int64_t{mask_} + 1;
    kernels::region_border_round round{};
    round.mean_limit2 = static_cast<std::uint64_t>(rules_.most_distance2);
    round.edge_capacity = regions.edge_capacity;
    round.room = static_cast<std::uint32_t>(regions.room);
    round.mask = mask_;
    round.share = static_cast<std::uint32_t>(std::lround(rules_.share * (1 << 16)));
    round.by_perimeter = int{rules_.of_perimeter};
    round.number = number;
    round.previous = previous;
    queue_.launch(kernels::region_border_begin, Range{std::max(3 * slots, regions.room)}, active,
                  slots_, perimeter_, pairs, round);
    queue_.launch(kernels::region_border_count, rows_of(image), regions.count, regions.labels,
                  regions.parent, *rules_.weak, active, regions.edge_count, slots_, pairs,
                  perimeter_, image, round);
    queue_.launch(kernels::region_border_unite, Range{slots}, regions.labels, regions.parent, mean,
                  slots_, pairs, perimeter_, link, active, channels, image, round);
}

std::int64_t Borders::most_pairs(const Shape& shape) { return (slots_for(shape) - 1) / 2; }

std::int64_t Borders::bytes(const Shape& shape, std::int64_t room) {
    return (3 * std::int64_t{slots_for(shape)} + room) *
           static_cast<std::int64_t>(sizeof(std::uint32_t));
}

}  // namespace tesela
