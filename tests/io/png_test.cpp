// PNG files made by libpng itself, in the forms that our writer does not make.
#include <png.h>

#include <algorithm>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

using PngTest = FileTest;

struct PngForm {
    int color = PNG_COLOR_TYPE_GRAY, depth = 8;
    bool interlaced = false;
    std::vector<png_color> palette = {};
    std::vector<png_byte> palette_alpha = {};
    int transparent_gray = -1;
    png_uint_32 pixels_of_meter[2] = {3000, 3000};  // of print
    int orientation = 0;                            // in EXIF; 0: none
};

void write_png(const fs::path& path, png_uint_32 width, const PngForm& form,
               const std::vector<Bytes>& packed_rows) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, width, static_cast<png_uint_32>(packed_rows.size()), form.depth,
                 form.color, form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_pHYs(png, info, form.pixels_of_meter[0], form.pixels_of_meter[1], PNG_RESOLUTION_METER);
    png_byte exif[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                       3,   0,   0, 0,  1, 0, 0, 0, 0, 0, 0, 0,    0};
    exif[19] = static_cast<png_byte>(form.orientation);
    if (form.orientation > 0) png_set_eXIf_1(png, info, sizeof exif, exif);
    if (!form.palette.empty())
        png_set_PLTE(png, info, form.palette.data(), static_cast<int>(form.palette.size()));
    if (!form.palette_alpha.empty())
        png_set_tRNS(png, info, form.palette_alpha.data(),
                     static_cast<int>(form.palette_alpha.size()), nullptr);
    png_color_16 gray{};
    gray.gray = static_cast<png_uint_16>(form.transparent_gray);
    if (form.transparent_gray >= 0) png_set_tRNS(png, info, nullptr, 0, &gray);
    png_write_info(png, info);
    std::vector<png_bytep> rows;
    for (const Bytes& row : packed_rows) rows.push_back(const_cast<png_bytep>(row.data()));
    png_write_image(png, rows.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    std::fclose(file);
}

std::uint32_t checksum(const Bytes& bytes, std::size_t first, std::size_t last) {
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = first; i < last; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}
void put_big_endian(Bytes& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i)
        bytes[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

// The chunk of that name, with `change` made to its data and the right length and checksum.
Bytes with_chunk(const Bytes& png, const std::string& name,
                 const std::function<void(Bytes& data)>& change) {
    const auto mark = std::search(png.begin(), png.end(), name.begin(), name.end());
    const auto length_at = static_cast<std::size_t>(mark - png.begin()) - 4;
    const std::size_t length = std::size_t{png[length_at + 2]} << 8 | png[length_at + 3];
    const auto data_at = mark + 4;
    Bytes data(data_at, data_at + static_cast<std::ptrdiff_t>(length));
    change(data);
    Bytes changed(png.begin(), data_at);
    put_big_endian(changed, length_at, static_cast<std::uint32_t>(data.size()));
    changed.insert(changed.end(), data.begin(), data.end());
    const std::uint32_t crc = checksum(changed, length_at + 4, changed.size());
    changed.resize(changed.size() + 4);
    put_big_endian(changed, changed.size() - 4, crc);
    changed.insert(changed.end(), data_at + static_cast<std::ptrdiff_t>(length) + 4, png.end());
    return changed;
}

TEST_F(PngTest, GrayBelowEightBitsIsStretched) {
    write_png(file("1.png"), 5, {.depth = 1}, {{0b10110000}, {0b01001000}});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("1.png")).image).pixels(),
              (Bytes{255, 0, 255, 255, 0, 0, 255, 0, 0, 255}));
    EXPECT_EQ(read_labels(file("1.png")).pixels(),
              (std::vector<std::uint32_t>{1, 0, 1, 1, 0, 0, 1, 0, 0, 1}));
    write_png(file("2.png"), 4, {.depth = 2}, {{0b00011011}});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("2.png")).image).pixels(),
              (Bytes{0, 85, 170, 255}));
    write_png(file("4.png"), 3, {.depth = 4}, {{0x0f, 0x70}});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("4.png")).image).pixels(),
              (Bytes{0, 255, 119}));
}

TEST_F(PngTest, PaletteBecomesColorAndLabelsItsIndices) {
    PngForm form{.color = PNG_COLOR_TYPE_PALETTE, .depth = 4};
    form.palette = {{1, 2, 3}, {40, 50, 60}, {200, 100, 0}};
    write_png(file("a.png"), 3, form, {{0x21, 0x00}});
    const ReadResult result = read_image(file("a.png"));
    EXPECT_EQ(shape_of(result.image), (Shape{3, 1, 1, 1, 3}));
    EXPECT_FALSE(geometry_of(result.image).known());
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image).pixels(),
              (Bytes{200, 100, 0, 40, 50, 60, 1, 2, 3}));
    EXPECT_EQ(read_labels(file("a.png")).pixels(), (std::vector<std::uint32_t>{2, 1, 0}));
    form.palette_alpha = {0, 255, 128};
    write_png(file("b.png"), 3, form, {{0x21, 0x00}});
    const AnyImage clear = read_image(file("b.png")).image;
    EXPECT_TRUE(has_alpha(clear));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(clear).pixels(),
              (Bytes{200, 100, 0, 128, 40, 50, 60, 255, 1, 2, 3, 0}));
}

TEST_F(PngTest, TransparentGray) {
    write_png(file("a.png"), 3, {.transparent_gray = 7}, {{6, 7, 8}});
    const AnyImage image = read_image(file("a.png")).image;
    EXPECT_TRUE(has_alpha(image));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(image).pixels(), (Bytes{6, 255, 7, 0, 8, 255}));
}

TEST_F(PngTest, SixteenBitsAndInterlacing) {
    // Big-endian on disk.
    write_png(file("16.png"), 2, {.depth = 16}, {{0x12, 0x34, 0xff, 0x00}});
    EXPECT_EQ(std::get<Image<std::uint16_t>>(read_image(file("16.png")).image).pixels(),
              (std::vector<std::uint16_t>{0x1234, 0xff00}));
    std::vector<Bytes> rows;
    Bytes all;
    for (int y = 0; y < 11; ++y) {
        rows.emplace_back();
        for (int x = 0; x < 13 * 3; ++x)
            rows.back().push_back(static_cast<std::uint8_t>(7 * x + 31 * y));
        all.insert(all.end(), rows.back().begin(), rows.back().end());
    }
    write_png(file("i.png"), 13, {.color = PNG_COLOR_TYPE_RGB, .interlaced = true}, rows);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("i.png")).image).pixels(), all);
}

TEST_F(PngTest, EnormousHeaderIsRefusedByFileSize) {
    write_png(file("a.png"), 2, {}, {{1, 2}});
    Bytes b = read_bytes(file("a.png"));
    // Width and height of 0x40000000 with the right checksum.
    b[16] = b[20] = 0x40;
    b[17] = b[18] = b[19] = b[21] = b[22] = b[23] = 0;
    put_big_endian(b, 29, checksum(b, 12, 29));
    write_bytes(file("a.png"), b);
    expect_error(ErrorCode::unreadable_input, {"a.png", "1073741824 x 1073741824"},
                 [&] { read_image(file("a.png")); });
}

TEST_F(PngTest, WrongChecksumIsAnError) {
    write_png(file("a.png"), 2, {}, {{1, 2}});
    Bytes b = read_bytes(file("a.png"));
    b[b.size() - 13] ^= 1;  // the last byte of the pixel data's checksum lies before the end chunk
    write_bytes(file("a.png"), b);
    expect_error(ErrorCode::unreadable_input, {"a.png", "damaged"},
                 [&] { read_image(file("a.png")); });
}

TEST_F(PngTest, ExifOrientationIsApplied) {
    write_png(file("a.png"), 3, {.orientation = 6}, {{1, 2, 3}, {4, 5, 6}});
    const AnyImage image = read_image(file("a.png")).image;
    ASSERT_EQ(shape_of(image), (Shape{2, 3}));
    EXPECT_EQ(std::get<0>(image).pixels(), (Bytes{4, 1, 5, 2, 6, 3}));
    EXPECT_EQ(read_labels(file("a.png")).shape(), (Shape{2, 3}));
    write_png(file("a.png"), 3, {.orientation = 9}, {{1, 2, 3}});
    EXPECT_EQ(shape_of(read_image(file("a.png")).image), (Shape{3, 1}));
    // The turned copy counts.
    write_png(file("a.png"), 2000, {.orientation = 6}, std::vector<Bytes>(1000, Bytes(2000)));
    expect_error(ErrorCode::out_of_memory, {"a.png"},
                 [&] { read_image(file("a.png"), {.max_bytes = 3000000}); });
    EXPECT_EQ(read_image(file("a.png"), {.max_bytes = 4000000}).work_bytes, 2000000);
}

TEST_F(PngTest, ResolutionOfAMicroscopeIsRead) {
    write_png(file("a.png"), 3, {.pixels_of_meter = {2000000, 4000000}}, {{1, 2, 3}});
    ReadResult result = read_image(file("a.png"));
    EXPECT_EQ(result.spacing_source, "PNG resolution");
    EXPECT_EQ(geometry_of(result.image).spacing[0], 0.5);
    EXPECT_EQ(geometry_of(result.image).spacing[1], 0.25);
    write_png(file("a.png"), 3, {.pixels_of_meter = {2000000, 4000000}, .orientation = 6},
              {{1, 2, 3}});
    EXPECT_EQ(geometry_of(read_image(file("a.png")).image).spacing[0], 0.25);
    for (const png_uint_32 dots_of_meter : {2835u, 3780u, 11811u}) {  // 72, 96 and 300 dpi
        write_png(file("a.png"), 3, {.pixels_of_meter = {dots_of_meter, dots_of_meter}},
                  {{1, 2, 3}});
        EXPECT_FALSE(geometry_of(read_image(file("a.png")).image).known());
    }
}

// What every reader takes.
TEST_F(PngTest, OdditiesAreWarnings) {
    const auto expect_warning = [&](const Bytes& png, const std::string& word) {
        const QuietScope quiet;
        write_bytes(file("b.png"), png);
        const ReadResult result = read_image(file("b.png"));
        EXPECT_EQ(std::get<0>(result.image).pixels()[0], 6);
        ASSERT_EQ(result.warnings.size(), 1u);
        EXPECT_NE(result.warnings[0].find(word), std::string::npos) << result.warnings[0];
    };
    write_png(file("a.png"), 3, {.transparent_gray = 7}, {{6, 7, 8}});
    const Bytes png = read_bytes(file("a.png"));
    expect_warning(with_chunk(png, "IDAT", [](Bytes& data) { data.resize(data.size() + 9); }),
                   "IDAT");
    expect_warning(with_chunk(png, "tRNS", [](Bytes& data) { data[0] = 1; }), "tRNS");
    // An animation of three frames.
    constexpr std::size_t behind_header = 33;
    Bytes chunk{0, 0, 0, 8, 'a', 'c', 'T', 'L', 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0};
    put_big_endian(chunk, 16, checksum(chunk, 4, 16));
    Bytes animation = png;
    animation.insert(animation.begin() + behind_header, chunk.begin(), chunk.end());
    expect_warning(animation, "3 frames");
}

}  // namespace
}  // namespace tesela::io::testing
