// WebP. The files were written by Pillow 13.0; pixels are those that it was given.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class WebpTest : public FileTest {
  protected:
    ReadResult read(const Bytes& bytes) {
        write_bytes(file("a.webp"), bytes);
        return read_image(file("a.webp"));
    }
};

TEST_F(WebpTest, LosslessWithOpacity) {
    const ReadResult result = read(small_webp());
    EXPECT_EQ(result.format, "WebP");
    const auto& image = std::get<Image<std::uint8_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{5, 4, 1, 1, 4}));
    EXPECT_TRUE(image.has_alpha);
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x) {
            EXPECT_EQ(image(x, y, 0, 0, 0), 40 * x);
            EXPECT_EQ(image(x, y, 0, 0, 1), 60 * y);
            EXPECT_EQ(image(x, y, 0, 0, 2), 200 - 30 * x);
            EXPECT_EQ(image(x, y, 0, 0, 3), 255 - 50 * ((x + y) % 2));
        }
    EXPECT_TRUE(result.warnings.empty());
}

// An extended header, the same pixels, and EXIF data that turn them by a quarter.
TEST_F(WebpTest, ExifOrientation) {
    const Bytes plain = small_webp();
    const auto chunk = [](const std::string& name, const Bytes& value) {
        Bytes bytes(name.begin(), name.end());
        bytes.resize(8);
        put_number(bytes, 4, static_cast<std::uint32_t>(value.size()), false);
        bytes.insert(bytes.end(), value.begin(), value.end());
        return bytes;
    };
    Bytes all{'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E', 'B', 'P'};
    const auto add = [&](const Bytes& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(chunk("VP8X", {0x18, 0, 0, 0, 4, 0, 0, 3, 0, 0}));  // opacity and EXIF, 5 x 4
    add(Bytes(plain.begin() + 12, plain.end()));
    add(chunk("EXIF", {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0,
                       3,   0,   0, 0,  1, 0, 6, 0, 0, 0, 0,    0,    0}));
    put_number(all, 4, static_cast<std::uint32_t>(all.size() - 8), false);
    const ReadResult result = read(all);
    const auto& image = std::get<Image<std::uint8_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{4, 5, 1, 1, 4}));
    EXPECT_EQ(image(3, 1, 0, 0, 0), 40);  // the second pixel of the first row
    EXPECT_EQ(image(0, 0, 0, 0, 1), 180);
}

TEST_F(WebpTest, DamagedFilesAreRefused) {
    const Bytes whole = small_webp();
    for (std::size_t size = 13; size < whole.size(); ++size) {
        write_bytes(file("a.webp"),
                    Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        expect_error(ErrorCode::unreadable_input, {"a.webp", "WebP"},
                     [&] { read_image(file("a.webp")); });
    }
    Bytes animated{'R', 'I', 'F', 'F', 22, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8',
                   'X', 10,  0,   0,   0,  2, 0, 0, 0,   4,   0,   0,   3,   0,   0};
    write_bytes(file("a.webp"), animated);
    expect_error(ErrorCode::unsupported_format, {"a.webp", "animated"},
                 [&] { read_image(file("a.webp")); });
    write_bytes(file("a.webp"), whole);
    expect_error(ErrorCode::out_of_memory, {"a.webp"},
                 [&] { read_image(file("a.webp"), {.max_bytes = 10}); });
}

}  // namespace
}  // namespace tesela::io::testing
