#include "io/zlib_stream.h"

#include <libdeflate.h>

#include <iterator>
#include <memory>
#include <new>

#include "io/deflate_pieces.h"

namespace tesela::io {
namespace {

// The tables are large, so that each thread keeps its own.
libdeflate_compressor* compressor_of(int level) {
    using Kept = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;
    thread_local Kept kept(nullptr, libdeflate_free_compressor);
    thread_local int kept_level = 0;
    if (!kept || kept_level != level) kept.reset(libdeflate_alloc_compressor(level));
    if (!kept) throw std::bad_alloc();
    kept_level = level;
    return kept.get();
}

libdeflate_decompressor* decompressor() {
    using Kept = std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;
    thread_local const Kept kept(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (!kept) throw std::bad_alloc();
    return kept.get();
}

}  // namespace

std::vector<std::uint8_t> zlib_packed(std::span<const std::uint8_t> bytes, int level) {
    auto* const compressor = compressor_of(level);
    std::vector<std::uint8_t> packed(libdeflate_zlib_compress_bound(compressor, bytes.size()));
    packed.resize(libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), packed.data(),
                                           packed.size()));
    return packed;
}

std::vector<std::uint8_t> zlib_packed_fast(std::span<const std::uint8_t> bytes) {
    constexpr std::uint8_t head[] = {0x78, 0x01};  // a window of 32 KiB, packed fast
    std::vector<std::uint8_t> packed = deflate_fast(bytes, true);
    packed.insert(packed.begin(), head, std::end(head));
    const std::uint32_t sum = libdeflate_adler32(1, bytes.data(), bytes.size());
    for (int shift = 24; shift >= 0; shift -= 8)
        packed.push_back(static_cast<std::uint8_t>(sum >> shift));
    return packed;
}

bool zlib_unpack(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes) {
    return libdeflate_zlib_decompress(decompressor(), packed.data(), packed.size(), bytes.data(),
                                      bytes.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

bool gzip_unpack(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes) {
    return libdeflate_gzip_decompress(decompressor(), packed.data(), packed.size(), bytes.data(),
                                      bytes.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

}  // namespace tesela::io
