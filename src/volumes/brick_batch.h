// Some bricks of a volume, decoded on a device one behind the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/compute/queue.h"
#include "volumes/brick_coder.h"

namespace tesela::detail {

// Whether the bricks that the wavelet codes hold numbers of U, in which signed ones begin at 0.
template <class U>
bool holds_coded(const BrickSourceFacts& facts) {
    const PixelType coded = facts.coded_type;
    return !facts.is_labels && pixel_type_bytes(coded) == sizeof(U) && coded != PixelType::f32;
}

// The chunks of bricks of one size that the wavelet codes, from the coarsest level to `level`.
struct BrickBatch {
    BrickSize size{};  // of each at level 0
    int level = 0;
    std::int64_t count = 0;
    std::vector<std::uint8_t> coarsest;  // voxels
    std::array<std::vector<std::uint16_t>, BrickSource::level_count - 1> words;
    std::array<std::vector<std::int64_t>, BrickSource::level_count - 1> starts;
};
// Reads by all of the CPU. Throws UnreadableInput that names a brick whose chunk is damaged.
BrickBatch read_batch(const BrickSource& source, int level, std::span<const BrickPlace> bricks);

// Memory of a device for elements that come again and again, as many as the most so far.
template <class T>
class ReusedBuffer {
  public:
    Buffer<T>& holding(std::int64_t elements, Queue& queue, const char* name) {
        if (buffer_.size() < elements) {
            buffer_ = Buffer<T>();  // goes first
            buffer_ = queue.allocate<T>(elements + elements / 8, name);
        }
        return buffer_;
    }
    Buffer<T>& written(std::span<const T> host, Queue& queue, const char* name) {
        Buffer<T>& buffer = holding(std::ssize(host), queue, name);
        queue.write(buffer, host);
        return buffer;
    }

  private:
    Buffer<T> buffer_;
};

// Decodes batches one after the other, in the same memory. U: u8 or u16.
template <class U>
class BatchDecoder {
  public:
    // The coded numbers of a batch at its level, brick behind brick, until the next call; null
    // where a brick is damaged.
    const Buffer<U>* decode(const BrickBatch& batch, Queue& queue);

  private:
    static constexpr std::size_t finer_levels = BrickSource::level_count - 1;

    ReusedBuffer<U> coarsest_;
    std::array<ReusedBuffer<U>, finer_levels> voxels_;
    std::array<ReusedBuffer<std::uint16_t>, finer_levels> words_;
    std::array<ReusedBuffer<std::int64_t>, finer_levels> starts_;
    ReusedBuffer<std::int32_t> bricks_, damaged_;
    std::vector<U> first_;
    std::vector<std::int32_t> numbers_;
};

}  // namespace tesela::detail
