// The host level of thresholds, from their device level.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/threshold.h"

namespace tesela {

// Of pixels above and below the threshold.
struct MaskValues {
    std::int32_t above = 255, below = 0;
};
inline MaskValues mask_values(ThresholdSide side) {
    return side == ThresholdSide::above ? MaskValues{255, 0} : MaskValues{0, 255};
}

// Ends the call: its images on the host, and the pixels above the threshold counted.
ThresholdResult downloaded(DeviceThresholdResult found, Queue& queue, StageClock& clock,
                           const Progress& progress);

}  // namespace tesela
