#include "volumes/brick_batch.h"

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

using Chunks = std::vector<std::vector<std::uint8_t>>;

void join(const Chunks& chunks, std::vector<std::uint16_t>& words,
          std::vector<std::int64_t>& starts) {
    starts.assign(1, 0);
    for (const auto& chunk : chunks)
        starts.push_back(starts.back() + static_cast<std::int64_t>(chunk.size() / 2));
    words.resize(static_cast<std::size_t>(starts.back()));
    for (std::size_t i = 0; i < chunks.size(); ++i)
        std::memcpy(words.data() + starts[i], chunks[i].data(), chunks[i].size());
}

}  // namespace

BrickBatch read_batch(const BrickSource& source, int level, std::span<const BrickPlace> bricks) {
    BrickBatch batch;
    batch.level = level;
    batch.count = std::ssize(bricks);
    batch.size = source.brick_size(bricks.front());
    const std::int64_t first_bytes =
        voxels_of(size_at(batch.size, coarsest)) * pixel_type_bytes(source.facts().coded_type);
    for (int at = coarsest; at >= level; --at) {
        Chunks chunks(bricks.size());
        for_each_index(std::ssize(bricks), 0, [&](std::int64_t i) {
            const BrickPlace& place = bricks[static_cast<std::size_t>(i)];
            auto& chunk = chunks[static_cast<std::size_t>(i)] = source.chunk(at, place);
            const bool fits = at == coarsest
                                  ? std::ssize(chunk) == first_bytes
                                  : !chunk.empty() && chunk.size() % sizeof(std::uint16_t) == 0;
            if (!fits)
                throw UnreadableInput("brick " + std::to_string(place.x) + ", " +
                                      std::to_string(place.y) + ", " + std::to_string(place.z) +
                                      " is damaged at level " + std::to_string(at) +
                                      ": its data have the wrong length");
        });
        if (at == coarsest)
            for (const auto& chunk : chunks)
                batch.coarsest.insert(batch.coarsest.end(), chunk.begin(), chunk.end());
        else
            join(chunks, batch.words[static_cast<std::size_t>(at)],
                 batch.starts[static_cast<std::size_t>(at)]);
    }
    return batch;
}

// Each brick is a plane of a volume that is as large as one brick.
template <class U>
std::optional<Buffer<U>> decode_batch(const BrickBatch& batch, Queue& queue) {
    std::vector<U> first(batch.coarsest.size() / sizeof(U));
    std::memcpy(first.data(), batch.coarsest.data(), batch.coarsest.size());
    Buffer<U> voxels = queue.upload(std::span<const U>(first), "bricks");
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < batch.count; ++i) numbers.insert(numbers.end(), {0, 0, 0, i, 1});
    const auto bricks = queue.upload(std::span<const std::int32_t>(numbers), "numbers of bricks");
    constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    auto damaged = queue.allocate_filled<std::int32_t>(1, none, "damaged bricks");
    for (int at = coarsest - 1; at >= batch.level; --at) {
        const auto i = static_cast<std::size_t>(at);
        const BrickSize size = size_at(batch.size, at);
        const kernels::brick_level level{
            {size[0], size[1], size[2]}, BrickSource::side >> at, 1, at};
        Buffer<U> fine = queue.allocate<U>(batch.count * voxels_of(size), "bricks");
        queue.launch(
            decode_kernel(U{}), Groups{batch.count},
            queue.upload(std::span<const std::uint16_t>(batch.words[i]), "chunks"),
            queue.upload(std::span<const std::int64_t>(batch.starts[i]), "starts of chunks"),
            bricks, voxels, level, fine, damaged);
        voxels = std::move(fine);
    }
    std::array<std::int32_t, 1> found{};
    queue.read(damaged, std::span(found));
    if (found[0] != none) return {};
    return voxels;
}

template std::optional<Buffer<std::uint8_t>> decode_batch(const BrickBatch&, Queue&);
template std::optional<Buffer<std::uint16_t>> decode_batch(const BrickBatch&, Queue&);

}  // namespace tesela::detail
