// What a transform does to an image: how it turns, stretches, moves and folds it.
#pragma once

#include <vector>

#include "tesela/transform.h"

namespace tesela {

struct TransformMeasures {
    struct Range {
        double least = 0, most = 0;
    };
    Range determinant;  // of the Jacobian: areas or volumes; negative where points are mirrored
    Range stretch;      // singular values of the Jacobian: lengths in all directions
    double folded = 0;  // share of points at which the orientation is another than of most
    bool mirrored = false;
    double angle = 0;  // of the rotation at the center, in degrees
    // Lengths of displacements, and those of the corner pixels, x fastest, in units of points.
    double mean_displacement = 0, largest_displacement = 0;
    std::vector<SpacePoint> corners = {};
};

// At about 2^16 pixels of the fixed image, its corners among them.
TransformMeasures measure_transform(const Transform& transform, const ImageGrid& fixed);

}  // namespace tesela
