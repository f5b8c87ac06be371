// Typed memory of a device.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tesela/compute/event.h"
#include "tesela/error.h"

namespace tesela {

class Queue;

namespace detail {

class QueueCore;

// Memory that somebody else owns, and when the work that uses it has ended.
struct AdoptedMemory {
    void* pointer;
    std::shared_ptr<const void> owner;
    Event after = {};
};

// One block of device memory. `pointer` is what the back end takes for an address: an address or
// the driver's handle. Returned to the queue's pool at the end of its life.
class Block {
  public:
    Block(std::shared_ptr<QueueCore> queue, void* pointer, std::int64_t bytes, std::string name,
          bool pooled)
        : queue_(std::move(queue)),
          pointer_(pointer),
          bytes_(bytes),
          name_(std::move(name)),
          pooled_(pooled) {}
    // A part of another block, which it keeps alive.
    Block(std::shared_ptr<QueueCore> queue, std::shared_ptr<const Block> whole, void* pointer,
          std::int64_t offset, std::int64_t bytes, std::string name)
        : queue_(std::move(queue)),
          whole_(std::move(whole)),
          pointer_(pointer),
          offset_(offset),
          bytes_(bytes),
          name_(std::move(name)) {}
    // Memory that belongs to somebody else; `owner` keeps it alive.
    Block(std::shared_ptr<QueueCore> queue, void* pointer, std::int64_t bytes, std::string name,
          std::shared_ptr<const void> owner)
        : queue_(std::move(queue)), pointer_(pointer), bytes_(bytes), name_(std::move(name)) {
        adopted_.push_back({pointer, std::move(owner)});
    }
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    void* pointer() const { return pointer_; }
    void* const* pointer_address() const { return &pointer_; }
    std::int64_t bytes() const { return bytes_; }
    const std::string& name() const { return name_; }
    const QueueCore* queue() const { return queue_.get(); }
    // Whether it is the host memory of a caller, who has to keep it.
    bool is_callers() const { return bytes_ > 0 && !pooled_ && !whole_ && adopted_.empty(); }
    // The block that this one is a part of, or null, and where it begins there, in bytes.
    const Block* whole() const { return whole_.get(); }
    std::int64_t offset() const { return offset_; }

  private:
    std::shared_ptr<QueueCore> queue_;
    std::shared_ptr<const Block> whole_;
    std::list<AdoptedMemory> adopted_;  // one, or none; a list moves on without taking memory
    void* pointer_;
    std::int64_t offset_ = 0;
    std::int64_t bytes_;
    std::string name_;
    bool pooled_ = false;  // false: host memory of the caller, a part, or adopted
};

}  // namespace detail

// Move-only. A Buffer<const T> can only be read by kernels. Belongs to the queue that made it;
// memory is reused in the order of that queue, so a buffer may end while a kernel still works on
// it, and in any thread.
template <class T>
class Buffer {
  public:
    using value_type = std::remove_const_t<T>;
    static_assert(std::is_arithmetic_v<value_type> && !std::is_same_v<value_type, bool>,
                  "buffers hold numbers: structures and three-component vectors differ between "
                  "devices");

    Buffer() = default;
    Buffer(std::unique_ptr<detail::Block> block, std::int64_t size)
        : block_(std::move(block)), size_(size) {}
    // A buffer that can be written becomes one that can only be read.
    template <class U, std::enable_if_t<std::is_same_v<T, const U>, int> = 0>
    Buffer(Buffer<U>&& other) : block_(std::move(other.block_)), size_(other.size_) {}

    std::int64_t size() const { return size_; }  // elements
    std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }
    bool empty() const { return size_ == 0; }
    // A made buffer has a block, also when it has no elements.
    const detail::Block* block() const { return block_.get(); }
    std::unique_ptr<detail::Block> take_block() && { return std::move(block_); }

  private:
    friend class Buffer<const value_type>;

    std::unique_ptr<detail::Block> block_;
    std::int64_t size_ = 0;
};

// Memory of a device for others to use: `memory` is an address, or a cl_mem. It stays until the
// last copy of `owner` is gone, which may be in any thread and after the queue. Then the queue
// takes it again for work of its own: before that, let it wait for what uses the memory
// (`queue.wait(queue.record_foreign(stream))`).
struct SharedMemory {
    void* memory = nullptr;
    std::int64_t bytes = 0;
    std::shared_ptr<const void> owner;
};

// A buffer's memory, for a library that takes pointers. Whoever uses it first waits for the queue
// (Queue::record, Queue::make_foreign_wait). Throws InvalidArgument for a buffer over host memory
// that the caller has lent (Queue::lend, allocate_for), which no owner can keep.
template <class T>
SharedMemory share(Buffer<T> buffer) {
    const std::int64_t bytes = buffer.bytes();
    std::shared_ptr<const detail::Block> block = std::move(buffer).take_block();
    if (!block) return {};
    if (block->is_callers())
        throw InvalidArgument("buffer '" + block->name() +
                              "' lies in memory that was lent: share what lent it");
    return {block->pointer(), bytes, block};
}

}  // namespace tesela
