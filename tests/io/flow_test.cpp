// Files of optical flow, good and bad.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

// Bytes of 32-bit words, lowest byte first.
Bytes little_endian(const std::vector<std::uint32_t>& words) {
    Bytes bytes;
    for (const std::uint32_t word : words)
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    return bytes;
}
Bytes big_endian(const std::vector<float>& values) {
    Bytes bytes;
    for (const float value : values) {
        std::uint32_t word = 0;
        std::memcpy(&word, &value, sizeof word);
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
    return bytes;
}

FlowField field(std::int64_t width, const std::vector<float>& components) {
    FlowField flow({width, static_cast<std::int64_t>(components.size()) / 2 / width, 1, 1, 2});
    flow.pixels() = components;
    return flow;
}

class FlowFile : public FileTest {
  protected:
    void expect_round_trip(const FlowField& flow, const std::string& name) const {
        write_flow(flow, file(name));
        const FlowField read = read_flow(file(name));
        EXPECT_EQ(read.shape(), flow.shape());
        EXPECT_EQ(read.pixels(), flow.pixels()) << name;
    }
    void expect_unreadable(const std::vector<std::string>& words, const Bytes& bytes) const {
        write_bytes(file("bad.flo"), bytes);
        expect_error(ErrorCode::unreadable_input, words, [&] { read_flow(file("bad.flo")); });
    }
    // Reads, or fails with one line that names the file.
    bool reads(const std::string& name) const {
        try {
            read_flow(file(name), {.max_bytes = 1 << 24});
            return true;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
            return false;
        }
    }
};

const std::vector<std::string> every_name = {"a.flo", "a.png", "a.F"};

TEST_F(FlowFile, RoundTrips) {
    for (const std::string& name : every_name)
        for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {37, 23}}) {
            fs::remove(file(name));
            expect_round_trip(flow_pattern(width, height), name);
        }
    EXPECT_EQ(names(), (std::vector<std::string>{"a.F", "a.flo", "a.png"}));
}

TEST_F(FlowFile, MiddleburyByteByByte) {
    write_flow(field(2, {1, -2, 0.5f, 1e10f}), file("a.flo"));
    EXPECT_EQ(read_bytes(file("a.flo")),
              little_endian({0x48454950, 2, 1, 0x3f800000, 0xc0000000, 0x3f000000, 0x501502f9}));
}

// Signaling and quiet NaN with payloads, infinities, denormals and negative zero.
TEST_F(FlowFile, MiddleburyKeepsEveryBit) {
    const Bytes bytes = little_endian({0x48454950, 4, 1, 0x7fa12345, 0xffc54321, 0x7f800000,
                                       0xff800000, 1, 0x80000000, 0x7f800001, 0x00400000});
    write_bytes(file("a.flo"), bytes);
    write_flow(read_flow(file("a.flo")), file("b.flo"));
    EXPECT_EQ(read_bytes(file("b.flo")), bytes);
}

TEST_F(FlowFile, KittiByItsNumbers) {
    Image<std::uint16_t> stored({4, 1, 1, 1, 3});
    stored.pixels() = {32768, 32768, 1, 32768 + 64, 32768 - 32, 1, 0, 65535, 1, 5, 5, 0};
    write_image(stored, file("a.png"));
    const FlowField flow = read_flow(file("a.png"));
    EXPECT_EQ(flow.pixels(),
              (std::vector<float>{0, 0, 1, -0.5f, -512, 511.984375f, unknown_flow, unknown_flow}));
    write_flow(field(2, {0.0117f, -0.0117f, 3, std::nanf("")}), file("b.png"));
    const auto written = std::get<Image<std::uint16_t>>(read_image(file("b.png")).image);
    EXPECT_EQ(written.pixels(), (std::vector<std::uint16_t>{32769, 32767, 1, 0, 0, 0}));
}

TEST_F(FlowFile, KittiHoldsSmallMotionsOnly) {
    for (const float motion : {-512.1f, 512.0f, 9e8f})
        for (const FlowField& flow : {field(1, {motion, 0}), field(1, {0, motion})})
            expect_error(ErrorCode::too_narrow, {"a.png", "511.98", ".flo"},
                         [&] { write_flow(flow, file("a.png")); });
    EXPECT_TRUE(names().empty());
    write_flow(field(1, {-512, 511.99f}), file("a.png"));
}

TEST_F(FlowFile, OtherPngsAreNoFlow) {
    write_image(pattern<std::uint8_t>({5, 4, 1, 1, 3}), file("color.png"));
    write_image(pattern<std::uint16_t>({5, 4}), file("gray.png"));
    expect_error(ErrorCode::unsupported_format, {"color.png", "3 of uint8"},
                 [&] { read_flow(file("color.png")); });
    expect_error(ErrorCode::unsupported_format, {"gray.png", "1 of uint16"},
                 [&] { read_flow(file("gray.png")); });
}

// Frame of 5 x 4, vectors for 2 x 2 of it from (2, 1) on; y grows upward in the file.
TEST_F(FlowFile, BarronByteByByte) {
    const std::vector<float> words = {5, 4, 2, 2, 2, 1, 1, 2, -3, -4, 100, 100, 100, 0};
    Bytes big = big_endian(words), little = big;
    for (std::size_t i = 0; i < little.size(); i += 4)
        std::reverse(little.begin() + static_cast<std::ptrdiff_t>(i),
                     little.begin() + static_cast<std::ptrdiff_t>(i + 4));
    for (const Bytes& bytes : {big, little}) {
        write_bytes(file("correct_flow"), bytes);
        EXPECT_EQ(flow_format(file("correct_flow")), "Barron flow");
        const FlowField flow = read_flow(file("correct_flow"));
        ASSERT_EQ(flow.shape(), (Shape{5, 4, 1, 1, 2}));
        for (std::int64_t y = 0; y < 4; ++y)
            for (std::int64_t x = 0; x < 5; ++x) {
                const float* vector = &flow(x, y);
                const bool known = (y == 1 && (x == 2 || x == 3)) || (y == 2 && x == 3);
                EXPECT_EQ(is_known(vector[0], vector[1]), known) << x << " " << y;
            }
        EXPECT_EQ(flow(2, 1), 1);
        EXPECT_EQ(flow(2, 1, 0, 0, 1), -2);
        EXPECT_EQ(flow(3, 1, 0, 0, 1), 4);
        EXPECT_EQ(flow(3, 2), 100);
    }
    write_flow(field(2, {1, 2, std::nanf(""), 0}), file("a.f"));
    EXPECT_EQ(read_bytes(file("a.f")), big_endian({2, 1, 2, 1, 0, 0, 1, -2, 100, 100}));
    expect_error(ErrorCode::too_narrow, {"b.F", "(100, -100)"}, [&] {
        write_flow(field(1, {100, -100}), file("b.F"));
    });
}

TEST_F(FlowFile, BarronHeadersThatMakeNoSense) {
    const std::vector<std::vector<float>> headers = {
        {5, 4, 2, 2, 4, 1},  {5, 4, 2, 2, 2, 3},
        {5, 4, 0, 2, 0, 0},  {5, 4, 2.5f, 2, 0, 0},
        {5, -4, 2, 2, 0, 0}, {2000, 4, 2, 2, 0, 0},
        {5, 4, 2, 2, -1, 0}, {5, std::nanf(""), 2, 2, 0, 0}};
    for (std::vector<float> words : headers) {
        words.insert(words.end(), 8, 1.0f);
        write_bytes(file("a"), big_endian(words));
        expect_error(ErrorCode::unsupported_format, {"'", "Middlebury", "KITTI", "Barron"},
                     [&] { read_flow(file("a")); });
        EXPECT_EQ(flow_format(file("a")), "");
    }
}

TEST_F(FlowFile, FormatIsToldByContent) {
    write_flow(flow_pattern(3, 2), file("a.flo"));
    fs::rename(file("a.flo"), file("b.png"));
    EXPECT_EQ(read_flow(file("b.png")).pixels(), flow_pattern(3, 2).pixels());
    EXPECT_EQ(flow_format(file("b.png")), "Middlebury flow");
    write_image(pattern<std::uint8_t>({5, 4}), file("image.png"));
    EXPECT_EQ(flow_format(file("image.png")), "");
    write_bytes(file("text.flo"), {'h', 'e', 'l', 'l', 'o'});
    expect_error(ErrorCode::unsupported_format, {"text.flo", "Middlebury"},
                 [&] { read_flow(file("text.flo")); });
}

TEST_F(FlowFile, MissingAndEmpty) {
    expect_error(ErrorCode::unreadable_input, {"none.flo", "No such file"},
                 [&] { read_flow(file("none.flo")); });
    expect_error(ErrorCode::unreadable_input, {"none.flo"}, [&] { flow_format(file("none.flo")); });
    expect_unreadable({"bad.flo", "empty"}, {});
    mkfifo(file("pipe").c_str(), 0600);
    expect_error(ErrorCode::unreadable_input, {"pipe", "regular"},
                 [&] { read_flow(file("pipe")); });
}

TEST_F(FlowFile, SizesThatLie) {
    const std::uint32_t mark = 0x48454950;
    expect_unreadable({"ends early"}, little_endian({mark}));
    expect_unreadable({"2 x 2 vectors", "ends early", "36 bytes"},
                      little_endian({mark, 2, 2, 0, 0, 0, 0, 0, 0}));
    expect_unreadable({"2 x 1 vectors", "4 bytes follow"},
                      little_endian({mark, 2, 1, 0, 0, 0, 0, 0}));
    expect_unreadable({"0 x 7 vectors"}, little_endian({mark, 0, 7, 0, 0}));
    expect_unreadable({"-1 x 1 vectors"}, little_endian({mark, 0xffffffff, 1, 0, 0}));
    expect_unreadable({"2147483647 x 2147483647 vectors"},
                      little_endian({mark, 0x7fffffff, 0x7fffffff, 0, 0}));
    expect_unreadable({"2 x 1 vectors", "ends early"}, big_endian({2, 1, 2, 1, 0, 0, 1, 2, 3}));
    expect_unreadable({"1 x 1 vectors", "8 bytes follow"},
                      big_endian({1, 1, 1, 1, 0, 0, 1, 2, 3, 4}));
}

TEST_F(FlowFile, TruncationIsAlwaysAnError) {
    for (const auto& [name, bytes] : sample_flow_files(folder)) {
        if (name == "gray.ras") continue;
        write_bytes(file(name), bytes);
        ASSERT_TRUE(reads(name)) << name;
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            write_bytes(file(name),
                        Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
            EXPECT_FALSE(reads(name)) << name << " of " << length << " bytes";
        }
    }
}

TEST_F(FlowFile, MutationsReadOrFailCleanly) {
    const QuietScope quiet;
    std::mt19937 random(11);
    for (const auto& [name, bytes] : sample_flow_files(folder)) {
        for (int round = 0; round < 400; ++round) {
            Bytes mutant = bytes;
            const std::size_t reach =
                round % 2 ? std::min<std::size_t>(mutant.size(), 30) : mutant.size();
            mutant[random() % reach] = static_cast<std::uint8_t>(random());
            mutant[random() % reach] ^= static_cast<std::uint8_t>(1u << random() % 8);
            write_bytes(file(name), mutant);
            reads(name);
        }
    }
}

TEST_F(FlowFile, LimitOnMemory) {
    for (const std::string& name : every_name) {
        write_flow(flow_pattern(10, 10), file(name));
        expect_error(ErrorCode::out_of_memory, {name, "799"},
                     [&] { read_flow(file(name), {.max_bytes = 799}); });
        EXPECT_NO_THROW(read_flow(file(name), {.max_bytes = 800}));
    }
}

TEST_F(FlowFile, Targets) {
    const FlowField flow = flow_pattern(300, 200);
    for (const std::string& name : every_name) {
        SCOPED_TRACE(name);
        write_bytes(file(name), {'o', 'l', 'd'});
        expect_error(ErrorCode::invalid_argument, {name, "exists"},
                     [&] { write_flow(flow, file(name), {.overwrite = false}); });
        {
            const FileSizeLimit full(5000);
            expect_error(ErrorCode::unwritable_output, {name},
                         [&] { write_flow(flow, file(name)); });
        }
        EXPECT_EQ(read_bytes(file(name)), (Bytes{'o', 'l', 'd'}));
        EXPECT_EQ(names(), std::vector<std::string>{name});
        write_flow(flow, file(name));
        EXPECT_EQ(read_flow(file(name)).pixels(), flow.pixels());
        fs::remove(file(name));
    }
    expect_error(ErrorCode::unwritable_output, {"none/a.flo", "no folder"},
                 [&] { write_flow(flow, file("none/a.flo")); });
    expect_error(ErrorCode::unsupported_format, {"a.tif", ".flo .png .F"},
                 [&] { write_flow(flow, file("a.tif")); });
    expect_error(ErrorCode::unsupported_format, {"flo", "suffix"},
                 [&] { write_flow(flow, file("flo")); });
    expect_error(ErrorCode::invalid_argument, {"the flow", "1 channels"}, [&] {
        write_flow(FlowField({3, 3}), file("a.flo"));
    });
    expect_error(ErrorCode::invalid_argument, {"no pixels"},
                 [&] { write_flow({}, file("a.flo")); });
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tesela::io::testing
