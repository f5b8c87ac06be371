#include <algorithm>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

using BmpTest = FileTest;

void put32(Bytes& bytes, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
void put16(Bytes& bytes, std::uint32_t value) {
    for (int i = 0; i < 2; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

// File header and 40-byte header; `extra` is the palette or the masks.
Bytes bmp(std::int32_t width, std::int32_t height, std::uint32_t bits, std::uint32_t compression,
          std::uint32_t colors, const Bytes& extra, const Bytes& pixels) {
    Bytes b = {'B', 'M'};
    const auto offset = static_cast<std::uint32_t>(54 + extra.size());
    put32(b, offset + static_cast<std::uint32_t>(pixels.size()));
    put32(b, 0);
    put32(b, offset);
    put32(b, 40);
    put32(b, static_cast<std::uint32_t>(width));
    put32(b, static_cast<std::uint32_t>(height));
    put16(b, 1);
    put16(b, bits);
    put32(b, compression);
    put32(b, 0);
    put32(b, 3000);
    put32(b, 3000);
    put32(b, colors);
    put32(b, 0);
    b.insert(b.end(), extra.begin(), extra.end());
    b.insert(b.end(), pixels.begin(), pixels.end());
    return b;
}

Bytes values_of(const fs::path& path) {
    return std::get<Image<std::uint8_t>>(read_image(path).image).pixels();
}

TEST_F(BmpTest, OneBitWithColorPalette) {
    // 0 is (R 1, G 2, B 3), 1 is (R 4, G 5, B 6); the lower row comes first.
    write_bytes(file("a.bmp"),
                bmp(3, 2, 1, 0, 2, {3, 2, 1, 0, 6, 5, 4, 0}, {0x40, 0, 0, 0, 0xa0, 0, 0, 0}));
    const ReadResult result = read_image(file("a.bmp"));
    EXPECT_EQ(result.format, "BMP");
    EXPECT_EQ(result.bits_per_pixel, 1);
    EXPECT_FALSE(geometry_of(result.image).known());  // its 3000 pixels a meter are no spacing
    EXPECT_EQ(shape_of(result.image), (Shape{3, 2, 1, 1, 3}));
    EXPECT_EQ(values_of(file("a.bmp")),
              (Bytes{4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3}));
}

TEST_F(BmpTest, FourBitTopDownWithGrayPalette) {
    Bytes palette;
    for (std::uint8_t i = 0; i < 16; ++i)
        palette.insert(palette.end(), {Bytes::value_type(i * 17), Bytes::value_type(i * 17),
                                       Bytes::value_type(i * 17), 0});
    write_bytes(file("a.bmp"), bmp(3, -2, 4, 0, 0, palette, {0x01, 0x20, 0, 0, 0xfe, 0xd0, 0, 0}));
    EXPECT_EQ(shape_of(read_image(file("a.bmp")).image), (Shape{3, 2, 1, 1, 1}));
    EXPECT_EQ(values_of(file("a.bmp")), (Bytes{0, 17, 34, 255, 238, 221}));
    EXPECT_EQ(read_labels(file("a.bmp")).pixels(),
              (std::vector<std::uint32_t>{0, 1, 2, 15, 14, 13}));
}

TEST_F(BmpTest, TrueColor) {
    write_bytes(file("24.bmp"), bmp(1, 2, 24, 0, 0, {}, {1, 2, 3, 0, 4, 5, 6, 0}));
    EXPECT_EQ(values_of(file("24.bmp")), (Bytes{6, 5, 4, 3, 2, 1}));
    // Without masks the fourth byte means nothing.
    write_bytes(file("32.bmp"), bmp(1, 1, 32, 0, 0, {}, {1, 2, 3, 77}));
    EXPECT_EQ(values_of(file("32.bmp")), (Bytes{3, 2, 1}));
    // 5-6-5 bits: full red, full green but for one bit, no blue.
    write_bytes(file("16.bmp"), bmp(1, 1, 16, 3, 0, {0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0},
                                    {0xc0, 0xff, 0, 0}));
    EXPECT_EQ(values_of(file("16.bmp")), (Bytes{255, 251, 0}));
}

TEST_F(BmpTest, OldHeader) {
    const Bytes b = {'B', 'M', 34, 0, 0, 0, 0, 0,  0, 0, 26, 0, 0, 0, 12, 0, 0,
                     0,   1,   0,  2, 0, 1, 0, 24, 0, 9, 8,  7, 0, 6, 5,  4, 0};
    write_bytes(file("a.bmp"), b);
    EXPECT_EQ(values_of(file("a.bmp")), (Bytes{4, 5, 6, 7, 8, 9}));
}

TEST_F(BmpTest, WrittenBytes) {
    Image<std::uint8_t> image({2, 2, 1, 1, 3});
    image.pixels() = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    write_image(image, file("a.bmp"));
    const Bytes b = read_bytes(file("a.bmp"));
    ASSERT_EQ(b.size(), 54u + 16u);
    EXPECT_EQ(Bytes(b.begin() + 54, b.end()),
              (Bytes{9, 8, 7, 12, 11, 10, 0, 0, 3, 2, 1, 6, 5, 4, 0, 0}));
    EXPECT_EQ(b[28], 24);
}

// Pixels of any width come back byte for byte; of a file that is stored from the top, with its rows
// from the bottom.
TEST_F(BmpTest, TrueColorRoundTrip) {
    for (const std::int32_t width : {1, 2, 3, 4, 5, 6, 7, 8, 477, 512})
        for (const std::int32_t height : {3, -3}) {
            const std::size_t row_bytes = (3u * static_cast<unsigned>(width) + 3) / 4 * 4;
            Bytes pixels(3 * row_bytes, 0);
            for (std::size_t i = 0; i < pixels.size(); ++i)
                if (i % row_bytes < 3u * static_cast<unsigned>(width))
                    pixels[i] = static_cast<std::uint8_t>(7 * i + i / row_bytes);
            write_bytes(file("in.bmp"), bmp(width, height, 24, 0, 0, {}, pixels));
            const ReadResult read = read_image(file("in.bmp"));
            EXPECT_EQ(read.bits_per_pixel, 24);
            write_image(read.image, file("out.bmp"));
            if (height < 0) {
                std::swap_ranges(pixels.begin(),
                                 pixels.begin() + static_cast<std::ptrdiff_t>(row_bytes),
                                 pixels.end() - static_cast<std::ptrdiff_t>(row_bytes));
            }
            const Bytes written = read_bytes(file("out.bmp"));
            ASSERT_EQ(Bytes(written.begin() + 54, written.end()), pixels)
                << width << ", " << height;
            EXPECT_EQ(values_of(file("out.bmp")), values_of(file("in.bmp")));
        }
}

TEST_F(BmpTest, Refusals) {
    write_bytes(file("rle.bmp"), bmp(2, 2, 8, 1, 0, Bytes(1024), {0, 1, 0, 0}));
    expect_error(ErrorCode::unsupported_format, {"rle.bmp", "run-length"},
                 [&] { read_image(file("rle.bmp")); });
    write_bytes(file("huge.bmp"), bmp(2000000000, 2000000000, 24, 0, 0, {}, {1, 2, 3}));
    expect_error(ErrorCode::unreadable_input, {"huge.bmp", "2000000000 x 2000000000"},
                 [&] { read_image(file("huge.bmp")); });
    write_bytes(file("none.bmp"), bmp(0, 5, 24, 0, 0, {}, {1, 2, 3}));
    expect_error(ErrorCode::unreadable_input, {"0 x 5"}, [&] { read_image(file("none.bmp")); });
    write_bytes(file("lowest.bmp"), bmp(1, INT32_MIN, 24, 0, 0, {}, {1, 2, 3}));
    expect_error(ErrorCode::unreadable_input, {}, [&] { read_image(file("lowest.bmp")); });
    write_bytes(file("mask.bmp"), bmp(1, 1, 32, 3, 0, Bytes(12, 0x55), {1, 2, 3, 4}));
    expect_error(ErrorCode::unsupported_format, {"masks"}, [&] { read_image(file("mask.bmp")); });
}

}  // namespace
}  // namespace tesela::io::testing
