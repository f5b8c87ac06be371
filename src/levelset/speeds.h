// Speeds of objects: levels of points on a device, and tables of the speed at each level.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "levelset/fronts.h"
#include "levelset/level_set_pixels.h"
#include "tesela/level_set.h"

namespace tesela {

// The finite values of each object's seeds.
using SeedValues = std::vector<std::vector<float>>;

// The speed that the options choose, with `automatic` resolved.
LevelSetSpeed speed_of(const LevelSetOptions& options);
// Whether limits are found from the seeds.
bool finds_limits(const LevelSetOptions& options);

struct SpeedLimits {
    std::optional<double> lower, upper;
};
// Throws InvalidArgument where the lower limit is above the upper one.
void check_limits(const SpeedLimits& limits);

// Levels and tables for objects.
FrontSpeeds window_speeds(Queue& queue, const LevelSetPixels& pixels, const SpeedLimits& limits,
                          int objects);
// For several objects with their own limits, to a precision of a thousandth of these.
FrontSpeeds windows_speeds(Queue& queue, const LevelSetPixels& pixels,
                           std::span<const SpeedLimits> limits);
FrontSpeeds statistics_speeds(Queue& queue, const LevelSetPixels& pixels, const SeedValues& seeds,
                              std::optional<double> multiplier, std::optional<double> drift = {});

// The conversion of levels to values, in which means and deviations are reported.
struct LevelScale {
    float offset = 0, scale = 1;
};
LevelScale level_scale(const SeedValues& seeds);

// Lowest and highest value of the seeds.
std::pair<double, double> seed_range(const SeedValues& seeds);
// For each object, the number and the range of its seeds outside the limits.
struct OutsideSeeds {
    std::int64_t count = 0, of = 0;
    double least = std::numeric_limits<double>::infinity(), most = -least;
};
std::vector<OutsideSeeds> seeds_outside(const SeedValues& seeds, const SpeedLimits& limits);

}  // namespace tesela
