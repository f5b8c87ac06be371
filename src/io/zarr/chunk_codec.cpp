#include "io/zarr/chunk_codec.h"

#include <isa-l/crc.h>
#include <zstd.h>

#include <cstring>

#include "io/blosc_codec.h"
#include "io/zlib_stream.h"

namespace tesela::io::zarr {
namespace {

constexpr std::size_t checksum_bytes = 4;

std::uint32_t checksum_of(std::span<const std::uint8_t> bytes) {
    std::uint32_t sum = ~0u;
    constexpr std::size_t part = std::size_t{1} << 30;  // ISA-L counts in int
    for (std::size_t at = 0; at < bytes.size(); at += part) {
        const auto piece = bytes.subspan(at, std::min(part, bytes.size() - at));
        sum = crc32_iscsi(const_cast<std::uint8_t*>(piece.data()), static_cast<int>(piece.size()),
                          sum);
    }
    return ~sum;
}

bool unpack(const fs::path& path, Packing packing, std::span<const std::uint8_t> stored,
            std::span<std::uint8_t> bytes) {
    switch (packing) {
        case Packing::zlib:
            return zlib_unpack(stored, bytes);
        case Packing::gzip:
            return gzip_unpack(stored, bytes);
        case Packing::zstd:
            return ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size()) ==
                   bytes.size();
        case Packing::blosc:
            return blosc_unpack(path, stored, bytes);
        case Packing::none:
            break;
    }
    if (stored.size() != bytes.size()) return false;
    std::memcpy(bytes.data(), stored.data(), bytes.size());
    return true;
}

}  // namespace

bool unpack_chunk(const fs::path& path, const ChunkCodec& codec, std::vector<std::uint8_t>& stored,
                  std::span<std::uint8_t> bytes) {
    if (codec.packed_checksum && !take_checksum(stored)) return false;
    if (!codec.unpacked_checksum) return unpack(path, codec.packing, stored, bytes);
    std::vector<std::uint8_t> checked(bytes.size() + checksum_bytes);
    if (!unpack(path, codec.packing, stored, checked) || !take_checksum(checked)) return false;
    std::memcpy(bytes.data(), checked.data(), bytes.size());
    return true;
}

void add_checksum(std::vector<std::uint8_t>& bytes) {
    const std::uint32_t sum = checksum_of(bytes);
    for (std::size_t i = 0; i < checksum_bytes; ++i)
        bytes.push_back(static_cast<std::uint8_t>(sum >> 8 * i));
}

bool take_checksum(std::vector<std::uint8_t>& bytes) {
    if (bytes.size() < checksum_bytes) return false;
    const std::size_t size = bytes.size() - checksum_bytes;
    std::uint32_t stored = 0;
    for (std::size_t i = checksum_bytes; i-- > 0;) stored = stored << 8 | bytes[size + i];
    bytes.resize(size);
    return stored == checksum_of(bytes);
}

// All of these codecs store what does not shrink with at most a hundredth more.
std::int64_t most_stored(std::int64_t chunk_bytes) {
    constexpr std::int64_t heads = 1 << 12;
    return chunk_bytes + chunk_bytes / 64 + heads;
}

}  // namespace tesela::io::zarr
