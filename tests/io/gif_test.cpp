// GIF. The small files were written by Pillow 13.0; pixels are those that it was given.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class GifTest : public FileTest {
  protected:
    ReadResult read(const Bytes& bytes) {
        write_bytes(file("a.gif"), bytes);
        return read_image(file("a.gif"));
    }
    // Of a picture whose pixel at x, y has the color (x + y) % 4.
    static constexpr std::uint8_t colors[4][3] = {
        {200, 10, 20}, {0, 0, 0}, {255, 255, 255}, {1, 2, 3}};
    static constexpr std::size_t frame_at = 25;  // where the image descriptor begins
    static Bytes with_control(int transparent) {
        Bytes bytes = small_gif();
        const Bytes control{0x21, 0xf9, 4, 1, 0, 0, static_cast<std::uint8_t>(transparent), 0};
        bytes.insert(bytes.begin() + frame_at, control.begin(), control.end());
        return bytes;
    }
};

TEST_F(GifTest, ColorsOfThePalette) {
    const ReadResult result = read(small_gif());
    EXPECT_EQ(result.format, "GIF");
    EXPECT_TRUE(result.warnings.empty());
    const auto& image = std::get<Image<std::uint8_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{5, 4, 1, 1, 3}));
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x)
            for (int c = 0; c < 3; ++c) EXPECT_EQ(image(x, y, 0, 0, c), colors[(x + y) % 4][c]);
    // As labels the stored numbers count.
    const LabelImage labels = read_labels(file("a.gif"));
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x) EXPECT_EQ(labels(x, y), (x + y) % 4);
}

TEST_F(GifTest, TransparentPixels) {
    const ReadResult result = read(with_control(2));
    const auto& image = std::get<Image<std::uint8_t>>(result.image);
    ASSERT_EQ(image.shape(), (Shape{5, 4, 1, 1, 4}));
    EXPECT_TRUE(image.has_alpha);
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 5; ++x) {
            const bool is_seen = (x + y) % 4 != 2;
            EXPECT_EQ(image(x, y, 0, 0, 3), is_seen ? 255 : 0);
            EXPECT_EQ(image(x, y, 0, 0, 0), is_seen ? colors[(x + y) % 4][0] : 0);
        }
}

TEST_F(GifTest, GrayPalettesAreOneChannel) {
    Bytes bytes = small_gif();
    for (std::size_t i = 0; i < 12; ++i) bytes[13 + i] = static_cast<std::uint8_t>(50 * (i / 3));
    const auto image = std::get<Image<std::uint8_t>>(read(bytes).image);
    ASSERT_EQ(image.shape(), (Shape{5, 4}));
    EXPECT_EQ(image(1, 2), 150);
}

// Rows 0, then 2, then 1 and 3, as appendix E has them.
TEST_F(GifTest, InterlacedRows) {
    Bytes bytes = small_gif();
    bytes[frame_at + 9] |= 0x40;
    const auto image = std::get<Image<std::uint8_t>>(read(bytes).image);
    for (const auto& [row, stored] :
         {std::pair{0, 0}, std::pair{2, 1}, std::pair{1, 2}, std::pair{3, 3}})
        for (std::int64_t x = 0; x < 5; ++x)
            EXPECT_EQ(image(x, row, 0, 0, 0), colors[(x + stored) % 4][0]) << row;
}

TEST_F(GifTest, AFrameWithinThePicture) {
    Bytes bytes = small_gif();
    bytes[6] = 8;
    bytes[8] = 6;
    bytes[frame_at + 1] = 2;
    bytes[frame_at + 3] = 1;
    const auto image = std::get<Image<std::uint8_t>>(read(bytes).image);
    ASSERT_EQ(image.shape(), (Shape{8, 6, 1, 1, 4}));
    EXPECT_EQ(image(1, 1, 0, 0, 3), 0);
    EXPECT_EQ(image(2, 1, 0, 0, 3), 255);
    EXPECT_EQ(image(4, 1, 0, 0, 0), 255);
    EXPECT_EQ(image(6, 4, 0, 0, 3), 255);
    EXPECT_EQ(image(7, 4, 0, 0, 3), 0);
}

TEST_F(GifTest, TheFirstOfSeveralFrames) {
    Bytes bytes = small_gif();
    const Bytes frame(bytes.begin() + frame_at, bytes.end() - 1);
    bytes.insert(bytes.end() - 1, frame.begin(), frame.end());
    bytes.insert(bytes.end() - 1, frame.begin(), frame.end());
    const ReadResult result = read(bytes);
    expect_warning(result, {"3 pictures", "the first"});
    EXPECT_EQ(shape_of(result.image), (Shape{5, 4, 1, 1, 3}));
    bytes.pop_back();
    expect_unreadable({"a.gif", "end early"}, [&] { read(bytes); });
}

TEST_F(GifTest, DamagedFilesAreRefused) {
    const Bytes whole = small_gif();
    const auto refused = [&](const std::string& word, std::size_t at, int value) {
        SCOPED_TRACE(word);
        Bytes bytes = whole;
        bytes[at] = static_cast<std::uint8_t>(value);
        expect_unreadable({"a.gif", word}, [&] { read(bytes); });
    };
    refused("beyond the picture", frame_at + 1, 1);
    refused("empty", frame_at + 5, 0);
    refused("unknown kind", frame_at, 0x30);
    refused("codes of 9 bits", frame_at + 10, 9);
    refused("codes of 1 bits", frame_at + 10, 1);
    refused("more than the file holds", 7, 0xff);
    refused("nothing was said of", frame_at + 15, 0xff);
    Bytes few = whole;
    few[10] = 0x80;  // two colors: the next six bytes are no block
    expect_unreadable({"a.gif"}, [&] { read(few); });
    for (std::size_t size = 7; size < whole.size(); ++size)
        expect_unreadable({"a.gif", "end early"}, [&] {
            read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
        });
    write_bytes(file("a.gif"), whole);
    expect_error(ErrorCode::out_of_memory, {"a.gif"},
                 [&] { read_image(file("a.gif"), {.max_bytes = 10}); });
    Bytes empty(whole.begin(), whole.begin() + frame_at);
    empty.push_back(0x3b);
    expect_error(ErrorCode::unsupported_format, {"a.gif", "without a picture"},
                 [&] { read(empty); });
}

// Codes grow to 12 bits, and the table is full and cleared.
TEST_F(GifTest, LongData) {
    Bytes bytes{'G', 'I', 'F', '8', '7', 'a', 0, 2, 0, 1, 0x87, 0, 0};
    for (int i = 0; i < 256; ++i) bytes.insert(bytes.end(), 3, static_cast<std::uint8_t>(i));
    const Bytes frame{0x2c, 0, 0, 0, 0, 0, 2, 0, 1, 0, 8};
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    const Image<std::uint8_t> picture = pattern<std::uint8_t>({512, 256});
    // Every pixel a code of its own, as long as the reader's table makes it.
    Bytes data;
    std::uint32_t held = 0;
    int held_bits = 0, bits = 9, next = 258;
    const auto put = [&](int code) {
        held |= static_cast<std::uint32_t>(code) << held_bits;
        for (held_bits += bits; held_bits >= 8; held_bits -= 8, held >>= 8)
            data.push_back(static_cast<std::uint8_t>(held));
    };
    put(256);
    bool is_first = true;
    for (std::size_t i = 0; i < picture.pixels().size(); ++i) {
        put(picture.pixels()[i]);
        if (!is_first && next < 4096 && ++next == 1 << bits && next < 4096) ++bits;
        is_first = false;
        if (i % 10000 != 9999) continue;
        put(256);
        bits = 9;
        next = 258;
        is_first = true;
    }
    put(257);
    data.push_back(static_cast<std::uint8_t>(held));
    for (std::size_t at = 0; at < data.size(); at += 255) {
        const std::size_t length = std::min<std::size_t>(255, data.size() - at);
        bytes.push_back(static_cast<std::uint8_t>(length));
        bytes.insert(bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                     data.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    bytes.push_back(0);
    bytes.push_back(0x3b);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read(bytes).image).pixels(), picture.pixels());
}

}  // namespace
}  // namespace tesela::io::testing
