// Dense optical flow by Lucas and Kanade's method: one motion for all pixels of a window around
// each pixel, by least squares.
//
// B. Lucas, T. Kanade, "An iterative image registration technique with an application to stereo
// vision", IJCAI 1981; from coarse to fine as in J.-Y. Bouguet, "Pyramidal implementation of the
// Lucas Kanade feature tracker", Intel, 2000, with medians between warps as in D. Sun, S. Roth,
// M. J. Black, "Secrets of optical flow estimation and their principles", CVPR 2010. Formulas:
// docs/optical-flow.md.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_options.h"
#include "tesela/flow_result.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// `thesis`: of one scale and in one step, as in the thesis: all weights are 1, every pixel has a
// flow, and beyond the image's border everything is zero. Near the border, as far as filter and
// block reach, that makes false gradients and poor flow; motions of more than a pixel or two are
// beyond it. It computes sums along rows and then along columns. `thesis_basic`, `thesis_local`:
// the same flow but for rounding, step by step as the thesis does, 14 launches, from global memory
// and by tiles in local memory, for its experiments.
enum class LucasKanadeVariant { standard, thesis, thesis_basic, thesis_local };
constexpr auto enum_names(LucasKanadeVariant) {
    return std::array{
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::standard, "default"},
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis, "thesis"},
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis_basic, "thesis-basic"},
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis_local, "thesis-local"}};
}
constexpr auto enum_help(LucasKanadeVariant) {
    return std::array<std::string_view, 4>{"pyramid with several warps",
                                           "the thesis, by row and column sums",
                                           "the thesis, step by step from global memory",
                                           "the thesis, step by step from local memory"};
}

// Values that are not given are those of the variant: blocks of 7 x 7 pixels, 20 levels or as many
// as there are, of scale 0.5, presmoothing 0.5, 3 warps, 2 medians, no least confidence; in the
// thesis's blocks of 15 x 15 pixels and filters of 5, and none of the others.
struct LucasKanadeOptions {
    LucasKanadeVariant variant = LucasKanadeVariant::standard;
    std::optional<int> block_width = {}, block_height = {};  // odd
    std::optional<int> levels = {};
    std::optional<double> scale = {}, presmoothing = {};
    std::optional<int> warps = {}, medians = {};
    std::optional<double> min_confidence = {};
    std::optional<int> filter_size = {};  // odd
    Precision precision = Precision::single_;
    // Whether the host level fills FlowResult::confidence. The program has a file for that in place
    // of a flag.
    bool confidence = false;
};

template <class V>
void describe(V&& v, LucasKanadeOptions& o) {
    const bool thesis = o.variant != LucasKanadeVariant::standard;
    v("variant", o.variant, "the pyramidal method, or one of the thesis's");
    v("block-width", o.block_width, "width of the window, odd",
      OptionRange{.lowest = 1, .unit = "pixels", .automatic = thesis ? "15" : "7"});
    v("block-height", o.block_height, "height of the window, odd",
      OptionRange{.lowest = 1, .unit = "pixels", .automatic = thesis ? "15" : "7"});
    v("levels", o.levels, "pyramid levels, at most",
      OptionRange{.lowest = 1, .highest = 100, .automatic = "20"});
    v("scale", o.scale, "pyramid scale factor",
      OptionRange{.lowest = 0.3, .highest = 0.95, .automatic = "0.5"});
    v("presmoothing", o.presmoothing, "standard deviation (sigma) of the smoothing of the frames",
      OptionRange{.lowest = 0, .highest = 5, .unit = "pixels", .automatic = "0.5"});
    v("warps", o.warps, "warps on each pyramid level",
      OptionRange{.lowest = 1, .highest = 1000, .automatic = "3"});
    v("medians", o.medians, "5x5 median filters after each warp",
      OptionRange{.lowest = 0, .highest = 10, .automatic = "2"});
    v("min-confidence", o.min_confidence, "mark less reliable vectors as unknown; try 1 to 20",
      OptionRange{.lowest = 0, .unit = "squared gray levels", .automatic = "0"});
    v("filter-size", o.filter_size, "taps of the derivative filter, odd",
      OptionRange{.lowest = 3, .highest = 13, .unit = "pixels", .automatic = "5"});
    v("precision", o.precision, "floating-point precision");
}

// The flow from each frame to the next: N gray frames of one size, 2-D, give N - 1 fields of that
// size. Brightness is 0 to 1 (tesela/brightness.h); for the thesis's its scale does not matter. All
// pairs are computed together, which takes memory for all of them; the fields are the same bits as
// those of the pairs alone. Where a window has no gradient the thesis's flow is exactly (0, 0), and
// the default's that of the coarser levels and of the medians; where nothing in the frame has a
// gradient, exactly (0, 0) too. Windows may be larger than the image.
//
// `options.confidence` asks for a map of each field: the smaller eigenvalue of the matrix of each
// window, at the flow found, over the number of its pixels, in squared gray levels of 0 to 255. It
// is large at corners and textures and about 0 where brightness changes in one direction or not at
// all, where it differs after the warp, and where the flow leaves the frame: a motion there is
// guessed from what is around.
//
// A pyramid ends where its smaller side would have less than 16 pixels, which is said where levels
// were asked for. Throws InvalidArgument (options, or what a variant does not have; fewer than two
// frames, frames of different size, other shapes, NaN or infinite pixels, a block wider or higher
// than 33 for thesis_local), DeviceUnavailable (no double precision), OutOfMemory, Cancelled.
FlowResult lucas_kanade(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                        Queue& queue, const Progress& progress = {});

// The same on frames that are on the queue's device, one after the other along the time axis, all
// finite; the fields stay there, likewise. Nothing but small tables (the filter of the thesis, at
// most 104 bytes; weights) is transferred, and nothing is waited for. There are no maps of
// confidence here.
DeviceImage<float> lucas_kanade(const DeviceImage<const float>& frames,
                                const LucasKanadeOptions& options, Queue& queue,
                                const Progress& progress = {});

// The same with the maps of confidence, one behind the other, of the default variant only.
struct ConfidentFlow {
    DeviceImage<float> fields, confidence;
};
ConfidentFlow lucas_kanade_with_confidence(const DeviceImage<const float>& frames,
                                           const LucasKanadeOptions& options, Queue& queue,
                                           const Progress& progress = {});

// Device memory that lucas_kanade takes at most, in bytes, with the frames, which lie along t.
// Throws as lucas_kanade does for bad options.
std::int64_t lucas_kanade_device_bytes(const Shape& frames, const LucasKanadeOptions& options,
                                       const Device& device);

}  // namespace tesela
