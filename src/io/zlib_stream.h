// Whole streams of zlib (RFC 1950) and gzip in memory, such as the strips of a TIFF.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tesela::io {

// All may be called from several threads at once. Throw std::bad_alloc. `level`: 1 to 12.
std::vector<std::uint8_t> zlib_packed(std::span<const std::uint8_t> bytes, int level);
// By ISA-L, in half the time of level 1.
std::vector<std::uint8_t> zlib_packed_fast(std::span<const std::uint8_t> bytes);
// Whether `packed` is a stream that fills `bytes`, with a right checksum.
bool zlib_unpack(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes);
// The same of a single member of gzip (RFC 1952).
bool gzip_unpack(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes);

}  // namespace tesela::io
