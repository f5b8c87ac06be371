// Videos by FFmpeg's libraries: whole, cut off, damaged, empty, and what is none.
#include <array>
#include <random>

#include "io/video_support.h"

namespace tesela::io::testing {
namespace {

class CodedVideoTest : public VideoTest {
  protected:
    void SetUp() override {
        if (!has_video_codecs()) GTEST_SKIP() << "built without FFmpeg's libraries";
    }
    static std::ptrdiff_t place_of(const Bytes& bytes, std::string_view mark) {
        const auto found = std::search(
            bytes.begin(), bytes.end(), mark.begin(), mark.end(),
            [](std::uint8_t byte, char c) { return byte == static_cast<std::uint8_t>(c); });
        return found == bytes.end() ? -1 : found - bytes.begin();
    }
    static std::int64_t big_endian(const Bytes& bytes, std::ptrdiff_t at, int count) {
        std::int64_t value = 0;
        for (int i = 0; i < count; ++i)
            value = value << 8 | bytes[static_cast<std::size_t>(at + i)];
        return value;
    }
    static void put_big_endian(Bytes& bytes, std::ptrdiff_t at, std::int64_t value, int count) {
        for (int i = count; i-- > 0; value >>= 8)
            bytes[static_cast<std::size_t>(at + i)] = static_cast<std::uint8_t>(value);
    }
    // An MP4 as it is served: its index, with the places of samples, before the samples.
    static Bytes with_index_first(Bytes mp4) {
        const std::ptrdiff_t index = place_of(mp4, "moov") - 4, data = place_of(mp4, "mdat") - 4;
        const std::int64_t size = big_endian(mp4, index, 4);
        const std::ptrdiff_t table = place_of(mp4, "stco") + 8;
        for (std::int64_t i = 1; i <= big_endian(mp4, table, 4); ++i)
            put_big_endian(mp4, table + 4 * i, big_endian(mp4, table + 4 * i, 4) + size, 4);
        std::rotate(mp4.begin() + data, mp4.begin() + index, mp4.end());
        return mp4;
    }
};

TEST_F(CodedVideoTest, RoundTrip) {
    const QuietScope quiet;
    for (const char* name : {"a.mp4", "b.mkv", "c.avi", "d.mov"}) {
        SCOPED_TRACE(name);
        create(name, 64, 48, 5);
        const auto reader = open_frames(file(name));
        EXPECT_EQ(reader->facts().frame, (Shape{64, 48, 1, 1, 3}));
        ASSERT_TRUE(reader->facts().rate);
        EXPECT_NEAR(reader->facts().rate->per_second(), 30000.0 / 1001, 0.01);
        EXPECT_FALSE(reader->facts().codec.empty());
        for (int i = 0; i < 5; ++i)
            EXPECT_LE(most_difference(*reader->next(), colors(64, 48, i)), 8) << i;
        EXPECT_FALSE(reader->next());
    }
    EXPECT_EQ(open_frames(file("a.mp4"))->facts().frames, 5);
    EXPECT_EQ(names().size(), 4u);
}

// Sides need not be even; times are in hundredths of a second.
TEST_F(CodedVideoTest, GifHasItsFramesAndTimes) {
    const QuietScope quiet;
    const auto writer = create_video(file("a.gif"), {{12, 1}});
    for (int i = 0; i < 4; ++i) writer->write(colors(61, 47, i));
    writer->finish();
    const Bytes bytes = read_bytes(file("a.gif"));
    EXPECT_EQ(place_of(bytes, "GIF89a"), 0);
    EXPECT_EQ(int{bytes[6]}, 61);
    EXPECT_EQ(int{bytes[8]}, 47);
    EXPECT_GT(place_of(bytes, "NETSCAPE2.0"), 0);  // again and again
    const std::array<std::uint8_t, 3> control{0x21, 0xf9, 4};
    int frames = 0, hundredths = 0;
    for (auto at = bytes.begin();; at += 3, ++frames) {
        at = std::search(at, bytes.end(), control.begin(), control.end());
        if (at == bytes.end()) break;
        hundredths += at[4] + 256 * at[5];
    }
    EXPECT_EQ(frames, 4);
    EXPECT_NEAR(hundredths, 33, 2);
}

// The matrix in the track's header of an MP4, which says where x and y go, is exchanged.
TEST_F(CodedVideoTest, TurnsAsPlayersDo) {
    const QuietScope quiet;
    create("a.mp4", 64, 48, 1);
    const Image<std::uint8_t> flat = colors(64, 48, 0);
    const Bytes whole = read_bytes(file("a.mp4"));
    const std::string_view mark = "tkhd";
    const auto header = std::search(whole.begin(), whole.end(), mark.begin(), mark.end());
    ASSERT_NE(header, whole.end());
    constexpr std::ptrdiff_t matrix_at = 44;  // behind the mark
    struct Known {
        std::array<int, 4> matrix;  // a, b, c, d
        Shape shape;
        std::array<std::int64_t, 2> corner;  // where the pixel at (3, 5) comes to
    };
    const Known known[] = {{{1, 0, 0, 1}, {64, 48, 1, 1, 3}, {3, 5}},
                           {{0, 1, -1, 0}, {48, 64, 1, 1, 3}, {42, 3}},  // clockwise
                           {{-1, 0, 0, -1}, {64, 48, 1, 1, 3}, {60, 42}},
                           {{0, -1, 1, 0}, {48, 64, 1, 1, 3}, {5, 60}},
                           {{-1, 0, 0, 1}, {64, 48, 1, 1, 3}, {60, 5}}};  // mirrored
    for (const Known& one : known) {
        SCOPED_TRACE(::testing::PrintToString(one.matrix));
        Bytes turned = whole;
        const std::array<std::ptrdiff_t, 4> places{0, 4, 12, 16};
        for (std::size_t i = 0; i < 4; ++i) {
            const auto entry = static_cast<std::uint32_t>(one.matrix[i]) << 16;
            for (std::ptrdiff_t byte = 0; byte < 4; ++byte)
                turned[static_cast<std::size_t>(header - whole.begin() + matrix_at + places[i] +
                                                byte)] =
                    static_cast<std::uint8_t>(entry >> (24 - 8 * byte));
        }
        write("b.mp4", turned);
        EXPECT_EQ(open_frames(file("b.mp4"))->facts().frame, one.shape);
        const auto frame = std::get<Image<std::uint8_t>>(read_all("b.mp4").at(0));
        ASSERT_EQ(frame.shape(), one.shape);
        const auto [x, y] = one.corner;
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(frame(x, y, 0, 0, c), flat(3, 5, 0, 0, c), 8);
    }
}

// A missing last column and row is the one beside it.
TEST_F(CodedVideoTest, OddSizesAndGray) {
    const QuietScope quiet;
    create("odd.mp4", 63, 47, 3);
    create("tiny.mp4", 1, 1, 3);
    create("gray.mkv", 64, 48, 3, 1);
    const auto frame = std::get<Image<std::uint8_t>>(read_all("odd.mp4").at(2));
    EXPECT_EQ(frame.shape(), (Shape{64, 48, 1, 1, 3}));
    EXPECT_NEAR(frame(63, 20, 0, 0, 1), frame(62, 20, 0, 0, 1), 12);
    EXPECT_EQ(read_all("tiny.mp4").size(), 3u);
    const auto gray = std::get<Image<std::uint8_t>>(read_all("gray.mkv").at(1));
    const Image<std::uint8_t> before = colors(64, 48, 1, 1);
    for (const std::int64_t x : {3, 30, 60}) EXPECT_NEAR(gray(x, 10, 0, 0, 1), before(x, 10), 10);
}

TEST_F(CodedVideoTest, TruncatedAndDamaged) {
    const QuietScope quiet;
    for (const char* name : {"a.mkv", "b.avi"}) {
        SCOPED_TRACE(name);
        create(name, 320, 240, 40);
        const Bytes whole = read_bytes(file(name));
        for (int part = 1; part < 8; ++part) {
            Bytes cut = whole;
            cut.resize(whole.size() * static_cast<std::size_t>(part) / 10);
            write(name, cut);
            std::string error;
            const std::size_t frames = read_all(name, &error).size();
            EXPECT_LT(frames, 40u) << part;
            const std::string name_of_next = "frame " + std::to_string(frames) + ": ";
            EXPECT_TRUE(frames == 0 || error.find(name_of_next) != std::string::npos)
                << part << ": " << error;
        }
        std::mt19937 random(5);
        for (int round = 0; round < 60; ++round) {
            Bytes mutant = whole;
            for (int i = 0; i < 4; ++i)
                mutant[random() % mutant.size()] = static_cast<std::uint8_t>(random());
            write(name, mutant);
            std::string error;
            read_all(name, &error);
            EXPECT_EQ(error.find('\n'), std::string::npos) << error;
        }
    }
    create("c.mp4", 320, 240, 10);
    Bytes cut = read_bytes(file("c.mp4"));
    cut.resize(cut.size() / 2);
    write("c.mp4", cut);
    expect_error(ErrorCode::unreadable_input, {"c.mp4"}, [&] { open_frames(file("c.mp4")); });
}

// FFmpeg reads text, and lists that name other files.
TEST_F(CodedVideoTest, TakesVideosAlone) {
    const QuietScope quiet;
    create("a.mp4", 64, 48, 3);
    create("a.mkv", 64, 48, 3);
    const std::string words = "hello, this is text\nof two lines\n";
    const std::string list =
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.mp4\n"
        "#EXT-X-ENDLIST\n";
    const std::pair<const char*, std::string> others[] = {
        {"readme.txt", words},
        {"text.mp4", words},
        {"list.m3u8", list},
        {"list.mp4", list},
        {"parts.txt", "ffconcat version 1.0\nfile a.mkv\n"},
        {"parts.mkv", "ffconcat version 1.0\nfile a.mkv\n"},
        {"title.srt", "1\n00:00:00,000 --> 00:00:01,000\nhello\n"}};
    for (const auto& [name, text] : others) {
        write(name, Bytes(text.begin(), text.end()));
        expect_error(ErrorCode::unsupported_format, {name, "MP4", "Matroska", "Y4M", "folder"},
                     [&, name = name] { open_frames(file(name)); });
    }
    write_image(colors(4, 3, 0), file("a.png"));
    expect_error(ErrorCode::unsupported_format, {"a.png", "MP4"},
                 [&] { open_frames(file("a.png")); });
}

// Tables of no samples in an MP4, no cluster in a Matroska.
TEST_F(CodedVideoTest, NoFrames) {
    const QuietScope quiet;
    create("a.mp4", 64, 48, 3);
    Bytes mp4 = read_bytes(file("a.mp4"));
    for (const char* table : {"stsz", "stts", "stsc", "stco", "stss", "ctts"}) {
        const std::ptrdiff_t at = place_of(mp4, table);
        if (at < 0) continue;
        const std::ptrdiff_t count = at + (std::string(table) == "stsz" ? 12 : 8);
        std::fill_n(mp4.begin() + count, 4, std::uint8_t{0});
    }
    write("a.mp4", mp4);
    create("b.mkv", 64, 48, 3);
    Bytes mkv = read_bytes(file("b.mkv"));
    mkv.resize(static_cast<std::size_t>(place_of(mkv, "\x1f\x43\xb6\x75")));
    const std::ptrdiff_t size = place_of(mkv, "\x18\x53\x80\x67") + 4;
    put_big_endian(mkv, size + 1, std::ssize(mkv) - size - 8, 7);
    write("b.mkv", mkv);
    for (const char* name : {"a.mp4", "b.mkv"})
        expect_error(ErrorCode::unreadable_input, {name, "no frame"},
                     [&] { open_frames(file(name))->next(); });
}

// A few bytes less, and a frame or none: nothing passes in silence.
TEST_F(CodedVideoTest, CutOffByLittle) {
    const QuietScope quiet;
    create("a.mkv", 160, 120, 40);
    create("b.avi", 160, 120, 40);
    create("c.mp4", 160, 120, 40);
    write("c.mp4", with_index_first(read_bytes(file("c.mp4"))));
    for (const char* name : {"a.mkv", "b.avi", "c.mp4"}) {
        const Bytes whole = read_bytes(file(name));
        std::vector<std::string> warnings;
        EXPECT_EQ(read_all(name, nullptr, &warnings).size(), 40u) << name;
        EXPECT_EQ(warnings.size(), 0u) << name;
        std::size_t complete = 0, short_of_little = 0;
        for (std::size_t less = 9; less < whole.size() / 4; less += less / 8 + 3) {
            SCOPED_TRACE(name + (" less " + std::to_string(less)));
            const std::size_t left = whole.size() - less;
            write(name, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(left)));
            std::string said;
            warnings.clear();
            const std::size_t frames = read_all(name, &said, &warnings).size();
            complete += frames == 40;
            short_of_little += frames < 40 && frames > 32;
            if (frames == 40 && said.empty()) {
                ASSERT_EQ(warnings.size(), 1u);
                EXPECT_NE(
                    warnings[0].find(std::string(name) + "' is cut off after its last frame; " +
                                     std::to_string(left) + " of its "),
                    std::string::npos)
                    << warnings[0];
            } else {
                EXPECT_NE(said.find("frame " + std::to_string(frames) + ": "), std::string::npos)
                    << said;
                EXPECT_NE(said.find("cut off"), std::string::npos) << said;
            }
        }
        EXPECT_GT(short_of_little, 0u) << name;
        EXPECT_GT(complete + (std::string(name) == "c.mp4"), 0u) << name;
    }
}

// Where the file says nothing of its length, its duration still does.
TEST_F(CodedVideoTest, ShorterThanItsDuration) {
    const QuietScope quiet;
    create("a.mkv", 160, 120, 40);
    Bytes whole = read_bytes(file("a.mkv"));
    put_big_endian(whole, place_of(whole, "\x18\x53\x80\x67") + 5, (std::int64_t{1} << 56) - 1, 7);
    std::size_t warned = 0;
    for (std::size_t less = 100; less < 1000; less += 50) {
        write("a.mkv", Bytes(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(less)));
        std::string said;
        std::vector<std::string> warnings;
        const std::size_t frames = read_all("a.mkv", &said, &warnings).size();
        SCOPED_TRACE(std::to_string(frames) + " frames: " + said);
        // Frames that are missing before one that is there leave the end where it was.
        if (frames > 38 || frames < 32) {
            EXPECT_EQ(said.empty() && warnings.empty(), frames > 38);
        }
        if (warnings.empty()) continue;
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find("a.mkv' may be cut off; " + std::to_string(frames) +
                                   " frames were read, and it claims to have 40"),
                  std::string::npos)
            << warnings[0];
        ++warned;
    }
    EXPECT_GT(warned, 0u);
}

TEST_F(CodedVideoTest, WithoutRoom) {
    const QuietScope quiet;
    const FileSizeLimit limit(2000);
    const auto writer = create_video(file("a.mp4"));
    expect_error(ErrorCode::unwritable_output, {"a.mp4"}, [&] {
        for (int i = 0; i < 40; ++i) writer->write(colors(320, 240, i));
        writer->finish();
    });
    EXPECT_FALSE(fs::exists(file("a.mp4")));
}

}  // namespace
}  // namespace tesela::io::testing
