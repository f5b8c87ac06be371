// Operations with a halo on volumes of any size: from bricks to compressed volumes.
#pragma once

#include "operations/operation.h"

namespace tesela::operations {

// `whole`, which has a halo, on a volume that is read in parts; its images and masks become
// compressed volumes. Queues of several devices share the parts. The options may still need the
// whole volume, which is found when it is run.
Operation in_volume_parts(const Operation& whole);

}  // namespace tesela::operations
