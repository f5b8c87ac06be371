#include "registration/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/single_precision.h"
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

}  // namespace

AnyImage resampled(Queue& queue, const AnyImageView& image, const Buffer<float>& points,
                   const Shape& shape, double outside) {
    require_values(image, largest_compared, NotFinite::kept);
    return image.visit([&](const auto& pixels) -> AnyImage {
        using T = typename std::decay_t<decltype(pixels)>::value_type;
        const std::vector<float> values(pixels.pixels().begin(), pixels.pixels().end());
        const Buffer<const float> source =
            queue.lend(std::span<const float>(values), "image to warp");
        auto warped = queue.allocate<float>(shape.elements(), "warped image");
        queue.launch(
            kernels::sample_linear, Range{shape.points()}, source, points, warped,
            sampled(pixels.shape(), shape.points(), half_pixel, static_cast<float>(outside)));
        const std::vector<float> host = queue.download(warped);
        Image<T> result(shape);
        result.has_alpha = pixels.has_alpha;
        std::transform(host.begin(), host.end(), result.pixels().begin(), pixel_of<T>);
        return result;
    });
}

std::vector<std::uint32_t> nearest(Queue& queue, const Shape& shape,
                                   std::span<const std::uint32_t> values,
                                   const Buffer<float>& points) {
    const std::int64_t count = points.size() / 3;
    const Buffer<const std::uint32_t> source = queue.lend(values, "labels to warp");
    auto warped = queue.allocate<std::uint32_t>(count, "warped labels");
    queue.launch(kernels::sample_nearest, Range{count}, source, points, warped,
                 sampled(shape, count, half_pixel, 0.0f));
    return queue.download(warped);
}

}  // namespace tesela
