#include "tesela/brightness.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/single_precision.h"
#include "kernels/motion/brightness_f64.kernel.h"
#include "pixels/device_values.h"
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
int colors_in(int channels, bool has_alpha) {
    const int colors = channels - (has_alpha ? 1 : 0);
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
    auto result = Image<float>::unwritten(made, image.geometry);
    for (std::int64_t i = 0; i < shape.points(); ++i)
        for (int c = 0; c < channels; ++c)
            result.data()[i * channels + c] = scale(value_of(image.data() + i * shape.channels, c));
    return result;
}

template <class T>
Image<float> brightness_of(const PixelView<T>& image, const Scale& scale) {
    const int colors = colors_in(image.shape().channels, image.has_alpha);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (colors == 3) {
            Shape flat = image.shape();
            flat.channels = 1;
            auto result = Image<float>::unwritten(flat, image.geometry);
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
    return scaled(image, colors_in(image.shape().channels, image.has_alpha), scale,
                  [](const T* pixel, int c) { return static_cast<double>(pixel[c]); });
}

enum class Channels { luma, colors };

template <class T>
const auto& kernel_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::brightness_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::brightness_u16;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return kernels::brightness_i16;
    else
        return kernels::brightness_f32;
}

// Images of one size, one after the other along the time axis.
template <class T>
DeviceImage<float> on_device(DeviceFrames<T> images, const Scale& scale, Channels made,
                             Queue& queue) {
    if (!queue.device().properties().has_f64)
        throw DeviceUnavailable("device " + queue.device().id() +
                                " has no double precision, which brightness takes: choose another "
                                "device");
    if (images.empty()) throw InvalidArgument("there are no images to take the brightness of");
    const DeviceImage<const T>& first = *images.front();
    for (const DeviceImage<const T>* image : images)
        if (!(image->shape == first.shape) || image->has_alpha != first.has_alpha)
            throw InvalidArgument("the images differ in size or channels: take those of one size");
    const int colors = colors_in(first.shape.channels, first.has_alpha);
    Shape shape = first.shape;
    shape.channels = made == Channels::luma ? 1 : colors;
    const std::int64_t elements = shape.elements();
    shape.t *= std::ssize(images);
    DeviceImage<float> result{queue.allocate<float>(shape.elements(), "brightness"), shape,
                              first.geometry};
    kernels::brightness_scale s{scale.lowest,
                                scale.unit,
                                scale.least,
                                scale.most,
                                red,
                                green,
                                blue,
                                0,
                                first.shape.channels,
                                shape.channels,
                                made == Channels::luma && colors == 3,
                                0};
    for (const DeviceImage<const T>* image : images) {
        if constexpr (std::is_same_v<T, float>) require_values(queue, *image, largest_summed);
        queue.launch(kernel_of<T>(), Range{first.shape.points()}, image->pixels, result.pixels, s);
        s.first += elements;
    }
    return result;
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

template <class T>
DeviceImage<float> brightness(const DeviceImage<const T>& image, Queue& queue) {
    const std::array one{&image};
    return on_device<T>(one, scale_of_type<T>(), Channels::luma, queue);
}
template <class T>
DeviceImage<float> brightness(DeviceFrames<T> images, const ValueRange& range, Queue& queue) {
    return on_device(images, scale_of(range), Channels::luma, queue);
}
template <class T>
DeviceImage<float> unit_colors(DeviceFrames<T> images, const ValueRange& range, Queue& queue) {
    return on_device(images, scale_of(range), Channels::colors, queue);
}

#define TESELA_INSTANTIATE(T)                                                           \
    template DeviceImage<float> brightness(const DeviceImage<const T>&, Queue&);        \
    template DeviceImage<float> brightness(DeviceFrames<T>, const ValueRange&, Queue&); \
    template DeviceImage<float> unit_colors(DeviceFrames<T>, const ValueRange&, Queue&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
