// Counts and warnings in the report of a finished run.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/level_set.h"

namespace tesela {

// Counts the points of the objects in the final labels, and warns of objects that vanished or reach
// the border of the image, and of limits that ended the run. Takes 4 bytes a point. AnyBuffer is a
// Buffer of std::uint32_t that may be written or only read.
template <class AnyBuffer>
void add_findings(LevelSetReport& result, Queue& queue, const Shape& shape,
                  const AnyBuffer& labels);

}  // namespace tesela
