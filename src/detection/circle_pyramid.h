// Circles from a coarse picture of the edges to finer ones.
#pragma once

#include <vector>

#include "detection/circle_search.h"
#include "detection/circle_votes.h"
#include "filters/gradient.h"

namespace tesela {

// Halvings of the picture after which the smallest circle still has a radius of four pixels.
int pyramid_levels(const CircleSearch& search);

// Circles as fit_circles gives them, found by votes of rings in a picture that is halved `levels`
// times, at least once, and fitted in each finer one. `candidates` becomes the number of maxima.
std::vector<Circle> pyramid_circles(Queue& queue, const Shape& shape, const CircleSearch& search,
                                    const CircleOptions& options, int levels,
                                    const Buffer<const std::uint8_t>& edges,
                                    const Gradient* gradient, std::int64_t& candidates,
                                    const Progress& progress = {});

}  // namespace tesela
