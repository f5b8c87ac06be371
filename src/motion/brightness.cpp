#include "tesela/brightness.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/single_precision.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// From values to brightness.
struct Scale {
    double lowest = 0, unit = 1;
    double least = -std::numeric_limits<double>::infinity(), most = -least;

    float operator()(double value) const {
        return static_cast<float>(std::clamp((value - lowest) * unit, least, most));
    }
};

template <class T>
Scale scale_of_type() {
    if constexpr (std::is_unsigned_v<T>)
        return {0, 1.0 / static_cast<double>(std::numeric_limits<T>::max())};
    return {};
}
Scale scale_of(const ValueRange& range) {
    constexpr double beyond = 1.5;
    if (!(range.highest > range.lowest))
        throw InvalidArgument("a range of values needs a highest value above its lowest");
    return {range.lowest, 1 / (range.highest - range.lowest), -beyond, 1 + beyond};
}

constexpr double red = 0.299, green = 0.587, blue = 0.114;

// Frames of videos are of this type: the products come from tables, with the same bits.
void colors_to_gray(const std::uint8_t* pixel, std::int64_t stride, const Scale& scale,
                    std::span<float> gray) {
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
        value = scale(sum);
        pixel += stride;
    }
}

// Channels without alpha: one or three.
template <class T>
int colors_in(const PixelView<T>& image) {
    const int channels = image.shape().channels;
    const int colors = channels - (image.has_alpha ? 1 : 0);
    if (colors != 1 && colors != 3)
        throw UnsupportedFormat(
            "brightness is that of images of 1 or 3 channels and alpha; this one has " +
            std::to_string(channels) + " channels");
    return colors;
}

// An image of the values that `value_of` gives for each pixel and channel, scaled.
template <class T, class ValueOf>
Image<float> scaled(const PixelView<T>& image, int channels, const Scale& scale,
                    const ValueOf& value_of) {
    const Shape& shape = image.shape();
    require_values(std::span<const T>(image.pixels()), shape, largest_summed);
    Shape made = shape;
    made.channels = channels;
    Image<float> result(made, image.geometry);
    for (std::int64_t i = 0; i < shape.points(); ++i)
        for (int c = 0; c < channels; ++c)
            result.data()[i * channels + c] = scale(value_of(image.data() + i * shape.channels, c));
    return result;
}

template <class T>
Image<float> brightness_of(const PixelView<T>& image, const Scale& scale) {
    const int colors = colors_in(image);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (colors == 3) {
            Shape flat = image.shape();
            flat.channels = 1;
            Image<float> result(flat, image.geometry);
            colors_to_gray(image.data(), image.shape().channels, scale, result.pixels());
            return result;
        }
    return scaled(image, 1, scale, [&](const T* pixel, int) {
        const auto value = [&](int c) { return static_cast<double>(pixel[c]); };
        return colors == 1 ? value(0) : red * value(0) + green * value(1) + blue * value(2);
    });
}

template <class T>
Image<float> unit_colors_of(const PixelView<T>& image, const Scale& scale) {
    return scaled(image, colors_in(image), scale,
                  [](const T* pixel, int c) { return static_cast<double>(pixel[c]); });
}

}  // namespace

Image<float> brightness(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& typed) {
        return brightness_of(typed, scale_of_type<T>());
    });
}

Image<float> unit_colors(const AnyImageView& image) {
    return image.visit([]<class T>(const PixelView<T>& typed) {
        return unit_colors_of(typed, scale_of_type<T>());
    });
}

Image<float> brightness(const AnyImageView& image, const ValueRange& range) {
    const Scale scale = scale_of(range);
    return image.visit([&](const auto& typed) { return brightness_of(typed, scale); });
}

Image<float> unit_colors(const AnyImageView& image, const ValueRange& range) {
    const Scale scale = scale_of(range);
    return image.visit([&](const auto& typed) { return unit_colors_of(typed, scale); });
}

}  // namespace tesela
