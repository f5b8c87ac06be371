// Several devices by one text.
#pragma once

#include <string_view>
#include <vector>

#include "tesela/compute/device.h"

namespace tesela {

// The devices of a comma-separated list, in its order. A word is as Device::choose takes it, or
// "cuda:all" and the like for all devices of a back end. Throws as Device::choose does, and
// InvalidArgument for a word without text and a device that is named twice.
std::vector<Device::Choice> choose_devices(std::string_view list);

}  // namespace tesela
