#include "report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "messages.h"
#include "shown_text.h"
#include "tesela_version.h"
#include "verb.h"

namespace tesela::cli {
namespace {

std::string time_text(double milliseconds) {
    return milliseconds < 1000 ? fmt::format("{:.0f} ms", milliseconds)
                               : fmt::format("{:.2f} s", milliseconds / 1000);
}

std::array<double, 3> extent_mm(const Geometry& geometry, const Shape& shape) {
    const auto spacing = geometry.spacing_mm();
    return {spacing[0] * static_cast<double>(shape.x), spacing[1] * static_cast<double>(shape.y),
            spacing[2] * static_cast<double>(shape.z)};
}

// JSON is UTF-8, and the library throws where a string is not.
void make_utf8(Json& json) {
    if (json.is_string())
        json = as_utf8(json.get_ref<const std::string&>());
    else if (json.is_structured())
        for (Json& element : json) make_utf8(element);
}

}  // namespace

namespace {

struct FigureJson {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(const operations::Figures& record) const { return json_of(record); }
    Json operator()(const std::vector<operations::Figures>& records) const {
        Json list = Json::array();
        for (const operations::Figures& record : records) list.push_back(json_of(record));
        return list;
    }
    template <class T>
    Json operator()(const T& value) const {
        return value;
    }
};

}  // namespace

// null where there is no value.
Json json_of(const operations::Figures& figures) {
    Json json = Json::object();
    for (const operations::Figure& figure : figures)
        json[figure.name] = std::visit(FigureJson{}, figure.value);
    return json;
}

Json json_of(const Geometry& geometry) {
    const bool known = geometry.known();
    return {{"unit", known ? Json(unit_symbol(geometry.unit)) : Json("unknown")},
            {"spacing", geometry.spacing},
            {"origin", without_negative_zeros(geometry.origin)},
            {"direction", without_negative_zeros(geometry.direction)},
            {"orientation", known ? Json(geometry.orientation()) : Json("unknown")},
            {"frame", known ? Json("LPS") : Json()},
            {"time_step", geometry.time_step}};
}

Json json_of(const AnyImageView& image) {
    const Shape& shape = image.shape();
    return {
        {"size", {shape.x, shape.y, shape.z, shape.t}},
        {"dimensions", shape.dimensions()},
        {"channels", shape.channels},
        {"alpha", image.has_alpha()},
        {"type", pixel_type_name(image.pixel_type())},
        {"extent_mm", image.geometry().known() ? Json(extent_mm(image.geometry(), shape)) : Json()},
        {"geometry", json_of(image.geometry())}};
}

Json json_of(const DeviceProperties& p) {
    return {{"name", p.name},
            {"driver", p.driver},
            {"compute_units", p.compute_units},
            {"clock_mhz", p.clock_mhz},
            {"max_group_items", p.max_group_items},
            {"max_group_size", p.max_group_size},
            {"global_memory", p.global_memory},
            {"constant_memory", p.constant_memory},
            {"local_memory", p.local_memory},
            {"f64", p.has_f64},
            {"gpu", p.is_gpu}};
}

Json json_of(const Device::Choice& choice) {
    const DeviceProperties& properties = choice.device.properties();
    return {{"id", choice.device.id()},
            {"name", properties.name},
            {"driver", properties.driver},
            {"reason", choice.reason}};
}

Json json_of(const std::vector<StageTime>& stages) {
    Json list = Json::array();
    for (const StageTime& stage : stages)
        list.push_back({{"name", stage.name}, {"milliseconds", stage.milliseconds}});
    return list;
}

Json json_of(const std::vector<KernelTime>& kernels) {
    Json list = Json::array();
    for (const KernelTime& kernel : kernels)
        list.push_back({{"name", kernel.name},
                        {"launches", kernel.launches},
                        {"total_ms", kernel.total_ms},
                        {"lowest_ms", kernel.lowest_ms},
                        {"highest_ms", kernel.highest_ms}});
    return list;
}

Json json_of(const QueueCounters& c) {
    return {{"launches", c.launches},
            {"graphs", c.graphs},
            {"tuned_primitives", c.tuned_primitives},
            {"fills", c.fills},
            {"copies", c.copies},
            {"uploads", c.uploads},
            {"downloads", c.downloads},
            {"small_transfers", c.small_transfers},
            {"bytes_uploaded", c.bytes_uploaded},
            {"bytes_downloaded", c.bytes_downloaded},
            {"allocations", c.allocations},
            {"plans", c.plans},
            {"bytes_allocated", c.bytes_allocated},
            {"peak_bytes_in_use", c.peak_bytes_in_use}};
}

void Transfers::add(const QueueCounters& counters) {
    count += counters.uploads + counters.downloads + counters.small_transfers;
    bytes += counters.bytes_uploaded + counters.bytes_downloaded;
}

Json json_of(const Transfers& transfers) {
    return {{"count", transfers.count}, {"bytes", transfers.bytes}};
}

Json json_of(const std::vector<WrittenFile>& files) {
    Json list = Json::array();
    for (const WrittenFile& file : files) {
        list.push_back({{"kind", file.kind}, {"path", file.path.string()}, {"bytes", file.bytes}});
        if (file.files) list.back()["files"] = *file.files;
    }
    return list;
}

Json json_of(const std::vector<StageLoad>& stages) {
    Json list = Json::array();
    for (const StageLoad& stage : stages)
        list.push_back({{"name", stage.name},
                        {"threads", stage.threads},
                        {"busy_seconds", stage.busy_seconds},
                        {"waited_seconds", stage.waited_seconds}});
    return list;
}

namespace {
// Of all that was done, in percent.
double share_of(const DeviceLoad& device, const std::vector<DeviceLoad>& devices) {
    std::int64_t all = 0;
    for (const DeviceLoad& one : devices) all += one.done;
    return all > 0 ? 100 * static_cast<double>(device.done) / static_cast<double>(all) : 0;
}
}  // namespace

Json json_of(const std::vector<DeviceLoad>& devices) {
    Json list = Json::array();
    for (const DeviceLoad& device : devices)
        list.push_back({{"id", device.name},
                        {"queues", device.threads},
                        {"done", device.done},
                        {"percent", share_of(device, devices)},
                        {"busy_seconds", device.busy_seconds},
                        {"waited_seconds", device.waited_seconds}});
    return {{"devices", std::move(list)}, {"imbalance", imbalance(devices)}};
}

std::string devices_text(const std::vector<DeviceLoad>& devices, const std::string& thing) {
    std::string text;
    for (const DeviceLoad& device : devices)
        text += fmt::format("{} {:.1f} % ({}, {:.2f} s at work, {:.2f} s waiting), ", device.name,
                            share_of(device, devices), operations::counted(device.done, thing),
                            device.busy_seconds, device.waited_seconds);
    return text + fmt::format("imbalance {:.2f}", imbalance(devices));
}

std::string image_text(const AnyImage& image) {
    const Shape& shape = shape_of(image);
    std::string text = fmt::format("{} x {}", shape.x, shape.y);
    if (shape.dimensions() > 2) text += fmt::format(" x {}", shape.z);
    if (shape.dimensions() > 3) text += fmt::format(" x {}", shape.t);
    text += fmt::format(", {} channel{} of {}", shape.channels, shape.channels == 1 ? "" : "s",
                        pixel_type_name(pixel_type_of(image)));
    return has_alpha(image) ? text + ", the last one alpha" : text;
}

std::string written_text(const WrittenFile& file) {
    return fmt::format("{} ({}{})", file.path.string(),
                       file.files ? operations::counted(*file.files, "file") + ", " : "",
                       readable_bytes(file.bytes));
}

std::string spacing_text(const Geometry& geometry, int dimensions, const std::string& source) {
    if (!geometry.known()) return "unknown";
    std::string text = fmt::format("{:g} x {:g}", geometry.spacing[0], geometry.spacing[1]);
    if (dimensions > 2) text += fmt::format(" x {:g}", geometry.spacing[2]);
    text += fmt::format(" {}", unit_symbol(geometry.unit));
    return source.empty() ? text : fmt::format("{} ({})", text, source);
}

std::string extent_text(const Geometry& geometry, const Shape& shape) {
    const auto extent = extent_mm(geometry, shape);
    std::string text = fmt::format("{:.6g} x {:.6g}", extent[0], extent[1]);
    if (shape.dimensions() > 2) text += fmt::format(" x {:.6g}", extent[2]);
    return text + " mm";
}

std::string stages_text(const std::vector<StageTime>& stages) {
    std::string text;
    for (const StageTime& stage : stages)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage.name,
                            time_text(stage.milliseconds));
    return text;
}

std::string profile_text(const std::vector<KernelTime>& kernels, const QueueCounters& c) {
    std::string text = fmt::format("{:<32}{:>10}{:>12}{:>12}{:>12}\n", "kernel", "launches",
                                   "total ms", "lowest ms", "highest ms");
    for (const KernelTime& kernel : kernels)
        text += fmt::format("{:<32}{:>10}{:>12.3f}{:>12.4f}{:>12.4f}\n", kernel.name,
                            kernel.launches, kernel.total_ms, kernel.lowest_ms, kernel.highest_ms);
    const auto row = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<32}{:>22}\n", name, value);
    };
    row("launches", std::to_string(c.launches));
    row("graphs of launches", std::to_string(c.graphs));
    row("tuned primitives", std::to_string(c.tuned_primitives));
    row("fills and copies on the device", std::to_string(c.fills + c.copies));
    row("uploads", fmt::format("{} ({})", c.uploads, readable_bytes(c.bytes_uploaded)));
    row("downloads", fmt::format("{} ({})", c.downloads, readable_bytes(c.bytes_downloaded)));
    row("transfers of at most 64 bytes", std::to_string(c.small_transfers));
    row("allocations from the driver",
        fmt::format("{} ({})", c.allocations, readable_bytes(c.bytes_allocated)));
    row("most device memory in use", readable_bytes(c.peak_bytes_in_use));
    return text;
}

std::int64_t peak_host_bytes() {
    // getrusage counts what a parent held when it started this process: an interpreter's gigabytes.
    std::ifstream status("/proc/self/status");
    constexpr std::string_view peak = "VmHWM:";
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(peak)) return std::stoll(line.substr(peak.size())) * 1024;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::int64_t{usage.ru_maxrss} * 1024;
}

std::string json_text(Json json, int indent) {
    make_utf8(json);
    return json.dump(indent) + "\n";
}

Json begin_report(const std::string& verb) {
    return {{"schema", 1}, {"version", TESELA_VERSION}, {"verb", verb}};
}

namespace {
thread_local ReportList* list = nullptr;
}

ReportList::ReportList() { list = this; }
ReportList::~ReportList() { list = nullptr; }

void print_report(Json report) {
    if (list)
        list->add(std::move(report));
    else
        print(json_text(std::move(report)));
}

int report_plan(const MemoryPlan& plan, const std::vector<Output>& outputs, Json report,
                bool as_json) {
    const auto shown = [](std::int64_t bytes) {
        return bytes < 0 ? std::string("unknown") : readable_bytes(bytes);
    };
    std::string text;
    const auto tell_of = [&](const std::string& memory, const MemoryUse& use) {
        text += fmt::format("{0} memory needed: at most {1}\n{0} memory available: {2}\n", memory,
                            shown(use.needed), shown(use.available));
        report[memory + "_bytes"] = {
            {"needed", use.needed},
            {"available", use.available < 0 ? Json() : Json(use.available)},
            {"fits", use.fits()}};
    };
    tell_of("device", plan.on_device());
    tell_of("host", plan.on_host());
    report["dry_run"] = true;
    report["outputs"] = Json::array();
    for (const Output& output : outputs) {
        report["outputs"].push_back({{"kind", output.kind}, {"path", output.path.string()}});
        text += fmt::format("would write {} {}\n", output.kind, on_one_line(output.path.string()));
    }
    if (as_json)
        print_report(std::move(report));
    else
        print(text);
    const bool host_fits = plan.on_host().fits();
    if (host_fits && plan.on_device().fits()) return exit_done;
    const MemoryUse& use = host_fits ? plan.on_device() : plan.on_host();
    complain(fmt::format(
        "the job needs up to {} on {}, and {} are available; use a smaller "
        "image or another device",
        shown(use.needed), host_fits ? plan.device().id() : "the host", shown(use.available)));
    return exit_memory;
}

}  // namespace tesela::cli
