// Mean shift filtering and segmentation in the joint spatial-range domain.
//
// D. Comaniciu, P. Meer, "Mean shift: a robust approach toward feature space analysis", IEEE TPAMI
// 24(5), 2002; window, stopping rule and labels as in docs/mean-shift.md.
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
#include "tesela/mean_shift_thesis.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/value_range.h"

namespace tesela {

// In which space two pixels are compared. `automatic`: pictures in color and 8-bit gray in CIE
// L*u*v* (gray: L* alone); volumes, 16-bit gray and floating point by their values.
enum class ColorSpace { automatic, luv, lab, intensity };
constexpr auto enum_names(ColorSpace) {
    return std::array{EnumNames<ColorSpace>{ColorSpace::automatic, "auto"},
                      EnumNames<ColorSpace>{ColorSpace::luv, "luv"},
                      EnumNames<ColorSpace>{ColorSpace::lab, "lab"},
                      EnumNames<ColorSpace>{ColorSpace::intensity, "intensity"}};
}
constexpr auto enum_help(ColorSpace) {
    return std::array<std::string_view, 4>{"luv for color, else intensity", "CIE L*u*v*",
                                           "CIE L*a*b*", "values as they are"};
}

// How a picture's values relate to light: the sRGB curve, or none (as in EDISON).
enum class Gamma { srgb, none };
constexpr auto enum_names(Gamma) {
    return std::array{EnumNames<Gamma>{Gamma::srgb, "srgb"}, EnumNames<Gamma>{Gamma::none, "none"}};
}
constexpr auto enum_help(Gamma) {
    return std::array<std::string_view, 2>{"sRGB curve", "linear values"};
}

// How a sample counts by its distance. `flat`: the same everywhere inside the bandwidth.
// `gaussian`: exp(-u^2/2) at u bandwidths, summed over the domains, out to three bandwidths in each
// of them.
enum class MeanShiftKernel { flat, gaussian };
constexpr auto enum_names(MeanShiftKernel) {
    return std::array{EnumNames<MeanShiftKernel>{MeanShiftKernel::flat, "flat"},
                      EnumNames<MeanShiftKernel>{MeanShiftKernel::gaussian, "gaussian"}};
}
constexpr auto enum_help(MeanShiftKernel) {
    return std::array<std::string_view, 2>{"uniform weights within the window", "Gaussian weights"};
}

// `thesis`: as the thesis's program does it (tesela/mean_shift_thesis.h), for its experiments. The
// results are the same bits, later; it has the flat kernel and all neighbors of a point alone. Its
// program joins no regions: fusion_range and min_region are 0 there.
enum class MeanShiftVariant { standard, thesis };
constexpr auto enum_names(MeanShiftVariant) {
    return std::array{EnumNames<MeanShiftVariant>{MeanShiftVariant::standard, "standard"},
                      EnumNames<MeanShiftVariant>{MeanShiftVariant::thesis, "thesis"}};
}

// Bandwidths and merging that go together: `photograph` divides photographs as people do
// (docs/mean-shift.md), `plain` is the filter with small regions joined. `automatic`: photograph
// for color pictures of which no option of a preset was given, else plain.
enum class MeanShiftPreset { automatic, photograph, plain };
constexpr auto enum_names(MeanShiftPreset) {
    return std::array{EnumNames<MeanShiftPreset>{MeanShiftPreset::automatic, "auto"},
                      EnumNames<MeanShiftPreset>{MeanShiftPreset::photograph, "photograph"},
                      EnumNames<MeanShiftPreset>{MeanShiftPreset::plain, "plain"}};
}
constexpr auto enum_help(MeanShiftPreset) {
    return std::array<std::string_view, 3>{"photograph for color pictures, else plain",
                                           "large, distinct regions of photographs",
                                           "the plain filter"};
}

// What is nothing is that of the preset.
struct MeanShiftOptions {
    MeanShiftPreset preset = MeanShiftPreset::automatic;
    std::optional<Length> spatial_bandwidth = {};
    std::optional<double> range_bandwidth = {};
    double temporal_bandwidth = 0;  // frames; 0: 2 where the image has a time axis
    MeanShiftKernel kernel = MeanShiftKernel::flat;
    bool fast = false;  // windows of few samples, one trajectory for points that are alike
    ColorSpace color_space = ColorSpace::automatic;
    std::optional<Gamma> gamma = {};
    double epsilon = 0.01;
    int max_iterations = 100;
    std::optional<double> label_epsilon = {};
    Connectivity connectivity = Connectivity::automatic;
    std::optional<double> fusion_range = {};  // range bandwidths; 0: regions are not fused
    std::optional<double> region_scale = {};  // points; 0: regions are not merged by cost
    std::optional<int> min_region = {};       // points; 0 or 1: regions of any size stay
    MeanShiftVariant variant = MeanShiftVariant::standard;
};

template <class V>
void describe(V&& v, MeanShiftOptions& o) {
    v("preset", o.preset, "setting; auto: photograph for color pictures, else plain");
    v("spatial", o.spatial_bandwidth, "radius of the spatial window",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "px, or mm with the suffix",
                  .automatic = "8px or 7px"});
    v("range", o.range_bandwidth,
      "radius of the range window; the default counts 8-bit gray levels",
      OptionRange{.lowest = 0,
                  .excludes_lowest = true,
                  .unit = "L*u*v* units or file units",
                  .automatic = "8 or 10.5"});
    v("temporal", o.temporal_bandwidth,
      "radius of the window in time; 0: 2 frames on an image with a time axis",
      OptionRange{.lowest = 0, .unit = "frames"});
    v("kernel", o.kernel, "weight of a sample by its distance; gaussian: out to 3 bandwidths");
    v("fast", o.fast, "sample the windows sparsely: faster, with other regions");
    v("color-space", o.color_space, "color space of the comparison");
    v("gamma", o.gamma, "transfer curve of the picture's values",
      OptionRange{.automatic = "srgb or none"});
    v("epsilon", o.epsilon, "stop when the shift is below this share of the bandwidth",
      OptionRange{.lowest = 0, .highest = 1, .excludes_lowest = true, .unit = "bandwidths"});
    v("max-iterations", o.max_iterations, "maximum iterations per pixel",
      OptionRange{.lowest = 1, .highest = 1000000});
    v("label-epsilon", o.label_epsilon, "join neighbors closer than this range distance",
      OptionRange{.lowest = 0, .unit = "as --range", .automatic = "1"});
    v("connectivity", o.connectivity,
      "neighbors of a pixel: 4 or 8, of a voxel: 6, 18 or 26, with time: 8, 32, 64 or 80");
    v("fusion-range", o.fusion_range, "fuse regions with means closer than this; 0: none",
      OptionRange{.lowest = 0, .unit = "range bandwidths", .automatic = "0.25 or 0"});
    v("region-scale", o.region_scale, "size of the smallest distinct regions; 0: no merging",
      OptionRange{.lowest = 0, .unit = "pixels", .automatic = "0 or 3000"});
    v("min-region", o.min_region, "merge smaller regions into the most similar neighbor",
      OptionRange{.lowest = 0, .unit = "pixels", .automatic = "20 or 100"});
    v("variant", o.variant, "how it is computed: the fast way, or step by step as in the thesis");
}

// The options as they are used on an image: with a preset that is not automatic, and all of its
// values. Where values are compared as they are, not as colors, its differences count in gray
// levels (tesela/value_range.h).
MeanShiftOptions with_preset(const MeanShiftOptions& options, const AnyImageView& image);
// The same in values that are gray levels, or colors.
MeanShiftOptions with_preset(MeanShiftOptions options, const Shape& shape, bool has_alpha);

// Statistics reported with the result.
struct MeanShiftReport {
    std::uint32_t region_count = 0;
    std::uint32_t component_count = 0;  // before regions are fused and small ones absorbed
    int fusion_rounds = 0, merging_rounds = 0, pruning_rounds = 0;
    ColorSpace color_space = ColorSpace::luv;  // what `automatic` came to
    Connectivity connectivity = Connectivity::eight;
    double temporal_bandwidth = 0;   // frames, what was used; 0 without a time axis
    std::int64_t iterations = 0;     // over all points
    std::int64_t capped_points = 0;  // stopped by max_iterations
    std::vector<StageTime> stages;
    std::optional<ThesisReport> thesis;  // of MeanShiftVariant::thesis
    std::vector<std::string> warnings;   // sentences for the user
};

struct MeanShiftResult : MeanShiftReport {
    AnyImage filtered;  // type, channels and geometry of the input
    // Empty where not asked for:
    LabelImage labels;        // regions 1..region_count, raster-first
    AnyImage segmented = {};  // as `filtered`, each region in its mean color
};

enum class MeanShiftOutput { filtered_and_labels, filtered_only, with_segmented };

// 2-D, 3-D and 4-D images of any size with one or three channels, and alpha, which is passed
// through.
// Throws InvalidArgument (options, NaN or infinite pixels, a 2-D connectivity on a volume, a
// physical bandwidth without spacing), UnsupportedFormat (other channel counts), OutOfMemory,
// Cancelled. The same input gives the same bits on every device.
MeanShiftResult mean_shift(const AnyImageView& image, const MeanShiftOptions& options, Queue& queue,
                           MeanShiftOutput output = MeanShiftOutput::filtered_and_labels,
                           const Progress& progress = {});

template <class T>
struct DeviceMeanShiftResult : MeanShiftReport {
    DeviceImage<T> filtered;
    DeviceImage<std::uint32_t> labels;
    DeviceImage<T> segmented;
};

// The same on an image that is on the queue's device, with results that stay there; T is
// std::uint8_t, std::uint16_t, std::int16_t or float. `values` holds all pixels of a float image,
// which are finite; integers need none. Differences of a preset are taken as they are: fill them in
// by with_preset. Nothing but the number of points that still move (68 bytes every eight rounds)
// and of regions (4 bytes) is transferred, and nothing else is waited for.
template <class T>
DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>& image, const ValueRange& values,
                                    const MeanShiftOptions& options, Queue& queue,
                                    MeanShiftOutput output = MeanShiftOutput::filtered_and_labels,
                                    const Progress& progress = {});
// The same where the range of a float image is not known: its pixels are read back once.
template <class T>
DeviceMeanShiftResult<T> mean_shift(const DeviceImage<const T>& image,
                                    const MeanShiftOptions& options, Queue& queue,
                                    MeanShiftOutput output = MeanShiftOutput::filtered_and_labels,
                                    const Progress& progress = {});

// Device memory that mean_shift takes at most, in bytes. Throws as mean_shift does for bad options.
std::int64_t mean_shift_device_bytes(const AnyImageView& image, const MeanShiftOptions& options,
                                     MeanShiftOutput output = MeanShiftOutput::filtered_and_labels);

}  // namespace tesela
