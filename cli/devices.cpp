// tesela devices
#include <fmt/format.h>

#include "messages.h"
#include "report.h"
#include "tesela/compute/device.h"
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

std::string text_report() {
    std::string text;
    for (const Device& device : Device::all()) text += device_text(device);
    for (const Device::Rejected& rejected : Device::rejected())
        text += fmt::format("not usable: {}, {}: {}\n", back_end_name(rejected.back_end),
                            rejected.what, rejected.why);
    const Device::Choice choice = Device::choose("auto");
    return text + fmt::format("--device auto takes {}: {}\n", choice.device.id(), choice.reason);
}

Json json_report() {
    Json report = begin_report("devices");
    report["devices"] = Json::array();
    for (const Device& device : Device::all()) {
        Json entry{{"id", device.id()}, {"back_end", back_end_name(device.back_end())}};
        entry.update(json_of(device.properties()));
        const std::int64_t free = device.free_memory();
        entry["free_memory"] = free < 0 ? Json() : Json(free);
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
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"devices", "devices --json"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    print(messages.json ? json_text(json_report()) : text_report());
    return exit_done;
}

}  // namespace tesela::cli
