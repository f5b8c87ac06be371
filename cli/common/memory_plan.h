// What a job takes of the host's and of the device's memory, and whether it may.
#pragma once

#include <cstdint>

#include "option_types.h"
#include "tesela/compute/device.h"
#include "tesela/image.h"

namespace tesela::cli {

// In bytes, at most.
struct MemoryNeeds {
    std::int64_t reading = 0;    // inputs, and what their decoders hold
    std::int64_t held = 0;       // inputs and results
    std::int64_t computing = 0;  // on the host beside these, while the device works
    std::int64_t device = 0;     // as an algorithm's *_device_bytes tells
    std::int64_t writing = 0;    // beside what is held, while files are written
};

// Of one kind of memory. A figure below 0 is unknown.
struct MemoryUse {
    std::int64_t needed = 0, available = 0;
    bool fits() const { return available < 0 || needed <= available; }
};

// The device's memory and the host's are the same where the device is the CPU. Otherwise each may
// be as much as --max-memory allows.
class MemoryPlan {
  public:
    // `limit` is --max-memory; 0: none.
    MemoryPlan(const Device& device, const MemoryNeeds& needs, std::int64_t limit);

    const Device& device() const { return device_; }
    // Whether the device's memory is the host's.
    bool is_host() const { return device_.back_end() == BackEnd::cpu; }
    const MemoryUse& on_host() const { return host_; }
    const MemoryUse& on_device() const { return on_device_; }
    // Throws OutOfMemory where the job may need more than --max-memory.
    void require() const;
    // What of --max-memory is left to the queue; 0 where there is no limit.
    std::int64_t for_queue() const { return for_queue_; }

  private:
    const Device& device_;
    std::int64_t limit_;
    std::int64_t for_queue_ = 0;
    MemoryUse host_, on_device_;
};

// Of the pixels.
std::int64_t bytes_of(const AnyImage& image);
template <class T>
std::int64_t bytes_of(const Image<T>& image) {
    return image.shape().elements() * static_cast<std::int64_t>(sizeof(T));
}

// Throws OutOfMemory where host memory of `needed` bytes is beyond the limit of --max-memory.
// `what` begins the sentence: "evaluate labels".
void require_host_memory(const std::string& what, std::int64_t needed, std::int64_t limit);

// Memory that is freed goes back to the system at once, so that the process does not hold more than
// what is in use. It costs time: where a limit is given, verbs that hold images pay it.
void return_freed_memory();
void return_freed_memory(std::int64_t limit);
// Memory that is freed stays with the process, where there is no limit: of large frames that come
// and go, asking the system for each costs more than what is done with it.
void keep_freed_memory(std::int64_t limit);

}  // namespace tesela::cli
