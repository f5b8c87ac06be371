#include "volumes/brick_batch.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "core/threads.h"
#include "kernels/volumes/bricks.kernel.h"

namespace tesela::detail {
namespace {

constexpr int coarsest = BrickSource::level_count - 1;

constexpr const auto& decode_kernel(std::uint8_t) { return kernels::brick_decode_u8; }
constexpr const auto& decode_kernel(std::uint16_t) { return kernels::brick_decode_u16; }

using Chunk = std::vector<std::uint8_t>;

Chunk read_chunk(const BrickSource& source, int level, const BrickPlace& place,
                 std::int64_t coarsest_bytes) {
    Chunk chunk = source.chunk(level, place);
    const bool fits = level == coarsest ? std::ssize(chunk) == coarsest_bytes
                                        : !chunk.empty() && chunk.size() % 2 == 0;
    if (!fits)
        throw UnreadableInput("brick " + std::to_string(place.x) + ", " + std::to_string(place.y) +
                              ", " + std::to_string(place.z) + " is damaged at level " +
                              std::to_string(level) + ": its data have the wrong length");
    return chunk;
}

std::vector<std::int64_t> starts_of(const std::vector<Chunk>& chunks, std::int64_t element_bytes) {
    std::vector<std::int64_t> starts{0};
    starts.reserve(chunks.size() + 1);
    for (const Chunk& chunk : chunks)
        starts.push_back(starts.back() + std::ssize(chunk) / element_bytes);
    return starts;
}

// Chunks one behind the other, each from where it starts on, counted in elements.
template <class T>
void join(const std::vector<Chunk>& chunks, const std::vector<std::int64_t>& starts,
          std::vector<T>& elements) {
    elements.resize(static_cast<std::size_t>(starts.back()));
    constexpr std::int64_t together = 64;
    const std::int64_t parts = (std::ssize(chunks) + together - 1) / together;
    for_each_index(parts, 0, [&](std::int64_t part) {
        const auto begin = static_cast<std::size_t>(part * together);
        const std::size_t end = std::min(chunks.size(), begin + together);
        for (std::size_t i = begin; i < end; ++i)
            std::memcpy(elements.data() + starts[i], chunks[i].data(), chunks[i].size());
    });
}

}  // namespace

BrickBatch read_batch(const BrickSource& source, int level, std::span<const BrickPlace> bricks) {
    BrickBatch batch;
    batch.level = level;
    batch.count = std::ssize(bricks);
    batch.size = source.brick_size(bricks.front());
    const std::int64_t coarsest_bytes =
        voxels_of(size_at(batch.size, coarsest)) * pixel_type_bytes(source.facts().coded_type);
    std::array<std::vector<Chunk>, BrickSource::level_count> chunks;
    for (auto at = static_cast<std::size_t>(level); at <= coarsest; ++at)
        chunks[at].resize(bricks.size());
    for_each_index(batch.count, 0, [&](std::int64_t number) {
        const auto i = static_cast<std::size_t>(number);
        for (int at = coarsest; at >= level; --at)
            chunks[static_cast<std::size_t>(at)][i] =
                read_chunk(source, at, bricks[i], coarsest_bytes);
    });
    join(chunks[coarsest], starts_of(chunks[coarsest], 1), batch.coarsest);
    for (auto at = static_cast<std::size_t>(level); at < coarsest; ++at) {
        batch.starts[at] = starts_of(chunks[at], sizeof(std::uint16_t));
        join(chunks[at], batch.starts[at], batch.words[at]);
    }
    return batch;
}

// Each brick is a plane of a volume that is as large as one brick.
template <class U>
const Buffer<U>* BatchDecoder<U>::decode(const BrickBatch& batch, Queue& queue) {
    first_.resize(batch.coarsest.size() / sizeof(U));
    std::memcpy(first_.data(), batch.coarsest.data(), batch.coarsest.size());
    const Buffer<U>* voxels = &coarsest_.written(first_, queue, "bricks");
    for (auto i = static_cast<std::int32_t>(numbers_.size() / kernels::brick_numbers);
         i < batch.count; ++i)
        numbers_.insert(numbers_.end(), {0, 0, 0, i, 1});
    const auto& bricks = bricks_.written(numbers_, queue, "numbers of bricks");
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    auto& damaged = damaged_.holding(1, queue, "damaged bricks");
    queue.fill(damaged, none);
    for (int at = coarsest - 1; at >= batch.level; --at) {
        const auto i = static_cast<std::size_t>(at);
        const BrickSize size = size_at(batch.size, at);
        const kernels::brick_level level{
            {size[0], size[1], size[2]}, BrickSource::side >> at, 1, at};
        Buffer<U>& fine = voxels_[i].holding(batch.count * voxels_of(size), queue, "bricks");
        const auto& words = words_[i].written(batch.words[i], queue, "chunks");
        const auto& starts = starts_[i].written(batch.starts[i], queue, "starts of chunks");
        queue.launch(decode_kernel(U{}), Groups{batch.count}, words, starts, bricks, *voxels, level,
                     fine, damaged);
        voxels = &fine;
    }
    std::array<std::int32_t, 1> found{};
    queue.read(damaged, std::span(found));
    return found[0] == none ? voxels : nullptr;
}

template class BatchDecoder<std::uint8_t>;
template class BatchDecoder<std::uint16_t>;

}  // namespace tesela::detail
