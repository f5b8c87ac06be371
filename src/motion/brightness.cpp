#include "tesela/brightness.h"

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "tesela/error.h"

namespace tesela {
namespace {

template <class T>
double unit_of() {
    if constexpr (std::is_unsigned_v<T>)
        return 1.0 / static_cast<double>(std::numeric_limits<T>::max());
    return 1;
}

[[noreturn]] void throw_not_finite(const Shape& shape, std::int64_t point) {
    throw InvalidArgument("the pixel at x " + std::to_string(point % shape.x) + ", y " +
                          std::to_string(point / shape.x) +
                          " is not a finite number; replace NaN and infinite values first");
}

constexpr double red = 0.299, green = 0.587, blue = 0.114;

// Frames of videos are of this type: the products come from tables, with the same bits.
void colors_to_gray(const std::uint8_t* pixel, std::int64_t stride, std::span<float> gray) {
    static const auto products = [] {
        std::array<std::array<double, 3>, 256> made{};
        for (std::size_t i = 0; i < made.size(); ++i) {
            const auto value = static_cast<double>(i);
            made[i] = {red * value, green * value, blue * value};
        }
        return made;
    }();
    for (float& value : gray) {
        const double sum = products[pixel[0]][0] + products[pixel[1]][1] + products[pixel[2]][2];
        value = static_cast<float>(sum * unit_of<std::uint8_t>());
        pixel += stride;
    }
}

template <class T>
Image<float> brightness_of(const Image<T>& image) {
    const Shape& shape = image.shape();
    const int colors = shape.channels - (image.has_alpha ? 1 : 0);
    if (colors != 1 && colors != 3)
        throw UnsupportedFormat(
            "brightness is that of images of 1 or 3 channels and alpha; this "
            "one has " +
            std::to_string(shape.channels) + " channels");
    Shape flat = shape;
    flat.channels = 1;
    Image<float> result(flat, image.geometry);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (colors == 3) {
            colors_to_gray(image.data(), shape.channels, result.pixels());
            return result;
        }
    for (std::int64_t i = 0; i < flat.points(); ++i) {
        const T* pixel = image.data() + i * shape.channels;
        const auto value = [&](int c) { return static_cast<double>(pixel[c]); };
        const double gray =
            colors == 1 ? value(0) : red * value(0) + green * value(1) + blue * value(2);
        const auto scaled = static_cast<float>(gray * unit_of<T>());
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(scaled)) throw_not_finite(shape, i);
        result.data()[i] = scaled;
    }
    return result;
}

}  // namespace

Image<float> brightness(const AnyImage& image) {
    return std::visit([](const auto& typed) { return brightness_of(typed); }, image);
}

}  // namespace tesela
