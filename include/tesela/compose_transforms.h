// Transforms one after the other, and backwards.
#pragma once

#include "tesela/transform.h"

namespace tesela {

// `first`, then `second`: from the fixed image of `first` to the moving image of `second`. Linear
// maps that follow each other become one. Throws InvalidArgument where dimensions or units of
// points differ, or the moving image of `first` does not lie on the grid of the fixed image of
// `second`.
Transform composed(const Transform& first, const Transform& second);

struct InvertedTransform {
    Transform transform;
    double largest_error = 0;  // of a point, in units of points; 0 of linear maps
};

// From the moving to the fixed image. Linear maps are inverted; a cubic B-spline becomes one whose
// nodes are as far apart, half as far, a fourth or an eighth, until no point between nodes misses
// by more than a thousandth of the original distance. Throws InvalidArgument where the transform
// folds.
InvertedTransform inverted(const Transform& transform);

}  // namespace tesela
