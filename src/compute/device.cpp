#include "tesela/compute/device.h"

#include <charconv>

#include "compute/back_ends.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Looked for once: a program that starts and stops drivers is not worth the cost.
const detail::Discovery& discovery() {
    static const detail::Discovery found = [] {
        detail::Discovery all;
        for (const detail::BackEndRow& row : detail::back_ends) {
            detail::Discovery one = row.discover();
            all.devices.insert(all.devices.end(), one.devices.begin(), one.devices.end());
            all.rejected.insert(all.rejected.end(), one.rejected.begin(), one.rejected.end());
        }
        return all;
    }();
    return found;
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

// How "auto" looks for a GPU.
std::string search_for_gpu() {
    std::string titles;
    for (const detail::BackEndRow& row : detail::back_ends)
        if (row.back_end != BackEnd::cpu)
            titles += (titles.empty() ? "" : ", then ") + std::string(row.title);
    return "looked for through " + titles;
}

DeviceUnavailable unavailable(std::string_view text, BackEnd back_end) {
    std::string sentence = "device '" + std::string(text) + "' is not there";
    std::string present, reasons;
    for (const Device& device : Device::all())
        if (device.back_end() == back_end) present += (present.empty() ? "" : ", ") + device.id();
    for (const auto& rejected : Device::rejected())
        if (rejected.back_end == back_end)
            reasons += (reasons.empty() ? "" : "; ") + rejected.what + ": " + rejected.why;
    if (!present.empty()) sentence += "; this machine has " + present;
    if (!reasons.empty()) sentence += " (" + reasons + ")";
    return DeviceUnavailable(sentence + "; 'tesela devices' lists what there is");
}

}  // namespace

std::string_view back_end_name(BackEnd back_end) {
    return detail::back_ends[static_cast<std::size_t>(back_end)].name;
}

std::vector<Device> Device::all() {
    std::vector<Device> devices;
    for (const auto& device : discovery().devices) devices.emplace_back(device);
    return devices;
}

std::vector<Device::Rejected> Device::rejected() { return discovery().rejected; }

Device Device::best() { return choose("auto").device; }
Device Device::parse(std::string_view text) { return choose(text).device; }

Device::Choice Device::choose(std::string_view text) {
    const std::vector<Device> devices = all();
    const auto first = [&](auto matches) -> const Device* {
        for (const Device& device : devices)
            if (matches(device)) return &device;
        return nullptr;
    };
    if (text == "auto") {
        if (const Device* gpu = first([](const Device& d) { return d.properties().is_gpu; }))
            return {*gpu, "the first GPU found, " + search_for_gpu()};
        if (const Device* cpu = first([](const Device& d) { return d.back_end() == BackEnd::cpu; }))
            return {*cpu, "no GPU was found, " + search_for_gpu()};
        throw unavailable(text, BackEnd::cpu);
    }
    const Wanted wanted = parse_wanted(text);
    const Device* found = first([&](const Device& device) {
        return device.back_end() == wanted.back_end && device.index() == wanted.index;
    });
    if (!found) throw unavailable(text, wanted.back_end);
    return {*found, "asked for"};
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
