// Frames without a header.
#include "io/support.h"
#include "tesela/video_io.h"

namespace tesela::io::testing {
namespace {

class RawFrames : public FileTest {
  protected:
    static FrameReadOptions layout(const std::string& text) {
        return {.raw = RawLayout::parse(text)};
    }
    static std::vector<Bytes> all_of(FrameReader& reader) {
        std::vector<Bytes> frames;
        while (const auto frame = reader.next())
            frames.push_back(std::get<Image<std::uint8_t>>(*frame).pixels());
        return frames;
    }
};

TEST_F(RawFrames, OneBehindTheOther) {
    write_bytes(file("movie"), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const auto reader = open_frames(file("movie"), layout("3x2:u8"));
    EXPECT_EQ(reader->facts().frames, 2);
    EXPECT_EQ(reader->facts().frame, (Shape{3, 2}));
    EXPECT_EQ(all_of(*reader), (std::vector<Bytes>{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}));
    EXPECT_EQ(all_of(*open_frames(file("movie"), layout("3x2x2:u8"))).size(), 2u);
    EXPECT_EQ(all_of(*open_frames(file("movie"), layout("5x2:u8:2"))),
              (std::vector<Bytes>{{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}));
    const auto words = open_frames(file("movie"), layout("3x1:u16be"))->next();
    EXPECT_EQ(std::get<Image<std::uint16_t>>(words.value()).pixels(),
              (std::vector<std::uint16_t>{0x102, 0x304, 0x506}));
}

// Of a folder every file is one, in the order of their numbers.
TEST_F(RawFrames, OfSeveralFiles) {
    write_bytes(file("tree.10"), {7, 8, 9, 10});
    write_bytes(file("tree.9"), {1, 2});
    const std::vector<Bytes> expected{{1, 2}, {7, 8}, {9, 10}};
    const auto reader = open_frames(folder, layout("2x1:u8"));
    EXPECT_EQ(all_of(*reader), expected);
    EXPECT_EQ(reader->facts().frames, 3);
    EXPECT_NE(reader->frame_name(2).find("tree.10"), std::string::npos);
    EXPECT_EQ(all_of(*open_pictures({file("tree.9"), file("tree.10")}, layout("2x1:u8"))),
              expected);
}

TEST_F(RawFrames, BadInput) {
    const auto refused = [&](const std::vector<std::string>& words, const std::string& text) {
        expect_unreadable(words, [&] { open_frames(file("raw"), layout(text)); });
    };
    refused({"raw", "No such file"}, "3x2:u8");
    write_bytes(file("raw"), {});
    refused({"raw", "empty"}, "3x2:u8");
    write_bytes(file("raw"), Bytes(13));
    refused({"raw", "13 bytes", "3 x 2"}, "3x2:u8");
    refused({"raw", "13 bytes"}, "2147483647x2147483647:f64");
    refused({"raw", "0 bytes"}, "3x2:u8:99");
    expect_unreadable({"raw", "addressed"}, [&] {
        read_image(file("raw"), {.raw = RawLayout::parse("2147483647x2147483647:f64")});
    });
    expect_unreadable({"raw", "does not fit --raw"},
                      [&] { open_frames(file("raw"), layout("3x2x3:u8"))->next(); });
    write_bytes(file("raw"), Bytes(60));
    FrameReadOptions small = layout("6x10:u8");
    small.max_bytes = 59;
    expect_error(ErrorCode::out_of_memory, {"raw", "59 bytes"},
                 [&] { open_frames(file("raw"), small)->next(); });
    for (const char* text : {"3:u8", "3x:u8", "3x2", "3x2:", "3x2x:u8", "3x2:u9", "0x2:u8"})
        EXPECT_THROW(RawLayout::parse(text), InvalidArgument) << text;
}

}  // namespace
}  // namespace tesela::io::testing
