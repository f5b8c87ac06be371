#include "tesela/compute/find_device.h"

#include "compute/backend.h"

namespace tesela {

std::optional<Device> find_device(const void* memory) {
    for (const Device& device : Device::all())
        if (device.backend().holds(memory)) return device;
    return {};
}

}  // namespace tesela
