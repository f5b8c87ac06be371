// Watersheds from markers: each pixel goes to the marker whose flood reaches it first.
//
// F. Meyer, "Topographic distance and watershed lines", Signal Processing 38(1), 1994; the order of
// the flood, and what ties come to: docs/region-growing.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/seeds.h"
#include "tesela/stage_times.h"

namespace tesela {

// What is flooded: the length of the image's gradient, by Sobel's operator, or its values.
enum class Relief { gradient, values };
constexpr auto enum_names(Relief) {
    return std::array{EnumNames<Relief>{Relief::gradient, "gradient"},
                      EnumNames<Relief>{Relief::values, "values"}};
}
constexpr auto enum_help(Relief) {
    return std::array<std::string_view, 2>{"gradient magnitude", "input values"};
}

// Smoothing and depth that are not given come from the image's noise where minima are the markers:
// 2 pixels, or none without noise, and 2.5 times the noise's standard deviation. Before a flood
// from seeds nothing is smoothed. At most 32 pixels.
struct WatershedOptions {
    Relief relief = Relief::gradient;
    std::optional<Length> sigma = {};
    std::optional<double> depth = {};
    Connectivity connectivity = Connectivity::automatic;
    bool line = false;
};

template <class V>
void describe(V&& v, WatershedOptions& o) {
    v("relief", o.relief, "what is flooded: gradient magnitude or input values");
    v("sigma", o.sigma, "standard deviation of the Gaussian smoothing",
      OptionRange{.lowest = 0,
                  .unit = "px, or mm with the suffix",
                  .automatic = "2px if noisy, with seeds 0"});
    v("depth", o.depth, "ignore basins shallower than this",
      OptionRange{.lowest = 0,
                  .unit = "file units; gradient: a pixel",
                  .automatic = "2.5 times the noise"});
    v("connectivity", o.connectivity, "which pixels are connected; auto: 4 or 6");
    v("line", o.line, "leave a line of label 0 between regions");
}

// Statistics reported with the result.
struct WatershedReport {
    std::uint32_t count = 0;                         // labels of given seeds, or regions
    int rounds = 0;                                  // of the flood
    Connectivity connectivity = Connectivity::four;  // what `automatic` came to
    Length sigma = 0;                                // as it was used
    std::optional<double> depth = {};                // the same, without seeds
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct WatershedResult : WatershedReport {
    // Of given seeds; from minima or a grid 1..count, in the raster order of first points.
    LabelImage labels;
    std::int64_t unlabeled_points = 0;  // lines
};
struct DeviceWatershedResult : WatershedReport {
    DeviceImage<std::uint32_t> labels;
};

// Pictures and volumes of any size with one or three channels, and alpha, which is not looked at;
// values need one channel. AutomaticSeeds are the minima of the relief. In a volume the gradient is
// that of space: a difference counts by the smallest spacing over that of its axis.
// Throws InvalidArgument (options, seeds that are none or outside, pixels that are NaN or
// infinite, a mask of another size), UnsupportedFormat (other channel counts, a time axis),
// OutOfMemory, Cancelled. The same input gives the same bits on every device. Where a `mask` is 0
// nothing is flooded and labels are 0; seeds there do not count, and every connected part of the
// mask has a minimum.
WatershedResult watershed(const AnyImageView& image, const Seeds& seeds,
                          const WatershedOptions& options, Queue& queue,
                          const Progress& progress = {},
                          const std::optional<PixelView<std::uint8_t>>& mask = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. The pixels are read back
// once where smoothing or depth come from their noise, and of float for their range.
template <class T>
DeviceWatershedResult watershed(const DeviceImage<const T>& image, const Seeds& seeds,
                                const WatershedOptions& options, Queue& queue,
                                const Progress& progress = {},
                                const DeviceImage<const std::uint8_t>* mask = nullptr);

// Device memory that watershed takes at most, in bytes. Throws as watershed does for bad options.
std::int64_t watershed_device_bytes(const AnyImageView& image, const Seeds& seeds,
                                    const WatershedOptions& options);

}  // namespace tesela
