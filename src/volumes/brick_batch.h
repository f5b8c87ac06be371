// Some bricks of a volume, decoded on a device one behind the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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
// Throws UnreadableInput that names a brick whose chunk is damaged.
BrickBatch read_batch(const BrickSource& source, int level, std::span<const BrickPlace> bricks);

// Their coded numbers at `level`, brick behind brick; nothing where one is damaged. U: u8 or u16.
template <class U>
std::optional<Buffer<U>> decode_batch(const BrickBatch& batch, Queue& queue);

}  // namespace tesela::detail
