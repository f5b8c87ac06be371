// Values of a volume: their range, and percentiles.
#pragma once

#include <array>

#include "tesela/image_view.h"

namespace tesela::rendering {

struct ValueStatistics {
    double lowest = 0, highest = 0;              // of finite values; of colors, their luminance
    double percentile_1 = 0, percentile_99 = 0;  // of a million voxels at most
};

ValueStatistics statistics_of(const AnyImageView& volume);

}  // namespace tesela::rendering
