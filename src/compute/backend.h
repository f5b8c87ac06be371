// The contract between the compute layer and its back ends. Everything a new back end implements
// stands here; compute/back_ends.h lists them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel_code.h"
#include "tesela/compute/device.h"
#include "tesela/compute/event.h"
#include "tesela/compute/fft.h"
#include "tesela/compute/primitives.h"
#include "tesela/compute/queue.h"

namespace tesela::detail {

constexpr std::int64_t most_read_while = 256;

enum class ReduceType { i32, u32, f32 };

// A piece of a transfer: `bytes` at `offset` of device memory, and where they go.
struct HostPiece {
    void* host;
    std::int64_t offset;
    std::int64_t bytes;
};
// The range of device memory that a transfer of pieces takes, which are in order.
inline std::int64_t begin_of(std::span<const HostPiece> pieces) { return pieces.front().offset; }
inline std::int64_t end_of(std::span<const HostPiece> pieces) {
    return pieces.back().offset + pieces.back().bytes;
}
// Brings to their places what the pieces have of the range [first, first + bytes), of which
// `staged` is a copy in host memory.
void scatter(std::span<const HostPiece> pieces, std::int64_t first, std::int64_t bytes,
             const void* staged);

// Memory that somebody else allocated, and what kernels will do with it.
struct ForeignMemory {
    void* pointer;
    std::int64_t bytes;
    std::size_t alignment;  // of its elements
    bool is_written;
};

// Raw memory and work of one device, in order. Called by one thread at a time; QueueCore keeps the
// pool, the counters and the checks, so that an implementation only talks to its driver. Calls
// throw DeviceUnavailable with the driver's words; a copy to the host, end_read, finish and
// take_times wait, nothing else does. Only release, release_part and release_adopted are called
// from several threads.
class BackendQueue {
  public:
    virtual ~BackendQueue() = default;

    // Null when the memory is not there. `bytes` is positive.
    virtual void* allocate(std::int64_t bytes) = 0;
    virtual void release(void* pointer) noexcept = 0;
    // A pointer to a part of allocated memory, for kernels to take as any other; release_part ends
    // its life before that of the whole. `offset` is a multiple of 4096.
    virtual void* part(void* whole, std::int64_t offset, std::int64_t bytes) {
        static_cast<void>(bytes);
        return static_cast<char*>(whole) + offset;
    }
    virtual void release_part(void* pointer) noexcept { static_cast<void>(pointer); }

    // Takes memory of somebody else's, which kernels then take as any other, until release_adopted.
    // Returns why that is not possible, as the end of a sentence, or nothing.
    virtual std::string adopt(const ForeignMemory& memory) = 0;
    virtual void release_adopted(void* memory) noexcept { static_cast<void>(memory); }

    virtual void copy_in(void* target, const void* host, std::int64_t bytes) = 0;
    // One transfer of the range from the first to the last of the pieces, which are in order.
    virtual void copy_out(const void* source, std::span<const HostPiece> pieces) = 0;
    // Begins a copy of at most most_read_while bytes to memory of the queue's own. end_read waits
    // for it, but not for what was enqueued since, and hands it over. False where there is no such
    // copy: then copy_out serves.
    virtual bool begin_read(const void* source, std::int64_t bytes) {
        static_cast<void>(source), static_cast<void>(bytes);
        return false;
    }
    virtual void end_read(void* host, std::int64_t bytes) {
        static_cast<void>(host), static_cast<void>(bytes);
    }
    virtual void copy(void* target, const void* source, std::int64_t bytes) = 0;
    // Repeats a value of 1, 2, 4 or 8 bytes.
    virtual void fill(void* target, std::int64_t bytes, const void* value,
                      std::size_t value_bytes) = 0;

    // `size`: items, or groups for a group kernel; every axis is 1..2^31-1.
    virtual void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                        std::span<const Argument> arguments) = 0;
    // The same of a kernel that says T_AFTER_LAST_LAUNCH: it may begin before the last launch has
    // ended, though not before the ones before that have.
    virtual void launch_early(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                              std::span<const Argument> arguments) {
        launch(code, size, arguments);
    }
    // A launch that takes the host's time ends early once the token is cancelled. May be null.
    virtual void stop_on(const CancelToken* token) { static_cast<void>(token); }
    virtual void finish() = 0;

    // The point behind all work so far; null where work has ended when its call returns.
    virtual std::shared_ptr<const BackendEvent> record() { return {}; }
    // What follows begins when the event has passed. False for an event of another kind, for which
    // the host has to wait.
    virtual bool wait(const BackendEvent& event) { return static_cast<void>(event), false; }
    // The same for a stream of the vendor's that is not this queue's. Throw InvalidArgument for one
    // that records a graph.
    virtual std::shared_ptr<const BackendEvent> record_foreign(void* stream) {
        return static_cast<void>(stream), nullptr;
    }
    virtual bool make_foreign_wait(void* stream, const BackendEvent& event) {
        return static_cast<void>(stream), static_cast<void>(event), false;
    }
    virtual void* native_stream() const { return nullptr; }
    virtual void* native_context() const { return nullptr; }

    // Collects the launches, fills, copies and primitives that follow, to launch them as one at the
    // end, or not at all; false where this is not done, and they run one by one. Memory may be
    // allocated meanwhile.
    virtual bool begin_sequence() { return false; }
    virtual void end_sequence() {}
    virtual void drop_sequence() noexcept {}

    // Times of the kernels that ended since the last call, in milliseconds, in launch order; waits
    // for them. Only where the queue was made with profiling.
    struct Time {
        const char* name;
        double milliseconds;
    };
    virtual std::vector<Time> take_times() = 0;

    // Whether kernels can read the caller's host memory as it stands.
    virtual bool shares_host_memory() const { return false; }

    // A tuned primitive does the work and returns true; false leaves it to the portable kernels
    // (src/compute/primitives.cpp). Pointers are device pointers as made by allocate. `scratch`
    // gives device memory from the queue's pool that is the primitive's own until the call returns,
    // and in the queue's order after that.
    using Scratch = std::function<void*(std::int64_t bytes)>;
    struct ReduceCall {
        ReduceOperation operation;
        ReduceType type;
        const void* values;
        std::int64_t count;
        void* result;
    };
    struct ScanCall {
        const void* values;
        std::int64_t count;
        void* sums;
    };
    struct SortCall {
        void* keys;
        void* values;
        std::int64_t count;
        int key_bits;
    };
    struct CompactCall {
        const void* values;
        const void* flags;
        std::int64_t count;
        void* kept;
        void* kept_count;
    };
    struct HistogramCall {
        const void* keys;
        std::int64_t count;
        std::int64_t bins;
        void* counts;
    };
    struct FftCall {
        enum class Kind { forward, inverse, complex };
        Kind kind;
        FftDirection direction;  // of complex values, which `spectrum` has
        const FftShape& shape;
        void* real;
        void* spectrum;
        std::int64_t* plans;  // counts what is made for later calls
    };
    virtual bool reduce(const ReduceCall&, const Scratch&) { return false; }
    virtual bool exclusive_scan(const ScanCall&, const Scratch&) { return false; }
    virtual bool sort_pairs(const SortCall&, const Scratch&) { return false; }
    virtual bool compact(const CompactCall&, const Scratch&) { return false; }
    virtual bool histogram(const HistogramCall&, const Scratch&) { return false; }
    virtual bool fft(const FftCall&, const Scratch&) { return false; }
    // Ends the life of what `fft` keeps for later calls.
    virtual void drop_fft_plans() noexcept {}
};

class BackendDevice {
  public:
    virtual ~BackendDevice() = default;
    virtual BackEnd back_end() const = 0;
    virtual int index() const = 0;
    virtual const DeviceProperties& properties() const = 0;
    virtual std::int64_t free_memory() const = 0;
    // Whether an address is in its memory, where a driver can say that of any address.
    virtual bool holds(const void* memory) const { return static_cast<void>(memory), false; }
    virtual std::unique_ptr<BackendQueue> make_queue(const QueueOptions& options) const = 0;
};

// What one back end found.
struct Discovery {
    std::vector<std::shared_ptr<const BackendDevice>> devices;
    std::vector<Device::Rejected> rejected;
};

}  // namespace tesela::detail
