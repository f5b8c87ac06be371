#include "core/stages.h"

#include <algorithm>

namespace tesela {

double imbalance(const std::vector<DeviceLoad>& devices) {
    double sum = 0, highest = 0;
    for (const DeviceLoad& device : devices) {
        const double busy = device.busy_seconds / std::max(device.threads, 1);
        sum += busy;
        highest = std::max(highest, busy);
    }
    return sum > 0 ? highest * static_cast<double>(devices.size()) / sum : 1;
}

namespace detail {

std::vector<DeviceLoad> device_loads(const std::vector<std::string>& of_queues) {
    std::vector<DeviceLoad> devices;
    for (const std::string& id : of_queues) {
        const auto same = [&](const DeviceLoad& device) { return device.name == id; };
        if (std::none_of(devices.begin(), devices.end(), same)) devices.push_back({{id}});
        ++load_of(devices, id).threads;
    }
    return devices;
}

DeviceLoad& load_of(std::vector<DeviceLoad>& devices, const std::string& id) {
    return *std::find_if(devices.begin(), devices.end(),
                         [&](const DeviceLoad& device) { return device.name == id; });
}

void add_up(const std::vector<DeviceLoad>& devices, StageLoad& stage) {
    for (const DeviceLoad& device : devices) {
        stage.busy_seconds += device.busy_seconds;
        stage.waited_seconds += device.waited_seconds;
    }
}

}  // namespace detail
}  // namespace tesela
