// Regions of any image, with nothing to choose but how many.
//
// Mean shift divides the image finely; then neighbors merge, the most alike first, by a likelihood
// ratio and the contrast of their border. Formulas and sources: docs/segment.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/mean_shift.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class SegmentDetail { coarse, medium, fine };
constexpr auto enum_names(SegmentDetail) {
    return std::array{EnumNames<SegmentDetail>{SegmentDetail::coarse, "coarse"},
                      EnumNames<SegmentDetail>{SegmentDetail::medium, "medium"},
                      EnumNames<SegmentDetail>{SegmentDetail::fine, "fine"}};
}
constexpr auto enum_help(SegmentDetail) {
    return std::array<std::string_view, 3>{"few large regions", "medium regions",
                                           "many small regions"};
}

struct SegmentOptions {
    SegmentDetail detail = SegmentDetail::medium;
    std::optional<int> regions = {};
};

template <class V>
void describe(V&& v, SegmentOptions& o) {
    v("detail", o.detail, "how finely the image is divided");
    v("regions", o.regions, "number of regions, in place of --detail",
      OptionRange{.lowest = 1, .highest = 1000000});
}

struct SegmentReport {
    std::uint32_t count = 0;
    std::uint32_t first_count = 0;  // regions before they are merged
    // What the image was found to be, and how it was divided finely.
    ColorSpace color_space = ColorSpace::luv;  // or intensity
    Length spatial_bandwidth;
    double range_bandwidth = 0;  // of L*u*v*, or of the image's values
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct SegmentResult : SegmentReport {
    LabelImage labels;  // regions 1..count, raster-first; every pixel has one
};
struct DeviceSegmentResult : SegmentReport {
    DeviceImage<std::uint32_t> labels;
};

// Images of two to four axes, of any size and pixel type, with one or three channels; alpha is
// ignored. Colors are compared in L*u*v*, as are 8-bit gray pictures; other values by the share of
// their range that differences are. Throws InvalidArgument (options, NaN or infinite pixels),
// UnsupportedFormat (other channel counts), OutOfMemory, Cancelled. The same bits on every device.
SegmentResult segment(const AnyImageView& image, const SegmentOptions& options, Queue& queue,
                      const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. Regions are merged on the
// host, where features and first labels go and the last ones come from.
template <class T>
DeviceSegmentResult segment(const DeviceImage<const T>& image, const SegmentOptions& options,
                            Queue& queue, const Progress& progress = {});

// Memory that segment takes at most beside image and labels, of the device and of the host, in
// bytes.
std::int64_t segment_device_bytes(const AnyImageView& image);
std::int64_t segment_host_bytes(const AnyImageView& image);

}  // namespace tesela
