// Level sets as a thesis computes them, for comparison with `level_set` and `level_set_aos`.
//
// J. Lamas Rodriguez, "Tecnicas para la segmentacion y visualizacion eficiente de imagen medica 3D:
// explotando la arquitectura de la GPU", doctoral thesis, Universidade de Santiago de Compostela,
// 2014. Chapter 3: additive operator splitting in a narrow band of regions, with one tridiagonal
// system for each axis. Chapter 4: the fast two-cycle method, by lists of voxels on one core (Y.
// Shi, W. C. Karl, IEEE Trans. Image Process. 17(5), 2008) or by regions on a device.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/level_set_aos.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/seeds.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class ThesisLevelSetMethod { aos, ftc };
constexpr auto enum_names(ThesisLevelSetMethod) {
    using E = ThesisLevelSetMethod;
    return std::array{EnumNames<E>{E::aos, "aos"}, EnumNames<E>{E::ftc, "ftc"}};
}
constexpr auto enum_help(ThesisLevelSetMethod) {
    return std::array<std::string_view, 2>{"additive operator splitting in a narrow band",
                                           "fast two-cycle"};
}

enum class ThesisDirection { expand, contract };
constexpr auto enum_names(ThesisDirection) {
    using E = ThesisDirection;
    return std::array{EnumNames<E>{E::expand, "expand"}, EnumNames<E>{E::contract, "contract"}};
}
constexpr auto enum_help(ThesisDirection) {
    return std::array<std::string_view, 2>{"from seeds within the object",
                                           "from seeds that enclose it"};
}

enum class ThesisFtcWay { lists, p1, p2 };
constexpr auto enum_names(ThesisFtcWay) {
    using E = ThesisFtcWay;
    return std::array{EnumNames<E>{E::lists, "lists"}, EnumNames<E>{E::p1, "p1"},
                      EnumNames<E>{E::p2, "p2"}};
}
constexpr auto enum_help(ThesisFtcWay) {
    return std::array<std::string_view, 3>{"lists of voxels, on one core of the host",
                                           "regions that the front crosses",
                                           "regions where it may still move"};
}

enum class ThesisFilterReading { side, radius };
constexpr auto enum_names(ThesisFilterReading) {
    using E = ThesisFilterReading;
    return std::array{EnumNames<E>{E::side, "side"}, EnumNames<E>{E::radius, "radius"}};
}
constexpr auto enum_help(ThesisFilterReading) {
    return std::array<std::string_view, 2>{"its side; the least is 3", "its radius"};
}

struct ThesisAosOptions {
    SurfaceModel model = SurfaceModel::geodesic;
    ThesisDirection direction = ThesisDirection::expand;
    double balloon = 1;
    double step = 0.5;
    Length sigma = 0.5;
    double contrast = 10;
    bool normalize = false;
    std::int32_t iterations = 100;
    std::int32_t region = 8;
    std::int32_t band = 8;
};

struct ThesisFtcOptions {
    ThesisFtcWay way = ThesisFtcWay::p2;
    double lower = 0, upper = 255;
    std::int32_t launches = 5, data_steps = 6, smoothing_steps = 3;
    std::int32_t filter = 3;
    ThesisFilterReading filter_reading = ThesisFilterReading::side;
    double smoothing = 1;
    bool fast = false;
    std::int32_t max_rounds = 100;
};

struct ThesisLevelSetOptions {
    ThesisLevelSetMethod method = ThesisLevelSetMethod::ftc;
    ThesisAosOptions aos = {};
    ThesisFtcOptions ftc = {};
};

template <class V>
void describe(V&& v, ThesisLevelSetOptions& o) {
    v("method", o.method, "method");
    v("way", o.ftc.way, "ftc: lists of voxels, or proposal 1 or 2");
    v("lower", o.ftc.lower, "ftc: lowest value of the object");
    v("upper", o.ftc.upper, "ftc: highest value of the object");
    v("launches", o.ftc.launches, "ftc: launches of the first cycle, N_0",
      OptionRange{.lowest = 1, .highest = 64});
    v("data-steps", o.ftc.data_steps, "ftc: iterations of the first cycle, N_1",
      OptionRange{.lowest = 1, .highest = 8});
    v("smoothing-steps", o.ftc.smoothing_steps, "ftc: iterations of the second cycle, N_2",
      OptionRange{.lowest = 0, .highest = 8});
    v("filter", o.ftc.filter, "ftc: size of the smoothing filter, N_k",
      OptionRange{.lowest = 1, .highest = 7, .unit = "voxels"});
    v("filter-reading", o.ftc.filter_reading, "ftc: what --filter is");
    v("smoothing", o.ftc.smoothing, "ftc: standard deviation of the filter",
      OptionRange{.lowest = 0, .highest = 100, .excludes_lowest = true, .unit = "voxels"});
    v("fast", o.ftc.fast, "ftc: leave out the last pass over the whole front, of p2");
    v("max-rounds", o.ftc.max_rounds, "ftc: maximum rounds of both cycles",
      OptionRange{.lowest = 1, .highest = 1e6});
    v("model", o.aos.model, "aos: how the stop function acts: on length, or on speed");
    v("direction", o.aos.direction, "aos: where the balloon force points");
    v("balloon", o.aos.balloon, "aos: balloon force k",
      OptionRange{.lowest = 0, .highest = 100, .unit = "1 / voxel"});
    v("step", o.aos.step, "aos: time step tau",
      OptionRange{.lowest = 0, .highest = 100, .excludes_lowest = true});
    v("sigma", o.aos.sigma, "aos: smoothing of the image for the stop function",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("contrast", o.aos.contrast, "aos: gradient lambda at which the stop function is 1/2",
      contrast_range);
    v("normalize", o.aos.normalize, "aos: stretch the stop function to 0..1");
    v("iterations", o.aos.iterations, "aos: iterations, all of which are done",
      OptionRange{.lowest = 1, .highest = 1e6});
    v("region", o.aos.region, "aos: side of a region, an even number",
      OptionRange{.lowest = 2, .highest = 32, .unit = "voxels"});
    v("band", o.aos.band, "aos: distance from the front within which regions are active",
      OptionRange{.lowest = 1, .highest = 512, .unit = "voxels"});
}

// An iteration of aos, or a list of regions of ftc with what it was used for.
struct ThesisFrontUpdate {
    std::string stage;  // "step"; "cycle 1", "cycle 2", "last cycle 1", "last cycle 2"
    std::int64_t round = 0, regions = 0, voxels = 0;
    double milliseconds = 0;
};

struct ThesisLevelSetResult {
    LabelImage labels;     // 1 where the surface is below 0
    Image<float> surface;  // of ftc -3, -1, 1, 3
    std::int64_t rounds = 0;
    bool is_stable = false;  // of ftc, before the last pass
    std::int64_t repaired = 0;
    std::vector<ThesisFrontUpdate> updates;  // none of lists of voxels
    std::vector<StageTime> stages;           // sums over all rounds
    std::vector<std::string> warnings;
};

// Of a volume of one channel. Seeds of ftc are of any kind; those of aos balls. Voxels are taken as
// cubes. Results of ftc are the same on every device. Throws InvalidArgument (options, seeds),
// UnsupportedFormat (pictures, colors, a time axis, more than 2^30 voxels), OutOfMemory, Cancelled.
ThesisLevelSetResult level_set_thesis(const AnyImageView& image, const Seeds& seeds,
                                      const ThesisLevelSetOptions& options, Queue& queue,
                                      const Progress& progress = {});

// Device memory at most, in bytes.
std::int64_t level_set_thesis_bytes(const Shape& shape, const ThesisLevelSetOptions& options);

}  // namespace tesela
