#include "detection/circle_search.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tesela {
namespace {

constexpr double most_radii = 4096;

// How many units a length has.
class Units {
  public:
    Units(const Geometry& geometry, const CircleOptions& options) {
        const Length none;
        const std::array lengths{*options.min_radius, *options.max_radius, options.radius_step,
                                 options.min_distance.value_or(none)};
        const bool physical = std::any_of(lengths.begin(), lengths.end(),
                                          [](const Length& l) { return l.physical(); });
        if (!physical) return;
        if (!geometry.known())
            throw InvalidArgument(
                "a length in mm or um was given, but the image has no spacing; give --spacing, or "
                "lengths in pixels");
        const auto spacing = geometry.spacing_mm();
        finest_ = std::min(spacing[0], spacing[1]);
        unit = {spacing[0] / finest_, spacing[1] / finest_};
    }
    double operator()(const Length& length) const {
        return length.physical() ? length.millimeters() / finest_ : length.value;
    }

    std::array<double, 2> unit{1, 1};

  private:
    double finest_ = 1;
};

}  // namespace

CircleSearch circle_search(const Shape& shape, const Geometry& geometry,
                           const CircleOptions& options) {
    validate_options(options);
    if (!options.min_radius || !options.max_radius)
        throw InvalidArgument(std::string(options.min_radius ? "--max-radius" : "--min-radius") +
                              " is missing: give the range of radii, such as --min-radius 10 "
                              "--max-radius 40");
    const Units units(geometry, options);
    CircleSearch search;
    search.unit = units.unit;
    const double lowest = units(*options.min_radius), highest = units(*options.max_radius);
    const double step = units(options.radius_step);
    if (lowest > highest)
        throw InvalidArgument("--min-radius is " + options.min_radius->to_string() +
                              ", above --max-radius, which is " + options.max_radius->to_string());
    const double diagonal = std::hypot(static_cast<double>(shape.x) * search.unit[0],
                                       static_cast<double>(shape.y) * search.unit[1]);
    if (highest > diagonal)
        throw InvalidArgument("--max-radius " + options.max_radius->to_string() +
                              " is larger than the image, whose diagonal is " +
                              detail::shown(diagonal) + " pixels; give a smaller one");
    if ((highest - lowest) / step >= most_radii)
        throw InvalidArgument(
            "--min-radius, --max-radius and --radius-step make more than 4096 "
            "radii; give a larger step or a smaller range");
    constexpr double rounding = 1e-9;
    for (int k = 0; lowest + k * step <= highest * (1 + rounding); ++k)
        search.radii.push_back(lowest + k * step);
    search.reach_x = static_cast<std::int32_t>(std::ceil(search.radii.back() / search.unit[0])) + 1;
    search.reach_y = static_cast<std::int32_t>(std::ceil(search.radii.back() / search.unit[1])) + 1;
    if (options.min_distance) search.min_distance = units(*options.min_distance);
    return search;
}

}  // namespace tesela
