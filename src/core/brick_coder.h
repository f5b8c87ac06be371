// The wavelet codec of bricks on the host: halving, and the details between a level and the next.
// docs/volume-files.md has the format to the byte; the device decodes the same chunks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tesela::detail {

// Voxels along x, y and z.
using BrickSize = std::array<int, 3>;

constexpr int brick_side = 64;
constexpr int block_side = 16;
constexpr int brick_levels = 5;

inline std::int64_t voxels_of(const BrickSize& size) {
    return std::int64_t{size[0]} * size[1] * size[2];
}
inline BrickSize halved(const BrickSize& size) {
    return {(size[0] + 1) / 2, (size[1] + 1) / 2, (size[2] + 1) / 2};
}
// Of a brick of `size` voxels at level 0.
inline BrickSize size_at(BrickSize size, int level) {
    for (int i = 0; i < level; ++i) size = halved(size);
    return size;
}

// The next coarser level: means of cells of 2 x 2 x 2 voxels, a voxel without a partner counting
// twice. `level` is that of `fine`; halves are rounded up at even levels, down at odd ones, so that
// they do not add up. T: all pixel types.
template <class T>
std::vector<T> halve(std::span<const T> fine, const BrickSize& size, int level);

// The chunk that leads from `coarse`, which `halve` gave, back to `fine`. Empty where the wavelet
// cannot hold it (a lane of more than 65535 words): such bricks are stored another way.
template <class T>
std::vector<std::uint8_t> encode_details(std::span<const T> fine, std::span<const T> coarse,
                                         const BrickSize& size);

// The inverse; `size` is that of `fine`, which has as many voxels. Gives false where the chunk is
// damaged. Never reads or writes beyond the spans, whatever the chunk holds. T: u8 or u16.
template <class T>
[[nodiscard]] bool decode_details(std::span<const std::uint8_t> chunk, std::span<const T> coarse,
                                  const BrickSize& size, int level, std::span<T> fine);

}  // namespace tesela::detail
