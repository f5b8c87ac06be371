#include "morphology/structuring_element.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tesela {
namespace {

// Lengths that differ by rounding alone count as equal: 0.3 mm are three steps of 0.1 mm.
constexpr double tolerance = 1 + 1e-9;
// Of squared distances along an axis, so that the sum of three is below 2^30.
constexpr double most_squared = 1 << 28;

using Steps = std::array<double, 3>;

// Of neighbors along the axes, in radii.
Steps steps_of(const Length& radius, const Geometry& geometry) {
    if (!radius.physical()) return {1 / radius.value, 1 / radius.value, 1 / radius.value};
    if (!geometry.known())
        throw InvalidArgument("--radius is " + radius.to_string() +
                              ", and the image has no pixel spacing: give it with --spacing, or "
                              "the radius in pixels");
    Steps steps = geometry.spacing_mm();
    for (double& step : steps) step /= radius.millimeters();
    return steps;
}

std::int32_t whole_steps(double length, double step, std::int64_t points) {
    const double most = static_cast<double>(points - 1);
    return static_cast<std::int32_t>(std::min(std::floor(length / step * tolerance), most));
}

// The half length of the run that is (y, z) away; below 0: there is none.
std::int32_t half_length(MorphologyShape kind, const Steps& steps, std::int32_t y, std::int32_t z,
                         std::int64_t nx) {
    if (kind == MorphologyShape::cross && (y != 0) + (z != 0) > 0) return y != 0 && z != 0 ? -1 : 0;
    if (kind != MorphologyShape::ball) return whole_steps(1, steps[0], nx);
    const double away = std::pow(y * steps[1], 2) + std::pow(z * steps[2], 2);
    if (away > tolerance) return -1;
    return whole_steps(std::sqrt(std::max(tolerance - away, 0.0)), steps[0], nx);
}

// In units of which the longest of a ball has about 2^28; whole where the steps are equal.
void set_weights(const Steps& steps, double least, StructuringElement& element) {
    const double squared = 1 / (least * least);
    const double unit = std::exp2(std::floor(std::log2(most_squared / squared)));
    if (unit < 1)
        throw InvalidArgument("--radius is more than 16,384 pixels, which label maps do not take");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double ratio = steps[axis] / least;
        // Beyond the reach of the axis no weight is used.
        element.weights[axis] =
            static_cast<std::uint32_t>(std::min(std::round(ratio * ratio * unit), most_squared));
    }
    element.limit = static_cast<std::uint32_t>(std::floor(squared * unit * tolerance));
}

// The largest distance, in the units of the weights, of a point in the runs: what rounded weights
// leave of the radius, so that label maps take the same points as masks.
std::uint32_t farthest_in(const StructuringElement& element) {
    std::uint64_t farthest = 0;
    for (const MorphologyRun& run : element.runs) {
        std::uint64_t distance = 0;
        for (const auto& [axis, away] :
             {std::pair{0u, run.half}, std::pair{1u, run.y}, std::pair{2u, run.z}})
            distance += std::uint64_t{element.weights[axis]} *
                        static_cast<std::uint64_t>(std::int64_t{away} * away);
        farthest = std::max(farthest, distance);
    }
    return static_cast<std::uint32_t>(farthest);
}

}  // namespace

std::int64_t morphology_reach(const MorphologyOptions& options, const Shape& shape,
                              const Geometry& geometry) {
    const Steps steps = steps_of(options.radius, geometry);
    const std::array<std::int64_t, 3> points{shape.x, shape.y, shape.z};
    constexpr std::int64_t longest = std::int64_t{1} << 31;
    std::int64_t reach = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (points[axis] > 1)
            reach = std::max<std::int64_t>(reach, whole_steps(1, steps[axis], longest));
    return reach;
}

StructuringElement structuring_element(const MorphologyOptions& options, const Shape& shape,
                                       const Geometry& geometry) {
    const Steps steps = steps_of(options.radius, geometry);
    const std::array<std::int64_t, 3> points{shape.x, shape.y, shape.z};
    const bool is_picture = shape.z == 1;
    const double least =
        *std::min_element(steps.begin(), is_picture ? steps.end() - 1 : steps.end());
    if (whole_steps(1, least, 2) == 0)
        throw InvalidArgument("--radius is " + options.radius.to_string() +
                              ", within which a pixel has no neighbor: give at least 1px, or the "
                              "pixel spacing");
    StructuringElement element;
    element.shape = options.shape;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        element.reach[axis] = whole_steps(1, steps[axis], points[axis]);
        if (points[axis] > 1)
            element.beyond_image |= 1 / steps[axis] >= static_cast<double>(points[axis]);
    }
    for (std::int32_t z = -element.reach[2]; z <= element.reach[2]; ++z)
        for (std::int32_t y = -element.reach[1]; y <= element.reach[1]; ++y) {
            const std::int32_t half = half_length(options.shape, steps, y, z, shape.x);
            if (half >= 0) element.runs.push_back({y, z, half});
        }
    std::sort(element.runs.begin(), element.runs.end(),
              [](const MorphologyRun& a, const MorphologyRun& b) {
                  return std::tuple(a.z, a.half, a.y) < std::tuple(b.z, b.half, b.y);
              });
    if (options.labels) set_weights(steps, least, element);
    if (options.labels && options.shape == MorphologyShape::ball)
        element.limit = farthest_in(element);
    return element;
}

}  // namespace tesela
