// Speeds of objects: levels of points on a device, and tables of the speed at each level.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "levelset/fronts.h"
#include "tesela/image_view.h"
#include "tesela/level_set.h"

namespace tesela {

// The pixels of an image on a device, in a type that has kernels.
using DevicePixels = std::variant<Buffer<const std::uint8_t>, Buffer<const std::uint16_t>,
                                  Buffer<const std::int16_t>, Buffer<const float>>;
DevicePixels lend_pixels(Queue& queue, const AnyImageView& image);

// The speed that the options choose, with `automatic` resolved.
LevelSetSpeed speed_of(const LevelSetOptions& options);
// Whether limits are found from the seeds.
bool finds_limits(const LevelSetOptions& options);

struct SpeedLimits {
    std::optional<double> lower, upper;
};
// Throws InvalidArgument where the lower limit is above the upper one.
void check_limits(const SpeedLimits& limits);

// Levels and tables for objects whose seeds are lists of points; the value of each is finite.
FrontSpeeds window_speeds(Queue& queue, const DevicePixels& pixels, std::int64_t points,
                          const SpeedLimits& limits, int objects);
// For several objects with their own limits, to a precision of a thousandth of these.
FrontSpeeds windows_speeds(Queue& queue, const DevicePixels& pixels, std::int64_t points,
                           std::span<const SpeedLimits> limits);
FrontSpeeds statistics_speeds(Queue& queue, const DevicePixels& pixels, const AnyImageView& image,
                              const std::vector<std::vector<std::uint32_t>>& seeds,
                              std::optional<double> multiplier, std::optional<double> drift = {});

// The conversion of levels to values, in which means and deviations are reported.
struct LevelScale {
    float offset = 0, scale = 1;
};
LevelScale level_scale(const AnyImageView& image,
                       const std::vector<std::vector<std::uint32_t>>& seeds);

// Lowest and highest value of the seeds.
std::pair<double, double> seed_range(const AnyImageView& image,
                                     const std::vector<std::vector<std::uint32_t>>& seeds);
// For each object, the number and the range of its seeds outside the limits.
struct OutsideSeeds {
    std::int64_t count = 0, of = 0;
    double least = std::numeric_limits<double>::infinity(), most = -least;
};
std::vector<OutsideSeeds> seeds_outside(const AnyImageView& image,
                                        const std::vector<std::vector<std::uint32_t>>& seeds,
                                        const SpeedLimits& limits);

}  // namespace tesela
