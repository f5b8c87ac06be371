#include "tesela/compute/device.h"

#include <charconv>

#include "compute/backend.h"
#include "compute/backends.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Looked for once: a program that starts and stops drivers is not worth the cost.
const detail::Discovery& discovery() {
    static const detail::Discovery found = [] {
        detail::Discovery all;
        for (const auto discover : detail::built_back_ends) {
            detail::Discovery one = discover();
            all.devices.insert(all.devices.end(), one.devices.begin(), one.devices.end());
            all.rejected.insert(all.rejected.end(), one.rejected.begin(), one.rejected.end());
        }
        for (const auto& rejected : detail::back_ends_not_built) all.rejected.push_back(rejected);
        return all;
    }();
    return found;
}

struct Wanted {
    BackEnd back_end;
    int index;
};

InvalidArgument not_a_device(std::string_view text) {
    return InvalidArgument("'" + std::string(text) +
                           "' is not a device: write auto, cpu, cuda, cuda:N, opencl or opencl:N");
}

Wanted parse_wanted(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    Wanted wanted{BackEnd::cpu, 0};
    bool known = false;
    for (const BackEnd candidate : {BackEnd::cpu, BackEnd::cuda, BackEnd::opencl})
        if (name == back_end_name(candidate)) {
            wanted.back_end = candidate;
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
    switch (back_end) {
        case BackEnd::cuda:
            return "cuda";
        case BackEnd::opencl:
            return "opencl";
        case BackEnd::cpu:
            break;
    }
    return "cpu";
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
    const auto is = [](BackEnd back_end) {
        return [=](const Device& device) { return device.back_end() == back_end; };
    };
    if (text == "auto") {
        if (const Device* cuda = first(is(BackEnd::cuda)))
            return {*cuda, "the first CUDA device comes first"};
        if (const Device* gpu = first([](const Device& device) {
                return device.back_end() == BackEnd::opencl && device.properties().is_gpu;
            }))
            return {*gpu, "there is no CUDA device, and this is the first OpenCL GPU"};
        if (const Device* cpu = first(is(BackEnd::cpu)))
            return {*cpu, "there is no CUDA device and no OpenCL GPU"};
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
