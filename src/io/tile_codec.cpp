#include "io/tile_codec.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "io/picture.h"

namespace tesela::io {
namespace {

std::vector<std::uint8_t> deflated(const void* data, std::size_t bytes) {
    std::vector<std::uint8_t> packed(compressBound(bytes));
    uLongf length = packed.size();
    constexpr int level = 6;
    if (compress2(packed.data(), &length, static_cast<const Bytef*>(data), bytes, level) != Z_OK)
        throw std::bad_alloc();
    packed.resize(length);
    return packed;
}

}  // namespace

AnyImage padded_tile(const AnyImage& tile, std::int64_t side) {
    return std::visit(
        [&](const auto& from) -> AnyImage {
            const Shape& s = from.shape();
            std::decay_t<decltype(from)> to(Shape{side, side, 1, 1, s.channels});
            for (std::int64_t y = 0; y < side; ++y) {
                const auto* row = from.data() + std::min(y, s.y - 1) * s.x * s.channels;
                auto* out = to.data() + y * side * s.channels;
                std::copy_n(row, s.x * s.channels, out);
                for (std::int64_t x = s.x; x < side; ++x)
                    std::copy_n(row + (s.x - 1) * s.channels, s.channels, out + x * s.channels);
            }
            return to;
        },
        tile);
}

std::vector<std::uint8_t> encode_tile(const AnyImage& tile, TileCompression compression,
                                      int quality) {
    if (compression == TileCompression::jpeg)
        return encode_jpeg(std::get<Image<std::uint8_t>>(tile), {quality, true});
    if (compression == TileCompression::deflate)
        return deflated(pixel_data(tile), pixel_bytes(tile));
    const auto* first = static_cast<const std::uint8_t*>(pixel_data(tile));
    return {first, first + pixel_bytes(tile)};
}

}  // namespace tesela::io
