// The thesis's diagnosis of devices: EXP-9.
#include <algorithm>

#include "experiments/region_growing/laboratory.h"
#include "messages.h"

namespace tesela::experiments {
namespace {

// Beyond it, the thesis's system ends a kernel.
constexpr double watchdog_ms = 2000;
constexpr std::int64_t least_group = 256, least_local_memory = 16 * 1024;

// The thesis's measure of a device.
std::int64_t power_of(const Device& device) {
    return std::int64_t{device.properties().compute_units} * device.properties().clock_mhz;
}

std::vector<Device> by_power(std::vector<Device> devices) {
    std::stable_sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) {
        if (a.properties().is_gpu != b.properties().is_gpu) return a.properties().is_gpu;
        return power_of(a) > power_of(b);
    });
    return devices;
}

// What came of running the scheme once.
struct Trial {
    bool ran = false;
    double longest_ms = 0;
    std::string error;
};
Trial try_out(const Device& device, const Image<std::uint8_t>& image) {
    Trial trial;
    try {
        Queue queue(device, {.profile = true});
        (void)region_grow_thesis(image, {}, queue);
        for (const KernelTime& time : queue.profile())
            trial.longest_ms = std::max(trial.longest_ms, time.highest_ms);
        trial.ran = true;
    } catch (const Error& error) {
        trial.error = error.what();
    }
    return trial;
}

}  // namespace

void run_diagnosis(RegionLaboratory& laboratory) {
    const std::vector<Device> devices = by_power(laboratory.examined_devices());
    Table order({"rank", "device", "name", "compute_units", "clock_mhz", "power"});
    std::vector<Trial> trials;
    for (const Device& device : devices) {
        const DeviceProperties& p = device.properties();
        order.add({std::to_string(trials.size() + 1), device.id(), p.name,
                   std::to_string(p.compute_units), std::to_string(p.clock_mhz),
                   std::to_string(power_of(device))});
        trials.push_back(try_out(device, laboratory.disc()));
    }
    laboratory.write("EXP-9-devices.csv", order);
    say_lines(order);

    Table lines({"what", "check", "result", "detail"});
    int passed = 0, count = 0;
    const auto check = [&](const std::string& what, const std::string& name, bool holds,
                           const std::string& detail) {
        lines.add({what, name, holds ? "PASS" : "FAIL", detail});
        passed += holds;
        ++count;
    };
    const std::vector<Device> all = Device::all();
    const auto drivers = std::count_if(all.begin(), all.end(), [](const Device& device) {
        return device.back_end() != BackEnd::cpu;
    });
    const std::vector<Device::Rejected> rejected = Device::rejected();
    check("system", "driver detected", drivers > 0,
          drivers > 0 || rejected.empty() ? fmt::format("{} devices of drivers", drivers)
                                          : rejected.front().why);
    const bool all_ran =
        std::all_of(trials.begin(), trials.end(), [](const Trial& trial) { return trial.ran; });
    check("system", "drivers take the kernels", all_ran, all_ran ? "on every device" : "see below");
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const DeviceProperties& p = devices[d].properties();
        const std::string id = devices[d].id();
        check(id, "a GPU and no emulation", p.is_gpu, p.name);
        check(id, "groups and local memory suffice",
              p.max_group_size >= least_group && p.local_memory >= least_local_memory,
              fmt::format("{} items, {} bytes", p.max_group_size, p.local_memory));
        check(id, "kernels are done before a watchdog",
              trials[d].ran && trials[d].longest_ms < watchdog_ms,
              fmt::format("longest {:.3f} ms of {} ms", trials[d].longest_ms, watchdog_ms));
        check(id, "takes work", trials[d].ran, trials[d].ran ? "yes" : trials[d].error);
    }
    laboratory.write("EXP-9.csv", lines);
    say_lines(lines);
    laboratory.find({"A7", "lines of the diagnosis: 2 + 4 a device; passed", "10, all (2 devices)",
                     fmt::format("{}, {}", count, passed),
                     count == 2 + 4 * static_cast<int>(devices.size())});
    laboratory.find({"A6", "the most powerful device, by compute units times clock", "GTX 460",
                     devices.front().id(), std::nullopt});
}

}  // namespace tesela::experiments
