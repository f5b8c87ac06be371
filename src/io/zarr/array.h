// Arrays of Zarr: format 2 (zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) and format 3
// (zarr-specs.readthedocs.io/en/latest/v3/core/index.html), as far as OME-Zarr has them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/volume.h"
#include "io/zarr/chunk_codec.h"
#include "io/zarr/shards.h"
#include "io/zarr/store.h"

namespace tesela::io::zarr {

// The axes that an array may have, in the order of `Lengths`.
inline constexpr std::string_view axis_letters = "tczyx";
using Lengths = std::array<std::int64_t, 5>;

struct Array {
    std::string name;  // its group within the store
    std::string axes;  // letters, the slowest first
    NumberType type = NumberType::u8;
    bool big_endian = false;
    // 1 along axes that it does not have. Strides are of the numbers within a chunk.
    Lengths shape{1, 1, 1, 1, 1}, chunk{1, 1, 1, 1, 1}, strides{};
    ChunkCodec codec;
    // Chunks along each axis that lie in one file, and what finds them there; null: one alone.
    Lengths in_shard{1, 1, 1, 1, 1};
    std::shared_ptr<Shards> shards;
    std::string key_prefix;          // "0/" or "0/c/"
    char separator = '/';            // between the places of a chunk along the axes
    std::vector<std::uint8_t> fill;  // a number of a missing chunk, in this machine's order

    std::int64_t chunk_bytes() const;
    Shape image_shape() const;
    // Of its numbers: 64-bit integers become 32-bit ones.
    PixelType pixel_type() const;
};

// A part of an array; `end` is exclusive.
struct Box {
    Lengths begin{}, end{};
};

// The array of a group, "" the root. `axes` has a letter for each of its axes; where it is empty,
// they are guessed. Throws UnreadableInput, UnsupportedFormat.
Array read_array(const Store& store, const std::string& group, const std::string& axes);

// Memory that `threads` (0: all of the CPU) hold while they decode.
std::int64_t decoding_bytes(const Array& array, int threads);
// Reads a box into an image of its size whose pixel type is that of the array. False where 64-bit
// integers do not fit. Throws UnreadableInput.
bool read_box(const Store& store, const Array& array, const Box& box, AnyImage& image, int threads);

}  // namespace tesela::io::zarr
