// What operations on level sets have in common.
#pragma once

#include <utility>

#include "operations/device_level.h"
#include "operations/kinds/seeds.h"
#include "operations/operation.h"
#include "operations/regions.h"
#include "tesela/level_set.h"

namespace tesela::operations {

inline constexpr Input object_seeds{.name = "seeds",
                                    .kind = kinds::seeds,
                                    .help = "label map, points, boxes, or balls 'ball:x,y,z,r;...'",
                                    .required = false};

// Throws InvalidArgument where there are neither seeds nor labels to go on from.
LevelSetStart level_set_start(const Call& call);
// Summary, figures, warnings and stages of a run, which are moved out of it.
Results level_set_results(const Call& call, LevelSetReport& report);

// The host looks at labels to go on from and at masks.
template <class Work>
DeviceLevel level_set_level(Work work) {
    DeviceLevel level = device_level(std::move(work));
    level.others_on_host = true;
    return level;
}

Operation level_set_aos_operation();

}  // namespace tesela::operations
