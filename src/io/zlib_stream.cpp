#include "io/zlib_stream.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace tesela::io {
namespace {

// A compressor's tables are large, so that each thread keeps its own.
template <class T, auto make, auto end>
T* of_thread() {
    thread_local const std::unique_ptr<T, decltype(end)> kept(make(), end);
    if (!kept) throw std::bad_alloc();
    return kept.get();
}

libdeflate_compressor* make_compressor() {
    constexpr int level = 7;  // libtiff's own
    return libdeflate_alloc_compressor(level);
}

}  // namespace

std::vector<std::uint8_t> zlib_packed(std::span<const std::uint8_t> bytes) {
    auto* const compressor =
        of_thread<libdeflate_compressor, make_compressor, libdeflate_free_compressor>();
    std::vector<std::uint8_t> packed(libdeflate_zlib_compress_bound(compressor, bytes.size()));
    packed.resize(libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), packed.data(),
                                           packed.size()));
    return packed;
}

bool zlib_unpack(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes) {
    auto* const decompressor = of_thread<libdeflate_decompressor, libdeflate_alloc_decompressor,
                                         libdeflate_free_decompressor>();
    return libdeflate_zlib_decompress(decompressor, packed.data(), packed.size(), bytes.data(),
                                      bytes.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

}  // namespace tesela::io
