// JPEG 2000. The small files were written by Pillow 13.0 and imagecodecs 2026.3.6, both without
// loss; pixels are those that they were given.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class Jpeg2000Test : public FileTest {
  protected:
    ReadResult read(const Bytes& bytes) {
        write_bytes(file("a.jp2"), bytes);
        return read_image(file("a.jp2"));
    }
    void expect_unsupported(const std::string& word, const Bytes& bytes) {
        expect_error(ErrorCode::unsupported_format, {"a.jp2", word, "RGB"}, [&] { read(bytes); });
    }
    static constexpr std::size_t stream_at = 85;  // of the file of boxes
};

TEST_F(Jpeg2000Test, ColorsInAFileOfBoxes) {
    const ReadResult result = read(small_jp2());
    EXPECT_EQ(result.format, "JPEG 2000");
    const auto& image = std::get<Image<std::uint8_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{5, 4, 1, 1, 3}));
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x) {
            EXPECT_EQ(image(x, y, 0, 0, 0), 40 * x);
            EXPECT_EQ(image(x, y, 0, 0, 1), 60 * y);
            EXPECT_EQ(image(x, y, 0, 0, 2), 200 - 30 * x);
        }
    EXPECT_FALSE(result.separate_channels);
}

TEST_F(Jpeg2000Test, SixteenBitsInAStream) {
    const ReadResult result = read(small_j2k());
    const auto& image = std::get<Image<std::uint16_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{5, 4}));
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x) EXPECT_EQ(image(x, y), 3000 * x + 1000 * y + 7);
}

TEST_F(Jpeg2000Test, WhatIsNotSupportedIsTold) {
    Bytes four = small_jp2();
    four[stream_at + 41] = 4;
    expect_unsupported("4 components", four);
    Bytes bits = small_jp2();
    for (std::size_t i = 0; i < 3; ++i) bits[stream_at + 42 + 3 * i] = 19;
    expect_unsupported("20 bits", bits);
    Bytes unlike = small_jp2();
    unlike[stream_at + 46] = 2;
    expect_unsupported("differ in size", unlike);
    Bytes colors = small_jp2();
    colors[76] = 18;
    expect_unsupported("other colors", colors);
    Bytes wide = small_j2k();
    wide[9] = 1;  // 65541 columns
    expect_unsupported("65535", wide);
}

TEST_F(Jpeg2000Test, DamagedFilesAreRefused) {
    for (const Bytes& whole : {small_jp2(), small_j2k()}) {
        for (std::size_t size = 12; size < whole.size(); ++size)
            expect_unreadable({"a.jp2", "damaged"}, [&] {
                read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            });
        write_bytes(file("a.jp2"), whole);
        expect_error(ErrorCode::out_of_memory, {"a.jp2"},
                     [&] { read_image(file("a.jp2"), {.max_bytes = 10}); });
    }
    Bytes large = small_j2k();
    large[10] = 0xff;
    large[14] = 0xff;
    expect_unreadable({"a.jp2", "more than the file holds"}, [&] { read(large); });
    Bytes empty = small_jp2();
    empty[stream_at - 1] = 'x';
    expect_unreadable({"a.jp2", "no image"}, [&] { read(empty); });
}

TEST_F(Jpeg2000Test, HeadersWithinHeadersAreNotOpened) {
    const Bytes whole = small_jp2();
    Bytes nested(whole.begin(), whole.begin() + 12);
    constexpr std::size_t boxes = 1 << 19, head = 8;
    for (std::size_t left = boxes; left > 0; --left) {
        for (const int shift : {24, 16, 8, 0})
            nested.push_back(static_cast<std::uint8_t>(head * left >> shift));
        for (const char c : {'j', 'p', '2', 'h'}) nested.push_back(static_cast<std::uint8_t>(c));
    }
    expect_unreadable({"a.jp2", "no image"}, [&] { read(nested); });
}

}  // namespace
}  // namespace tesela::io::testing
