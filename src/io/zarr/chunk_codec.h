// How the numbers of a chunk of a Zarr array become the bytes that are stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/file.h"

namespace tesela::io::zarr {

enum class Packing { none, zlib, gzip, zstd, blosc };

// Checksums (CRC-32C) stand behind what they are of.
struct ChunkCodec {
    Packing packing = Packing::none;
    bool unpacked_checksum = false, packed_checksum = false;
};

// Whether the stored bytes, which may be changed, are a chunk that fills `bytes`. Errors of modules
// name `path`.
bool unpack_chunk(const fs::path& path, const ChunkCodec& codec, std::vector<std::uint8_t>& stored,
                  std::span<std::uint8_t> bytes);
// Puts the checksum of the bytes behind them, or takes it off where it is right.
void add_checksum(std::vector<std::uint8_t>& bytes);
bool take_checksum(std::vector<std::uint8_t>& bytes);
// The most bytes that are stored of a chunk of so many; more are no chunk's.
std::int64_t most_stored(std::int64_t chunk_bytes);

}  // namespace tesela::io::zarr
