// Optical flow by Horn and Schunck: the smoothest motion that explains how brightness moves.
//
// B. K. P. Horn, B. G. Schunck, "Determining optical flow", Artificial Intelligence 17, 1981; with
// a pyramid and warping as in E. Meinhardt-Llopis, J. Sanchez, D. Kondermann, "Horn-Schunck optical
// flow with a multi-scale strategy", IPOL 3, 2013, and medians between warps as in D. Sun, S. Roth,
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
#include "tesela/progress.h"

namespace tesela {

// `thesis`: pyramid of halves, bilinear interpolation, the smoothness of what each warp adds, as in
// the thesis and its experiments.
enum class HornSchunckVariant { standard, thesis };
constexpr auto enum_names(HornSchunckVariant) {
    return std::array{EnumNames<HornSchunckVariant>{HornSchunckVariant::standard, "default"},
                      EnumNames<HornSchunckVariant>{HornSchunckVariant::thesis, "thesis"}};
}

// Red-black over-relaxation with Chebyshev acceleration, or Jacobi steps.
enum class FlowSolver { sor, jacobi };
constexpr auto enum_names(FlowSolver) {
    return std::array{EnumNames<FlowSolver>{FlowSolver::sor, "sor"},
                      EnumNames<FlowSolver>{FlowSolver::jacobi, "jacobi"}};
}
constexpr auto enum_help(FlowSolver) {
    return std::array<std::string_view, 2>{"successive over-relaxation, red-black",
                                           "Jacobi iterations"};
}

// What has to be smooth: the whole flow, or what each warp adds to it.
enum class Regularization { total, increment };
constexpr auto enum_names(Regularization) {
    return std::array{EnumNames<Regularization>{Regularization::total, "total"},
                      EnumNames<Regularization>{Regularization::increment, "increment"}};
}
constexpr auto enum_help(Regularization) {
    return std::array<std::string_view, 2>{"the whole flow", "the increment of each warp"};
}

// How the thesis's variant reads images beyond their border: mirrored, or as its program does,
// which errs by up to two pixels there.
enum class FlowSampling { mirror, literal };
constexpr auto enum_names(FlowSampling) {
    return std::array{EnumNames<FlowSampling>{FlowSampling::mirror, "mirror"},
                      EnumNames<FlowSampling>{FlowSampling::literal, "literal"}};
}
constexpr auto enum_help(FlowSampling) {
    return std::array<std::string_view, 2>{"mirror the image at its border", "as the thesis does"};
}

// Values that are not given are those of the variant: 20 levels or as many as there are, 3 warps, 8
// sweeps, alpha 40/255^2, total; in the thesis's 5, 1, 32, 0.2, increment.
struct HornSchunckOptions {
    HornSchunckVariant variant = HornSchunckVariant::standard;
    std::optional<int> levels = {}, warps = {}, sweeps = {};
    std::optional<double> alpha = {};
    double scale = 0.7;
    double presmoothing = 0.5;
    FlowSolver solver = FlowSolver::sor;
    double tolerance = 0;
    int medians = 2;
    std::optional<Regularization> regularization = {};
    FlowSampling sampling = FlowSampling::mirror;
    Precision precision = Precision::single_;
};

template <class V>
void describe(V&& v, HornSchunckOptions& o) {
    const bool thesis = o.variant == HornSchunckVariant::thesis;
    v("variant", o.variant, "the accurate method, or the thesis's");
    v("levels", o.levels, "pyramid levels, at most",
      OptionRange{.lowest = 1, .highest = 100, .automatic = thesis ? "5" : "20"});
    v("scale", o.scale, "pyramid scale factor", OptionRange{.lowest = 0.3, .highest = 0.95});
    v("presmoothing", o.presmoothing, "standard deviation (sigma) of the smoothing of the frames",
      OptionRange{.lowest = 0, .highest = 5, .unit = "pixels"});
    v("warps", o.warps, "warps on each pyramid level",
      OptionRange{.lowest = 1, .highest = 1000, .automatic = thesis ? "1" : "3"});
    v("sweeps", o.sweeps, "solver iterations after each warp",
      OptionRange{.lowest = 1, .highest = 100000, .automatic = thesis ? "32" : "8"});
    v("alpha", o.alpha, "weight of smoothness, for brightness from 0 to 1",
      OptionRange{.lowest = 1e-12, .highest = 1e12, .automatic = thesis ? "0.2" : "0.000615"});
    v("solver", o.solver, "red-black over-relaxation, or Jacobi iterations");
    v("tolerance", o.tolerance, "stop when one more iteration changes less than this; 0: never",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("medians", o.medians, "5x5 median filters after each warp",
      OptionRange{.lowest = 0, .highest = 10});
    v("regularization", o.regularization, "smooth the whole flow, or what each warp adds",
      OptionRange{.automatic = thesis ? "increment" : "total"});
    v("sampling", o.sampling, "values beyond the border: mirrored, or as the thesis's program");
    v("precision", o.precision, "floating-point precision");
}

// Two or more gray frames of one size, brightness from 0 to 1 (tesela/brightness.h), give one field
// fewer; all pairs go in the same launches and come out as they do alone. A pyramid ends where its
// smaller side would have less than 16 pixels (thesis: 8), which is said where levels were asked
// for. Throws InvalidArgument (options, or what a variant does not have; frames of different sizes,
// fewer than two), DeviceUnavailable (double precision where the device has none), OutOfMemory,
// Cancelled.
FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress = {});

// The same on frames that are on the queue's device, one after the other along the time axis, all
// finite; the fields stay there, likewise. Nothing is waited for; some small tables are uploaded.
// In single precision.
DeviceImage<float> horn_schunck(const DeviceImage<const float>& frames,
                                const HornSchunckOptions& options, Queue& queue,
                                const Progress& progress = {});

// Device memory that horn_schunck takes at most, in bytes, with the frames, which lie along t.
// Throws as horn_schunck does for bad options.
std::int64_t horn_schunck_device_bytes(const Shape& frames, const HornSchunckOptions& options,
                                       const Device& device);

}  // namespace tesela
