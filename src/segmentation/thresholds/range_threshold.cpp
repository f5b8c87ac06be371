#include <algorithm>
#include <span>
#include <string>

#include "segmentation/growth/predicate.h"
#include "segmentation/native_pixels.h"
#include "segmentation/plane_of.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

int color_channels(const AnyImage& image) {
    const int channels = shape_of(image).channels - (has_alpha(image) ? 1 : 0);
    if (channels == 1 || channels == 3) return channels;
    throw UnsupportedFormat("a range is of images with 1 or 3 channels and alpha; this one has " +
                            std::to_string(channels) + " channels");
}

template <class T>
void mask_of(const Image<T>& image, const ValueLimits& limits, Queue& queue,
             Image<std::uint8_t>& mask) {
    const DeviceImage<const T> pixels{queue.lend(std::span<const T>(image.pixels()), "input image"),
                                      image.shape(), image.geometry, image.has_alpha};
    queue.read(mask_within(queue, pixels, limits), std::span<std::uint8_t>(mask.pixels()));
}

}  // namespace

void check_options(const RangeThresholdOptions& options) {
    validate_options(options);
    if (!options.low || !options.high)
        throw InvalidArgument(
            "--low and --high are both needed: give the lowest and the highest value");
    if (*options.low > *options.high)
        throw InvalidArgument("--low is " + detail::shown(*options.low) + " and --high " +
                              detail::shown(*options.high) + ": no value is between them");
}

ThresholdResult range_threshold(const AnyImage& image, const RangeThresholdOptions& options,
                                Queue& queue, const Progress& progress) {
    check_options(options);
    ValueLimits limits;
    limits.lower.fill(*options.low);
    limits.upper.fill(*options.high);
    limits.channels = color_channels(image);
    StageClock clock;
    clock.start("threshold");
    progress.report(0, "threshold");
    ThresholdResult result;
    result.mask = Image<std::uint8_t>(plane_of(shape_of(image)), geometry_of(image));
    std::visit(
        [&]<class T>(const Image<T>& typed) {
            if constexpr (native<T>)
                mask_of(typed, limits, queue, result.mask);
            else
                mask_of(to_float(typed, result.warnings), limits, queue, result.mask);
        },
        image);
    for (std::uint8_t& inside : result.mask.pixels()) {
        result.points_above += inside;
        inside = inside != 0 ? 255 : 0;
    }
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t range_threshold_device_bytes(const AnyImage& image) {
    const Shape& shape = shape_of(image);
    return shape.elements() * std::min(pixel_type_bytes(pixel_type_of(image)), 4) + shape.points();
}

}  // namespace tesela
