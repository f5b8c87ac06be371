#include "tesela/edges.h"

#include <algorithm>
#include <span>

#include "filters/gradient.h"
#include "kernels/thresholds/edges.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/thresholds/gray_levels.h"

namespace tesela {
namespace {

using kernels::u32;

template <class T>
Image<T> download(Queue& queue, const AnyImageView& like, const Buffer<T>& pixels) {
    auto image = Image<T>::unwritten(plane_of(like.shape()), like.geometry());
    queue.read(pixels, std::span<T>(image.pixels()));
    return image;
}

// Magnitudes in the unsigned type of the image's width, or in float.
template <class Pixel>
Buffer<Pixel> as_pixels(Queue& queue, const GrayLevels& levels, const Buffer<u32>& magnitude) {
    const Range points{magnitude.size()};
    auto pixels = queue.allocate<Pixel>(points.x, "edges");
    if constexpr (std::is_same_v<Pixel, std::uint8_t>)
        queue.launch(kernels::edges_as_u8, points, magnitude, pixels);
    else if constexpr (std::is_same_v<Pixel, std::uint16_t>)
        queue.launch(kernels::edges_as_u16, points, magnitude, pixels);
    else
        queue.launch(kernels::edges_as_f32, points, magnitude, pixels,
                     static_cast<float>(levels.unit));
    return pixels;
}

Buffer<u32> magnitude_of(Queue& queue, const Shape& shape, const GrayLevels& levels,
                         EdgeOperator mask, EdgeMagnitude magnitude) {
    const Gradient gradient = level_gradient(queue, shape, levels.planes, levels.channels, mask);
    return gradient_magnitude(queue, shape, gradient, magnitude);
}

}  // namespace

EdgeResult edges(const AnyImageView& image, EdgeOperator mask, const GradientOptions& options,
                 Queue& queue, const Progress& progress) {
    validate_options(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    clock.start("gradient");
    progress.report(0.3, "gradient");
    const Buffer<u32> magnitude =
        magnitude_of(queue, plane_of(image.shape()), levels, mask, options.magnitude);
    const auto made = [&]<class Pixel>(Pixel) -> AnyImage {
        return download(queue, image, as_pixels<Pixel>(queue, levels, magnitude));
    };
    const int bytes = pixel_type_bytes(image.pixel_type());
    EdgeResult result{bytes == 1   ? made(std::uint8_t{})
                      : bytes == 2 ? made(std::uint16_t{})
                                   : made(float{}),
                      {},
                      0,
                      clock.take(),
                      std::move(levels.warnings)};
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceImage<EdgePixel<T>> edges(const DeviceImage<const T>& image, EdgeOperator mask,
                                const GradientOptions& options, Queue& queue,
                                const Progress& progress) {
    validate_options(options);
    progress.report(0, "gradient");
    const GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    const Shape shape = plane_of(image.shape);
    const Buffer<u32> magnitude = magnitude_of(queue, shape, levels, mask, options.magnitude);
    progress.report(1, "done");
    return {as_pixels<EdgePixel<T>>(queue, levels, magnitude), shape, image.geometry};
}

#define TESELA_INSTANTIATE(T)                                                           \
    template DeviceImage<EdgePixel<T>> edges(const DeviceImage<const T>&, EdgeOperator, \
                                             const GradientOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t edges_device_bytes(const AnyImageView& image) {
    const std::int64_t points = image.shape().points();
    const std::int64_t pixel = std::min(pixel_type_bytes(image.pixel_type()), 4);
    return gray_levels_bytes(image, LevelsOf::channels) + (3 * 4 + pixel) * points;
}

}  // namespace tesela
