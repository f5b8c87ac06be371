// Slides resampled on another grid, box by box.
#include <algorithm>
#include <cmath>

#include "registration/points.h"
#include "registration/resample.h"
#include "registration/slide_levels.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

// A slide lies where the transform's moving image does where that has its size, else where its own
// geometry says; without one points are pixels of level 0.
std::vector<LinearMap> placed_for(const TileSource& slide, const Transform& transform,
                                  bool inverse) {
    const TileLevel& first = slide.facts().levels.front();
    return placed_levels(slide,
                         placement(grid_for(transform, {first.shape, first.geometry}, !inverse)));
}

// The coarsest level whose pixels are not larger than those of the target.
std::size_t level_for(const std::vector<LinearMap>& levels, const Transform& transform,
                      bool inverse, const LinearMap& placed, const TileBox& box) {
    const SpacePoint middle{0.5 * static_cast<double>(box.width - 1),
                            0.5 * static_cast<double>(box.height - 1), 0};
    SpacePoint at = placed(middle);
    if (inverse) at = transform.inverse_of(at);
    const double change = std::abs(determinant(transform.jacobian(at)));
    const double pixel = pixel_area(placed) * (inverse ? 1 / change : change);
    return level_within(levels, pixel);
}

// The box of the level that must be read for points in its pixels; empty where there is none.
TileBox box_around(const std::vector<float>& points, const Shape& level) {
    const auto count = static_cast<std::ptrdiff_t>(points.size() / 3);
    const auto range = [&](std::ptrdiff_t axis, std::int64_t length) {
        const auto [low, high] =
            std::minmax_element(points.begin() + axis * count, points.begin() + (axis + 1) * count);
        const auto last = static_cast<float>(length + 1);
        const auto first = static_cast<std::int64_t>(std::floor(std::clamp(*low, -2.0f, last))) - 1;
        const auto end = static_cast<std::int64_t>(std::ceil(std::clamp(*high, -2.0f, last))) + 2;
        const std::int64_t inside = std::max<std::int64_t>(first, 0);
        return std::pair{inside, std::min(end, length) - inside};
    };
    const auto [x, width] = range(0, level.x);
    const auto [y, height] = range(1, level.y);
    return width > 0 && height > 0 ? TileBox{x, y, width, height} : TileBox{};
}

template <class T>
AnyImage nearest_pixels(Queue& queue, const Image<T>& image, const Buffer<float>& points,
                        const Shape& shape) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) <= 4) {
        const std::vector<std::uint32_t> values(image.pixels().begin(), image.pixels().end());
        const DeviceImage<const std::uint32_t> labels{
            queue.lend(std::span<const std::uint32_t>(values), "labels to warp"),
            image.shape(),
            {}};
        const std::vector<std::uint32_t> found = queue.download(nearest(queue, labels, points));
        Image<T> result(shape);
        std::transform(found.begin(), found.end(), result.pixels().begin(),
                       [](std::uint32_t value) { return static_cast<T>(value); });
        return result;
    } else {
        throw UnsupportedFormat("labels are unsigned integers of at most 32 bits");
    }
}

}  // namespace

AnyImage warp_box(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                  const TileBox& box, const WarpOptions& options, bool labels, Queue& queue) {
    if (transform.dimensions != 2)
        throw InvalidArgument("slides are warped by transforms of two dimensions");
    const TileSourceFacts& facts = slide.facts();
    const int channels = facts.levels.front().shape.channels;
    if (labels && channels > 1) throw UnsupportedFormat("labels have one channel");
    const LinearMap placed = composed(
        LinearMap{.translation = {static_cast<double>(box.x), static_cast<double>(box.y), 0}},
        placement(grid_for(transform, target, options.inverse)));
    const std::vector<LinearMap> levels = placed_for(slide, transform, options.inverse);
    const std::size_t number = level_for(levels, transform, options.inverse, placed, box);
    const Shape shape{box.width, box.height, 1, 1, channels};
    Buffer<float> points = source_points(queue, transform, options.inverse, {box.width, box.height},
                                         placed, levels[number]);
    const TileBox needed = box_around(queue.download(points), facts.levels[number].shape);
    const AnyImage pixel = filled_image(facts.type, {1, 1, 1, 1, channels});
    const double outside = labels ? 0 : options.outside.value_or(outside_value(pixel));
    if (needed.width == 0)
        return filled_image(facts.type, shape,
                            std::vector<double>(static_cast<std::size_t>(channels), outside));
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (needed.width * needed.height > most)
        throw InvalidArgument("the transform shrinks the slide too far for its coarsest level");
    move_points(queue,
                LinearMap{.translation = {-static_cast<double>(needed.x),
                                          -static_cast<double>(needed.y), 0}},
                points);
    const AnyImage pixels = slide.read(static_cast<int>(number), needed);
    if (!labels) return resampled(queue, pixels, points, shape, outside);
    return std::visit(
        [&](const auto& image) { return nearest_pixels(queue, image, points, shape); }, pixels);
}

}  // namespace tesela
