// Linear maps through pairs of points.
#pragma once

#include <optional>
#include <vector>

#include "tesela/transform.h"

namespace tesela {

struct PointPairs {
    int dimensions = 2;
    std::vector<SpacePoint> from = {}, to = {};
};
// Those that `is_taken`.
PointPairs chosen(const PointPairs& pairs, const std::vector<bool>& is_taken);

// How many pairs determine a map.
std::size_t pairs_needed(LinearKind kind, int dimensions);

// By least squares; nothing where the pairs do not determine it.
std::optional<LinearMap> fit_linear(const PointPairs& pairs, LinearKind kind);

}  // namespace tesela
