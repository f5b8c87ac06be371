// Coarser levels of a volume, for what does not fit on a device.
#pragma once

#include "tesela/image.h"

namespace tesela::rendering {

constexpr int coarsest_level = 4;

// Half as many points along each axis, rounded up.
Shape half_of(Shape shape);
// Each voxel the mean of the one to eight that it covers; NaN and infinity are passed over. Level k
// is the volume halved k times.
AnyImage half_of(const AnyImage& volume);
// Each voxel the most frequent label of those that it covers, the lowest of equally frequent ones.
LabelImage half_of_labels(const LabelImage& labels);

}  // namespace tesela::rendering
