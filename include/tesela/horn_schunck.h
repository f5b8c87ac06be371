// Optical flow by Horn and Schunck: the smoothest motion that explains how brightness moves.
//
// B. K. P. Horn, B. G. Schunck, "Determining optical flow", Artificial Intelligence 17, 1981; with a
// pyramid and warping as in E. Meinhardt-Llopis, J. Sanchez, D. Kondermann, "Horn-Schunck optical
// flow with a multi-scale strategy", IPOL 3, 2013. Formulas: docs/optical-flow.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/flow_field.h"
#include "tesela/flow_options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// What has to be smooth: the whole flow, or what each warp adds to it, as in the thesis.
enum class Regularization { total, increment };
constexpr auto enum_names(Regularization) {
    return std::array{EnumNames<Regularization>{Regularization::total, "total"},
                      EnumNames<Regularization>{Regularization::increment, "increment"}};
}

// How an image goes on beyond its border: mirrored, or as the thesis's program reads it, which errs
// by up to two pixels there.
enum class FlowSampling { mirror, literal };
constexpr auto enum_names(FlowSampling) {
    return std::array{EnumNames<FlowSampling>{FlowSampling::mirror, "mirror"},
                      EnumNames<FlowSampling>{FlowSampling::literal, "literal"}};
}

struct HornSchunckOptions {
    int levels = 5;
    int warps = 1;
    int sweeps = 32;
    double alpha = 0.2;
    Regularization regularization = Regularization::increment;
    FlowSampling sampling = FlowSampling::mirror;
    Precision precision = Precision::single_;
};

template <class V>
void describe(V&& v, HornSchunckOptions& o) {
    v("levels", o.levels, "levels of the pyramid, each half as large as the one before",
      OptionRange{.lowest = 1, .highest = 30});
    v("warps", o.warps, "times that the second frame is warped by the flow so far, on each level",
      OptionRange{.lowest = 1, .highest = 1000});
    v("sweeps", o.sweeps, "Jacobi steps of the solver after each warp",
      OptionRange{.lowest = 1, .highest = 1000000});
    v("alpha", o.alpha, "weight of smoothness, for brightness from 0 to 1",
      OptionRange{.lowest = 0, .excludes_lowest = true});
    v("regularization", o.regularization, "what is smooth: the flow, or what a warp adds to it");
    v("sampling", o.sampling, "how the image goes on beyond its border");
    v("precision", o.precision, "of the arithmetic");
}

struct FlowResult {
    std::vector<FlowField> fields;  // of each frame and the next
    int levels = 0;                 // that were used
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Two or more gray frames of one size, brightness from 0 to 1 (tesela/brightness.h), give one field
// fewer; all pairs go in the same launches and come out as they do alone. A pyramid whose smaller
// side would be below 8 pixels has fewer levels, which is said. Throws InvalidArgument (options,
// frames of different sizes, fewer than two), DeviceUnavailable (double precision where the device
// has none), OutOfMemory, Cancelled.
FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress = {});

}  // namespace tesela
