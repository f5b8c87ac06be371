// Optical flow by TV-L1: absolute values in place of squares, so that motion has sharp borders and
// what is covered does not bend it.
//
// C. Zach, T. Pock, H. Bischof, "A duality based approach for realtime TV-L1 optical flow", DAGM
// 2007; absolute values rounded at zero, and solved by fixed-point steps between warps, as in T.
// Brox, A. Bruhn, N. Papenberg, J. Weickert, "High accuracy optical flow estimation based on a
// theory for warping", ECCV 2004; weighted medians as in D. Sun, S. Roth, M. J. Black, "Secrets of
// optical flow estimation and their principles", CVPR 2010. Formulas: docs/optical-flow.md.
#pragma once

#include <optional>
#include <span>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_result.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

struct TvL1Options {
    std::optional<int> levels = {};  // as many as there are, at most 20
    double scale = 0.7;
    double presmoothing = 0.5;
    int warps = 2, updates = 3, sweeps = 8;
    double alpha = 0.01;
    bool no_edges = false;  // motion is as smooth across edges of the image as elsewhere
    int medians = 1;
    bool no_weighted_median = false;
};

template <class V>
void describe(V&& v, TvL1Options& o) {
    v("levels", o.levels, "pyramid levels, at most",
      OptionRange{.lowest = 1, .highest = 100, .automatic = "20"});
    v("scale", o.scale, "pyramid scale factor", OptionRange{.lowest = 0.3, .highest = 0.95});
    v("presmoothing", o.presmoothing, "standard deviation (sigma) of the smoothing of the frames",
      OptionRange{.lowest = 0, .highest = 5, .unit = "pixels"});
    v("warps", o.warps, "warps on each pyramid level", OptionRange{.lowest = 1, .highest = 1000});
    v("updates", o.updates, "linear systems after each warp",
      OptionRange{.lowest = 1, .highest = 1000});
    v("sweeps", o.sweeps, "solver iterations in each linear system",
      OptionRange{.lowest = 1, .highest = 100000});
    v("alpha", o.alpha, "weight of smoothness, for brightness from 0 to 1",
      OptionRange{.lowest = 1e-12, .highest = 1e12});
    v("no-edges", o.no_edges, "smooth the motion across image edges too");
    v("medians", o.medians, "5x5 median filters after each warp",
      OptionRange{.lowest = 0, .highest = 10});
    v("no-weighted-median", o.no_weighted_median,
      "skip the 19x19 weighted median after each level");
}

// Two or more frames of one size give one field fewer; all pairs go in the same launches and come
// out as they do alone. Frames have one channel, brightness from 0 to 1, or three, red, green and
// blue from 0 to 1 (tesela/brightness.h): colors then tell edges and like pixels, which makes the
// flow more accurate. A pyramid ends where its smaller side would have less than 16 pixels, which
// is said where levels were asked for. Throws InvalidArgument (options; frames of different sizes,
// fewer than two), OutOfMemory, Cancelled.
FlowResult tv_l1(std::span<const Image<float>> frames, const TvL1Options& options, Queue& queue,
                 const Progress& progress = {});

// The same on frames that are on the queue's device, one after the other along the time axis, all
// finite; the fields stay there, likewise. Nothing is waited for; some small tables are uploaded.
DeviceImage<float> tv_l1(const DeviceImage<const float>& frames, const TvL1Options& options,
                         Queue& queue, const Progress& progress = {});

// Device memory that tv_l1 takes at most, in bytes, with the frames, which lie along t. Throws as
// tv_l1 does for bad options.
std::int64_t tv_l1_device_bytes(const Shape& frames, const TvL1Options& options,
                                const Device& device);

}  // namespace tesela
