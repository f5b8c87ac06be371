// The device of an address.
#pragma once

#include <optional>

#include "tesela/compute/device.h"

namespace tesela {

// The device in whose memory an address is, as CUDA's driver says, which puts no device to use for
// that; nothing for memory of the host and of other back ends.
std::optional<Device> find_device(const void* memory);

}  // namespace tesela
