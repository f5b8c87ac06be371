// Coarser levels of a volume, for volumes that do not fit on a device.
#pragma once

#include "tesela/image_view.h"

namespace tesela::rendering {

constexpr int coarsest_level = 4;

// Half as many points along each axis, rounded up.
Shape half_of(Shape shape);
// Each voxel is the mean of the one to eight finite voxels that it covers. Level k is the volume
// halved k times.
AnyImage half_of(const AnyImageView& volume);
// Each voxel has the most frequent label that it covers, the lowest of equally frequent ones.
LabelImage half_of_labels(const LabelView& labels);

}  // namespace tesela::rendering
