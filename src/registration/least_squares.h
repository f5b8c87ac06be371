// Linear least squares for points.
#pragma once

#include <optional>
#include <vector>

#include "tesela/transform.h"

namespace tesela {

// Coefficients for which rows * coefficients are closest to `values`, of each coordinate, by
// Householder's reflections (G. H. Golub, 1965). Columns have lengths of about 1. Nothing where the
// rows do not determine them.
std::optional<std::vector<SpacePoint>> least_squares(std::vector<std::vector<double>> rows,
                                                     std::vector<SpacePoint> values);

}  // namespace tesela
