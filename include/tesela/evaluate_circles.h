// How well a list of circles agrees with the true one.
#pragma once

#include <cstdint>
#include <span>

#include "tesela/circles.h"

namespace tesela {

struct CircleAgreement {
    std::int64_t found = 0, truth = 0, matched = 0;
    // NaN where there is nothing to divide by.
    double precision = 0, recall = 0, f = 0;
    // Of matched circles: distances of centers; radii found less the true ones.
    double center_mean = 0, center_max = 0;
    double radius_mean = 0, radius_max = 0;  // of absolute differences
    double radius_bias = 0;
};

// Matches one to one, the pair nearest in center and radius first, where centers of a slice are at
// most `tolerance` apart. Lengths are in the unit of the lists. Throws InvalidArgument for a
// tolerance that is negative or not finite.
CircleAgreement evaluate_circles(std::span<const Circle> found, std::span<const Circle> truth,
                                 double tolerance);
// What it takes beside the lists, at most.
std::int64_t evaluate_circles_bytes(std::int64_t found, std::int64_t truth);

}  // namespace tesela
