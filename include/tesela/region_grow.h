// Segmentation by growing regions from seeds.
//
// Each method with its source, formula and cost: docs/region-growing.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
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

// In which space colors are compared; what `automatic` is, the method says. From black to white
// it is 100 in each; lab takes values as they are, without the sRGB curve, and in the others black
// and white are the lowest and the highest value of other than 8-bit images.
enum class GrowthColorSpace { automatic, ycbcr, lab, rgb, gray };
constexpr auto enum_names(GrowthColorSpace) {
    return std::array{EnumNames<GrowthColorSpace>{GrowthColorSpace::automatic, "auto"},
                      EnumNames<GrowthColorSpace>{GrowthColorSpace::ycbcr, "ycbcr"},
                      EnumNames<GrowthColorSpace>{GrowthColorSpace::lab, "lab"},
                      EnumNames<GrowthColorSpace>{GrowthColorSpace::rgb, "rgb"},
                      EnumNames<GrowthColorSpace>{GrowthColorSpace::gray, "gray"}};
}
constexpr auto enum_help(GrowthColorSpace) {
    return std::array<std::string_view, 5>{"ycbcr for color, else gray", "Y'CbCr", "CIE L*a*b*",
                                           "RGB", "gray values"};
}

// Of what the weak part of a border is a share: of the border that two regions have in common, or
// of the smaller of their perimeters.
enum class BorderLength { common, perimeter };
constexpr auto enum_names(BorderLength) {
    return std::array{EnumNames<BorderLength>{BorderLength::common, "common"},
                      EnumNames<BorderLength>{BorderLength::perimeter, "perimeter"}};
}
constexpr auto enum_help(BorderLength) {
    return std::array<std::string_view, 2>{"the common border", "the shorter perimeter"};
}

// Pixels within limits, connected with a seed; as itk::ConnectedThresholdImageFilter from all seeds
// of a label. With a radius the whole box around a pixel is within limits, as in
// itk::NeighborhoodConnectedImageFilter.
struct LimitGrowOptions {
    std::optional<double> lower = {}, upper = {};  // one of them is needed
    Length radius = 0;
    Connectivity connectivity = Connectivity::automatic;
};

template <class V>
void describe(V&& v, LimitGrowOptions& o) {
    v("lower", o.lower, "lowest value of a region's pixels", OptionRange{.unit = "file units"});
    v("upper", o.upper, "highest value of a region's pixels", OptionRange{.unit = "file units"});
    v("radius", o.radius, "radius of the neighborhood that must be within the limits",
      OptionRange{.lowest = 0});
    v("connectivity", o.connectivity, "which pixels are connected; auto: those sharing a face");
}

// Pixels whose channels are all within `tolerance` of the seed's value, or of the mean of all seeds
// of a label. The radius as in LimitGrowOptions.
struct ToleranceGrowOptions {
    std::optional<double> tolerance = {};  // needed
    Length radius = 0;
    Connectivity connectivity = Connectivity::automatic;
};

template <class V>
void describe(V&& v, ToleranceGrowOptions& o) {
    v("tolerance", o.tolerance, "largest difference from the seed's value",
      OptionRange{.lowest = 0, .unit = "file units"});
    v("radius", o.radius, "radius of the neighborhood that must be within tolerance",
      OptionRange{.lowest = 0});
    v("connectivity", o.connectivity, "which pixels are connected; auto: those sharing a face");
}

// Pixels within a multiple of the region's own standard deviation from its mean, as
// itk::ConfidenceConnectedImageFilter; images of one channel.
struct ConfidenceGrowOptions {
    double multiplier = 2.5;
    int iterations = 4;
    Length radius = 1;
    Connectivity connectivity = Connectivity::automatic;
};

template <class V>
void describe(V&& v, ConfidenceGrowOptions& o) {
    v("multiplier", o.multiplier, "width of the limits in standard deviations",
      OptionRange{.lowest = 0});
    v("iterations", o.iterations, "number of times the limits are recomputed",
      OptionRange{.lowest = 0, .highest = 1000});
    v("radius", o.radius, "radius around the seeds for the first limits", OptionRange{.lowest = 0});
    v("connectivity", o.connectivity, "which pixels are connected; auto: those sharing a face");
}

// The seeds of all labels compete for the pixels. `step`: a pixel goes to the label that reaches it
// over the smallest largest step between neighbors, then over the fewest steps, then to the lowest
// label. `mean` (Adams and Bischof): of all pixels beside a region the one most like its mean joins
// first; on the CPU alone.
enum class GrowthRule { step, mean };
constexpr auto enum_names(GrowthRule) {
    return std::array{EnumNames<GrowthRule>{GrowthRule::step, "step"},
                      EnumNames<GrowthRule>{GrowthRule::mean, "mean"}};
}
constexpr auto enum_help(GrowthRule) {
    return std::array<std::string_view, 2>{"smallest step between neighbors first",
                                           "pixel closest to a mean first"};
}

// All but `by` and `connectivity` belong to one rule, and the other one refuses them.
struct CompeteGrowOptions {
    GrowthRule by = GrowthRule::step;
    std::optional<double> max_step = {};         // step; not given: no limit
    std::optional<double> merge_threshold = {};  // mean, as the rest
    std::optional<std::int64_t> min_region = {};
    GrowthColorSpace color_space = GrowthColorSpace::automatic;
    std::optional<double> seed_distance = {};
    Connectivity connectivity = Connectivity::automatic;
};

template <class V>
void describe(V&& v, CompeteGrowOptions& o) {
    v("by", o.by, "smallest step between neighbors or from the mean first");
    v("connectivity", o.connectivity, "which pixels are connected; auto: those sharing a face");
    v("max-step", o.max_step, "largest step between neighbors, for step",
      OptionRange{.lowest = 0, .unit = "file units", .automatic = "no limit"});
    v("merge-threshold", o.merge_threshold, "merge regions with closer means, for mean",
      OptionRange{.lowest = 0, .automatic = "auto"});
    v("min-region", o.min_region, "merge regions smaller than this, for mean",
      OptionRange{.lowest = 0, .unit = "pixels", .automatic = "auto"});
    v("color-space", o.color_space, "color space of the means; auto: ycbcr, or gray");
    v("seed-distance", o.seed_distance, "maximum contrast of automatic seeds to their neighbors",
      OptionRange{.lowest = 0, .highest = 10, .automatic = "0.05"});
}

// Every pixel joins the region beside it whose mean is closest, until all are in one; then regions
// that are alike merge. It needs no seeds. Options of merging that are not given have the defaults
// below, but where the user gives seeds, which stay apart then.
struct MeanGrowOptions {
    std::optional<double> growth_threshold = {};  // 14
    std::optional<double> merge_threshold = {};   // 16
    std::optional<std::int64_t> min_region = {};  // 1/150 of a picture, 1/1837 of a volume
    GrowthColorSpace color_space = GrowthColorSpace::automatic;
    Connectivity connectivity = Connectivity::automatic;
    std::optional<double> border_step = {};      // 1.5
    std::optional<double> border_share = {};     // 0.5
    std::optional<BorderLength> border_of = {};  // common
    double seed_distance = 0.01;
    int smoothing = 4;
};

template <class V>
void describe(V&& v, MeanGrowOptions& o) {
    v("growth-threshold", o.growth_threshold,
      "grow within this distance of a mean first, then take the rest",
      OptionRange{.lowest = 0, .unit = "100 from black to white"});
    v("merge-threshold", o.merge_threshold, "merge similar neighbors up to this distance",
      OptionRange{.lowest = 0, .unit = "100 from black to white"});
    v("min-region", o.min_region, "merge regions smaller than this",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("border-step", o.border_step, "steps across a border below this are weak; 0: none",
      OptionRange{.lowest = 0, .unit = "100 from black to white"});
    v("border-share", o.border_share, "merge neighbors with a larger weak share of their border",
      OptionRange{.lowest = 0, .highest = 1});
    v("border-of", o.border_of, "share of the common border or of the smaller perimeter");
    v("seed-distance", o.seed_distance, "maximum contrast of automatic seeds to their neighbors",
      OptionRange{.lowest = 0, .highest = 10});
    v("smoothing", o.smoothing, "rounds of smoothing by [1 2 1]/4 along each axis",
      OptionRange{.lowest = 0, .highest = 6});
    v("color-space", o.color_space, "color space of the means; auto: lab, or gray");
    v("connectivity", o.connectivity, "which pixels are neighbors; auto: all that touch");
}

// A method with its options.
using RegionGrowOptions = std::variant<MeanGrowOptions, LimitGrowOptions, ToleranceGrowOptions,
                                       ConfidenceGrowOptions, CompeteGrowOptions>;

// Limits that a label's region ended with, and what they come from.
struct GrowthInterval {
    std::uint32_t label = 0;
    double lower = 0, upper = 0;
    double mean = 0, deviation = 0;
};

// Statistics reported with the result.
struct RegionGrowReport {
    int rounds = 0;                                                 // of growth
    std::uint32_t grown_regions = 0;                                // by mean: before they merged
    int merging_rounds = 0, border_rounds = 0, pruning_rounds = 0;  // MeanGrowOptions
    std::vector<GrowthInterval> intervals;  // ConfidenceGrowOptions: one a label
    // What `automatic` came to; colors are compared by mean alone.
    Connectivity connectivity = Connectivity::four;
    GrowthColorSpace color_space = GrowthColorSpace::automatic;
    // MeanGrowOptions: false where the image made none, so that all is one region.
    bool found_seeds = true;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct RegionGrowResult : RegionGrowReport {
    std::uint32_t count = 0;            // labels that occur
    std::int64_t unlabeled_points = 0;  // that no region took
    LabelImage labels;                  // of the seeds; 0: no region's
    AnyImage segmented =
        {};  // the image with each region in its mean color; empty unless asked for
};

struct DeviceRegionGrowResult : RegionGrowReport {
    DeviceImage<std::uint32_t> labels;
};

enum class RegionGrowOutput { labels, with_segmented };

// 2-D, 3-D and 4-D images of any size with one or three channels, and alpha, which is not compared.
// Pixels that are NaN or infinite belong to no region; MeanGrowOptions refuses them.
// Throws InvalidArgument (options, seeds that are none, outside or on such a pixel, a device that
// the method does not run on), UnsupportedFormat (other channel counts), OutOfMemory, Cancelled.
// The same input gives the same bits on every device.
RegionGrowResult region_grow(const AnyImageView& image, const Seeds& seeds,
                             const RegionGrowOptions& options, Queue& queue,
                             RegionGrowOutput output = RegionGrowOutput::labels,
                             const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. The pixels are read back
// once where the method looks at values of seeds, and of float for their range.
template <class T>
DeviceRegionGrowResult region_grow(const DeviceImage<const T>& image, const Seeds& seeds,
                                   const RegionGrowOptions& options, Queue& queue,
                                   const Progress& progress = {});

// Throws InvalidArgument where the method does not run on the device.
void check_device(const RegionGrowOptions& options, const Device& device);

// Memory that region_grow takes at most on the device, in bytes. Throws as region_grow does for bad
// options.
std::int64_t region_grow_device_bytes(const AnyImageView& image, const Seeds& seeds,
                                      const RegionGrowOptions& options, const Device& device);

}  // namespace tesela
