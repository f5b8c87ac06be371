// Segmentation by growing regions from seeds.
//
// Each criterion with its source, formula and cost: docs/region-growing.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/seeds.h"
#include "tesela/stage_times.h"

namespace tesela {

// Which pixels a region takes. `mean`: every pixel joins the region beside it whose mean is
// closest, until all are in one; then regions that are alike merge. As ITK's filters of these
// names, from all seeds of a label: `connected` (ConnectedThreshold), those within limits that hang
// together with a seed; `neighborhood` (NeighborhoodConnected), those with all of a box around them
// within limits; `confidence` (ConfidenceConnected), those within a multiple of the region's own
// deviation from its mean. `adams_bischof`: every pixel, the one most like a region beside it
// first; on the CPU alone. `range`: the seeds of all labels compete; a pixel goes to the one that
// reaches it over the smallest largest step between neighbors, then over the fewest, then to the
// lowest label.
enum class GrowthCriterion { mean, connected, neighborhood, confidence, adams_bischof, range };
constexpr auto enum_names(GrowthCriterion) {
    return std::array{EnumNames<GrowthCriterion>{GrowthCriterion::mean, "mean"},
                      EnumNames<GrowthCriterion>{GrowthCriterion::connected, "connected"},
                      EnumNames<GrowthCriterion>{GrowthCriterion::neighborhood, "neighborhood"},
                      EnumNames<GrowthCriterion>{GrowthCriterion::confidence, "confidence"},
                      EnumNames<GrowthCriterion>{GrowthCriterion::adams_bischof, "adams-bischof"},
                      EnumNames<GrowthCriterion>{GrowthCriterion::range, "range"}};
}

// In which space colors are compared; what `automatic` is, the criterion says. From black to white
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

// Of what the weak part of a border is a share: of the border that two regions have in common, or
// of the smaller of their perimeters.
enum class BorderLength { common, perimeter };
constexpr auto enum_names(BorderLength) {
    return std::array{EnumNames<BorderLength>{BorderLength::common, "common"},
                      EnumNames<BorderLength>{BorderLength::perimeter, "perimeter"}};
}

// An option that is not given has the value that its criterion says; one that the criterion has no
// use for is refused.
struct RegionGrowOptions {
    GrowthCriterion criterion = GrowthCriterion::mean;
    std::optional<double> growth_threshold = {};
    std::optional<double> merge_threshold = {};
    std::optional<std::int64_t> min_region = {};
    GrowthColorSpace color_space = GrowthColorSpace::automatic;
    Connectivity connectivity = Connectivity::automatic;
    std::optional<double> lower = {}, upper = {};
    std::optional<Length> radius = {};
    std::optional<double> multiplier = {};
    std::optional<int> iterations = {};
    std::optional<double> border_step = {}, border_share = {};
    std::optional<BorderLength> border_of = {};
    std::optional<double> seed_distance = {};
    std::optional<int> smoothing = {};
};

template <class V>
void describe(V&& v, RegionGrowOptions& o) {
    v("criterion", o.criterion, "which pixels a region takes");
    v("growth-threshold", o.growth_threshold,
      "how far a pixel may be off its region; mean: in a first run, 14 if not given, before "
      "regions take what is left, unless this and the seeds are given; connected, neighborhood: "
      "each channel from the mean of the seeds, instead of --lower and --upper; range: the largest "
      "step, none if not given; with --variant thesis relative, 0.2 if not given",
      OptionRange{.lowest = 0, .unit = "mean: 100 from black to white; else file units"});
    v("merge-threshold", o.merge_threshold,
      "0: none; mean: regions merge, the most alike first, while one of the usual --min-region "
      "that is this far off would join, 16 if not given, but for seeds that the user marked none, "
      "unless another option of merging is given; adams-bischof: neighboring regions with means "
      "closer than this, the closest first; in ycbcr a share, 0.1 if not given and seeds are from "
      "a grid or chosen; with --variant thesis relative, 0.2 if not given",
      OptionRange{.lowest = 0, .unit = "100 from black to white"});
    v("min-region", o.min_region,
      "mean, adams-bischof: smaller regions join the neighbor closest in mean; 0: none; if not "
      "given "
      "1/150 of the image (mean: of a volume 1/1837), but for seeds that the user marked none; "
      "mean: unless another option of merging is given",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("color-space", o.color_space,
      "mean, adams-bischof: where colors are compared; auto: mean: lab, adams-bischof: ycbcr, or "
      "gray for one channel");
    v("connectivity", o.connectivity,
      "neighbors of a pixel: 4 or 8, of a voxel: 6, 18 or 26, with time: 8, 32, 64 or 80; auto: "
      "the lowest of these, as in ITK; mean: the highest");
    v("lower", o.lower,
      "connected, neighborhood: lowest value of a region's pixels, in every color channel",
      OptionRange{.unit = "file units"});
    v("upper", o.upper, "connected, neighborhood: highest value, likewise",
      OptionRange{.unit = "file units"});
    v("radius", o.radius,
      "neighborhood: half the box around a pixel; confidence: of that around a seed where the "
      "first limits come from; 1 if not given",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("multiplier", o.multiplier,
      "confidence: limits in deviations from the mean; 2.5 if not given", OptionRange{.lowest = 0});
    v("iterations", o.iterations,
      "confidence: how often the limits are taken from the region anew; 4 if not given",
      OptionRange{.lowest = 0, .highest = 1000});
    v("border-step", o.border_step,
      "mean: steps across a border below this are weak; 1.5 if not given, 0: none",
      OptionRange{.lowest = 0, .unit = "100 from black to white"});
    v("border-share", o.border_share,
      "mean: neighbors within --merge-threshold merge where more of their border is weak; 0.5 if "
      "not given",
      OptionRange{.lowest = 0, .highest = 1});
    v("border-of", o.border_of,
      "mean: of what that is the share: of the common border, or of the smaller perimeter");
    v("seed-distance", o.seed_distance,
      "mean, adams-bischof: how far an automatic seed's neighbors may be off, relative to its "
      "color; 0.01 if not given, with adams-bischof 0.05",
      OptionRange{.lowest = 0, .highest = 10});
    v("smoothing", o.smoothing,
      "mean: how often the image is smoothed by [1 2 1]/4 along each axis before; 4 if not given",
      OptionRange{.lowest = 0, .highest = 6});
}

// Limits that a label's region ended with, and what they come from.
struct GrowthInterval {
    std::uint32_t label = 0;
    double lower = 0, upper = 0;
    double mean = 0, deviation = 0;
};

// What is told of a call beside its images.
struct RegionGrowReport {
    std::uint32_t count = 0;            // labels that occur
    std::int64_t unlabeled_points = 0;  // that no region took
    int rounds = 0;                     // of growth
    std::uint32_t grown_regions = 0;    // mean, adams_bischof: before they merged
    int merging_rounds = 0, border_rounds = 0, pruning_rounds = 0;  // mean
    std::vector<GrowthInterval> intervals;                          // confidence: one a label
    // What `automatic` came to; colors are compared by mean and adams_bischof alone.
    Connectivity connectivity = Connectivity::four;
    GrowthColorSpace color_space = GrowthColorSpace::automatic;
    bool found_seeds = true;  // mean: false where the image made none, so that all is one region
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct RegionGrowResult : RegionGrowReport {
    LabelImage labels;  // of the seeds; 0: no region's
    AnyImage segmented =
        {};  // the image with each region in its mean color; empty unless asked for
};

enum class RegionGrowOutput { labels, with_segmented };

// 2-D, 3-D and 4-D images of any size with one or three channels, and alpha, which is not compared.
// Pixels that are NaN or infinite belong to no region; `mean` refuses them.
// Throws InvalidArgument (options, seeds that are none, outside or on such a pixel, a device that
// the criterion does not run on), UnsupportedFormat (other channel counts), OutOfMemory, Cancelled.
// The same input gives the same bits on every device.
RegionGrowResult region_grow(const AnyImage& image, const Seeds& seeds,
                             const RegionGrowOptions& options, Queue& queue,
                             RegionGrowOutput output = RegionGrowOutput::labels,
                             const Progress& progress = {});

// Throws InvalidArgument where the criterion does not run on the device.
void check_device(const RegionGrowOptions& options, const Device& device);

// Device memory that region_grow takes at most, in bytes. Throws as region_grow does for bad
// options.
std::int64_t region_grow_device_bytes(const AnyImage& image, const Seeds& seeds,
                                      const RegionGrowOptions& options);

}  // namespace tesela
