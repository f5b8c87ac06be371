#include "registration/polynomials.h"

#include <algorithm>
#include <cmath>

namespace tesela {

Polynomials::Polynomials(const std::vector<SpacePoint>& points, int degree) : degree_(degree) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double lowest = points[0][axis], highest = lowest;
        for (const SpacePoint& point : points) {
            lowest = std::min(lowest, point[axis]);
            highest = std::max(highest, point[axis]);
        }
        center_[axis] = (lowest + highest) / 2;
        reach_[axis] = (highest - lowest) / 2;
    }
}

std::vector<double> Polynomials::at(const SpacePoint& point) const {
    SpacePoint scaled{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (reach_[axis] > 0) scaled[axis] = (point[axis] - center_[axis]) / reach_[axis];
    std::vector<double> terms;
    const int most_z = reach_[2] > 0 ? degree_ : 0;
    for (int k = 0; k <= most_z; ++k)
        for (int j = 0; j + k <= degree_; ++j)
            for (int i = 0; i + j + k <= degree_; ++i)
                terms.push_back(std::pow(scaled[0], i) * std::pow(scaled[1], j) *
                                std::pow(scaled[2], k));
    return terms;
}

}  // namespace tesela
