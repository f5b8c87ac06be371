#include "io/dicom_palette.h"

#include <algorithm>

namespace tesela::io {
namespace {

int word_at(const std::string& raw, std::size_t at) {
    return static_cast<unsigned char>(raw[at]) | static_cast<unsigned char>(raw[at + 1]) << 8;
}

// How many colors there are, and the value of the first one.
struct Extent {
    std::size_t count = 0;
    std::int64_t first = 0;

    bool operator==(const Extent&) const = default;
};
Extent extent_of(const DicomFields& fields, std::uint32_t tag, bool is_signed) {
    const std::string* raw = fields.raw(tag);
    if (!raw || raw->size() != 6) fields.invalid("PaletteColorLookupTableDescriptor");
    constexpr std::size_t most = 1 << 16;  // which takes 17 bits and is written as 0
    const auto count = static_cast<std::size_t>(word_at(*raw, 0));
    const int first = word_at(*raw, 2);
    return {count == 0 ? most : count, is_signed ? static_cast<std::int16_t>(first) : first};
}

}  // namespace

std::shared_ptr<const DicomPalette> read_palette(const InputFile& file, const DicomFields& fields,
                                                 bool is_signed) {
    constexpr std::uint32_t red_extent = 0x00281101, red_segments = 0x00281221;
    if (fields.raw(red_segments))
        throw unsupported(file.path(),
                          "the table of its colors is in segments, which is not "
                          "supported");
    const Extent extent = extent_of(fields, red_extent, is_signed);
    DicomPalette palette{.first = extent.first, .wide = false, .colors = {}};
    palette.colors.resize(extent.count);
    for (std::uint32_t c = 0; c < 3; ++c) {
        const std::string* table = fields.raw(red_table_tag + c);
        if (!table || table->size() < extent.count ||
            extent_of(fields, red_extent + c, is_signed) != extent)
            fields.invalid("PaletteColorLookupTableData");
        // Bytes, whatever the descriptor says, where there is no room for more.
        const bool words = table->size() >= 2 * extent.count;
        for (std::size_t i = 0; i < extent.count; ++i) {
            const int value =
                words ? word_at(*table, 2 * i) : static_cast<unsigned char>((*table)[i]);
            palette.colors[i][c] = static_cast<std::uint16_t>(value);
            palette.wide = palette.wide || value > 255;
        }
    }
    return std::make_shared<const DicomPalette>(std::move(palette));
}

AnyImage with_colors(const fs::path& path, const AnyImage& places, const DicomPalette& palette,
                     const DecodeOptions& options) {
    Shape shape = shape_of(places);
    shape.channels = 3;
    AnyImage colored =
        allocate(path, palette.wide ? PixelType::u16 : PixelType::u8, shape, options);
    geometry_of(colored) = geometry_of(places);
    std::visit(
        [&]<class To, class From>(Image<To>& to, const Image<From>& from) {
            auto* out = to.data();
            const std::int64_t last = std::ssize(palette.colors) - 1;
            for (const From value : from.pixels()) {
                const std::int64_t at = std::clamp<std::int64_t>(
                    static_cast<std::int64_t>(value) - palette.first, 0, last);
                for (const std::uint16_t color : palette.colors[static_cast<std::size_t>(at)])
                    *out++ = static_cast<To>(color);
            }
        },
        colored, places);
    return colored;
}

}  // namespace tesela::io
