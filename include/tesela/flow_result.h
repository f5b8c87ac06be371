// What the methods of optical flow give.
#pragma once

#include <string>
#include <vector>

#include "tesela/flow_field.h"
#include "tesela/stage_times.h"

namespace tesela {

struct FlowResult {
    std::vector<FlowField> fields;  // from each frame to the next
    // How reliable each vector is, for each field, by methods that know and where it was asked for.
    std::vector<Image<float>> confidence;
    int levels = 0;  // of the pyramid, as it was used
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

}  // namespace tesela
