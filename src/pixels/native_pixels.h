// Pixel types on a device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/single_precision.h"
#include "tesela/image_view.h"

namespace tesela {

// The pixel types that have kernels of their own; others are worked on as float.
template <class T>
constexpr bool native = std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
                        std::is_same_v<T, std::int16_t> || std::is_same_v<T, float>;

// Bytes of a pixel's value on a device.
inline std::int64_t native_bytes(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>&) -> std::int64_t {
        return native<T> ? sizeof(T) : sizeof(float);
    });
}

// Throws InvalidArgument for finite values that are too large.
template <class T>
Image<float> to_float(const PixelView<T>& image, std::vector<std::string>& warnings) {
    Image<float> converted(image.shape(), image.geometry);
    converted.has_alpha = image.has_alpha;
    const std::span<const T> pixels = image.pixels();
    require_values(pixels, image.shape(), std::numeric_limits<float>::max(), NotFinite::kept);
    bool exact = true;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        converted.pixels()[i] = static_cast<float>(pixels[i]);
        const auto value = static_cast<double>(pixels[i]);
        exact = exact && (static_cast<double>(converted.pixels()[i]) == value || value != value);
    }
    if (!exact)
        warnings.push_back("values are compared in single precision, which does not hold all of " +
                           std::string(pixel_type_name(pixel_type_of<T>())));
    return converted;
}
template <class T>
Image<float> to_float(const Image<T>& image, std::vector<std::string>& warnings) {
    return to_float(PixelView<T>(image), warnings);
}

}  // namespace tesela
