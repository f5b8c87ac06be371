#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "tesela/reconstruct.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

void check(const HysteresisThresholdOptions& options, const Shape& shape) {
    check_options(options);
    if (shape.channels != 1)
        throw UnsupportedFormat("hysteresis is of images of one channel; this image has " +
                                std::to_string(shape.channels) + ": choose one with --channel");
    if (shape.t > 1)
        throw UnsupportedFormat("hysteresis is of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: choose one with --time");
}

// The values above the threshold, from the next one of single precision on.
RangeThresholdOptions above(double threshold) {
    constexpr float most = std::numeric_limits<float>::max();
    auto next = static_cast<float>(std::clamp(threshold, -double{most}, double{most}));
    if (next <= threshold) next = std::nextafter(next, most);
    return {next, double{most}};
}

ReconstructOptions reconstruction(const HysteresisThresholdOptions& options, const Shape& shape) {
    if (options.connectivity != Connectivity::automatic) return {options.connectivity};
    return {shape.z > 1 ? Connectivity::six : Connectivity::four};
}

}  // namespace

void check_options(const HysteresisThresholdOptions& options) {
    validate_options(options);
    if (!options.low || !options.high)
        throw InvalidArgument("--low and --high are both needed: give the two thresholds");
    if (*options.low > *options.high)
        throw InvalidArgument("--low is " + detail::shown(*options.low) +
                              ", above --high, which is " + detail::shown(*options.high));
}

ThresholdResult hysteresis_threshold(const AnyImageView& image,
                                     const HysteresisThresholdOptions& options, Queue& queue,
                                     const Progress& progress) {
    check(options, image.shape());
    ThresholdResult result = range_threshold(image, above(*options.low), queue, progress);
    const ThresholdResult seeds = range_threshold(image, above(*options.high), queue, progress);
    AnyImage kept = reconstruct(seeds.mask, result.mask, reconstruction(options, image.shape()),
                                queue, progress);
    result.mask = std::get<Image<std::uint8_t>>(std::move(kept));
    result.points_above = std::ssize(result.mask.pixels()) -
                          std::count(result.mask.pixels().begin(), result.mask.pixels().end(), 0);
    return result;
}

template <class T>
DeviceThresholdResult hysteresis_threshold(const DeviceImage<const T>& image,
                                           const HysteresisThresholdOptions& options, Queue& queue,
                                           const Progress& progress) {
    check(options, image.shape);
    DeviceThresholdResult result = range_threshold(image, above(*options.low), queue, progress);
    DeviceThresholdResult seeds = range_threshold(image, above(*options.high), queue, progress);
    result.mask = reconstruct(std::move(seeds.mask), std::move(result.mask),
                              reconstruction(options, image.shape), queue, progress);
    return result;
}
#define TESELA_INSTANTIATE(T)                            \
    template DeviceThresholdResult hysteresis_threshold( \
        const DeviceImage<const T>&, const HysteresisThresholdOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t hysteresis_threshold_device_bytes(const AnyImageView& image,
                                               const HysteresisThresholdOptions& options) {
    const Shape& shape = image.shape();
    return range_threshold_device_bytes(image) + 2 * shape.points() +
           reconstruct_device_bytes(image, reconstruction(options, shape));
}

}  // namespace tesela
