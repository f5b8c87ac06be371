// Values of a volume: their range, and percentiles.
#pragma once

#include <vector>

#include "pixels/pixel_source.h"

namespace tesela::rendering {

struct ValueStatistics {
    double lowest = 0, highest = 0;              // of finite values; of colors, their luminance
    double percentile_1 = 0, percentile_99 = 0;  // of a million voxels at most
};

// Of values, at least one, that are all finite.
void set_percentiles(std::vector<double> values, ValueStatistics& statistics);

template <class T>
ValueStatistics statistics_of(const PixelSource<T>& volume);

}  // namespace tesela::rendering
