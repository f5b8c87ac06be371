// Images whose channels and frames stand one behind the other, as transforms take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/single_precision.h"
#include "tesela/image_view.h"

namespace tesela {

// Calls `use(element, plane element)` for every element of an interleaved image of `shape` and its
// place in planes whose axes are those of `padded`.
template <class Use>
void for_planes(const Shape& shape, const Shape& padded, Use use) {
    const std::int64_t plane = padded.x * padded.y * padded.z;
    std::size_t element = 0;
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y) {
                const std::int64_t row = (z * padded.y + y) * padded.x;
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int channel = 0; channel < shape.channels; ++channel, ++element)
                        use(element, static_cast<std::size_t>(
                                         (t * shape.channels + channel) * plane + row + x));
            }
}

// The pixels in planes of `padded`, whose further samples repeat the last one of each axis. Throws
// InvalidArgument, naming the pixel, for values beyond `most` and those that are not finite.
template <class T>
std::vector<T> planes_of(const AnyImageView& image, const Shape& padded, double most) {
    require_values(image, most);
    const Shape& shape = image.shape();
    std::vector<T> planes(static_cast<std::size_t>(padded.elements()));
    image.visit([&](const auto& pixels) {
        using Pixel = typename std::decay_t<decltype(pixels)>::value_type;
        const Pixel* values = pixels.data();
        for_planes(shape, padded, [&](std::size_t from, std::size_t to) {
            planes[to] = static_cast<T>(values[from]);
        });
    });
    if (padded == shape) return planes;
    const std::int64_t count = padded.t * padded.channels;
    for (std::int64_t line = 0; line < count * padded.z * padded.y; ++line) {
        const std::int64_t y = std::min(line % padded.y, shape.y - 1);
        const std::int64_t z = std::min(line / padded.y % padded.z, shape.z - 1);
        const std::int64_t plane = line / padded.y / padded.z;
        const std::int64_t source = ((plane * padded.z + z) * padded.y + y) * padded.x;
        for (std::int64_t x = 0; x < padded.x; ++x)
            planes[static_cast<std::size_t>(line * padded.x + x)] =
                planes[static_cast<std::size_t>(source + std::min(x, shape.x - 1))];
    }
    return planes;
}

// Integers are rounded and clamped.
template <class Pixel, class T>
Pixel pixel_of(T value) {
    using Limits = std::numeric_limits<Pixel>;
    if constexpr (std::is_integral_v<Pixel> && std::is_floating_point_v<T>)
        return static_cast<Pixel>(std::min<double>(
            std::max<double>(std::nearbyint(static_cast<double>(value)), Limits::lowest()),
            Limits::max()));
    else if constexpr (std::is_integral_v<Pixel>)
        return static_cast<Pixel>(
            std::min<std::int64_t>(std::max<std::int64_t>(value, Limits::lowest()), Limits::max()));
    else
        return static_cast<Pixel>(value);
}

// An image of `shape` from planes of `padded`. Integer pixels are rounded and clamped.
template <class Pixel, class T>
Image<Pixel> image_of(const std::vector<T>& planes, const Shape& padded, const Shape& shape,
                      const Geometry& geometry) {
    Image<Pixel> image(shape, geometry);
    Pixel* values = image.data();
    for_planes(shape, padded, [&](std::size_t to, std::size_t from) {
        values[to] = pixel_of<Pixel>(planes[from]);
    });
    return image;
}

// The same, of a pixel type that is known at run time.
template <class T>
AnyImage image_of(PixelType type, const std::vector<T>& planes, const Shape& padded,
                  const Shape& shape, const Geometry& geometry) {
    switch (type) {
        case PixelType::u8:
            return image_of<std::uint8_t>(planes, padded, shape, geometry);
        case PixelType::i8:
            return image_of<std::int8_t>(planes, padded, shape, geometry);
        case PixelType::u16:
            return image_of<std::uint16_t>(planes, padded, shape, geometry);
        case PixelType::i16:
            return image_of<std::int16_t>(planes, padded, shape, geometry);
        case PixelType::u32:
            return image_of<std::uint32_t>(planes, padded, shape, geometry);
        case PixelType::i32:
            return image_of<std::int32_t>(planes, padded, shape, geometry);
        case PixelType::f32:
            return image_of<float>(planes, padded, shape, geometry);
        default:
            return image_of<double>(planes, padded, shape, geometry);
    }
}

}  // namespace tesela
