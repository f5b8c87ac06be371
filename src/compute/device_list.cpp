#include "tesela/compute/device_list.h"

#include <algorithm>
#include <string>

#include "compute/back_ends.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// The devices that one word names.
std::vector<Device::Choice> named_by(std::string_view word) {
    for (const detail::BackEndRow& row : detail::back_ends) {
        if (word != std::string(row.name) + ":all") continue;
        std::vector<Device::Choice> choices;
        for (const Device& device : Device::all())
            if (device.back_end() == row.back_end)
                choices.push_back({device, "one of " + std::string(word)});
        if (choices.empty()) Device::choose(row.name);  // throws the reason
        return choices;
    }
    return {Device::choose(word)};
}

}  // namespace

std::vector<Device::Choice> choose_devices(std::string_view list) {
    std::vector<Device::Choice> choices;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        for (Device::Choice& choice : named_by(list.substr(begin, end - begin))) {
            const auto same = [&](const auto& other) { return other.device == choice.device; };
            if (std::any_of(choices.begin(), choices.end(), same))
                throw InvalidArgument("the list of devices '" + std::string(list) + "' has " +
                                      choice.device.id() + " twice; name each device once");
            choices.push_back(std::move(choice));
        }
        begin = end + 1;
    }
    return choices;
}

}  // namespace tesela
