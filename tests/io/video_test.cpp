// Sequences of frames: pictures, Y4M, and which files are videos; whole, cut off and lying.
#include <sys/resource.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "io/video_support.h"
#include "sanitized.h"

namespace tesela::io::testing {
namespace {

TEST_F(VideoTest, NaturalOrder) {
    for (const char* name :
         {"frame10.png", "frame2.png", "frame1.png", "frame02.png", ".hidden.png"})
        write_image(colors(4, 3, 0), file(name));
    write("notes.txt", {'a'});
    fs::create_directory(file("folder.png"));
    std::vector<std::string> names;
    for (const fs::path& path : frame_files(folder)) names.push_back(path.filename().string());
    EXPECT_EQ(names,
              (std::vector<std::string>{"frame1.png", "frame02.png", "frame2.png", "frame10.png"}));
    EXPECT_TRUE(natural_less("a9b", "a10"));
    EXPECT_FALSE(natural_less("a", "a"));
    EXPECT_TRUE(natural_less("a", "a1"));
    EXPECT_TRUE(natural_less("a99999999999999999998", "a99999999999999999999"));
    expect_error(ErrorCode::unreadable_input, {"none", "No such file"},
                 [&] { frame_files(file("none")); });
    expect_error(ErrorCode::unreadable_input, {"folder.png", "no picture"},
                 [&] { open_frames(file("folder.png")); });
}

TEST_F(VideoTest, MissingNumbers) {
    struct Known {
        std::vector<std::string> names, words;
    };
    const Known known[] = {
        {{"frame0001", "frame0002", "frame0004"},
         {"lacks the picture 'frame0003' between 'frame0002.png' and 'frame0004.png'", "list"}},
        {{"2_f8x", "2_f9x", "2_f11x"}, {"'2_f10x' between '2_f9x.png' and '2_f11x.png'"}},
        {{"099", "100", "101", "110"}, {"8 pictures, the first of them '102'"}},
        {{"0", "10", "20", "40", "50", "80"}, {"3 pictures", "'30' between '20.png'"}},
        {{"1", "5", "6"}, {"3 pictures", "'2' between '1.png' and '5.png'"}},
        {{"0", "10", "20"}, {}},
        {{"7", "9"}, {}},
        {{"33", "67", "100", "133"}, {}},  // times
        {{"1", "2", "02", "5"}, {}},
        {{"1", "2", "4", "background"}, {}},
        {{"a1_b1", "a1_b2", "a2_b4"}, {}},
        {{"99999999999999999991", "99999999999999999992", "99999999999999999994"}, {}}};
    for (const Known& one : known) {
        SCOPED_TRACE(::testing::PrintToString(one.names));
        const fs::path in = file("in");
        fs::create_directory(in);
        for (const std::string& name : one.names) write("in/" + name + ".png", {'a'});
        if (one.words.empty())
            EXPECT_EQ(frame_files(in).size(), one.names.size());
        else
            expect_error(ErrorCode::invalid_argument, one.words, [&] { open_frames(in); });
        fs::remove_all(in);
    }
}

TEST_F(VideoTest, PicturesNameTheirFrame) {
    write_image(colors(4, 3, 0), file("0.png"));
    write("1.png", {1, 2, 3});
    const auto reader = open_frames(folder);
    EXPECT_EQ(reader->facts().frames, 2);
    EXPECT_EQ(most_difference(*reader->next(), colors(4, 3, 0)), 0);
    expect_error(ErrorCode::unsupported_format, {"frame 1", "1.png"}, [&] { reader->next(); });
    EXPECT_NE(reader->frame_name(1).find("1.png', frame 1"), std::string::npos);
}

TEST_F(VideoTest, Y4mRoundTrip) {
    for (const int channels : {1, 3}) {
        const std::string name = "a" + std::to_string(channels) + ".y4m";
        create(name, 17, 9, 3, channels);
        const auto reader = open_frames(file(name));
        EXPECT_EQ(reader->facts().format, "Y4M");
        EXPECT_EQ(reader->facts().frame, (Shape{17, 9, 1, 1, channels}));
        EXPECT_EQ(reader->facts().rate, (FrameRate{30000, 1001}));
        EXPECT_EQ(reader->facts().frames, 3);
        for (int i = 0; i < 3; ++i)
            EXPECT_LE(most_difference(*reader->next(), colors(17, 9, i, channels)), 2);
        EXPECT_FALSE(reader->next());
        EXPECT_FALSE(reader->next());
    }
    EXPECT_EQ(names().size(), 2u);
}

// Black, white and red of the standards.
TEST_F(VideoTest, Y4mColors) {
    struct Known {
        const char* header;
        Bytes yuv;
        int red, green, blue;
    };
    const Known known[] = {{"W2 H2 C444", {16, 128, 128}, 0, 0, 0},
                           {"W2 H2 C444", {235, 128, 128}, 255, 255, 255},
                           {"W2 H2 C444", {81, 90, 240}, 255, 0, 0},  // BT.601
                           {"W2 H2 C444 XCOLORRANGE=FULL", {255, 128, 128}, 255, 255, 255},
                           {"W2 H2 C444 XCOLORRANGE=FULL", {76, 85, 255}, 254, 0, 0},
                           {"W2 H640 C444", {63, 102, 240}, 255, 0, 0}};  // BT.709
    for (const Known& one : known) {
        SCOPED_TRACE(one.header);
        const std::size_t points =
            std::string(one.header).find("640") != std::string::npos ? 1280 : 4;
        Bytes bytes = y4m_bytes(one.header, 1, 3 * points);
        for (std::size_t plane = 0; plane < 3; ++plane)
            std::fill_n(bytes.end() - static_cast<std::ptrdiff_t>((3 - plane) * points), points,
                        one.yuv[plane]);
        write("c.y4m", bytes);
        const auto frame = std::get<Image<std::uint8_t>>(read_all("c.y4m").at(0));
        EXPECT_NEAR(frame(1, 1, 0, 0, 0), one.red, 1);
        EXPECT_NEAR(frame(1, 1, 0, 0, 1), one.green, 1);
        EXPECT_NEAR(frame(1, 1, 0, 0, 2), one.blue, 1);
    }
}

// Chroma of odd sizes is rounded up; every kind has the bytes that it should have.
TEST_F(VideoTest, Y4mKinds) {
    const std::pair<const char*, std::size_t> kinds[] = {{"W5 H3 F25:1", 15 + 2 * 3 * 2},
                                                         {"W5 H3 C420jpeg", 15 + 2 * 3 * 2},
                                                         {"W5 H3 C420mpeg2 A1:1", 15 + 2 * 3 * 2},
                                                         {"W5 H3 C420paldv Ip", 15 + 2 * 3 * 2},
                                                         {"W5 H3 C420 F0:0", 15 + 2 * 3 * 2},
                                                         {"W5 H3 C422", 15 + 2 * 3 * 3},
                                                         {"W5 H3 C444", 15 * 3},
                                                         {"W5 H3 Cmono", 15}};
    for (const auto& [header, bytes] : kinds) {
        SCOPED_TRACE(header);
        write("k.y4m", y4m_bytes(header, 2, bytes));
        EXPECT_EQ(read_all("k.y4m").size(), 2u);
        // One byte less is one frame less, which is named.
        Bytes cut = y4m_bytes(header, 2, bytes);
        cut.pop_back();
        write("k.y4m", cut);
        std::string error;
        EXPECT_EQ(read_all("k.y4m", &error).size(), 1u);
        EXPECT_NE(error.find("k.y4m': frame 1 is cut off"), std::string::npos) << error;
    }
    write("k.y4m", y4m_bytes("W5 H3 Cmono", 0, 15));
    expect_error(ErrorCode::unreadable_input, {"k.y4m", "no frame"},
                 [&] { open_frames(file("k.y4m")); });
}

// Two bytes a sample, the lower one first; black and white of 10 bits are 64 and 940.
TEST_F(VideoTest, Y4mOfMoreBits) {
    const auto samples = [](const std::vector<int>& values, std::size_t each) {
        Bytes bytes;
        for (const int value : values)
            for (std::size_t i = 0; i < each; ++i) {
                bytes.push_back(static_cast<std::uint8_t>(value));
                bytes.push_back(static_cast<std::uint8_t>(value >> 8));
            }
        return bytes;
    };
    struct Known {
        const char* header;
        std::size_t luma, chroma;  // samples
        std::vector<int> yuv, colors;
    };
    const Known known[] = {
        {"W5 H3 Cmono10", 15, 0, {64}, {0}},
        {"W5 H3 Cmono10", 15, 0, {940}, {65535}},
        {"W5 H3 Cmono10", 15, 0, {502}, {32768}},
        {"W5 H3 Cmono16 XCOLORRANGE=FULL", 15, 0, {12345}, {12345}},
        {"W5 H3 C420p10", 15, 6, {940, 512, 512}, {65535, 65535, 65535}},
        // Red: steps of chroma are up to 130 of blue.
        {"W5 H3 C420p10", 15, 6, {324, 360, 960}, {65535, 0, 0}},
        {"W5 H3 C422p12", 15, 9, {256, 2048, 2048}, {0, 0, 0}},
        {"W5 H3 C444p14", 15, 15, {15040, 8192, 8192}, {65535, 65535, 65535}},
        {"W5 H3 C444p10 XCOLORRANGE=FULL", 15, 15, {1023, 512, 512}, {65535, 65535, 65535}}};
    for (const Known& one : known) {
        SCOPED_TRACE(one.header);
        Bytes planes = samples({one.yuv[0]}, one.luma);
        for (std::size_t plane = 1; plane < one.yuv.size(); ++plane) {
            const Bytes chroma = samples({one.yuv[plane]}, one.chroma);
            planes.insert(planes.end(), chroma.begin(), chroma.end());
        }
        Bytes bytes = y4m_bytes(one.header, 2, planes.size());
        std::copy(planes.rbegin(), planes.rend(), bytes.rbegin());
        write("d.y4m", bytes);
        EXPECT_EQ(open_frames(file("d.y4m"))->facts().frames, 2);
        const auto frame = std::get<Image<std::uint16_t>>(read_all("d.y4m").at(1));
        for (std::size_t c = 0; c < one.colors.size(); ++c)
            EXPECT_NEAR(frame(4, 2, 0, 0, static_cast<int>(c)), one.colors[c], 160);
        bytes.pop_back();
        write("d.y4m", bytes);
        std::string error;
        EXPECT_EQ(read_all("d.y4m", &error).size(), 1u);
        EXPECT_NE(error.find("frame 1 is cut off"), std::string::npos) << error;
    }
}

TEST_F(VideoTest, Y4mOf16BitsRoundTrip) {
    for (const int channels : {1, 3}) {
        Image<std::uint16_t> image({7, 5, 1, 1, channels});
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            image.pixels()[i] = static_cast<std::uint16_t>(i * 600);
        const std::string name = "a" + std::to_string(channels) + ".y4m";
        const auto writer = create_video(file(name));
        writer->write(image);
        expect_error(ErrorCode::invalid_argument, {name, "another size, type"},
                     [&] { writer->write(colors(7, 5, 0, channels)); });
        writer->finish();
        const auto read = std::get<Image<std::uint16_t>>(read_all(name).at(0));
        ASSERT_EQ(read.shape(), image.shape());
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            EXPECT_NEAR(read.pixels()[i], image.pixels()[i], 2);
    }
}

TEST_F(VideoTest, DamagedY4m) {
    const auto refused = [&](const std::string& header, ErrorCode code, const std::string& word) {
        SCOPED_TRACE(header);
        write("d.y4m", y4m_bytes(header, 2, 45));
        expect_error(code, {"d.y4m", word}, [&] {
            const auto reader = open_frames(file("d.y4m"), {.max_bytes = 1 << 26});
            while (reader->next()) {
            }
        });
    };
    refused("H3 Cmono", ErrorCode::unreadable_input, "width and height");
    refused("W0 H3 Cmono", ErrorCode::unreadable_input, "impossible size '0'");
    refused("W-5 H3 Cmono", ErrorCode::unreadable_input, "'-5'");
    refused("W99999999999999999999 H3", ErrorCode::unreadable_input, "impossible size");
    refused("W2000000000 H2000000000", ErrorCode::unreadable_input, "impossible size");
    // Even a limit that is large enough allocates nothing for a file that is too short.
    refused("W1000000 H1000000", ErrorCode::unreadable_input, "not one frame fits");
    refused("W500 H300", ErrorCode::unreadable_input, "500 x 300");
    for (const char* kind : {"C420p8", "C420p17", "C420p", "Cmono10x", "C411", "C420p1000000"})
        refused(std::string("W5 H3 ") + kind, ErrorCode::unsupported_format, kind);
    refused("W5 H3 Cmono", ErrorCode::unreadable_input, "FRAME");
    refused("W5 H3" + std::string(2000, ' '), ErrorCode::unreadable_input, "no end");
    write("d.y4m", y4m_bytes("W60000 H60000", 1, 0));
    fs::resize_file(file("d.y4m"), std::uintmax_t{6} << 30);  // takes no room on the disk
    expect_error(ErrorCode::out_of_memory, {"d.y4m", "16200000000 bytes"},
                 [&] { open_frames(file("d.y4m"), {.max_bytes = 1 << 26}); });
    write("d.y4m", {'Y', 'U', 'V', '4', 'M', 'P', 'E', 'G', '2', ' ', 'W'});
    expect_error(ErrorCode::unreadable_input, {"cut off"}, [&] { open_frames(file("d.y4m")); });
    expect_error(ErrorCode::unreadable_input, {"none.y4m", "No such"},
                 [&] { open_frames(file("none.y4m")); });
}

TEST_F(VideoTest, MutationsReadOrFailCleanly) {
    const QuietScope quiet;
    const Bytes whole = y4m_bytes("W6 H4 F25:1 Ip A1:1 C420jpeg XYSCSS=420JPEG", 3, 36);
    std::mt19937 random(11);
    for (int round = 0; round < 2000; ++round) {
        Bytes mutant = whole;
        for (unsigned i = 0; i < 1 + random() % 3; ++i)
            mutant[random() % (round % 2 ? 48 : mutant.size())] =
                static_cast<std::uint8_t>(random());
        if (round % 5 == 0) mutant.resize(random() % mutant.size());
        write("m.y4m", mutant);
        std::string error;
        read_all("m.y4m", &error);
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
}

TEST_F(VideoTest, Y4mFromAPipe) {
    const Bytes bytes = y4m_bytes("W5 H3 Cmono", 2, 15);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const fs::path path = "/proc/self/fd/" + std::to_string(ends[0]);
    std::thread source([&] {
        for (const std::uint8_t byte : bytes)
            if (::write(ends[1], &byte, 1) != 1) return;
    });
    CancelToken token;
    const auto reader = open_frames(path, {.cancel = &token});
    EXPECT_FALSE(reader->facts().frames);
    EXPECT_TRUE(reader->next());
    EXPECT_TRUE(reader->next());
    source.join();
    // The pipe is silent but open.
    token.cancel();
    EXPECT_THROW(reader->next(), Cancelled);
    close(ends[0]);
    close(ends[1]);
}

// What a pipe claims costs nothing before it comes.
TEST_F(VideoTest, Y4mFromALyingPipe) {
    const auto peak_kilobytes = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const Bytes bytes = y4m_bytes("W30000 H30000 Cmono", 1, 1000);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const fs::path path = "/proc/self/fd/" + std::to_string(ends[0]);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), std::ssize(bytes));
    close(ends[1]);
    const long before = peak_kilobytes();
    expect_error(ErrorCode::unreadable_input, {"frame 0 is cut off after 1000 of 900000000"},
                 [&] { open_frames(path, {.max_bytes = std::int64_t{1} << 31})->next(); });
    if (!tesela::testing::sanitized) {
        EXPECT_LT(peak_kilobytes() - before, 100'000);
    }
    close(ends[0]);

    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), std::ssize(bytes));
    expect_error(ErrorCode::out_of_memory, {"1800000000 bytes"}, [&] {
        open_frames("/proc/self/fd/" + std::to_string(ends[0]), {.max_bytes = 1 << 26});
    });
    close(ends[0]);
    close(ends[1]);
}

TEST_F(VideoTest, WritersRefuse) {
    expect_error(ErrorCode::unsupported_format, {"a.webp", ".y4m"},
                 [&] { create_video(file("a.webp")); });
    create("a.y4m", 4, 3, 1);
    expect_error(ErrorCode::invalid_argument, {"a.y4m", "exists"},
                 [&] { create_video(file("a.y4m"), {.rate = {}, .overwrite = false}); });
    const auto writer = create_video(file("b.y4m"));
    expect_error(ErrorCode::unsupported_format, {"b.y4m", "8 bits", "16", "int16"}, [&] {
        writer->write(Image<std::int16_t>({4, 3}));
    });
    expect_error(ErrorCode::unsupported_format, {"2 channels"}, [&] {
        writer->write(Image<std::uint8_t>({4, 3, 1, 1, 2}));
    });
    writer->write(colors(4, 3, 0));
    expect_error(ErrorCode::invalid_argument, {"b.y4m", "another size"},
                 [&] { writer->write(colors(5, 3, 0)); });
    EXPECT_FALSE(fs::exists(file("b.y4m")));  // until finish()
    expect_error(ErrorCode::invalid_argument, {"at least one frame"},
                 [&] { create_video(file("c.y4m"))->finish(); });
}

TEST_F(VideoTest, TellsVideosByContent) {
    create("a.y4m", 4, 3, 1);
    EXPECT_EQ(video_format(file("a.y4m")), "Y4M");
    write_image(colors(4, 3, 0), file("a.png"));
    EXPECT_EQ(video_format(file("a.png")), "");
    write("a.mp4", {0, 0, 0, 24, 'f', 't', 'y', 'p', 'i', 's', 'o', 'm'});
    EXPECT_EQ(video_format(file("a.mp4")), "MP4");
    EXPECT_TRUE(is_video_name("-"));
    EXPECT_TRUE(is_video_name("x/a.mkv"));
    EXPECT_FALSE(is_video_name("x.mkv/a"));
    if (has_video_codecs()) {
        expect_error(ErrorCode::unreadable_input, {"a.mp4"}, [&] { open_frames(file("a.mp4")); });
        EXPECT_TRUE(open_frames(file("a.y4m"))->warnings().empty());
    } else {
        expect_error(ErrorCode::unsupported_format, {"a.mp4", "MP4", "TESELA_WITH_FFMPEG"},
                     [&] { open_frames(file("a.mp4")); });
        expect_error(ErrorCode::unsupported_format, {"b.mp4", "TESELA_WITH_FFMPEG"},
                     [&] { create_video(file("b.mp4")); });
    }
}

}  // namespace
}  // namespace tesela::io::testing
