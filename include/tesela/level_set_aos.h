// A sub-voxel surface that evolves from seeds and stops where its speed changes sign, by additive
// operator splitting: time steps may be long, because each axis is solved implicitly.
//
// J. Weickert, G. Kuehne, "Fast methods for implicit active contour models", in: Geometric Level
// Set Methods in Imaging, Vision, and Graphics, 2003. The models: V. Caselles, R. Kimmel, G.
// Sapiro, "Geodesic active contours", Int. J. Comput. Vis. 22(1), 1997.
#pragma once

#include "tesela/level_set.h"

namespace tesela {

// How the stop function acts: it weighs the length of the surface (geodesic), or slows it
// (geometric).
enum class SurfaceModel { geodesic, geometric };
constexpr auto enum_names(SurfaceModel) {
    return std::array{EnumNames<SurfaceModel>{SurfaceModel::geodesic, "geodesic"},
                      EnumNames<SurfaceModel>{SurfaceModel::geometric, "geometric"}};
}
constexpr auto enum_help(SurfaceModel) {
    return std::array<std::string_view, 2>{"weighs the length of the contour", "slows the contour"};
}

// The sign of the balloon force: that of the speeds, so that the surface also retreats, or the same
// everywhere.
enum class SurfacePressure { region, edge };
constexpr auto enum_names(SurfacePressure) {
    return std::array{EnumNames<SurfacePressure>{SurfacePressure::region, "region"},
                      EnumNames<SurfacePressure>{SurfacePressure::edge, "edge"}};
}
constexpr auto enum_help(SurfacePressure) {
    return std::array<std::string_view, 2>{"sign set by the values", "one sign everywhere"};
}

struct LevelSetAosOptions {
    SurfaceModel model = SurfaceModel::geometric;
    SurfacePressure pressure = SurfacePressure::region;
    std::optional<double> lower = {}, upper = {};
    double multiplier = 2.5;
    double balloon = 1;
    Length sigma = 1;
    std::optional<double> contrast = {};
    std::optional<double> step = {};
    std::int32_t max_iterations = 2000;
    Length neck = 0;
    bool fill_holes = false;
    std::optional<double> max_volume = {};
};

template <class V>
void describe(V&& v, LevelSetAosOptions& o) {
    v("model", o.model, "how the stop function acts: on length, or on speed");
    v("pressure", o.pressure, "balloon force: signed by the values, or one sign everywhere");
    v("lower", o.lower, "lowest value of the object");
    v("upper", o.upper, "highest value of the object");
    v("multiplier", o.multiplier, "deviations from the seeds' mean that it takes",
      OptionRange{.lowest = 0.1, .highest = 100});
    v("balloon", o.balloon, "balloon force; negative values shrink, for edge",
      OptionRange{.lowest = -100, .highest = 100, .unit = "1 / pixel"});
    v("sigma", o.sigma, "smoothing of the image for the stop function",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("contrast", o.contrast, "gradient at which the stop function is 1/2", contrast_range);
    v("step", o.step, "time step",
      OptionRange{.lowest = 0, .highest = 100, .excludes_lowest = true});
    v("max-iterations", o.max_iterations, "maximum steps",
      OptionRange{.lowest = 1, .highest = 1e9});
    v("neck", o.neck, "remove parts behind necks thinner than twice this",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("fill-holes", o.fill_holes, "fill holes inside of the object");
    v("max-volume", o.max_volume, "stop when the object is larger than this",
      OptionRange{.lowest = 0, .unit = "mm^3, or pixels without spacing"});
}

struct LevelSetAosReport : LevelSetReport {
    double contrast = 0, step = 0;  // as used
};
struct LevelSetAosResult : LevelSetAosReport {
    LabelImage labels;
    // Distance from the surface, negative inside, clamped to 4.6 pixels; in mm if the spacing is
    // known. Labels are where it is below 0, except for points masked, cut off or filled.
    Image<float> distance;
};
struct DeviceLevelSetAosResult : LevelSetAosReport {
    DeviceImage<std::uint32_t> labels;
    DeviceImage<float> distance;
};

using LevelSetAosObserver =
    std::function<bool(const LevelSetReport& report, const std::function<LabelImage()>& labels)>;

// Pictures and volumes of one channel, one object. Limits of values or, without them, the mean and
// deviation of the seeds determine the sign of the balloon force. The run ends when less than 1e-4
// of the front changes side in ten steps. The observer is called every `observe_every` steps,
// rounded up to ten. A `progress` that wants partial results gets a LabelImage every ten steps.
// Throws as level_set does, and InvalidArgument for seeds of several labels.
LevelSetAosResult level_set_aos(const AnyImageView& image, const Seeds& seeds,
                                const LevelSetAosOptions& options, Queue& queue,
                                const LevelSetStart& start = {},
                                const LevelSetAosObserver& observer = {},
                                std::int64_t observe_every = 0, const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. Points of seeds go to the
// device and their values come back; labels go there and back where holes are filled.
template <class T>
DeviceLevelSetAosResult level_set_aos(const DeviceImage<const T>& image, const Seeds& seeds,
                                      const LevelSetAosOptions& options, Queue& queue,
                                      const LevelSetStart& start = {},
                                      const LevelSetAosObserver& observer = {},
                                      std::int64_t observe_every = 0,
                                      const Progress& progress = {});
std::int64_t level_set_aos_device_bytes(const AnyImageView& image,
                                        const LevelSetAosOptions& options, const Device& device,
                                        bool is_observed);

}  // namespace tesela
