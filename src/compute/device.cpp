#include "tesela/compute/device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <tuple>

#include "compute/back_ends.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Looked for once, and not before it is asked for: drivers take time and memory to start. The
// fastest device of a back end is the first.
const detail::Discovery& discovered(BackEnd back_end) {
    static std::array<std::once_flag, std::size(detail::back_ends)> looked;
    static std::array<detail::Discovery, std::size(detail::back_ends)> found;
    const auto row = static_cast<std::size_t>(back_end);
    std::call_once(looked[row], [row] {
        found[row] = detail::back_ends[row].discover();
        detail::sort_by_speed(found[row].devices);
    });
    return found[row];
}

std::vector<Device> devices_of(BackEnd back_end) {
    const auto& devices = discovered(back_end).devices;
    return {devices.begin(), devices.end()};
}

struct Wanted {
    BackEnd back_end;
    int index;
};

// "auto, cpu, cuda, cuda:N" and so on.
std::string device_words() {
    std::string words = "auto";
    for (const detail::BackEndRow& row : detail::back_ends) {
        const std::string name(row.name);
        words += ", " + name;
        if (row.back_end != BackEnd::cpu) words += ", " + name + ":N";
    }
    return words;
}

InvalidArgument not_a_device(std::string_view text) {
    return InvalidArgument("'" + std::string(text) + "' is not a device: write one of " +
                           device_words());
}

Wanted parse_wanted(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    Wanted wanted{BackEnd::cpu, 0};
    bool known = false;
    for (const detail::BackEndRow& row : detail::back_ends)
        if (name == row.name) {
            wanted.back_end = row.back_end;
            known = true;
        }
    if (!known) throw not_a_device(text);
    if (colon != std::string_view::npos) {
        const std::string_view digits = text.substr(colon + 1);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), wanted.index);
        if (error != std::errc{} || end != digits.data() + digits.size() || wanted.index < 0)
            throw not_a_device(text);
    }
    return wanted;
}

// Without the device file of any GPU there is none for OpenCL to find. Its loader would start all
// drivers, of which those for CPUs bring a compiler.
bool has_gpu_file() {
    constexpr const char* files[] = {"/dev/dri",   "/dev/nvidiactl", "/dev/kfd",    "/dev/dxg",
                                     "/dev/mali0", "/dev/kgsl-3d0",  "/dev/galcore"};
    return std::any_of(std::begin(files), std::end(files), [](const char* file) {
        std::error_code ignored;
        return std::filesystem::exists(file, ignored);
    });
}

// Looked for once, as devices are.
bool is_asked(BackEnd back_end) {
    static const bool has_gpu = has_gpu_file();
    return back_end != BackEnd::opencl || has_gpu;
}

// How "auto" looks for a GPU.
std::string search_for_gpu() {
    std::string titles, not_asked;
    for (const detail::BackEndRow& row : detail::back_ends) {
        if (row.back_end == BackEnd::cpu) continue;
        if (is_asked(row.back_end))
            titles += (titles.empty() ? "" : ", then ") + std::string(row.title);
        else
            not_asked = "; there is no device file of a GPU for " + std::string(row.title) +
                        ": name opencl where there is one all the same";
    }
    return "looked for through " + titles + not_asked;
}

DeviceUnavailable unavailable(std::string_view text, BackEnd back_end) {
    std::string sentence = "device '" + std::string(text) + "' is not there";
    std::string present, reasons;
    for (const Device& device : devices_of(back_end))
        present += (present.empty() ? "" : ", ") + device.id();
    for (const auto& rejected : discovered(back_end).rejected)
        reasons += (reasons.empty() ? "" : "; ") + rejected.what + ": " + rejected.why;
    if (!present.empty()) sentence += "; this machine has " + present;
    if (!reasons.empty()) sentence += " (" + reasons + ")";
    return DeviceUnavailable(sentence + "; 'tesela devices' lists what there is");
}

}  // namespace

void detail::sort_by_speed(std::vector<std::shared_ptr<const BackendDevice>>& devices) {
    const auto speed = [](const auto& device) {
        const DeviceProperties& p = device->properties();
        return std::tuple(p.is_gpu, std::int64_t{p.compute_units} * std::max(p.clock_mhz, 1));
    };
    std::stable_sort(devices.begin(), devices.end(),
                     [&](const auto& a, const auto& b) { return speed(a) > speed(b); });
}

std::string_view back_end_name(BackEnd back_end) {
    return detail::back_ends[static_cast<std::size_t>(back_end)].name;
}

std::vector<Device> Device::all() {
    std::vector<Device> devices;
    for (const detail::BackEndRow& row : detail::back_ends)
        for (Device& device : devices_of(row.back_end)) devices.push_back(std::move(device));
    return devices;
}

std::vector<Device::Rejected> Device::rejected() {
    std::vector<Rejected> all;
    for (const detail::BackEndRow& row : detail::back_ends) {
        const auto& rejected = discovered(row.back_end).rejected;
        all.insert(all.end(), rejected.begin(), rejected.end());
    }
    return all;
}

Device Device::best() { return choose("auto").device; }
Device Device::parse(std::string_view text) { return choose(text).device; }

Device::Choice Device::choose(std::string_view text) {
    if (text == "auto") {
        for (const detail::BackEndRow& row : detail::back_ends) {
            if (!is_asked(row.back_end)) continue;
            for (const Device& device : devices_of(row.back_end))
                if (device.properties().is_gpu)
                    return {device, "the fastest GPU found, " + search_for_gpu()};
        }
        for (const Device& device : devices_of(BackEnd::cpu))
            return {device, "no GPU was found, " + search_for_gpu()};
        throw unavailable(text, BackEnd::cpu);
    }
    const Wanted wanted = parse_wanted(text);
    for (const Device& device : devices_of(wanted.back_end))
        if (device.index() == wanted.index) return {device, "asked for"};
    throw unavailable(text, wanted.back_end);
}

bool prefers_groups(const Device& device) {
    static const bool all_of_opencl = std::getenv("TESELA_PREFERS_GROUPS") != nullptr;
    return device.properties().is_gpu || (all_of_opencl && device.back_end() == BackEnd::opencl);
}

BackEnd Device::back_end() const { return device_->back_end(); }
int Device::index() const { return device_->index(); }
std::string Device::id() const {
    std::string text(back_end_name(back_end()));
    if (back_end() != BackEnd::cpu) text += ":" + std::to_string(index());
    return text;
}
const DeviceProperties& Device::properties() const { return device_->properties(); }
std::int64_t Device::free_memory() const { return device_->free_memory(); }

}  // namespace tesela
