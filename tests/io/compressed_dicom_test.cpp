// Compressed DICOM: the pixels of the plain file, or one clear error.
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>  // before jpeglib.h, which needs it
#include <cstdlib>
#include <random>
#include <thread>

#include <jpeglib.h>

#include "io/compressed_dicom.h"

namespace tesela::io::testing {
namespace {

// An environment variable for the time of a test.
class Setting {
  public:
    Setting(const char* name, const std::string& value) : name_(name) {
        setenv(name, value.c_str(), 1);
    }
    ~Setting() { unsetenv(name_); }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

  private:
    const char* name_;
};

// 16 x 16 pixels of 200, 50, 20, whose components are told by Adobe's segment alone.
Bytes red_jpeg_of_adobe(J_COLOR_SPACE stream) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* data = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &data, &size);
    jpeg.image_width = jpeg.image_height = 16;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, stream);
    for (int i = 0; i < 3; ++i)
        jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    jpeg.write_JFIF_header = FALSE;
    jpeg.write_Adobe_marker = TRUE;
    jpeg_start_compress(&jpeg, TRUE);
    Bytes row;
    for (int x = 0; x < 16; ++x) row.insert(row.end(), {200, 50, 20});
    JSAMPROW line = row.data();
    for (int y = 0; y < 16; ++y) jpeg_write_scanlines(&jpeg, &line, 1);
    jpeg_finish_compress(&jpeg);
    Bytes bytes(data, data + size);
    jpeg_destroy_compress(&jpeg);
    std::free(data);
    if (bytes.size() % 2) bytes.push_back(0);
    return bytes;
}

class CompressedDicomTest : public FileTest {
  protected:
    ReadResult read_whole(const DicomSample& sample) {
        write_bytes(file("a.dcm"), dicom_bytes(sample));
        return read_image(file("a.dcm"));
    }
    AnyImage read(const DicomSample& sample) { return read_whole(sample).image; }
    // The values, as numbers.
    static std::vector<double> numbers(const AnyImage& image) {
        std::vector<double> values;
        std::visit([&](const auto& i) { values.assign(i.pixels().begin(), i.pixels().end()); },
                   image);
        return values;
    }
    void expect_refused(const DicomSample& sample, const std::vector<std::string>& words) {
        std::vector<std::string> all = {"a.dcm"};
        all.insert(all.end(), words.begin(), words.end());
        expect_error(ErrorCode::unreadable_input, all, [&] { read(sample); });
    }
    // The sample with other bytes from `at` on.
    static DicomSample patched(DicomSample sample, std::size_t at, const Bytes& bytes) {
        std::copy(bytes.begin(), bytes.end(),
                  sample.fragments[0].begin() + static_cast<std::ptrdiff_t>(at));
        return sample;
    }
    // Where a marker of the JPEG family stands.
    static std::size_t find_marker(const DicomSample& sample, std::uint8_t code) {
        const Bytes mark = {0xff, code};
        const Bytes& all = sample.fragments[0];
        return static_cast<std::size_t>(
            std::search(all.begin(), all.end(), mark.begin(), mark.end()) - all.begin());
    }
    fs::path script(const std::string& text) {
        const std::string all = "#!/bin/sh\n" + text + "\n";
        write_bytes(file("helper"), Bytes(all.begin(), all.end()));
        fs::permissions(file("helper"), fs::perms::owner_all);
        return file("helper");
    }
    static std::size_t open_files() {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator("/proc/self/fd")) count += entry.exists();
        return count;
    }
};

const std::string lossless[] = {jpeg_lossless, jpegls_lossless, jpeg2000_lossless, run_lengths};
const std::string lossy[] = {jpeg_baseline, jpeg_extended, jpegls_near, jpeg2000_lossy};

TEST_F(CompressedDicomTest, LosslessEqualsPlain) {
    for (const std::string& syntax : lossless)
        for (const int samples : {1, 3}) {
            SCOPED_TRACE(syntax + ", samples " + std::to_string(samples));
            DicomSample plain = smooth_sample(syntax, samples);
            plain.slope = samples == 1 ? "0.5" : "";
            const AnyImage expected = read(plain);
            const AnyImage image = read(compressed(plain, syntax));
            EXPECT_EQ(shape_of(image), shape_of(expected));
            EXPECT_EQ(pixel_type_of(image), pixel_type_of(expected));
            EXPECT_EQ(numbers(image), numbers(expected));
            expect_same_geometry(geometry_of(image), geometry_of(expected));
        }
}

TEST_F(CompressedDicomTest, LossyIsNearPlain) {
    const QuietScope quiet;
    for (const std::string& syntax : lossy) {
        SCOPED_TRACE(syntax);
        const DicomSample plain = smooth_sample(syntax);
        const std::vector<double> expected = numbers(read(plain));
        const std::vector<double> values = numbers(read(compressed(plain, syntax)));
        ASSERT_EQ(values.size(), expected.size());
        const double tolerance = plain.bits_stored == 8 ? 8 : 100;
        for (std::size_t i = 0; i < values.size(); ++i)
            ASSERT_NEAR(values[i], expected[i], tolerance) << i;
    }
}

// JFIF is in YCbCr, whatever the header says of colors.
TEST_F(CompressedDicomTest, JfifBehindAHeaderOfRgb) {
    Image<std::uint8_t> red({16, 16, 1, 1, 3});
    for (std::int64_t y = 0; y < 16; ++y)
        for (std::int64_t x = 0; x < 16; ++x)
            red(x, y, 0, 0, 0) = 200, red(x, y, 0, 0, 1) = 50, red(x, y, 0, 0, 2) = 20;
    write_image(red, file("red.jpg"));
    DicomSample s;
    s.columns = s.rows = 16;
    s.samples = 3;
    s.bits_allocated = s.bits_stored = 8;
    s.syntax = "1.2.840.10008.1.2." + jpeg_baseline;
    s.fragments = {read_bytes(file("red.jpg"))};
    if (s.fragments[0].size() % 2) s.fragments[0].push_back(0);
    for (const std::string colors : {"RGB", "YBR_FULL_422"}) {
        SCOPED_TRACE(colors);
        s.colors = colors;
        const AnyImage image = read(s);
        const auto& pixels = std::get<Image<std::uint8_t>>(image);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 0), 200, 3);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 1), 50, 3);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 2), 20, 3);
    }
}

// Adobe's segment tells what the components are, whatever the header says.
TEST_F(CompressedDicomTest, ColorsOfAdobesSegment) {
    struct Case {
        J_COLOR_SPACE stream;
        const char* header;
    };
    for (const Case& one : {Case{JCS_RGB, "YBR_FULL"}, Case{JCS_RGB, "YBR_FULL_422"},
                            Case{JCS_RGB, "RGB"}, Case{JCS_YCbCr, "RGB"}}) {
        SCOPED_TRACE(std::string(one.header) + ", " + std::to_string(one.stream));
        DicomSample s;
        s.columns = s.rows = 16;
        s.samples = 3;
        s.bits_allocated = s.bits_stored = 8;
        s.syntax = "1.2.840.10008.1.2." + jpeg_baseline;
        s.colors = one.header;
        s.fragments = {red_jpeg_of_adobe(one.stream)};
        const ReadResult result = read_whole(s);
        const auto& pixels = std::get<Image<std::uint8_t>>(result.image);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 0), 200, 3);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 1), 50, 3);
        EXPECT_NEAR(pixels(8, 8, 0, 0, 2), 20, 3);
        const bool differs = (one.stream == JCS_RGB) != (std::string(one.header) == "RGB");
        EXPECT_EQ(result.warnings.size(), differs ? 1u : 0u);
    }
}

TEST_F(CompressedDicomTest, FragmentsAndPadding) {
    for (const std::string& syntax : lossless) {
        SCOPED_TRACE(syntax);
        const DicomSample plain = smooth_sample(syntax);
        DicomSample sample = compressed(plain, syntax);
        const Bytes all = sample.fragments[0];
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4 * 2);
        sample.fragments = {Bytes(all.begin(), middle), Bytes(middle, all.end()), Bytes(2)};
        EXPECT_EQ(numbers(read(sample)), numbers(read(plain)));
    }
}

TEST_F(CompressedDicomTest, SeriesEqualsPlain) {
    for (const std::string& syntax : lossless) {
        SCOPED_TRACE(syntax);
        fs::create_directories(file("plain"));
        fs::create_directories(file("packed"));
        for (int i = 0; i < 5; ++i) {
            DicomSample s = smooth_sample(syntax);
            for (std::uint16_t& value : s.values) value = static_cast<std::uint16_t>(value + i);
            s.position[2] = 2 * i;
            const std::string name = std::to_string(9 - i);
            write_bytes(file("plain/" + name), dicom_bytes(s));
            write_bytes(file("packed/" + name), dicom_bytes(compressed(s, syntax)));
        }
        const ReadResult plain = read_image(file("plain")), packed = read_image(file("packed"));
        EXPECT_EQ(numbers(packed.image), numbers(plain.image));
        expect_same_geometry(geometry_of(packed.image), geometry_of(plain.image));
    }
}

TEST_F(CompressedDicomTest, HalfOfTheDataZeroed) {
    for (const auto* list : {&lossless, &lossy})
        for (const std::string& syntax : *list) {
            SCOPED_TRACE(syntax);
            DicomSample s = compressed(smooth_sample(syntax, 1, 160, 120), syntax);
            Bytes& all = s.fragments[0];
            std::fill(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end() - 4, 0);
            expect_refused(s, {"compressed pixels are damaged"});
        }
}

// The sizes of JPEG 2000 packets stand before them, so that the hole may be in one packet alone.
TEST_F(CompressedDicomTest, HoleInAPacket) {
    DicomSample s = compressed(smooth_sample(jpeg2000_lossless, 1, 160, 120), jpeg2000_lossless);
    Bytes& all = s.fragments[0];
    const auto hole = all.end() - 1000;
    std::fill(hole, hole + 100, 0);
    expect_refused(s, {"a part of them is zeros"});
    std::fill(hole, hole + 100, 0xff);
    expect_refused(s, {"a marker stands in a packet"});
}

// ---- Rare markers of JPEG 2000 -----------------------------------------------------------------

// Where the first tile part begins, and where its data do.
std::size_t place_of(const Bytes& stream, std::uint8_t marker, std::size_t from) {
    for (std::size_t at = from; at + 3 < stream.size();
         at += 2u + stream[at + 2] * 256u + stream[at + 3])
        if (stream[at] == 0xff && stream[at + 1] == marker) return at;
    return stream.size();
}
constexpr std::uint8_t tile_part = 0x90, tile_data = 0x93;

Bytes segment(std::uint8_t marker, const Bytes& value) {
    const std::size_t length = value.size() + 2;
    Bytes all{0xff, marker, static_cast<std::uint8_t>(length >> 8),
              static_cast<std::uint8_t>(length)};
    all.insert(all.end(), value.begin(), value.end());
    return all;
}

// With a segment at the end of the main header.
DicomSample with_main_segment(DicomSample sample, const Bytes& extra) {
    Bytes& stream = sample.fragments[0];
    const auto at = static_cast<std::ptrdiff_t>(place_of(stream, tile_part, 2));
    stream.insert(stream.begin() + at, extra.begin(), extra.end());
    if (stream.size() % 2 > 0) stream.push_back(0);
    return sample;
}

// The packets of one layer come by resolutions: told so in two steps, they are the same ones.
TEST_F(CompressedDicomTest, OrdersOfPacketsThatChange) {
    const DicomSample s =
        compressed(smooth_sample(jpeg2000_lossless, 1, 160, 120), jpeg2000_lossless);
    const AnyImage expected = read(s);
    const auto poc = [](const Bytes& entries) { return segment(0x5f, entries); };
    const Bytes low{0, 0, 0, 1, 2, 1, 1}, high{2, 0, 0, 1, 33, 1, 0}, bad{2, 0, 0, 1, 33, 1, 5};
    const auto both = [](Bytes first, const Bytes& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    };
    EXPECT_EQ(numbers(read(with_main_segment(s, poc(both(low, high))))), numbers(expected));
    // Packets that stand elsewhere, or nowhere, are no packets.
    expect_refused(with_main_segment(s, poc(both(high, low))), {"compressed pixels are damaged"});
    expect_refused(with_main_segment(s, poc(low)), {"their orders leave packets out"});
    expect_refused(with_main_segment(s, poc(both(low, bad))), {"order of packets is not valid"});
    expect_refused(with_main_segment(s, poc({0, 0, 0})), {"no valid length"});
    Bytes many;
    for (int i = 0; i < 40; ++i) many = both(many, low);
    expect_refused(with_main_segment(s, poc(many)), {"too many orders of packets"});
    DicomSample hole = with_main_segment(s, poc(both(low, high)));
    std::fill(hole.fragments[0].end() - 1000, hole.fragments[0].end() - 900, 0);
    expect_refused(hole, {"a part of them is zeros"});
}

// An image whose packets are all empty, with their headers in the header of the tile or of all.
TEST_F(CompressedDicomTest, HeadersOfPacketsApart) {
    const DicomSample s = compressed(smooth_sample(jpeg2000_lossless), jpeg2000_lossless);
    Bytes stream = s.fragments[0];
    const std::size_t tile = place_of(stream, tile_part, 2), coding = place_of(stream, 0x52, 2);
    const std::size_t packets = stream[coding + 9] + 1u;  // a resolution each
    stream[coding + 4] |= 2;                              // marks stand before packets
    Bytes marks;
    for (std::size_t i = 0; i < packets; ++i)
        marks.insert(marks.end(), {0xff, 0x91, 0, 4, 0, static_cast<std::uint8_t>(i)});
    const auto made = [&](const Bytes& in_main, const Bytes& in_tile) {
        Bytes all(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(tile));
        all.insert(all.end(), in_main.begin(), in_main.end());
        const auto length = static_cast<std::uint8_t>(14 + in_tile.size() + marks.size());
        const Bytes part = segment(tile_part, {0, 0, 0, 0, 0, length, 0, 1});
        all.insert(all.end(), part.begin(), part.end());
        all.insert(all.end(), in_tile.begin(), in_tile.end());
        all.insert(all.end(), {0xff, tile_data});
        all.insert(all.end(), marks.begin(), marks.end());
        all.insert(all.end(), {0xff, 0xd9});
        if (all.size() % 2 > 0) all.push_back(0);
        DicomSample sample = s;
        sample.fragments = {all};
        return sample;
    };
    const auto piece = [](std::uint8_t number, std::size_t empty, const Bytes& before = {}) {
        Bytes all{number};
        all.insert(all.end(), before.begin(), before.end());
        all.insert(all.end(), empty, 0);
        return all;
    };
    const auto count = static_cast<std::uint8_t>(packets);
    for (const DicomSample& sample :
         {made({}, segment(0x61, piece(0, packets))),
          made(segment(0x60, piece(0, packets, {0, 0, 0, count})), {})}) {
        const auto values = numbers(read(sample));
        EXPECT_EQ(values, std::vector<double>(values.size(), values[0]));
        EXPECT_EQ(values.size(), 48u * 40u);
    }
    expect_refused(made({}, segment(0x61, piece(0, packets - 1))), {"fewer bytes than packets"});
    expect_refused(made({}, segment(0x61, piece(0, packets + 1))), {"headers are left"});
    expect_refused(made(segment(0x60, piece(0, packets, {0, 0, 1, count})), {}),
                   {"lacks packed headers"});
    expect_refused(made(segment(0x60, piece(0, packets + 2, {0, 0, 0, count})), {}),
                   {"headers of packets are left"});
    // What the headers do not tell of.
    DicomSample more = made({}, segment(0x61, piece(0, packets)));
    Bytes& bytes = more.fragments[0];
    const std::size_t data = place_of(bytes, tile_data, tile);
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(data) + 2, {1, 2});
    bytes[tile + 9] = static_cast<std::uint8_t>(bytes[tile + 9] + 2);
    expect_refused(more, {"data are left behind the last packet"});
}

// A single byte may leave pixels that nobody can tell from others, but these were told.
TEST_F(CompressedDicomTest, WarningsOfDecodersAreErrors) {
    const QuietScope quiet;
    for (const std::string& syntax : {jpeg_baseline, jpeg_extended, jpeg_lossless}) {
        SCOPED_TRACE(syntax);
        DicomSample s = compressed(smooth_sample(syntax), syntax);
        Bytes& all = s.fragments[0];
        std::fill(all.end() - 200, all.end() - 100, 0);
        expect_refused(s, {"Corrupt JPEG data"});
    }
}

TEST_F(CompressedDicomTest, BoxesAroundJpeg2000) {
    DicomSample s = compressed(smooth_sample(jpeg2000_lossless), jpeg2000_lossless);
    const AnyImage expected = read(s);
    Bytes boxes = {0,   0,   0,   12,  'j', 'P', ' ', ' ', 13,  10,  0x87, 10, 0, 0,
                   0,   20,  'f', 't', 'y', 'p', 'j', 'p', '2', ' ', 0,    0,  0, 0,
                   'j', 'p', '2', ' ', 0,   0,   0,   0,   'j', 'p', '2',  'c'};
    boxes.insert(boxes.end(), s.fragments[0].begin(), s.fragments[0].end());
    s.fragments[0] = boxes;
    EXPECT_EQ(numbers(read(s)), numbers(expected));
    expect_refused(patched(s, 12, {9}), {"a box has no valid length"});
}

TEST_F(CompressedDicomTest, TruncatedStream) {
    for (const auto* list : {&lossless, &lossy})
        for (const std::string& syntax : *list) {
            SCOPED_TRACE(syntax);
            DicomSample s = compressed(smooth_sample(syntax), syntax);
            Bytes& all = s.fragments[0];
            all.resize(all.size() / 4 * 2);
            expect_refused(s, {"compressed pixels are damaged"});
        }
}

TEST_F(CompressedDicomTest, StreamOfAnotherImageThanTheHeader) {
    const std::pair<std::string, std::uint8_t> frames[] = {{jpeg_baseline, 0xc0},
                                                           {jpeg_extended, 0xc1},
                                                           {jpeg_lossless, 0xc3},
                                                           {jpegls_lossless, 0xf7}};
    for (const auto& [syntax, marker] : frames) {
        SCOPED_TRACE(syntax);
        const DicomSample s = compressed(smooth_sample(syntax), syntax);
        const std::size_t at = find_marker(s, marker);
        expect_refused(patched(s, at + 6, {33}), {"48 x 33 pixels", "header says 48 x 40"});
        expect_refused(patched(s, at + 8, {16}), {"16 x 40 pixels"});
        expect_refused(patched(s, at + 4, {7}), {"7 bits"});
        expect_refused(patched(s, at + 11, {0x41}), {"subsampling"});
        expect_refused(patched(s, at + 1, {0xc9}), {"another kind of JPEG"});
    }
    const DicomSample s = compressed(smooth_sample(jpeg2000_lossless, 3), jpeg2000_lossless);
    expect_refused(patched(s, 10, {0x10}), {"4144 x 40 pixels"});
    expect_refused(patched(s, 15, {1}), {"48 x 1 pixels"});
    expect_refused(patched(s, 41, {2}), {"damaged"});
    expect_refused(patched(s, 42, {6}), {"7 bits"});
    expect_refused(patched(s, 43, {2}), {"components differ"});
    const DicomSample rle = compressed(smooth_sample(run_lengths), run_lengths);
    expect_refused(patched(rle, 0, {1}), {"1 run-length segments"});
    expect_refused(patched(rle, 8, {63, 0}), {"no order"});
}

// The header's sign is what the values mean; the stream's is how they were packed.
TEST_F(CompressedDicomTest, SignsThatDiffer) {
    DicomSample sample = smooth_sample(jpeg2000_lossless);
    for (std::size_t i = 0; i < sample.values.size(); i += 2) sample.values[i] |= 0x800;
    Bytes bytes = dicom_bytes(compressed(sample, jpeg2000_lossless));
    const Bytes sign = {0x28, 0, 3, 1, 'U', 'S', 2, 0};
    *(std::search(bytes.begin(), bytes.end(), sign.begin(), sign.end()) + 8) = 1;
    write_bytes(file("a.dcm"), bytes);
    const ReadResult result = read_image(file("a.dcm"));
    const auto values = numbers(result.image);
    ASSERT_EQ(values.size(), sample.values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], sample.values[i] - (sample.values[i] & 0x800 ? 4096 : 0)) << i;
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("signs"), std::string::npos);
}

TEST_F(CompressedDicomTest, BytesInWiderSamples) {
    for (const std::string& syntax : {jpeg_lossless, jpegls_lossless, jpeg2000_lossless}) {
        SCOPED_TRACE(syntax);
        DicomSample plain = smooth_sample(jpeg_baseline);
        DicomSample sample = compressed(plain, syntax);
        plain.bits_allocated = sample.bits_allocated = 16;
        if (syntax == jpeg_lossless)
            EXPECT_EQ(numbers(read(sample)), numbers(read(plain)));
        else
            expect_refused(sample, {"8 bits", "header says 8 in samples of 16"});
    }
}

TEST_F(CompressedDicomTest, MissingHelper) {
    const Setting setting("TESELA_DECODE_HELPER", file("nothing"));
    expect_refused(compressed(smooth_sample(jpeg_lossless), jpeg_lossless),
                   {"the program that decodes them is missing", "nothing", "TESELA_DECODE_HELPER"});
    read(smooth_sample(jpeg_lossless));
    read(compressed(smooth_sample(run_lengths), run_lengths));
}

TEST_F(CompressedDicomTest, HelperThatFails) {
    const QuietScope quiet;
    const DicomSample s = compressed(smooth_sample(jpeg_lossless), jpeg_lossless);
    const std::size_t before = open_files();
    for (const std::string text : {"kill -SEGV $$", "exit 0", "echo text; echo text >&2; exit 1",
                                   "head -c 9 /dev/zero >&0"}) {
        SCOPED_TRACE(text);
        const Setting setting("TESELA_DECODE_HELPER", script(text));
        expect_refused(s, {"stopped the decoder"});
    }
    // It reads on: one that ends before all was sent has stopped, whatever it answered.
    const Setting setting("TESELA_DECODE_HELPER",
                          script("head -c 99999 /dev/zero >&0; exec cat > /dev/null"));
    expect_refused(s, {"makes no sense"});
    EXPECT_EQ(open_files(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
}

TEST_F(CompressedDicomTest, HelperThatHangs) {
    const Setting setting("TESELA_DECODE_HELPER", script("exec sleep 60"));
    const auto begin = std::chrono::steady_clock::now();
    expect_refused(compressed(smooth_sample(jpeg_lossless), jpeg_lossless), {"took too long"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(CompressedDicomTest, ChildSignalsMayBeIgnored) {
    void (*const handler)(int) = std::signal(SIGCHLD, SIG_IGN);
    const DicomSample plain = smooth_sample(jpeg2000_lossless);
    EXPECT_EQ(numbers(read(compressed(plain, jpeg2000_lossless))), numbers(read(plain)));
    std::signal(SIGCHLD, handler);
}

TEST_F(CompressedDicomTest, SeveralThreads) {
    // Larger than what a socket holds.
    const DicomSample plain = smooth_sample(jpegls_lossless, 1, 700, 600);
    const std::vector<double> expected = numbers(read(plain));
    write_bytes(file("b.dcm"), dicom_bytes(compressed(plain, jpegls_lossless)));
    const std::size_t before = open_files();
    std::vector<std::thread> threads;
    std::vector<std::vector<double>> values(6);
    for (std::vector<double>& result : values)
        threads.emplace_back([&] { result = numbers(read_image(file("b.dcm")).image); });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<double>& result : values) EXPECT_EQ(result, expected);
    EXPECT_EQ(open_files(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

// TESELA_MUTATIONS asks for more of them.
TEST_F(CompressedDicomTest, DamagedBytesEndInOneSentence) {
    const QuietScope quiet;
    const char* asked = std::getenv("TESELA_MUTATIONS");
    const int count = asked ? std::atoi(asked) : 15;
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    for (const auto* list : {&lossless, &lossy})
        for (const std::string& syntax : *list)
            for (const int samples : {1, 3}) {
                if (samples == 3 && syntax == jpeg_extended) continue;  // colors have 8 bits
                const DicomSample good = compressed(smooth_sample(syntax, samples), syntax);
                for (int i = 0; i < count; ++i) {
                    DicomSample bad = good;
                    Bytes& all = bad.fragments[0];
                    // Headers are short and decide most.
                    const std::size_t reach =
                        i % 2 ? all.size() : std::min<std::size_t>(all.size(), 200);
                    for (std::size_t n = 1 + below(3); n > 0; --n)
                        all[below(reach)] = static_cast<std::uint8_t>(random());
                    write_bytes(file("a.dcm"), dicom_bytes(bad));
                    try {
                        read_image(file("a.dcm"), {.max_bytes = 1 << 26});
                    } catch (const Error& error) {
                        const std::string text = error.what();
                        ASSERT_NE(text.find("a.dcm"), std::string::npos) << text;
                        ASSERT_EQ(text.find('\n'), std::string::npos) << text;
                    }
                }
            }
}

}  // namespace
}  // namespace tesela::io::testing
