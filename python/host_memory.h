// Memory of the host for pixels that come from a device.
#pragma once

#include <cstdint>
#include <memory>

namespace tesela::python {

// Of any values. That of large arrays which have ended is used again, 256 MiB at most: to meet the
// pages of new memory takes longer than to write to them. Throws std::bad_alloc.
std::shared_ptr<void> host_memory(std::int64_t bytes);

// Gives what is kept back to the system.
void trim_host_memory();

}  // namespace tesela::python
