#include "registration/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "pixels/device_values.h"
#include "pixels/native_pixels.h"
#include "registration/points.h"

namespace tesela {
namespace {

constexpr float half_pixel = 0.5f;

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
const auto& linear_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::sample_linear_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::sample_linear_u16;
    else if constexpr (std::is_same_v<T, std::int16_t>)
        return kernels::sample_linear_i16;
    else
        return kernels::sample_linear_f32;
}

template <class T>
DeviceImage<const T> lent(Queue& queue, std::span<const T> pixels, const Shape& shape) {
    return {queue.lend(pixels, "image to warp"), shape, {}};
}

template <class T>
DeviceImage<T> sampled_at(Queue& queue, const DeviceImage<const T>& image,
                          const Buffer<float>& points, const Shape& shape, double outside) {
    DeviceImage<T> warped{
        queue.allocate<T>(shape.elements(), "warped image"), shape, {}, image.has_alpha};
    queue.launch(linear_kernel<T>(), Range{shape.points()}, image.pixels, points, warped.pixels,
                 sampled(image.shape, shape.points(), half_pixel, static_cast<float>(outside)));
    return warped;
}

}  // namespace

template <class T>
DeviceImage<T> resampled(Queue& queue, const DeviceImage<const T>& image,
                         const Buffer<float>& points, const Shape& shape, double outside) {
    if constexpr (std::is_same_v<T, float>)
        require_values(queue, image, largest_compared, NotFinite::kept);
    return sampled_at(queue, image, points, shape, outside);
}

#define TESELA_INSTANTIATE(T)                                                                    \
    template DeviceImage<T> resampled(Queue&, const DeviceImage<const T>&, const Buffer<float>&, \
                                      const Shape&, double)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

AnyImage resampled(Queue& queue, const AnyImageView& image, const Buffer<float>& points,
                   const Shape& shape, double outside) {
    require_values(image, largest_compared, NotFinite::kept);
    return image.visit([&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        auto result = Image<T>::unwritten(shape);
        result.has_alpha = pixels.has_alpha;
        if constexpr (native<T>) {
            const auto source = lent(queue, pixels.pixels(), pixels.shape());
            const auto warped = sampled_at(queue, source, points, shape, outside);
            queue.read(warped.pixels, std::span<T>(result.pixels()));
        } else {
            const std::vector<float> values(pixels.pixels().begin(), pixels.pixels().end());
            const auto source = lent(queue, std::span<const float>(values), pixels.shape());
            const std::vector<float> warped =
                queue.download(sampled_at(queue, source, points, shape, outside).pixels);
            std::transform(warped.begin(), warped.end(), result.pixels().begin(), pixel_of<T>);
        }
        return result;
    });
}

Buffer<std::uint32_t> nearest(Queue& queue, const DeviceImage<const std::uint32_t>& image,
                              const Buffer<float>& points) {
    const std::int64_t count = points.size() / 3;
    auto warped = queue.allocate<std::uint32_t>(count, "warped labels");
    queue.launch(kernels::sample_nearest, Range{count}, image.pixels, points, warped,
                 sampled(image.shape, count, half_pixel, 0.0f));
    return warped;
}

}  // namespace tesela
