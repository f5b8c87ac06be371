#include "io/tile_codec.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "io/picture.h"

namespace tesela::io {
namespace {

template <class T>
void to_differences(Image<T>& image) {
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        const Shape& shape = image.shape();
        const std::int64_t row = shape.x * shape.channels;
        for (std::int64_t y = 0; y < shape.y; ++y) {
            T* values = image.data() + y * row;
            for (std::int64_t i = row - 1; i >= shape.channels; --i)
                values[i] = static_cast<T>(static_cast<U>(
                    static_cast<U>(values[i]) - static_cast<U>(values[i - shape.channels])));
        }
    }
}

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

bool has_predictor(PixelType type, TileCompression compression) {
    return compression == TileCompression::deflate && type != PixelType::f32 &&
           type != PixelType::f64;
}

std::vector<std::uint8_t> encode_tile(const AnyImage& tile, TileCompression compression,
                                      int quality) {
    if (compression == TileCompression::jpeg)
        return encode_jpeg(std::get<Image<std::uint8_t>>(tile), {quality, true});
    AnyImage values = tile;
    if (has_predictor(pixel_type_of(values), compression))
        std::visit([](auto& image) { to_differences(image); }, values);
    if (compression == TileCompression::deflate)
        return deflated(pixel_data(values), pixel_bytes(values));
    const auto* first = static_cast<const std::uint8_t*>(pixel_data(values));
    return {first, first + pixel_bytes(values)};
}

}  // namespace tesela::io
