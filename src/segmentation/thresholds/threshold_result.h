// The host level of thresholds, from their device level.
#pragma once

#include "tesela/compute/queue.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/threshold.h"

namespace tesela {

// Ends the call: its images on the host, and the pixels above the threshold counted.
ThresholdResult downloaded(DeviceThresholdResult found, Queue& queue, StageClock& clock,
                           const Progress& progress);

}  // namespace tesela
