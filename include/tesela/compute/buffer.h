// Typed memory of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tesela {

class Queue;

namespace detail {

class QueueCore;

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
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    void* pointer() const { return pointer_; }
    void* const* pointer_address() const { return &pointer_; }
    std::int64_t bytes() const { return bytes_; }
    const std::string& name() const { return name_; }
    const QueueCore* queue() const { return queue_.get(); }
    // The block that this one is a part of, or null, and where it begins there, in bytes.
    const Block* whole() const { return whole_.get(); }
    std::int64_t offset() const { return offset_; }

  private:
    std::shared_ptr<QueueCore> queue_;
    std::shared_ptr<const Block> whole_;
    void* pointer_;
    std::int64_t offset_ = 0;
    std::int64_t bytes_;
    std::string name_;
    bool pooled_ = false;  // false: host memory of the caller, or a part
};

}  // namespace detail

// Move-only. A Buffer<const T> can only be read by kernels. Belongs to the queue that made it;
// memory is reused in the order of that queue, so a buffer may end while a kernel still works on
// it.
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

  private:
    friend class Buffer<const value_type>;

    std::unique_ptr<detail::Block> block_;
    std::int64_t size_ = 0;
};

}  // namespace tesela
