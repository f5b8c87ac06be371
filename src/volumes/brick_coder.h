// The wavelet codec of bricks on the host: halving, and the details between a level and the next.
// kernels/volumes/brick_format.h has the format, which devices decode as well.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tesela/brick_source.h"

namespace tesela::detail {

// Voxels along x, y and z.
using BrickSize = std::array<int, 3>;

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
// twice. `level` is that of `fine`, by which halves are rounded. T: all pixel types.
template <class T>
std::vector<T> halve(std::span<const T> fine, const BrickSize& size, int level);

// The chunk that restores `fine` from `coarse`, which `halve` gave. The words of a stream of any
// brick can be counted with 16 bits.
template <class T>
std::vector<std::uint8_t> encode_details(std::span<const T> fine, std::span<const T> coarse,
                                         const BrickSize& size);

// The inverse; `size` is that of `fine`, which has as many voxels. Gives false where the chunk is
// damaged. Never reads or writes beyond the spans, whatever the chunk holds. T: u8 or u16.
template <class T>
[[nodiscard]] bool decode_details(std::span<const std::uint8_t> chunk, std::span<const T> coarse,
                                  const BrickSize& size, int level, std::span<T> fine);

// The chunks of a brick by level: details, and of the coarsest level the voxels.
using BrickChunks = std::array<std::vector<std::uint8_t>, BrickSource::level_count>;
// All levels of a brick. T: u8 or u16.
template <class T>
BrickChunks encode_brick(std::vector<T> fine, BrickSize size);

// The voxels of a brick of `size` at `level`, which become those of `voxels`; `chunk_of` gives the
// chunk of a level. Gives the level whose chunk is damaged, if any.
template <class T, class ChunkOf>
std::optional<int> decode_brick(const BrickSize& size, int level, const ChunkOf& chunk_of,
                                std::vector<T>& voxels) {
    constexpr int coarsest = BrickSource::level_count - 1;
    voxels.resize(static_cast<std::size_t>(voxels_of(size_at(size, coarsest))));
    const std::vector<std::uint8_t> first = chunk_of(coarsest);
    if (first.size() != voxels.size() * sizeof(T)) return coarsest;
    std::memcpy(voxels.data(), first.data(), first.size());
    for (int at = coarsest - 1; at >= level; --at) {
        const BrickSize finer = size_at(size, at);
        std::vector<T> fine(static_cast<std::size_t>(voxels_of(finer)));
        if (!decode_details<T>(chunk_of(at), voxels, finer, at, fine)) return at;
        voxels = std::move(fine);
    }
    return {};
}

// 8- and 16-bit integers are coded as unsigned ones, the lowest as 0.
template <class T>
inline constexpr bool has_wavelet = std::is_integral_v<T> && sizeof(T) <= 2;
template <class T>
constexpr std::make_unsigned_t<T> flipped(std::make_unsigned_t<T> value) {
    using U = std::make_unsigned_t<T>;
    constexpr U flip = std::is_signed_v<T> ? U{1} << (8 * sizeof(T) - 1) : U{0};
    return static_cast<U>(value ^ flip);
}
template <class T>
std::vector<std::make_unsigned_t<T>> as_unsigned(std::span<const T> values) {
    using U = std::make_unsigned_t<T>;
    std::vector<U> coded;
    coded.reserve(values.size());
    for (const T value : values) coded.push_back(flipped<T>(static_cast<U>(value)));
    return coded;
}
template <class T>
std::vector<T> as_signed(std::span<const std::make_unsigned_t<T>> coded) {
    std::vector<T> values;
    values.reserve(coded.size());
    for (const auto number : coded) values.push_back(static_cast<T>(flipped<T>(number)));
    return values;
}

}  // namespace tesela::detail
