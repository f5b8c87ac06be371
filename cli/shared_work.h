// Work in pieces that the devices of a machine share.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "tesela/compute/device.h"
#include "tesela/stage_load.h"

namespace tesela::cli {

// Threads that share_work takes: one for each queue of the devices.
int sharing_threads(const std::vector<Device>& devices);

// Calls `work` for each piece below `count`; a thread that is free takes the next one. `done` is
// called for each in order from the caller's thread, with what `work` threw, which says the device
// where several share.
//
// A device that fails takes no further piece, and another device does the one it had; the last one
// that is left tries all. Throws what `done` throws.
std::vector<DeviceLoad> share_work(
    const std::vector<Device>& devices, std::int64_t count,
    const std::function<void(std::int64_t piece, const Device& device)>& work,
    const std::function<void(std::int64_t piece, std::exception_ptr error)>& done);

}  // namespace tesela::cli
