// Counts and warnings in the report of a finished run.
#pragma once

#include "tesela/image.h"
#include "tesela/level_set.h"

namespace tesela {

// Counts the points of the objects in the final labels.
void count_points(LevelSetReport& result, const LabelImage& labels);
// Warns of objects that vanished or reach the border of the image, and of limits that ended the
// run.
void add_warnings(LevelSetReport& result, const LabelImage& labels);

}  // namespace tesela
