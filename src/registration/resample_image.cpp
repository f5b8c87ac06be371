#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "kernels/registration/resample.kernel.h"
#include "pixels/device_values.h"
#include "pixels/native_pixels.h"
#include "registration/points.h"
#include "tesela/resample.h"
#include "tesela/warp.h"
#include "transforms/smooth_axes.h"

namespace tesela {
namespace {

template <class T>
struct Kernels;
#define TESELA_KERNELS(T, type)                                            \
    template <>                                                            \
    struct Kernels<T> {                                                    \
        static constexpr auto& nearest = kernels::resample_nearest_##type; \
        static constexpr auto& linear = kernels::resample_linear_##type;   \
        static constexpr auto& cubic = kernels::resample_cubic_##type;     \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(float, f32);
#undef TESELA_KERNELS

// Of axes that shrink; 0 of all others.
using Sigma = std::array<double, 3>;
Sigma anti_aliasing_sigma(const Shape& shape, const LinearMap& to_image) {
    constexpr double most = 8000;
    const std::array size{shape.x, shape.y, shape.z};
    Sigma sigma{};
    for (std::size_t a = 0; a < 3; ++a) {
        double factor = 0;
        for (std::size_t k = 0; k < 3; ++k)
            factor = std::max(factor, std::abs(to_image.matrix[3 * a + k]));
        if (size[a] > 1) sigma[a] = std::clamp((factor - 1) / 2, 0.0, most);
    }
    return sigma;
}

bool is_smoothed(const Sigma& sigma, const ResampleOptions& options) {
    return options.anti_aliasing == AntiAliasing::gaussian &&
           options.interpolation != Interpolation::nearest && sigma != Sigma{};
}

float outside_of(const ResampleOptions& options, double usual, PixelType type) {
    const double value = options.outside.value_or(usual);
    // What the kernel converts without rounding in between; the others saturate there.
    constexpr double most = 4294967040.0;
    return static_cast<float>(type == PixelType::u32 ? std::clamp(std::round(value), 0.0, most)
                                                     : value);
}

// What the kernels are told of an image and the grid that it is sampled on.
struct Sampling {
    kernels::sampled_image image;
    kernels::linear_map map;
    kernels::resampling_grid grid;
};

Sampling sampling_of(const Shape& image, const ResampleGrid& target, float outside) {
    constexpr float half_pixel = 0.5f;
    const Shape& grid = target.grid.shape;
    const auto size = [](std::int64_t length) { return static_cast<std::int32_t>(length); };
    return {sampled(image, 0, half_pixel, outside),
            rows_of(target.to_image),
            {image.x * image.y * image.z * image.channels,
             {size(grid.x), size(grid.y), size(grid.z)},
             0}};
}

Shape shape_of_result(const Shape& image, const ResampleGrid& target) {
    Shape shape = target.grid.shape;
    shape.t = image.t;
    shape.channels = image.channels;
    validate(shape);
    return shape;
}

template <class T>
Buffer<T> sampled_by(Queue& queue, Interpolation interpolation, const Buffer<const T>& image,
                     const Shape& shape, const Sampling& how) {
    auto resampled = queue.allocate<T>(shape.elements(), "resampled image");
    const auto launch = [&](const auto& kernel) {
        queue.launch(kernel, Range{shape.x, shape.y, shape.z * shape.t}, image, resampled,
                     how.image, how.map, how.grid);
    };
    if constexpr (std::is_same_v<T, std::uint32_t>)
        launch(kernels::resample_nearest_u32);
    else if (interpolation == Interpolation::nearest)
        launch(Kernels<T>::nearest);
    else if (interpolation == Interpolation::linear)
        launch(Kernels<T>::linear);
    else
        launch(Kernels<T>::cubic);
    return resampled;
}

template <class T>
DeviceImage<T> resampled(const DeviceImage<const T>& image, const ResampleGrid& target,
                         const ResampleOptions& options, float outside, Queue& queue) {
    const Shape shape = shape_of_result(image.shape, target);
    const Sampling how = sampling_of(image.shape, target, outside);
    DeviceImage<T> made{{}, shape, target.grid.geometry, image.has_alpha};
    const Sigma sigma = anti_aliasing_sigma(image.shape, target.to_image);
    if constexpr (!std::is_same_v<T, std::uint32_t>)
        if (is_smoothed(sigma, options)) {
            const Buffer<const T> smooth =
                smoothed_along_axes(queue, image.shape, sigma, image.pixels);
            made.pixels = sampled_by<T>(queue, options.interpolation, smooth, shape, how);
            return made;
        }
    made.pixels = sampled_by<T>(queue, options.interpolation, image.pixels, shape, how);
    return made;
}

NotFinite not_finite(const Shape& shape, const ResampleGrid& target,
                     const ResampleOptions& options) {
    return is_smoothed(anti_aliasing_sigma(shape, target.to_image), options) ? NotFinite::refused
                                                                             : NotFinite::kept;
}

// From single precision, where it was not the type itself.
template <class T>
T pixel_of(float value) {
    if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        return static_cast<T>(std::clamp(std::round(static_cast<double>(value)),
                                         static_cast<double>(Limits::min()),
                                         static_cast<double>(Limits::max())));
    } else {
        return static_cast<T>(value);
    }
}

template <class T>
constexpr bool is_whole_word = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int32_t>;

// The pixels of the image at `image`, of the type T of kernels, into those of `result`.
template <class T>
void resample_into(std::span<T> result, std::span<const T> image, const Shape& shape,
                   const ResampleGrid& target, const ResampleOptions& options, float outside,
                   Queue& queue) {
    const DeviceImage<const T> lent{queue.lend(image, "image to resample"), shape, {}};
    queue.read(resampled(lent, target, options, outside, queue).pixels, result);
}

}  // namespace

AnyImage resample(const AnyImageView& image, const ResampleGrid& target,
                  const ResampleOptions& options, Queue& queue, const Progress& progress) {
    progress.report(0, "resample");
    const Shape& shape = image.shape();
    const bool is_nearest = options.interpolation == Interpolation::nearest;
    const double usual = outside_value(image);
    const float outside = outside_of(options, usual, PixelType::f32);
    if (!is_nearest) require_values(image, largest_compared, not_finite(shape, target, options));
    AnyImage made = image.visit([&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        Image<T> result(shape_of_result(shape, target), target.grid.geometry);
        result.has_alpha = pixels.has_alpha;
        const std::span<T> into(result.pixels());
        if constexpr (native<T>) {
            resample_into<T>(into, pixels.pixels(), shape, target, options, outside, queue);
            return result;
        }
        if constexpr (is_whole_word<T>)
            if (is_nearest) {
                // The bits of a word that is copied have no sign.
                const auto* words = reinterpret_cast<const std::uint32_t*>(pixels.data());
                auto* made_words = reinterpret_cast<std::uint32_t*>(result.data());
                const float of_type =
                    std::is_signed_v<T> ? 0 : outside_of(options, usual, PixelType::u32);
                resample_into<std::uint32_t>({made_words, into.size()},
                                             {words, pixels.pixels().size()}, shape, target,
                                             options, of_type, queue);
                return result;
            }
        const std::vector<float> values(pixels.pixels().begin(), pixels.pixels().end());
        std::vector<float> sampled_values(into.size());
        resample_into<float>(sampled_values, values, shape, target, options, outside, queue);
        std::transform(sampled_values.begin(), sampled_values.end(), into.begin(), pixel_of<T>);
        return result;
    });
    progress.report(1, "resample");
    return made;
}

template <class T>
DeviceImage<T> resample(const DeviceImage<const T>& image, const ResampleGrid& target,
                        const ResampleOptions& options, Queue& queue, const Progress& progress) {
    progress.report(0, "resample");
    if constexpr (std::is_same_v<T, std::uint32_t>)
        if (options.interpolation != Interpolation::nearest)
            throw InvalidArgument(
                "labels have no values between them: resample them by the nearest pixel");
    if constexpr (std::is_same_v<T, float>)
        if (options.interpolation != Interpolation::nearest)
            require_values(queue, image, largest_compared,
                           not_finite(image.shape, target, options));
    const PixelType type = pixel_type_of<T>();
    const double usual = outside_value(type, image.shape.channels);
    DeviceImage<T> made =
        resampled(image, target, options, outside_of(options, usual, type), queue);
    progress.report(1, "resample");
    return made;
}

#define TESELA_INSTANTIATE(T)                                                          \
    template DeviceImage<T> resample(const DeviceImage<const T>&, const ResampleGrid&, \
                                     const ResampleOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

bool looks_like_labels(const AnyImageView& image) {
    constexpr std::size_t most_values = 32;
    constexpr std::int64_t least_pixels = 16;
    if (image.shape().channels != 1) return false;
    return image.visit([&]<class T>(const PixelView<T>& pixels) {
        if constexpr (std::is_same_v<T, std::uint32_t>) return true;
        if constexpr (std::is_floating_point_v<T>) return false;
        std::set<T> values;
        T last = pixels.pixels()[0];
        values.insert(last);
        for (const T value : pixels.pixels()) {
            if (value == last) continue;
            last = value;
            values.insert(value);
            if (values.size() > most_values) return false;
        }
        return static_cast<std::int64_t>(values.size()) * least_pixels <= image.shape().points();
    });
}

std::int64_t resample_device_bytes(const AnyImageView& image, const ResampleGrid& target) {
    const std::int64_t elements = image.shape().elements();
    const std::int64_t made = shape_of_result(image.shape(), target).elements();
    const std::int64_t smoothing = anti_aliasing_sigma(image.shape(), target.to_image) == Sigma{}
                                       ? 0
                                       : (8 + native_bytes(image)) * elements;
    return native_bytes(image) * (elements + made) + smoothing;
}

}  // namespace tesela
