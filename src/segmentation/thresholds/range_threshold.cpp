#include <algorithm>
#include <string>
#include <vector>

#include "kernels/thresholds/threshold.kernel.h"
#include "pixels/native_pixels.h"
#include "pixels/pixel_source.h"
#include "pixels/plane_of.h"
#include "segmentation/growth/predicate.h"
#include "segmentation/thresholds/threshold_result.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

ValueLimits limits_of(const RangeThresholdOptions& options, const Shape& shape, bool has_alpha) {
    ValueLimits limits;
    limits.lower.fill(*options.low);
    limits.upper.fill(*options.high);
    limits.channels = shape.channels - (has_alpha ? 1 : 0);
    if (limits.channels == 1 || limits.channels == 3) return limits;
    throw UnsupportedFormat("a range is of images with 1 or 3 channels and alpha; this one has " +
                            std::to_string(limits.channels) + " channels");
}

template <class T>
DeviceThresholdResult mask_of(const PixelSource<T>& image, const ValueLimits& limits,
                              Queue& queue) {
    const Range points{image.shape().points()};
    DeviceThresholdResult result;
    result.mask = {mask_within<T>(queue, image.on_device(queue), limits), plane_of(image.shape()),
                   image.geometry};
    queue.launch(kernels::threshold_in_range, points, result.mask.pixels);
    return result;
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

ThresholdResult range_threshold(const AnyImageView& image, const RangeThresholdOptions& options,
                                Queue& queue, const Progress& progress) {
    check_options(options);
    const ValueLimits limits = limits_of(options, image.shape(), image.has_alpha());
    StageClock clock;
    clock.start("threshold");
    progress.report(0, "threshold");
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        std::vector<std::string> warnings;
        DeviceThresholdResult found;
        if constexpr (native<T>)
            found = mask_of<T>(typed, limits, queue);
        else
            found = mask_of<float>(to_float(typed, warnings), limits, queue);
        found.warnings = std::move(warnings);
        return downloaded(std::move(found), queue, clock, progress);
    });
}
template <class T>
DeviceThresholdResult range_threshold(const DeviceImage<const T>& image,
                                      const RangeThresholdOptions& options, Queue& queue,
                                      const Progress& progress) {
    check_options(options);
    const ValueLimits limits = limits_of(options, image.shape, image.has_alpha);
    progress.report(0, "threshold");
    StageClock clock;
    clock.start("threshold");
    DeviceThresholdResult result = mask_of(PixelSource<T>(queue, image), limits, queue);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                       \
    template DeviceThresholdResult range_threshold( \
        const DeviceImage<const T>&, const RangeThresholdOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t range_threshold_device_bytes(const AnyImageView& image) {
    const Shape& shape = image.shape();
    return shape.elements() * std::min(pixel_type_bytes(image.pixel_type()), 4) + shape.points();
}

}  // namespace tesela
