// A queue runs kernels on one device, in order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tesela/compute/buffer.h"
#include "tesela/compute/device.h"
#include "tesela/compute/event.h"
#include "tesela/compute/kernel.h"
#include "tesela/error.h"

namespace tesela {

class CancelToken;

// Items along x, y and z. An empty axis makes an empty launch.
struct Range {
    std::int64_t x = 1, y = 1, z = 1;
};
// Groups along x, y and z of a group kernel.
struct Groups {
    std::int64_t x = 1, y = 1, z = 1;
};

struct QueueOptions {
    int threads = 0;              // of the CPU; 0: all
    std::int64_t max_memory = 0;  // bytes of device memory; 0: what the device has
    bool profile = false;         // take the time of every kernel
    // Testing hook: called before each allocation from the driver; false makes it fail.
    bool (*allow_allocation)(std::int64_t bytes) = nullptr;
};

struct KernelTime {
    std::string name;
    std::int64_t launches = 0;
    double total_ms = 0, lowest_ms = 0, highest_ms = 0;
};

// What a queue was given to do. The work of one call is the difference of what was counted after
// and before it.
struct QueueWork {
    std::int64_t launches = 0;                // of kernels of the dialect
    std::int64_t graphs = 0;                  // sequences that were launched as one
    std::int64_t tuned_primitives = 0;        // done by the back end; each may be several launches
    std::int64_t fills = 0, copies = 0;       // of device memory
    std::int64_t uploads = 0, downloads = 0;  // of more than 256 bytes
    std::int64_t small_transfers = 0;         // of at most 256 bytes, either way
    std::int64_t bytes_uploaded = 0, bytes_downloaded = 0;
    std::int64_t allocations = 0;  // from the driver, not from the pool
    std::int64_t plans = 0;        // of Fourier transforms
};
QueueWork operator-(const QueueWork& after, const QueueWork& before);

struct QueueCounters : QueueWork {
    std::int64_t bytes_allocated = 0;  // from the driver, now
    std::int64_t bytes_in_use = 0, peak_bytes_in_use = 0;
};

namespace detail {

// One argument of a launch, as the back ends take it.
struct Argument {
    const void* value;   // address of the scalar, or of the block's pointer
    std::size_t bytes;   // of the scalar; of a pointer for a block
    const Block* block;  // null for a scalar
    bool written;
};

template <class P>
struct ArgumentFor {  // a scalar parameter takes exactly its own type
    template <class A>
    static Argument make(const A& argument) {
        static_assert(std::is_same_v<A, P>,
                      "a kernel's scalar argument must have exactly the type of the parameter");
        return {&argument, sizeof(P), nullptr, false};
    }
};
template <class T>
struct ArgumentFor<T*> {
    template <class A>
    static Argument make(A& argument) {
        using Buffer_ = std::remove_const_t<A>;
        constexpr bool reads = std::is_const_v<T>;
        constexpr bool same_type = std::is_same_v<Buffer_, Buffer<std::remove_const_t<T>>> ||
                                   std::is_same_v<Buffer_, Buffer<const T>>;
        static_assert(same_type, "a kernel's pointer parameter takes a Buffer of its element type");
        static_assert(!same_type || reads || std::is_same_v<A, Buffer<T>>,
                      "a kernel writes through this parameter: a read-only buffer does not do");
        const Block* block = argument.block();
        return {block ? block->pointer_address() : nullptr, sizeof(void*), block, !reads};
    }
};

// Where the elements of a block go in host memory.
struct Download {
    const Block* source;
    void* host;
    std::int64_t bytes;
};

// Whether a launch begins when the last one has ended, or may begin before.
enum class LaunchTime { in_turn, early };

// The part of a queue that buffers keep alive.
class QueueCore;

}  // namespace detail

// In-order and asynchronous; owned by one thread at a time. Errors of a device's earlier work may
// surface in any later call; each names the kernels in question.
class Queue {
  public:
    explicit Queue(const Device& device, const QueueOptions& options = {});
    ~Queue();
    Queue(Queue&&) noexcept;
    Queue& operator=(Queue&&) noexcept;

    const Device& device() const;

    // Uninitialized memory. Throws OutOfMemory with the bytes needed and free. `name` stands in
    // errors.
    template <class T>
    Buffer<T> allocate(std::int64_t elements, std::string_view name) {
        return Buffer<T>(allocate_block(bytes_of<T>(elements, name), name), elements);
    }
    template <class T>
    Buffer<T> allocate_filled(std::int64_t elements, T value, std::string_view name) {
        Buffer<T> buffer = allocate<T>(elements, name);
        fill(buffer, value);
        return buffer;
    }
    // Buffers of T... that are neighbors in one block of memory, so that `read` can fetch them
    // together. `name` stands for all of them. Throws as allocate does.
    template <class... T>
    std::tuple<Buffer<T>...> allocate_together(
        const std::array<std::int64_t, sizeof...(T)>& elements, std::string_view name) {
        return together<T...>(elements, name, std::index_sequence_for<T...>{});
    }
    // A copy of host memory on the device.
    template <class T>
    Buffer<T> upload(std::span<const T> host, std::string_view name) {
        Buffer<T> buffer = allocate<T>(static_cast<std::int64_t>(host.size()), name);
        write(buffer, host);
        return buffer;
    }
    // Host memory for kernels to read: on the CPU the memory itself, which must outlive the buffer;
    // elsewhere a copy.
    template <class T>
    Buffer<const T> lend(std::span<const T> host, std::string_view name) {
        const auto elements = static_cast<std::int64_t>(host.size());
        return Buffer<const T>(lend_block(host.data(), elements * sizeof_(host), name), elements);
    }
    // Uninitialized memory for what will be read into `host`: on the CPU `host` itself, which must
    // outlive the buffer and which that read leaves as it is; elsewhere memory of the device.
    template <class T>
    Buffer<T> allocate_for(std::span<T> host, std::string_view name) {
        const auto elements = static_cast<std::int64_t>(host.size());
        return Buffer<T>(
            allocate_block_for(host.data(), static_cast<std::int64_t>(host.size_bytes()), name),
            elements);
    }

    // Memory that somebody else allocated, as it stands: host memory for a CPU, CUDA memory of this
    // device (or managed), a cl_mem of this device's context (native_context). `owner` is kept
    // until the work given to this queue before the buffer's end has ended; it is let go of in a
    // later call, in finish, or with the queue. A caller more than 1,024 such owners ahead of the
    // device waits for it. For ordering among streams see `wait` and `record_foreign`. Throws
    // InvalidArgument for memory of another device, with fewer bytes, that is read-only where T is
    // not, or at a misaligned address: on a CPU it must be a multiple of the element's size, with
    // CUDA of 16 bytes.
    template <class T>
    Buffer<T> adopt(std::conditional_t<std::is_const_v<T>, const void*, void*> memory,
                    std::int64_t elements, std::shared_ptr<const void> owner,
                    std::string_view name) {
        return Buffer<T>(adopt_block(const_cast<void*>(memory), bytes_of<T>(elements, name),
                                     alignof(T), !std::is_const_v<T>, std::move(owner), name),
                         elements);
    }

    // Both return when the host memory may be reused or read.
    template <class T>
    void write(Buffer<T>& buffer, std::span<const T> host) {
        check_fits(*buffer.block(), buffer.bytes(), static_cast<std::int64_t>(host.size_bytes()));
        copy_in(*buffer.block(), host.data(), static_cast<std::int64_t>(host.size_bytes()));
    }
    template <class T>
    void read(const Buffer<T>& buffer, std::span<std::remove_const_t<T>> host) {
        check_fits(*buffer.block(), buffer.bytes(), static_cast<std::int64_t>(host.size_bytes()));
        copy_out(*buffer.block(), host.data(), static_cast<std::int64_t>(host.size_bytes()));
    }
    // As `read`, of at most 256 bytes as they are before `enqueue`, which is called meanwhile, so
    // that the device goes on while the host waits. In `enqueue`, transfers and waiting are refused
    // with InvalidArgument.
    template <class T>
    void read_while(const Buffer<T>& buffer, std::span<std::remove_const_t<T>> host,
                    const std::function<void()>& enqueue) {
        check_fits(*buffer.block(), buffer.bytes(), static_cast<std::int64_t>(host.size_bytes()));
        read_block_while(*buffer.block(), host.data(), static_cast<std::int64_t>(host.size_bytes()),
                         enqueue);
    }
    // Both, in one transfer where allocate_together made them in this order.
    template <class A, class B>
    void read(const Buffer<A>& first, std::span<std::remove_const_t<A>> first_host,
              const Buffer<B>& second, std::span<std::remove_const_t<B>> second_host) {
        const auto bytes = [](auto host) { return static_cast<std::int64_t>(host.size_bytes()); };
        check_fits(*first.block(), first.bytes(), bytes(first_host));
        check_fits(*second.block(), second.bytes(), bytes(second_host));
        const std::array<detail::Download, 2> downloads{
            {{first.block(), first_host.data(), bytes(first_host)},
             {second.block(), second_host.data(), bytes(second_host)}}};
        copy_out_together(downloads);
    }
    template <class T>
    std::vector<std::remove_const_t<T>> download(const Buffer<T>& buffer) {
        std::vector<std::remove_const_t<T>> host(static_cast<std::size_t>(buffer.size()));
        read(buffer, std::span<std::remove_const_t<T>>(host));
        return host;
    }
    template <class T>
    void copy(const Buffer<T>& source, Buffer<std::remove_const_t<T>>& target) {
        check_fits(*target.block(), target.bytes(), source.bytes());
        copy_blocks(*source.block(), *target.block(), source.bytes());
    }
    template <class T>
    void fill(Buffer<T>& buffer, T value) {
        fill_block(*buffer.block(), buffer.bytes(), &value, sizeof(T));
    }

    // Arguments are checked against the kernel's own parameter list when the caller is compiled.
    template <class... P, class... A>
    void launch(const ItemKernel<void(P...)>& kernel, const Range& range, A&&... arguments) {
        launch_typed<P...>(detail::LaunchTime::in_turn, *kernel.code, {range.x, range.y, range.z},
                           arguments...);
    }
    template <class... P, class... A>
    void launch(const GroupKernel<void(P...)>& kernel, const Groups& groups, A&&... arguments) {
        launch_typed<P...>(detail::LaunchTime::in_turn, *kernel.code,
                           {groups.x, groups.y, groups.z}, arguments...);
    }
    // As `launch`, of a kernel that says T_AFTER_LAST_LAUNCH (docs/kernels.md): groups may begin
    // while the last launch still runs, and wait there until it has ended. All before it has.
    template <class... P, class... A>
    void launch_early(const GroupKernel<void(P...)>& kernel, const Groups& groups,
                      A&&... arguments) {
        launch_typed<P...>(detail::LaunchTime::early, *kernel.code, {groups.x, groups.y, groups.z},
                           arguments...);
    }

    // Calls `enqueue`, which launches kernels, fills, copies and runs primitives; transfers and
    // waiting are refused there with InvalidArgument. Where the device can, all of it is launched
    // as one, which costs less where the parts are many and short, and is counted as one graph and
    // nothing else; as several, where memory runs short meanwhile. A sequence within another is
    // part of it.
    void sequence(const std::function<void()>& enqueue);

    // The point after all work given so far.
    Event record();
    // Work given from now on begins when the event has passed; the host goes on, unless the event
    // is of another kind of device. Both are refused in a sequence, with InvalidArgument.
    void wait(const Event& event);
    // The same for a stream that is not Tesela's: a CUstream, where 1 and 2 are the legacy default
    // and the thread's, or a cl_command_queue of this context; InvalidArgument for one that records
    // a graph. On a CPU there is nothing to order. Queues do not wait for CUDA's default stream by
    // themselves.
    Event record_foreign(void* stream);
    void make_foreign_wait(void* stream, const Event& event);
    // This queue's own CUstream or cl_command_queue, and of OpenCL the context; null of a CPU.
    void* native_stream() const;
    void* native_context() const;

    // From now on work throws Cancelled once the token is cancelled, from any thread: between
    // launches, and on a CPU within them. What buffers then hold is not defined. Null: no token. It
    // outlives the queue or the next call.
    void stop_on(const CancelToken* token);

    // Returns when all work is done. Throws what went wrong since the last call.
    void finish();

    QueueCounters counters() const;
    // Finishes, then gives the times taken since the queue was made, the longest total first. Empty
    // unless QueueOptions::profile.
    std::vector<KernelTime> profile();
    // Gives memory that no buffer holds back to the driver, and what transforms keep.
    void trim();

    detail::QueueCore& core() { return *core_; }

  private:
    using Size = std::array<std::int64_t, 3>;

    template <class T>
    static std::int64_t bytes_of(std::int64_t elements, std::string_view name) {
        constexpr auto size = static_cast<std::int64_t>(sizeof(T));
        if (elements < 0 || elements > std::numeric_limits<std::int64_t>::max() / size)
            throw InvalidArgument("buffer '" + std::string(name) + "' cannot have " +
                                  std::to_string(elements) + " elements");
        return elements * size;
    }
    template <class T>
    static constexpr std::int64_t sizeof_(std::span<const T>) {
        return static_cast<std::int64_t>(sizeof(T));
    }
    template <class... T, std::size_t... I>
    std::tuple<Buffer<T>...> together(const std::array<std::int64_t, sizeof...(T)>& elements,
                                      std::string_view name, std::index_sequence<I...>) {
        const std::array<std::int64_t, sizeof...(T)> bytes{bytes_of<T>(elements[I], name)...};
        auto blocks = allocate_parts(bytes, name);
        return {Buffer<T>(std::move(blocks[I]), elements[I])...};
    }
    template <class... P, class... A>
    void launch_typed(detail::LaunchTime time, const detail::KernelCode& code, const Size& size,
                      A&... arguments) {
        static_assert(sizeof...(A) == sizeof...(P),
                      "a kernel takes exactly the arguments of its parameter list");
        if constexpr (sizeof...(A) == sizeof...(P)) {
            const std::array<detail::Argument, sizeof...(A)> made{
                detail::ArgumentFor<P>::make(arguments)...};
            launch_code(code, size, made, time);
        }
    }

    std::unique_ptr<detail::Block> allocate_block(std::int64_t bytes, std::string_view name);
    std::vector<std::unique_ptr<detail::Block>> allocate_parts(std::span<const std::int64_t> bytes,
                                                               std::string_view name);
    std::unique_ptr<detail::Block> lend_block(const void* host, std::int64_t bytes,
                                              std::string_view name);
    std::unique_ptr<detail::Block> allocate_block_for(void* host, std::int64_t bytes,
                                                      std::string_view name);
    std::unique_ptr<detail::Block> adopt_block(void* memory, std::int64_t bytes,
                                               std::size_t alignment, bool is_written,
                                               std::shared_ptr<const void> owner,
                                               std::string_view name);
    void copy_in(const detail::Block& target, const void* host, std::int64_t bytes);
    void copy_out(const detail::Block& source, void* host, std::int64_t bytes);
    void read_block_while(const detail::Block& source, void* host, std::int64_t bytes,
                          const std::function<void()>& enqueue);
    void copy_out_together(std::span<const detail::Download> downloads);
    void copy_blocks(const detail::Block& source, const detail::Block& target, std::int64_t bytes);
    void fill_block(const detail::Block& target, std::int64_t bytes, const void* value,
                    std::size_t value_bytes);
    static void check_fits(const detail::Block& block, std::int64_t buffer_bytes,
                           std::int64_t host_bytes);
    void launch_code(const detail::KernelCode& code, const Size& size,
                     std::span<const detail::Argument> arguments, detail::LaunchTime time);

    std::shared_ptr<detail::QueueCore> core_;
};

}  // namespace tesela
