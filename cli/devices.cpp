// tesela devices
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "messages.h"
#include "report.h"
#include "tesela/compute/device.h"
#include "tesela/compute/primitives.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

std::string group_items_text(const DeviceProperties& p) {
    return fmt::format("{} x {} x {}", p.max_group_items[0], p.max_group_items[1],
                       p.max_group_items[2]);
}

std::string device_text(const Device& device) {
    const DeviceProperties& p = device.properties();
    const auto row = [](std::string_view name, const std::string& value) {
        return fmt::format("  {:<22}{}\n", name, value);
    };
    return fmt::format("{}: {}\n", device.id(), p.name) + row("driver", p.driver) +
           row("compute units", std::to_string(p.compute_units)) +
           row("clock", p.clock_mhz > 0 ? fmt::format("{} MHz", p.clock_mhz) : "unknown") +
           row("longest group axes", group_items_text(p)) +
           row("largest group", fmt::format("{} items", p.max_group_size)) +
           row("global memory", readable_bytes(p.global_memory)) +
           row("constant memory", readable_bytes(p.constant_memory)) +
           row("local memory", readable_bytes(p.local_memory)) +
           row("double precision", p.has_f64 ? "yes" : "no") + "\n";
}

struct DevicesOptions {
    bool check = false;
};
template <class V>
void describe(V&& v, DevicesOptions& o) {
    v("check", o.check, "compute on each device, and say which do not work");
}

// GPUs first: in the order in which --device auto takes them.
std::vector<Device> devices_in_order() {
    std::vector<Device> devices = Device::all();
    std::stable_partition(devices.begin(), devices.end(),
                          [](const Device& device) { return device.properties().is_gpu; });
    return devices;
}

// What is wrong with a device; empty where it computes what it should.
std::string fault_of(const Device& device) {
    try {
        constexpr std::uint32_t count = 10000;
        std::vector<std::uint32_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 1u);
        Queue queue(device);
        const auto values = queue.upload(std::span<const std::uint32_t>(numbers), "numbers");
        auto sum = queue.allocate<std::uint32_t>(1, "sum");
        reduce(queue, ReduceOperation::sum, values, count, sum);
        const std::uint32_t found = queue.download(sum)[0];
        const std::uint32_t expected = count / 2 * (count + 1);
        return found == expected
                   ? ""
                   : fmt::format("the sum of 1 to {} came to {}, not {}", count, found, expected);
    } catch (const Error& error) {
        return error.what();
    }
}

std::string text_report(const std::map<std::string, std::string>& faults) {
    std::string text;
    for (const Device& device : devices_in_order()) {
        std::string one = device_text(device);
        if (const auto fault = faults.find(device.id()); fault != faults.end())
            one.insert(one.size() - 1,
                       fmt::format("  {:<22}{}\n", "check",
                                   fault->second.empty() ? "works" : "fails: " + fault->second));
        text += one;
    }
    for (const Device::Rejected& rejected : Device::rejected())
        text += fmt::format("not usable: {}, {}: {}\n", back_end_name(rejected.back_end),
                            rejected.what, rejected.why);
    const Device::Choice choice = Device::choose("auto");
    return text + fmt::format("--device auto takes {}: {}\n", choice.device.id(), choice.reason);
}

Json json_report(const std::map<std::string, std::string>& faults) {
    Json report = begin_report("devices");
    report["devices"] = Json::array();
    for (const Device& device : devices_in_order()) {
        Json entry{{"id", device.id()}, {"back_end", back_end_name(device.back_end())}};
        entry.update(json_of(device.properties()));
        const std::int64_t free = device.free_memory();
        entry["free_memory"] = free < 0 ? Json() : Json(free);
        if (const auto fault = faults.find(device.id()); fault != faults.end()) {
            entry["works"] = fault->second.empty();
            entry["fault"] = fault->second.empty() ? Json() : Json(fault->second);
        }
        report["devices"].push_back(std::move(entry));
    }
    report["rejected"] = Json::array();
    for (const Device::Rejected& rejected : Device::rejected())
        report["rejected"].push_back({{"back_end", back_end_name(rejected.back_end)},
                                      {"what", rejected.what},
                                      {"why", rejected.why}});
    const Device::Choice choice = Device::choose("auto");
    report["auto"] = {{"id", choice.device.id()}, {"reason", choice.reason}};
    return report;
}

}  // namespace

int run_devices(const Arguments& arguments) {
    MessageOptions messages;
    VerbParser parser("devices",
                      "Lists the devices of this machine and the choice of --device auto.");
    DevicesOptions options;
    parser.add(options, "Options");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"devices", "devices --check", "devices --json"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    std::map<std::string, std::string> faults;  // by the id of each device that was tried
    if (options.check)
        for (const Device& device : Device::all()) faults[device.id()] = fault_of(device);
    print(messages.json ? json_text(json_report(faults)) : text_report(faults));
    const bool works = std::all_of(faults.begin(), faults.end(),
                                   [](const auto& fault) { return fault.second.empty(); });
    return works ? exit_done : exit_device;
}

}  // namespace tesela::cli
