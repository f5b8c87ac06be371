// The form in which a device solves tridiagonal systems.
#pragma once

#include "tesela/compute/device.h"

namespace tesela {

// Groups hold the rows of parts in registers and local memory; the CPU back end uses vectors
// instead. An OpenCL CPU takes groups: its stack cannot hold the tiles of all items at once.
inline bool takes_tridiagonal_groups(const Device& device) {
    return device.back_end() != BackEnd::cpu;
}

}  // namespace tesela
