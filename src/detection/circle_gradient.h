// Circles by the direction of their edges.
#pragma once

#include <vector>

#include "detection/circle_search.h"
#include "detection/circle_votes.h"
#include "filters/gradient.h"

namespace tesela {

struct GradientMaxima {
    CircleMaxima maxima;
    std::vector<double> radii;  // that the maxima tell by number
};

// Edges with their gradient, to be looked through for circles of a polarity.
struct DirectedEdges {
    const Buffer<const std::uint8_t>& edges;
    const Gradient& gradient;
    std::int64_t count = 0;  // of edges
    CirclePolarity polarity = CirclePolarity::any;
    bool concentric = false;
};

// Centers by votes along gradients, octave by octave of the radii, then their radii. Adds the most
// votes of any octave to `most`, which has 0 in it, unless it is null.
GradientMaxima gradient_maxima(Queue& queue, const CircleVoter& voter, const CircleSearch& search,
                               const DirectedEdges& directed, double least_share,
                               Buffer<std::uint16_t>* most, const Progress& progress = {});

// Device memory that it takes at most beside the edges, in bytes.
std::int64_t gradient_maxima_bytes(const kernels::circle_grid& grid, const Shape& shape,
                                   const CircleSearch& search);

}  // namespace tesela
