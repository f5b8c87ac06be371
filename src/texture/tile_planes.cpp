#include "texture/tile_planes.h"

#include <limits>
#include <span>

#include "core/point_text.h"
#include "kernels/texture/tile_planes.kernel.h"
#include "segmentation/thresholds/gray_levels.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// The narrow range of a* and b* has 2^7 values.
int range_shift(ColorRange range) { return range == ColorRange::half ? 7 : 8; }

// 16-bit levels keep their upper half.
TilePlanes gray_planes(Queue& queue, const AnyImageView& image,
                       std::vector<std::string>& warnings) {
    const Shape& shape = image.shape();
    GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    for (std::string& warning : levels.warnings) warnings.push_back(std::move(warning));
    if (levels.highest > 255)
        warnings.push_back("gray values are looked at in 256 steps, from " +
                           detail::shown(levels.value(0)) + " to " +
                           detail::shown(levels.value(levels.highest)));
    auto bytes = queue.allocate<std::uint8_t>(shape.points(), "gray bytes");
    queue.launch(kernels::tile_bytes, Range{shape.points()}, levels.planes, bytes,
                 levels.highest > 255 ? 8 : 0);
    return {std::move(bytes), static_cast<std::int32_t>(shape.x),
            static_cast<std::int32_t>(shape.y), 1, 1};
}

}  // namespace

TilePlanes lab_planes(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                      std::int32_t ny, std::int64_t count, std::int32_t stride) {
    const std::int32_t points = nx * ny;
    auto planes = queue.allocate<std::uint8_t>(3 * count * points, "L*a*b* of tiles");
    queue.launch(kernels::tile_lab, Range{points, count}, tiles, planes, points, stride);
    return {std::move(planes), nx, ny, 3, 3 * count};
}

LabLevels lab_levels(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                     std::int32_t ny, std::int64_t count, std::int32_t stride, int levels,
                     ColorRange range) {
    const std::int32_t points = nx * ny;
    auto planes = queue.allocate<std::uint8_t>(3 * count * points, "L*a*b* of tiles");
    auto bytes = queue.allocate<std::uint8_t>(3 * count * points, "gray levels of tiles");
    queue.launch(kernels::tile_lab_levels, Range{points, count}, tiles, planes, bytes, points,
                 stride, levels, range_shift(range));
    return {{std::move(planes), nx, ny, 3, 3 * count}, {std::move(bytes), nx, ny, 3, 3 * count}};
}

TilePlanes planes_of(Queue& queue, const AnyImageView& image, std::vector<std::string>& warnings) {
    const Shape& shape = image.shape();
    const int colors = shape.channels - (image.has_alpha() ? 1 : 0);
    if (shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat("texture is that of one picture; this image has " +
                                std::to_string(shape.z * shape.t) + " of them: give one slice");
    if (colors != 1 && colors != 3)
        throw UnsupportedFormat("texture is that of 1 or 3 channels and alpha; this image has " +
                                std::to_string(shape.channels) + " channels");
    if (shape.points() > std::numeric_limits<std::int32_t>::max() / 4)
        throw InvalidArgument("the image has " + size_text(shape) +
                              " pixels; at most 536870911 are taken: cut it into tiles");
    if (colors == 1) return gray_planes(queue, image, warnings);
    const auto* bytes = image.get_if<std::uint8_t>();
    if (!bytes)
        throw UnsupportedFormat("texture of colors is that of 8-bit images; this one has " +
                                std::string(pixel_type_name(image.pixel_type())) +
                                ": convert it to uint8 first");
    const auto pixels = queue.lend(std::span<const std::uint8_t>(bytes->pixels()), "input image");
    return lab_planes(queue, pixels, static_cast<std::int32_t>(shape.x),
                      static_cast<std::int32_t>(shape.y), 1, shape.channels);
}

TileMasks mask_of(Queue& queue, const std::optional<AnyImageView>& mask, const Shape& shape) {
    if (!mask) return {};
    const Shape& own = mask->shape();
    if (own.x != shape.x || own.y != shape.y || own.z != 1 || own.t != 1)
        throw InvalidArgument("the mask has " + size_text(own) + " pixels, the image " +
                              size_text(shape) + ": they must be equal");
    const auto* bytes = mask->get_if<std::uint8_t>();
    if (!bytes || own.channels != 1)
        throw UnsupportedFormat("a mask is an 8-bit image of one channel, 0 outside");
    return {queue.upload(std::span<const std::uint8_t>(bytes->pixels()), "mask")};
}

TilePlanes quantized(Queue& queue, const TilePlanes& planes, int levels, ColorRange range) {
    auto bytes = queue.allocate<std::uint8_t>(planes.bytes.size(), "gray levels of tiles");
    queue.launch(kernels::tile_levels, Range{planes.points(), planes.count}, planes.bytes, bytes,
                 planes.points(), planes.channels, levels, range_shift(range));
    return {std::move(bytes), planes.nx, planes.ny, planes.channels, planes.count};
}

}  // namespace tesela
