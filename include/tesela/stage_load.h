// How busy the stages of a stream are, and the devices that share one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesela {

// The stage that waits least is the one that the others wait for.
struct StageLoad {
    std::string name;
    int threads = 0;
    double busy_seconds = 0, waited_seconds = 0;  // of all its threads together
};

// A device, by its id, with a thread for each of its queues.
struct DeviceLoad : StageLoad {
    std::int64_t done = 0;  // of the work: tiles, fields, inputs
};

// The time at work of a thread of the busiest device, over the mean of all devices: 1 where the
// work is shared evenly.
double imbalance(const std::vector<DeviceLoad>& devices);

}  // namespace tesela
