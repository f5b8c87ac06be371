// Maxima of votes verified and fitted on a device.
#pragma once

#include <vector>

#include "detection/circle_votes.h"
#include "filters/gradient.h"

namespace tesela {

struct CircleFitSetting {
    std::array<double, 2> unit{1, 1};  // a pixel's extent in units of radii
    CirclePolarity polarity = CirclePolarity::any;
    double sigma = 0;  // of the smoothing before the gradient, in pixels
};

// Circles with their scores, in the order of radii, slices, rows and columns of their maxima.
// Without a gradient every edge counts.
std::vector<Circle> fit_circles(Queue& queue, const Shape& shape, const CircleMaxima& maxima,
                                const std::vector<double>& radii, const CircleFitSetting& setting,
                                const Buffer<const std::uint8_t>& edges, const Gradient* gradient);

// The best circles: those of at least `min_score`, of which no better one is nearer than
// `min_distance`, or half the smaller radius where that is below 0. With `concentric` only circles
// of like radii stand in each other's way: less than `least_unlike` or an eighth from each other.
std::vector<Circle> best_circles(std::vector<Circle> circles, const std::array<double, 2>& unit,
                                 double min_score, double min_distance, bool concentric,
                                 double least_unlike = 4);

}  // namespace tesela
