// WebP through libwebp.
#include <cstring>

#include "io/picture.h"
#include "io/webp/table.h"

namespace tesela::io {
namespace {

using webp_module::Table;
using Bytes = std::vector<std::uint8_t>;

std::uint32_t load32(const Bytes& bytes, std::size_t at) {
    return static_cast<std::uint32_t>(bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16) |
           static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}

// The orientation in the chunk of EXIF data, which follows the pixels.
int orientation_in(const Bytes& bytes) {
    constexpr std::size_t file_head = 12, chunk_head = 8;
    for (std::size_t at = file_head; bytes.size() >= at + chunk_head;) {
        const std::size_t length = load32(bytes, at + 4), left = bytes.size() - at - chunk_head;
        if (length > left) break;
        const std::span value = std::span(bytes).subspan(at + chunk_head, length);
        if (std::memcmp(&bytes[at], "EXIF", 4) == 0) return exif_orientation(value);
        at += chunk_head + length + length % 2;
    }
    return 1;
}

WebPBitstreamFeatures features_of(const InputFile& file, const Table& webp, const Bytes& bytes) {
    constexpr std::size_t file_head = 12, mark = 8;
    if (bytes.size() < file_head || load32(bytes, 4) > bytes.size() - mark)
        throw unreadable(file.path(), "its WebP data end early");
    WebPBitstreamFeatures features{};
    if (webp.get_features(bytes.data(), bytes.size(), &features, WEBP_DECODER_ABI_VERSION) !=
        VP8_STATUS_OK)
        throw unreadable(file.path(), "its WebP header is damaged or truncated");
    if (features.has_animation)
        throw unsupported(file.path(),
                          "it is an animated WebP, of which no single picture is read; "
                          "convert it to a video or to pictures");
    return features;
}

}  // namespace

ReadResult read_webp(const InputFile& file, const DecodeOptions& options) {
    const auto& webp = require_module<Table>(file.path());
    require_memory(file.path(), 0, options.max_bytes, file.size());
    Bytes bytes(static_cast<std::size_t>(file.size()));
    file.read(0, bytes);
    const WebPBitstreamFeatures features = features_of(file, webp, bytes);
    const Shape shape{features.width, features.height, 1, 1, features.has_alpha ? 4 : 3};
    // The decoder holds rows of the picture, or all of a lossless one.
    const std::int64_t work = file.size() + 4 * shape.points();
    ReadResult result{allocate(file.path(), PixelType::u8, shape, options, work), "WebP", {}};
    result.work_bytes = work;
    auto& image = std::get<Image<std::uint8_t>>(result.image);
    image.has_alpha = features.has_alpha != 0;
    const auto decode = image.has_alpha ? webp.decode_rgba : webp.decode_rgb;
    if (!decode(bytes.data(), bytes.size(), image.data(), image.pixels().size(),
                static_cast<int>(shape.x * shape.channels)))
        throw unreadable(file.path(), "its WebP pixels are damaged or truncated");
    apply_orientation(result.image, orientation_in(bytes));
    return result;
}

}  // namespace tesela::io
