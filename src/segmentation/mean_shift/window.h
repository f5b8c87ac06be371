// The joint spatial-range window of mean shift in integer units.
#pragma once

#include <array>
#include <cstdint>

#include "segmentation/mean_shift/feature_space.h"
#include "tesela/mean_shift.h"

namespace tesela {

// Samples belong to the window when both squared distances are below their limits (Martin Gaspar
// 2011, eq. 4.4), in 4-D those of space, time and range (eq. 4.5). The limits of space and time are
// rounded up, so that the strict comparison of integers is that of reals. A point stops when
// spatial2 * inverse_spatial2 + range2 * inverse_range2 + time2 * inverse_time2 < epsilon2.
struct Window {
    std::array<int, 4> steps{1, 1, 1, 1};  // units from point to point along x, y, z, t
    std::int64_t spatial_limit2 = 0, time_limit2 = 1;
    float range_limit2 = 0;
    float inverse_spatial2 = 0, inverse_time2 = 0, inverse_range2 = 0, epsilon2 = 0;
    double temporal_bandwidth = 0;  // frames; 0 without a time axis
    double samples = 1;             // points in the window of space and time, for planning
};

// Throws InvalidArgument for a bandwidth in length units without spacing, and for windows wider
// than 92000 pixels.
Window make_window(const Shape& shape, const Geometry& geometry, const FeatureSpace& space,
                   const MeanShiftOptions& options);

}  // namespace tesela
