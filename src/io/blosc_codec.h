// Containers of Blosc (c-blosc 1), such as the chunks of OME-Zarr. The library is in a module,
// which is loaded with the first of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/file.h"

namespace tesela::io {

// Both may be called from several threads at once, and throw UnsupportedFormat that names `path`
// where the module is missing.

// Whether `packed` is a container that fills `bytes`.
bool blosc_unpack(const fs::path& path, std::span<const std::uint8_t> packed,
                  std::span<std::uint8_t> bytes);

// How bytes are packed: those of numbers are sorted by their place in a number first.
struct BloscForm {
    const char* compressor = "zstd";  // or lz4
    int level = 3;                    // 1 to 9
    int number_bytes = 1;
};
// Of at most blosc_longest bytes.
std::vector<std::uint8_t> blosc_packed(const fs::path& path, std::span<const std::uint8_t> bytes,
                                       const BloscForm& form);
inline constexpr std::int64_t blosc_longest = 0x7fffffff - 16;

}  // namespace tesela::io
