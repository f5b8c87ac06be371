// Thresholding by one value for the whole image (global), or by one for each pixel (adaptive).
//
// N. Otsu, "A threshold selection method from gray-level histograms", IEEE TSMC 9(1), 1979.
// T. W. Ridler, S. Calvard, "Picture thresholding using an iterative selection method", IEEE TSMC
// 8(8), 1978. C. H. Li, P. K. S. Tam, "An iterative algorithm for minimum cross entropy
// thresholding", Pattern Recognition Letters 19(8), 1998. G. W. Zack, W. E. Rogers, S. A. Latt,
// "Automatic measurement of sister chromatid exchange frequency", J. Histochem. Cytochem. 25(7),
// 1977. S. D. Yanowitz, A. M. Bruckstein, "A new method for image segmentation", CVGIP 46(1),
// 1989.
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
#include "tesela/stage_times.h"

namespace tesela {

// Statistics reported with the result.
struct ThresholdReport {
    double threshold = 0;                   // of the whole image; not of adaptive_threshold
    double mean_below = 0, mean_above = 0;  // of the two classes; 0 if a class is empty
    int iterations = 0;  // of iterative_threshold and li_threshold; sweeps over the finest grid of
                         // Yanowitz's surface
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct ThresholdResult : ThresholdReport {
    Image<std::uint8_t> mask;  // 255 on the side that was asked for, otherwise 0
    std::int64_t points_above = 0;
    Image<float> surface;  // thresholds of the pixels, of adaptive_threshold
};
// The same on the device.
struct DeviceThresholdResult : ThresholdReport {
    DeviceImage<std::uint8_t> mask;
    DeviceImage<float> surface;
    std::optional<std::int64_t> points_above = {};  // where a histogram tells: of the whole image
};

// All take images of any axes and pixel type with 1 channel, or with 3, whose luma is used; alpha
// is ignored. Histograms of 8-bit and 16-bit images are exact; those of others have 65536 steps
// from the lowest to the highest value, and a value is above a threshold if its step is. They throw
// InvalidArgument (options, NaN or infinite pixels), UnsupportedFormat (other channel counts),
// OutOfMemory, Cancelled. The same bits on every device.
//
// Each has a device level, for images that are on the device and stay there; T is std::uint8_t,
// std::uint16_t, std::int16_t or float. Pixels of float are read back once, for their range.

// Which pixels the mask of a threshold for the whole image takes: those above it, or the others.
enum class ThresholdSide { above, below };

// Otsu: the threshold with the largest variance between the two classes; the middle one of a run of
// equal ones.
ThresholdResult otsu_threshold(const AnyImageView& image, Queue& queue,
                               const Progress& progress = {},
                               ThresholdSide side = ThresholdSide::above);
template <class T>
DeviceThresholdResult otsu_threshold(const DeviceImage<const T>& image, Queue& queue,
                                     const Progress& progress = {},
                                     ThresholdSide side = ThresholdSide::above);

// Ridler and Calvard: iterates from the image's mean to a threshold halfway between the means of
// the two classes. An empty class ends the search.
ThresholdResult iterative_threshold(const AnyImageView& image, Queue& queue,
                                    const Progress& progress = {},
                                    ThresholdSide side = ThresholdSide::above);
template <class T>
DeviceThresholdResult iterative_threshold(const DeviceImage<const T>& image, Queue& queue,
                                          const Progress& progress = {},
                                          ThresholdSide side = ThresholdSide::above);

// Li and Tam: iterates from the image's mean to the least cross entropy between the image and its
// two classes. Suits small or dim objects. Finds scikit-image's threshold_li, rounded down to a
// level.
ThresholdResult li_threshold(const AnyImageView& image, Queue& queue, const Progress& progress = {},
                             ThresholdSide side = ThresholdSide::above);
template <class T>
DeviceThresholdResult li_threshold(const DeviceImage<const T>& image, Queue& queue,
                                   const Progress& progress = {},
                                   ThresholdSide side = ThresholdSide::above);

// Zack, Rogers and Latt: the level that is farthest from the line between the peak of the histogram
// and the end of its longer side. Suits objects that are few beside the background. Finds
// scikit-image's threshold_triangle of 8-bit and 16-bit images.
ThresholdResult triangle_threshold(const AnyImageView& image, Queue& queue,
                                   const Progress& progress = {},
                                   ThresholdSide side = ThresholdSide::above);
template <class T>
DeviceThresholdResult triangle_threshold(const DeviceImage<const T>& image, Queue& queue,
                                         const Progress& progress = {},
                                         ThresholdSide side = ThresholdSide::above);

struct MultiOtsuOptions {
    int classes = 3;
};
template <class V>
void describe(V&& v, MultiOtsuOptions& o) {
    v("classes", o.classes, "classes to divide the values into",
      OptionRange{.lowest = 2, .highest = 6});
}

struct MultiOtsuReport {
    std::vector<double> thresholds;  // ascending, one fewer than classes
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;
};
struct MultiOtsuResult : MultiOtsuReport {
    LabelImage classes;  // 0 up to the first threshold, and so on
};
struct DeviceMultiOtsuResult : MultiOtsuReport {
    DeviceImage<std::uint32_t> classes;
};

// Otsu's criterion for several thresholds: the largest variance between the classes, of all ways to
// set them (P.-S. Liao, T.-S. Chen, P.-C. Chung, "A fast algorithm for multilevel thresholding", J.
// Information Science and Engineering 17(5), 2001). Where more than 1024 levels occur,
// thresholds are at multiples of 1/1024 of their span. Throws also where there are fewer levels
// than classes.
MultiOtsuResult multi_otsu(const AnyImageView& image, const MultiOtsuOptions& options, Queue& queue,
                           const Progress& progress = {});
template <class T>
DeviceMultiOtsuResult multi_otsu(const DeviceImage<const T>& image, const MultiOtsuOptions& options,
                                 Queue& queue, const Progress& progress = {});

std::int64_t multi_otsu_device_bytes(const AnyImageView& image);

// Both are needed.
struct RangeThresholdOptions {
    std::optional<double> low = {}, high = {};
};

template <class V>
void describe(V&& v, RangeThresholdOptions& o) {
    v("low", o.low, "lowest value to keep", OptionRange{.unit = "file units"});
    v("high", o.high, "highest value to keep", OptionRange{.unit = "file units"});
}

// Throws InvalidArgument where one is missing or no value is between them.
void check_options(const RangeThresholdOptions& options);

// From `low` to `high`, these included: the mask has 255 where all color channels are within them
// (`points_above` counts these), and 0 elsewhere, also for NaN. Values are compared as they are.
ThresholdResult range_threshold(const AnyImageView& image, const RangeThresholdOptions& options,
                                Queue& queue, const Progress& progress = {});
template <class T>
DeviceThresholdResult range_threshold(const DeviceImage<const T>& image,
                                      const RangeThresholdOptions& options, Queue& queue,
                                      const Progress& progress = {});
std::int64_t range_threshold_device_bytes(const AnyImageView& image);

// Both thresholds are needed.
struct HysteresisThresholdOptions {
    std::optional<double> low = {}, high = {};
    Connectivity connectivity = Connectivity::automatic;
};
template <class V>
void describe(V&& v, HysteresisThresholdOptions& o) {
    v("low", o.low, "threshold of the pixels that may be kept", OptionRange{.unit = "file units"});
    v("high", o.high, "threshold that each kept object exceeds", OptionRange{.unit = "file units"});
    v("connectivity", o.connectivity, "which pixels are connected; auto: 4 or 6");
}

// Throws InvalidArgument where one is missing or `low` is above `high`.
void check_options(const HysteresisThresholdOptions& options);

// The pixels above `low` that are connected, through such pixels, with one above `high`; those
// neither NaN nor infinite. scikit-image's apply_hysteresis_threshold where `connectivity` is
// automatic, which is 4 on pictures and 6 on volumes. Of images of one channel and no time axis;
// others throw UnsupportedFormat.
ThresholdResult hysteresis_threshold(const AnyImageView& image,
                                     const HysteresisThresholdOptions& options, Queue& queue,
                                     const Progress& progress = {});
template <class T>
DeviceThresholdResult hysteresis_threshold(const DeviceImage<const T>& image,
                                           const HysteresisThresholdOptions& options, Queue& queue,
                                           const Progress& progress = {});
std::int64_t hysteresis_threshold_device_bytes(const AnyImageView& image,
                                               const HysteresisThresholdOptions& options);

// `mean`: the mean of the window around the pixel plus `offset`. `yanowitz`: a surface that
// interpolates the image's values at its edges and solves Laplace's equation elsewhere.
enum class AdaptiveMethod { yanowitz, mean };
constexpr auto enum_names(AdaptiveMethod) {
    return std::array{EnumNames<AdaptiveMethod>{AdaptiveMethod::yanowitz, "yanowitz"},
                      EnumNames<AdaptiveMethod>{AdaptiveMethod::mean, "mean"}};
}
constexpr auto enum_help(AdaptiveMethod) {
    return std::array<std::string_view, 2>{
        "surface through values at edges (Yanowitz and Bruckstein)", "mean of a window"};
}

struct AdaptiveThresholdOptions {
    AdaptiveMethod method = AdaptiveMethod::yanowitz;
    // Options of one method; the other method refuses them.
    std::optional<int> radius = {};
    std::optional<double> offset = {};
    std::optional<int> smoothing = {};
    std::optional<double> edge_threshold = {};
    std::optional<double> ghosts = {};
};

template <class V>
void describe(V&& v, AdaptiveThresholdOptions& o) {
    v("method", o.method, "thresholds from values at edges, or from window means");
    v("radius", o.radius, "window radius, for mean",
      OptionRange{.lowest = 1, .highest = 127, .unit = "pixels", .automatic = "15"});
    v("offset", o.offset, "minimum difference from the mean, for mean",
      OptionRange{.unit = "file units", .automatic = "0"});
    v("smoothing", o.smoothing, "radius of the mean filter before edges, for yanowitz",
      OptionRange{.lowest = 0, .highest = 127, .unit = "pixels", .automatic = "1"});
    v("edge-threshold", o.edge_threshold, "minimum gradient of an edge, for yanowitz",
      OptionRange{.lowest = 0, .unit = "file units per pixel", .automatic = "Otsu's"});
    v("ghosts", o.ghosts, "remove objects with borders weaker than this share of an edge",
      OptionRange{.lowest = 0, .highest = 10, .automatic = "0.5"});
}

// Throws InvalidArgument for values beyond their ranges and for an option of the other method.
void check_options(const AdaptiveThresholdOptions& options);

// Slices of volumes and frames are independent.
ThresholdResult adaptive_threshold(const AnyImageView& image,
                                   const AdaptiveThresholdOptions& options, Queue& queue,
                                   const Progress& progress = {});
template <class T>
DeviceThresholdResult adaptive_threshold(const DeviceImage<const T>& image,
                                         const AdaptiveThresholdOptions& options, Queue& queue,
                                         const Progress& progress = {});

// Device memory, in bytes, that global and adaptive thresholds take at most.
std::int64_t threshold_device_bytes(const AnyImageView& image, const Device& device);
std::int64_t threshold_device_bytes(const AnyImageView& image,
                                    const AdaptiveThresholdOptions& options);

}  // namespace tesela
