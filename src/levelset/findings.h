// What a finished run of level sets tells about its labels.
#pragma once

#include "tesela/image.h"
#include "tesela/level_set.h"

namespace tesela {

// Points of the objects as they are in the labels, which may have been tidied.
void count_points(LevelSetReport& result, const LabelImage& labels);
// Objects of which nothing is left or that reach the border of the image, and limits that ended the
// run.
void add_warnings(LevelSetReport& result, const LabelImage& labels);

}  // namespace tesela
