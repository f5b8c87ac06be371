// What the methods of optical flow give.
#pragma once

#include <string>
#include <vector>

#include "tesela/compute/buffer.h"
#include "tesela/flow_field.h"
#include "tesela/stage_times.h"

namespace tesela {

// Two or more gray frames on a device, brightness from 0 to 1, one plane behind the other.
struct DeviceFrames {
    Buffer<float> planes;
    Shape shape;
    std::int64_t count = 0;
};

struct FlowResult {
    std::vector<FlowField> fields;  // from each frame to the next
    int levels = 0;                 // of the pyramid, as it was used
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

}  // namespace tesela
