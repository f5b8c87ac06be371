#include <xxhash.h>
#include <zstd.h>

#include "io/volume_file/volume_file.h"

namespace tesela::io {

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

Bytes pack(std::span<const std::uint8_t> values, std::size_t value_bytes, int effort) {
    Bytes shuffled(values.size());
    const std::size_t count = values.size() / value_bytes;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < value_bytes; ++b)
            shuffled[b * count + i] = values[i * value_bytes + b];
    Bytes packed(ZSTD_compressBound(shuffled.size()));
    const std::size_t length =
        ZSTD_compress(packed.data(), packed.size(), shuffled.data(), shuffled.size(), effort);
    if (ZSTD_isError(length)) throw std::bad_alloc();  // the only way that it can fail
    packed.resize(length);
    return packed;
}

std::size_t unpacked_bytes(std::span<const std::uint8_t> packed) {
    const unsigned long long bytes = ZSTD_getFrameContentSize(packed.data(), packed.size());
    return bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN
               ? 0
               : static_cast<std::size_t>(bytes);
}

bool unpack(std::span<const std::uint8_t> packed, std::size_t value_bytes,
            std::span<std::uint8_t> values) {
    Bytes shuffled(values.size());
    const std::size_t length =
        ZSTD_decompress(shuffled.data(), shuffled.size(), packed.data(), packed.size());
    if (ZSTD_isError(length) || length != values.size()) return false;
    const std::size_t count = values.size() / value_bytes;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < value_bytes; ++b)
            values[i * value_bytes + b] = shuffled[b * count + i];
    return true;
}

}  // namespace tesela::io
