// Windows bitmaps, read and written here: no library in use takes them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "io/picture.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t compression_none = 0, compression_bit_fields = 3,
                        compression_alpha_bit_fields = 6;

std::uint32_t load16(const Bytes& b, std::size_t at) {
    return static_cast<std::uint32_t>(b[at] | b[at + 1] << 8);
}
std::uint32_t load32(const Bytes& b, std::size_t at) {
    return load16(b, at) | load16(b, at + 2) << 16;
}

struct BmpHeader {
    std::uint32_t data_offset = 0, header_size = 0, compression = 0, colors = 0;
    std::int64_t width = 0, height = 0;
    bool top_down = false;
    std::uint32_t bits = 0;
    std::array<std::uint32_t, 4> masks{};  // red, green, blue, alpha

    std::int64_t row_bytes() const { return (width * bits + 31) / 32 * 4; }
    std::size_t palette_entry_bytes() const { return header_size == 12 ? 3 : 4; }
};

class BmpParser {
  public:
    explicit BmpParser(const InputFile& file) : file_(file) {}

    BmpHeader parse() {
        Bytes start(18);
        file_.read(0, start);
        BmpHeader h;
        h.data_offset = load32(start, 10);
        h.header_size = load32(start, 14);
        static constexpr std::uint32_t sizes[] = {12, 40, 52, 56, 108, 124};
        if (std::find(std::begin(sizes), std::end(sizes), h.header_size) == std::end(sizes))
            throw unsupported(file_.path(), "its BMP header of " + std::to_string(h.header_size) +
                                                " bytes is of no known version");
        Bytes info(h.header_size);
        file_.read(14, info);
        if (h.header_size == 12)
            parse_core(info, h);
        else
            parse_info(info, h);
        check(h);
        return h;
    }

    // Red, green and blue of each entry; entries beyond the palette are black.
    std::vector<std::array<std::uint8_t, 3>> palette(const BmpHeader& h) const {
        std::vector<std::array<std::uint8_t, 3>> entries(std::size_t{1} << h.bits);
        const std::size_t most = entries.size();
        const std::size_t count = h.colors == 0 ? most : std::min<std::size_t>(h.colors, most);
        Bytes raw(count * h.palette_entry_bytes());
        file_.read(14 + std::int64_t{h.header_size}, raw);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* bgr = &raw[i * h.palette_entry_bytes()];
            entries[i] = {bgr[2], bgr[1], bgr[0]};
        }
        return entries;
    }

  private:
    static void parse_core(const Bytes& info, BmpHeader& h) {
        h.width = load16(info, 4);
        h.height = load16(info, 6);
        h.bits = load16(info, 10);
    }

    void parse_info(const Bytes& info, BmpHeader& h) const {
        h.width = static_cast<std::int32_t>(load32(info, 4));
        h.height = static_cast<std::int32_t>(load32(info, 8));
        h.top_down = h.height < 0;
        if (h.top_down) h.height = -h.height;
        h.bits = load16(info, 14);
        h.compression = load32(info, 16);
        h.colors = load32(info, 32);
        parse_masks(info, h);
    }

    void parse_masks(const Bytes& info, BmpHeader& h) const {
        if (h.bits == 16) h.masks = {0x7c00, 0x03e0, 0x001f, 0};
        if (h.bits == 32) h.masks = {0xff0000, 0x00ff00, 0x0000ff, 0};
        if (h.compression != compression_bit_fields &&
            h.compression != compression_alpha_bit_fields)
            return;
        // Behind the 40-byte header, or inside a longer one, at the same place.
        const bool with_alpha =
            h.header_size >= 56 || h.compression == compression_alpha_bit_fields;
        Bytes raw(with_alpha ? 16 : 12);
        if (h.header_size == 40)
            file_.read(14 + 40, raw);
        else
            std::copy_n(info.begin() + 40, std::min(raw.size(), info.size() - 40), raw.begin());
        for (std::size_t i = 0; 4 * i < raw.size(); ++i) h.masks[i] = load32(raw, 4 * i);
    }

    void check(const BmpHeader& h) const {
        if (h.compression == 1 || h.compression == 2)
            throw unsupported(file_.path(), "it is a run-length coded BMP; save it uncompressed");
        const bool fields = h.compression == compression_bit_fields ||
                            h.compression == compression_alpha_bit_fields;
        if (h.compression != compression_none && !(fields && (h.bits == 16 || h.bits == 32)))
            throw unsupported(file_.path(), "its BMP compression " + std::to_string(h.compression) +
                                                " is not supported");
        static constexpr std::uint32_t depths[] = {1, 4, 8, 16, 24, 32};
        if (std::find(std::begin(depths), std::end(depths), h.bits) == std::end(depths))
            throw unsupported(file_.path(), "a BMP of " + std::to_string(h.bits) +
                                                " bits a pixel is not supported");
        if (h.width <= 0 || h.height <= 0)
            throw unreadable(file_.path(), "the BMP header claims " + std::to_string(h.width) +
                                               " x " + std::to_string(h.height) + " pixels");
        const std::int64_t room = file_.size() - h.data_offset;
        if (h.data_offset < 14 + h.header_size || h.row_bytes() > room / h.height)
            throw unreadable(file_.path(), "the header claims " + std::to_string(h.width) + " x " +
                                               std::to_string(h.height) + " pixels of " +
                                               std::to_string(h.bits) +
                                               " bits, more than the file holds");
        check_masks(h);
    }

    void check_masks(const BmpHeader& h) const {
        for (const std::uint32_t mask : h.masks) {
            const std::uint32_t field = mask ? mask >> std::countr_zero(mask) : 0;
            if ((field & (field + 1)) != 0 || field > 0xff)
                throw unsupported(file_.path(), "its BMP color masks are not supported");
        }
    }

    const InputFile& file_;
};

// One channel of a pixel, stretched to 0..255.
std::uint8_t field_value(std::uint32_t pixel, std::uint32_t mask) {
    if (mask == 0) return 0;
    const std::uint32_t most = mask >> std::countr_zero(mask);
    const std::uint32_t value = (pixel & mask) >> std::countr_zero(mask);
    return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
}

std::uint8_t packed_index(const std::uint8_t* row, std::int64_t x, std::uint32_t bits) {
    const std::int64_t bit = x * bits;
    const auto shift = static_cast<unsigned>(8 - bits - bit % 8);
    return static_cast<std::uint8_t>(row[bit / 8] >> shift & ((1u << bits) - 1));
}

void decode_indexed(const BmpHeader& h, const std::uint8_t* row, std::uint8_t* out, int channels,
                    const std::vector<std::array<std::uint8_t, 3>>& palette) {
    for (std::int64_t x = 0; x < h.width; ++x) {
        const std::uint8_t index = packed_index(row, x, h.bits);
        if (palette.empty())
            *out++ = index;
        else
            out = std::copy_n(palette[index].data(), channels, out);
    }
}

void decode_direct(const BmpHeader& h, const std::uint8_t* row, std::uint8_t* out, int channels) {
    const std::size_t pixel_bytes = h.bits / 8;
    for (std::int64_t x = 0; x < h.width; ++x, row += pixel_bytes) {
        if (h.bits == 24) {
            out[0] = row[2];
            out[1] = row[1];
            out[2] = row[0];
        } else {
            std::uint32_t pixel = 0;
            for (std::size_t i = 0; i < pixel_bytes; ++i)
                pixel |= static_cast<std::uint32_t>(row[i]) << 8 * i;
            for (int c = 0; c < channels; ++c)
                out[c] = field_value(pixel, h.masks[static_cast<std::size_t>(c)]);
        }
        out += channels;
    }
}

bool is_gray(const std::vector<std::array<std::uint8_t, 3>>& palette) {
    return std::all_of(palette.begin(), palette.end(),
                       [](const auto& c) { return c[0] == c[1] && c[1] == c[2]; });
}

void append(Bytes& bytes, std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

// File header, then a 40-byte header, or a 108-byte one where there is opacity, then gray palette.
Bytes bmp_header(const Shape& shape, std::uint32_t data_bytes) {
    const std::uint32_t info_bytes = shape.channels == 4 ? 108 : 40;
    const std::uint32_t palette_bytes = shape.channels == 1 ? 1024 : 0;
    const std::uint32_t offset = 14 + info_bytes + palette_bytes;
    Bytes b = {'B', 'M'};
    append(b, offset + data_bytes, 4);
    append(b, 0, 4);
    append(b, offset, 4);
    append(b, info_bytes, 4);
    append(b, static_cast<std::uint32_t>(shape.x), 4);
    append(b, static_cast<std::uint32_t>(shape.y), 4);
    append(b, 1, 2);  // planes
    append(b, static_cast<std::uint32_t>(8 * shape.channels), 2);
    append(b, shape.channels == 4 ? compression_bit_fields : compression_none, 4);
    append(b, data_bytes, 4);
    b.resize(b.size() + 16, 0);  // resolution and palette counts: none and default
    if (shape.channels == 4) {
        for (const std::uint32_t mask : {0xff0000u, 0xff00u, 0xffu, 0xff000000u})
            append(b, mask, 4);
        append(b, 0x73524742, 4);  // the color space: sRGB
        b.resize(offset, 0);
    }
    for (std::uint32_t i = 0; 4 * i < palette_bytes; ++i) append(b, i * 0x010101, 4);
    return b;
}

}  // namespace

ReadResult read_bmp(const InputFile& file, const DecodeOptions& options) {
    BmpParser parser(file);
    const BmpHeader h = parser.parse();
    const bool indexed = h.bits <= 8;
    std::vector<std::array<std::uint8_t, 3>> palette;
    if (indexed && !options.indices) palette = parser.palette(h);
    const bool alpha = h.masks[3] != 0;
    const int channels = indexed ? (is_gray(palette) ? 1 : 3) : alpha ? 4 : 3;
    AnyImage any = allocate(file.path(), PixelType::u8, {h.width, h.height, 1, 1, channels},
                            options, h.row_bytes());
    auto& image = std::get<Image<std::uint8_t>>(any);
    image.has_alpha = alpha;
    Bytes row(static_cast<std::size_t>(h.row_bytes()));
    for (std::int64_t stored = 0; stored < h.height; ++stored) {
        file.read(h.data_offset + stored * h.row_bytes(), row);
        std::uint8_t* out = &image(0, h.top_down ? stored : h.height - 1 - stored);
        if (indexed)
            decode_indexed(h, row.data(), out, channels, palette);
        else
            decode_direct(h, row.data(), out, channels);
    }
    return {std::move(any), "BMP", {}, static_cast<int>(h.bits)};
}

void write_bmp(const AnyImage& any, OutputFile& file) {
    const auto& image = std::get<Image<std::uint8_t>>(any);
    const Shape& shape = image.shape();
    const std::int64_t row_bytes = (shape.x * shape.channels + 3) / 4 * 4;
    const Bytes header = bmp_header(shape, static_cast<std::uint32_t>(row_bytes * shape.y));
    file.write_or_throw(header.data(), header.size());
    Bytes row(static_cast<std::size_t>(row_bytes));
    for (std::int64_t y = shape.y - 1; y >= 0; --y) {
        const std::uint8_t* in = &image(0, y);
        for (std::int64_t x = 0; x < shape.x; ++x, in += shape.channels) {
            std::uint8_t* out = &row[static_cast<std::size_t>(x * shape.channels)];
            std::copy_n(in, shape.channels, out);
            if (shape.channels >= 3) std::swap(out[0], out[2]);
        }
        file.write_or_throw(row.data(), row.size());
    }
    file.close();
}

}  // namespace tesela::io
