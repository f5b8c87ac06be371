// Dense optical flow by Lucas and Kanade's method, of one scale: one motion for all pixels of a
// block around each pixel, by least squares.
//
// B. Lucas, T. Kanade, "An iterative image registration technique with an application to stereo
// vision", IJCAI 1981, in the form of the thesis: all weights are 1, every pixel has a flow, and
// beyond the image's border everything is zero. Near the border, as far as filter and block reach,
// that makes false gradients and poor flow. Motions of more than a pixel or two need larger scales.
#pragma once

#include <array>
#include <span>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_options.h"
#include "tesela/flow_result.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// How it is computed; the results are the same but for rounding. `thesis`: the fast way, by sums
// along rows and then along columns. `thesis_basic`, `thesis_local`: step by step as in the thesis,
// 14 launches, from global memory and by tiles in local memory, for its experiments.
enum class LucasKanadeVariant { thesis, thesis_basic, thesis_local };
constexpr auto enum_names(LucasKanadeVariant) {
    return std::array{
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis, "thesis"},
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis_basic, "thesis-basic"},
        EnumNames<LucasKanadeVariant>{LucasKanadeVariant::thesis_local, "thesis-local"}};
}

struct LucasKanadeOptions {
    int filter_size = 5;    // odd
    int block_width = 15;   // odd
    int block_height = 15;  // odd
    LucasKanadeVariant variant = LucasKanadeVariant::thesis;
    Precision precision = Precision::single_;
};

template <class V>
void describe(V&& v, LucasKanadeOptions& o) {
    v("filter-size", o.filter_size, "taps of the derivative filter, an odd number",
      OptionRange{.lowest = 3, .highest = 13, .unit = "pixels"});
    v("block-width", o.block_width, "width of the block that moves as one, an odd number",
      OptionRange{.lowest = 1, .unit = "pixels"});
    v("block-height", o.block_height, "height of the block that moves as one, an odd number",
      OptionRange{.lowest = 1, .unit = "pixels"});
    v("variant", o.variant, "how it is computed: the fast way, or step by step as in the thesis");
    v("precision", o.precision, "in which it is computed");
}

// The flow from each frame to the next: N frames of one size, 2-D, with one channel on any
// brightness scale, give N - 1 fields of that size. All pairs are computed together, which takes
// memory for all of them; the fields are the same bits as those of the pairs alone. Where a block
// has no gradient, or gradients in one direction only, the flow is exactly (0, 0). Blocks may be
// larger than the image. Throws InvalidArgument (options, fewer than two frames, frames of
// different size, other shapes, NaN or infinite pixels, a block wider or higher than 33 for
// thesis_local), DeviceUnavailable (no double precision), OutOfMemory, Cancelled.
FlowResult lucas_kanade(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                        Queue& queue, const Progress& progress = {});

// The same on frames that are on the queue's device, one after the other along the time axis, all
// finite; the fields stay there, likewise. Nothing but the filter (at most 104 bytes) is
// transferred, and nothing is waited for.
DeviceImage<float> lucas_kanade(const DeviceImage<const float>& frames,
                                const LucasKanadeOptions& options, Queue& queue,
                                const Progress& progress = {});

}  // namespace tesela
