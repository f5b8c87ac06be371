// What is done to objects behind their growth, on the host.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// What was taken off an object, and the middle of it in pixels.
struct CutPart {
    std::uint32_t label = 0;
    std::int64_t points = 0, before = 0;  // of it, of the object
    std::array<double, 3> middle{};
};

// Of each object only what hangs together with `seeds` without a neck thinner than twice the radius
// stays: points of the object within two radii of its core, those points that are at least a radius
// inside, as far as the core's parts hold seeds; the largest part where none does. `radius` is in
// the unit of the spacing. Gives what went.
std::vector<CutPart> cut_necks(Queue& queue, LabelImage& labels,
                               const std::array<double, 3>& spacing, double radius,
                               const std::vector<std::uint32_t>& seeds);

// Points of 0 from which no path of such points leads to the border of the image, and which one
// object alone encloses, go to it. Gives their number.
std::int64_t fill_holes(LabelImage& labels);

}  // namespace tesela
