#include "io/picture.h"

#include <utility>

#include "io/embedded_tiff.h"

namespace tesela::io {
namespace {

template <class T>
Image<T> reoriented(const Image<T>& image, int orientation) {
    const Shape& from = image.shape();
    const bool transposed = orientation >= 5;
    // The mirroring along the stored x and y axes (EXIF 2.3, section 4.6.4, tag 274).
    const bool flip_x =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool flip_y =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Shape to = from;
    if (transposed) std::swap(to.x, to.y);
    Image<T> upright(to, image.geometry);
    upright.has_alpha = image.has_alpha;
    for (std::int64_t i = 0; i < to.z * to.t; ++i)
        for (std::int64_t y = 0; y < to.y; ++y)
            for (std::int64_t x = 0; x < to.x; ++x) {
                const std::int64_t z = i % to.z, t = i / to.z;
                const std::int64_t u = transposed ? y : x;
                const std::int64_t v = transposed ? x : y;
                const T* source =
                    &image(flip_x ? from.x - 1 - u : u, flip_y ? from.y - 1 - v : v, z, t);
                T* target = &upright(x, y, z, t);
                for (int c = 0; c < to.channels; ++c) target[c] = source[c];
            }
    return upright;
}

AnyImage make_image(PixelType type, const Shape& shape) {
    switch (type) {
        case PixelType::u8:
            return Image<std::uint8_t>(shape);
        case PixelType::i8:
            return Image<std::int8_t>(shape);
        case PixelType::u16:
            return Image<std::uint16_t>(shape);
        case PixelType::i16:
            return Image<std::int16_t>(shape);
        case PixelType::u32:
            return Image<std::uint32_t>(shape);
        case PixelType::i32:
            return Image<std::int32_t>(shape);
        case PixelType::f32:
            return Image<float>(shape);
        case PixelType::f64:
            break;
    }
    return Image<double>(shape);
}

}  // namespace

AnyImage allocate(const fs::path& path, PixelType type, const Shape& shape,
                  const DecodeOptions& options, std::int64_t work) {
    try {
        validate(shape);
    } catch (const InvalidArgument& error) {
        throw unreadable(path, error.what());
    }
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(shape.elements(), pixel_type_bytes(type), &bytes))
        throw unreadable(path, "the header claims more pixels than can be addressed");
    require_memory(path, bytes, options.max_bytes, work);
    return make_image(type, shape);
}

void* pixel_data(AnyImage& image) {
    return std::visit([](auto& i) -> void* { return i.data(); }, image);
}
const void* pixel_data(const AnyImage& image) {
    return std::visit([](const auto& i) -> const void* { return i.data(); }, image);
}
std::size_t pixel_bytes(const AnyImage& image) {
    return std::visit([](const auto& i) { return i.pixels().size() * sizeof(i.pixels()[0]); },
                      image);
}

bool is_upright(int orientation) { return orientation < 2 || orientation > 8; }

void apply_orientation(AnyImage& image, int orientation) {
    if (is_upright(orientation)) return;
    std::visit([&](auto& i) { i = reoriented(i, orientation); }, image);
}

int exif_orientation(std::span<const std::uint8_t> exif) {
    constexpr int orientation_tag = 0x0112;
    const EmbeddedTiff tiff(exif);
    const auto at = tiff.find(orientation_tag);
    const int orientation = at ? static_cast<int>(tiff.u16(*at)) : 1;
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

}  // namespace tesela::io
