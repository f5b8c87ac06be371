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

void await_parts(Channel<std::exception_ptr>& ended, std::int64_t count, const Progress& progress,
                 std::string_view stage) {
    constexpr double pause = 0.05;  // between reports, in seconds
    Clock::time_point reported = Clock::now();
    for (std::int64_t done = 0; done < count;) {
        if (const std::optional<std::exception_ptr> end = ended.pop_soon()) {
            if (*end) std::rethrow_exception(*end);
            ++done;
        }
        if (done < count && seconds_since(reported) < pause) continue;
        reported = Clock::now();
        progress.report(static_cast<double>(done) / static_cast<double>(count), stage);
    }
}

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
