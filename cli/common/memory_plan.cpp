#include "memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#ifdef __GLIBC__
    #include <malloc.h>
#endif

#include "tesela/error.h"

namespace tesela::cli {
namespace {

// Blocks of a queue are up to a sixteenth longer than what was asked for, and small ones are many.
std::int64_t in_blocks(std::int64_t bytes) { return bytes + bytes / 16 + (1 << 14); }

std::int64_t available_of(const Device& device, std::int64_t limit) {
    const std::int64_t free = device.free_memory();
    if (limit <= 0) return free;
    return free < 0 ? limit : std::min(free, limit);
}

}  // namespace

MemoryPlan::MemoryPlan(const Device& device, const MemoryNeeds& needs, std::int64_t limit)
    : device_(device), limit_(limit) {
    const std::int64_t on_device = in_blocks(needs.device);
    const std::int64_t computing = needs.computing + (is_host() ? on_device : 0);
    host_.needed = std::max(needs.reading, needs.held + std::max(computing, needs.writing));
    host_.available = available_of(is_host() ? device : Device::parse("cpu"), limit);
    on_device_ = {on_device, available_of(device, limit)};
    if (limit <= 0) return;
    for_queue_ =
        is_host() ? std::max<std::int64_t>(limit - needs.held - needs.computing, 1) : limit;
}

void MemoryPlan::require() const {
    if (limit_ <= 0) return;
    const auto check = [&](const MemoryUse& use, const std::string& where) {
        if (use.needed <= limit_) return;
        throw OutOfMemory(fmt::format("the job needs up to {} bytes on {}, more than the limit of "
                                      "{} bytes; use a smaller image or raise --max-memory",
                                      use.needed, where, limit_),
                          use.needed, limit_);
    };
    check(host_, "the host");
    check(on_device_, device_.id());
}

std::int64_t bytes_of(const AnyImage& image) {
    return shape_of(image).elements() * pixel_type_bytes(pixel_type_of(image));
}

void require_host_memory(const std::string& what, std::int64_t needed, std::int64_t limit) {
    if (limit <= 0 || needed <= limit) return;
    throw OutOfMemory(fmt::format("{} needs up to {} bytes, more than the limit of {} bytes; use "
                                  "smaller images or raise --max-memory",
                                  what, needed, limit),
                      needed, limit);
}

void return_freed_memory() {
#ifdef __GLIBC__
    // Otherwise the threshold grows with what is freed, up to 32 MiB, and the heap keeps its holes.
    constexpr int own_mapping_from = 1 << 17;
    mallopt(M_MMAP_THRESHOLD, own_mapping_from);
#endif
}
void return_freed_memory(std::int64_t limit) {
    if (limit > 0) return_freed_memory();
}

void keep_freed_memory([[maybe_unused]] std::int64_t limit) {
#ifdef __GLIBC__
    if (limit > 0) return;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace tesela::cli
