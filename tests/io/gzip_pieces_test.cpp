// Members of pieces: the same bytes from any number of threads, read back by all of them, and
// whatever a damaged or foreign file says of its pieces, its stream decides.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <random>

#include "io/gzip.h"
#include "io/gzip_pieces.h"
#include "io/support.h"
#include "tesela/io.h"

namespace tesela::io {
namespace {

using testing::Bytes;

constexpr std::size_t piece = 1 << 20;
constexpr std::size_t head_bytes = 20;  // before the lengths of the pieces

class GzipPieces : public testing::FileTest {
  protected:
    fs::path save(const std::string& name, const Bytes& bytes) const {
        std::ofstream(file(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
        return file(name);
    }
    Bytes load(const fs::path& path) const { return InputFile(path).head(fs::file_size(path)); }
    Bytes packed(const Bytes& plain, int threads = 0) const {
        OutputFile out(file("packed"), file("packed"));
        write_gzip(
            std::ssize(plain),
            [&](std::int64_t offset, std::span<std::uint8_t> to) {
                std::copy_n(plain.begin() + offset, to.size(), to.begin());
            },
            out, Compression::automatic, threads);
        out.close();
        return load(file("packed"));
    }
    // What the stream holds, without a look at its pieces.
    std::string streamed(const Bytes& file_bytes) const {
        return inflate_all(InputFile(save("streamed", file_bytes)), 0, 0);
    }
    // What the pieces hold behind `skipped` bytes; empty where the stream is to decide.
    Bytes from_pieces(const Bytes& file_bytes, std::size_t total, std::size_t skipped = 0,
                      int threads = 0) const {
        Bytes out(total - skipped);
        const InputFile in(save("pieces", file_bytes));
        const bool whole = inflate_pieces(in, 0, static_cast<std::int64_t>(skipped), out, threads);
        return whole ? out : Bytes{};
    }
};

// Noise, which hardly shrinks, and behind it what shrinks much.
Bytes mixed(std::size_t bytes) {
    std::mt19937 random(1);
    Bytes plain(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        plain[i] = static_cast<std::uint8_t>(i < bytes / 2 ? random() : i / 1000);
    return plain;
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// A gzip member of another program.
Bytes foreign_member(const Bytes& plain) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    Bytes out(plain.size() + 1000);
    stream.next_in = const_cast<Bytef*>(plain.data());
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

TEST_F(GzipPieces, AreTheSameFromAnyNumberOfThreads) {
    const Bytes plain = mixed(7 * piece + 12345);
    const Bytes one = packed(plain, 1);
    EXPECT_TRUE(packed(plain, 2) == one);
    EXPECT_TRUE(packed(plain, 5) == one);
}

TEST_F(GzipPieces, ComeBackFromPiecesAndFromTheStream) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{352}, piece - 1, piece, piece + 1,
                                    2 * piece, 5 * piece + 777}) {
        SCOPED_TRACE(bytes);
        const Bytes plain = mixed(bytes), file_bytes = packed(plain);
        EXPECT_TRUE(streamed(file_bytes) == text_of(plain));
        for (const int threads : {1, 2, 5})
            EXPECT_TRUE(from_pieces(file_bytes, bytes, 0, threads) == plain);
    }
}

TEST_F(GzipPieces, PassOverWhatIsSkipped) {
    const Bytes plain = mixed(3 * piece + 5), file_bytes = packed(plain);
    for (const std::size_t skipped :
         {std::size_t{352}, piece - 1, piece, piece + 70000, 3 * piece + 4}) {
        SCOPED_TRACE(skipped);
        EXPECT_TRUE(from_pieces(file_bytes, plain.size(), skipped) ==
                    Bytes(plain.begin() + static_cast<std::ptrdiff_t>(skipped), plain.end()));
    }
}

TEST_F(GzipPieces, OfNothingAreAnEmptyMember) { EXPECT_EQ(streamed(packed({})), ""); }

TEST_F(GzipPieces, LeaveOtherLengthsToTheStream) {
    const Bytes plain = mixed(3 * piece), file_bytes = packed(plain);
    EXPECT_TRUE(from_pieces(file_bytes, plain.size() - 1).empty());
    EXPECT_TRUE(from_pieces(file_bytes, plain.size() + 1).empty());
    Bytes longer = file_bytes;
    longer.push_back(0);
    EXPECT_TRUE(from_pieces(longer, plain.size()).empty());
    EXPECT_TRUE(streamed(longer) == text_of(plain));
}

TEST_F(GzipPieces, WithWrongLengthsAreReadAsAStream) {
    const Bytes plain = mixed(3 * piece), file_bytes = packed(plain);
    // The first piece as long as the first two, and the second empty; and lengths beyond the file.
    for (const std::uint32_t first : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
        Bytes wrong = file_bytes;
        std::uint32_t lengths[2];
        std::memcpy(lengths, &wrong[head_bytes], sizeof lengths);
        const std::uint32_t changed[] = {first, lengths[0] + lengths[1] - first};
        std::memcpy(&wrong[head_bytes], changed, sizeof changed);
        EXPECT_TRUE(from_pieces(wrong, plain.size()).empty()) << first;
        EXPECT_TRUE(streamed(wrong) == text_of(plain)) << first;
    }
    for (const std::uint32_t length : {0u, 1u, 0xffffffffu, 1u << 19}) {  // of a piece, unpacked
        Bytes wrong = file_bytes;
        std::memcpy(&wrong[head_bytes - 4], &length, sizeof length);
        EXPECT_TRUE(from_pieces(wrong, plain.size()).empty()) << length;
        EXPECT_TRUE(streamed(wrong) == text_of(plain)) << length;
    }
}

TEST_F(GzipPieces, WithAWrongChecksumOrCutOffAreRefused) {
    const Bytes plain = mixed(3 * piece), file_bytes = packed(plain);
    Bytes wrong = file_bytes;
    wrong[wrong.size() - 8] ^= 1;
    EXPECT_TRUE(from_pieces(wrong, plain.size()).empty());
    EXPECT_THROW(streamed(wrong), UnreadableInput);
    Bytes damaged = file_bytes;
    damaged[damaged.size() / 2] ^= 0x10;
    EXPECT_TRUE(from_pieces(damaged, plain.size()).empty());
    EXPECT_THROW(streamed(damaged), UnreadableInput);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{8}, std::size_t{9}, piece}) {
        const Bytes shorter(file_bytes.begin(),
                            file_bytes.end() - static_cast<std::ptrdiff_t>(cut));
        EXPECT_TRUE(from_pieces(shorter, plain.size()).empty()) << cut;
        EXPECT_THROW(streamed(shorter), UnreadableInput) << cut;
    }
}

TEST_F(GzipPieces, OfOtherProgramsAreStreamsOfAnyMembers) {
    const Bytes plain = mixed(3 * piece + 1), empty = foreign_member({});
    const Bytes one = foreign_member(plain);
    EXPECT_TRUE(from_pieces(one, plain.size()).empty());
    Bytes many = empty;
    for (const Bytes& member : {one, empty, packed(plain), empty, one, Bytes{0, 0, 0}})
        many.insert(many.end(), member.begin(), member.end());
    const std::string text = text_of(plain);
    EXPECT_TRUE(streamed(many) == text + text + text);
}

// Members end in the middle of what was read of the file.
TEST_F(GzipPieces, AreManyShortMembers) {
    Bytes many;
    std::string expected;
    for (std::size_t i = 0; i < 30000; ++i) {
        const auto letter = static_cast<std::uint8_t>('a' + i % 26);
        const Bytes plain(i % 5, letter), member = foreign_member(plain);
        many.insert(many.end(), member.begin(), member.end());
        expected += text_of(plain);
    }
    EXPECT_TRUE(streamed(many) == expected);
}

// A part of it is not taken for all of it, again and again.
TEST_F(GzipPieces, ThatHoldLessThanTheHeaderClaimsAreRefused) {
    constexpr std::size_t half = std::size_t{4} << 20;  // what a volume is read by at once
    save("short.raw.gz", packed(mixed(half)));
    std::ofstream(file("short.nhdr")) << "NRRD0004\ntype: uint16\ndimension: 2\nsizes: 2048 2048\n"
                                         "endian: big\nencoding: gzip\ndata file: short.raw.gz\n";
    EXPECT_THROW(read_image(file("short.nhdr")), UnreadableInput);
}

TEST_F(GzipPieces, AreReadBitByBitAlsoWhereLittleIsTaken) {
    const Bytes plain = mixed(70000);
    const InputFile in(save("bits", foreign_member(plain)));
    Inflater inflater(in, 0);
    Bytes out;
    for (std::uint8_t byte = 0; inflater.read({&byte, 1}) == 1;) out.push_back(byte);
    EXPECT_TRUE(inflater.finished());
    EXPECT_TRUE(out == plain);
}

// A volume of several pieces whose channels stand one after the other in the file.
TEST_F(GzipPieces, HoldVolumesAndVectors) {
    Image<float> image(Shape{101, 97, 83, 1, 3});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<float>(i * 7919 % 100003);
    write_image(image, file("a.nii.gz"));
    write_image(image, file("a.nii"));
    EXPECT_TRUE(streamed(load(file("a.nii.gz"))) == text_of(load(file("a.nii"))));
    for (const char* name : {"a.nii.gz", "a.nii"})
        EXPECT_TRUE(std::get<Image<float>>(read_image(file(name)).image).pixels() ==
                    image.pixels());
}

TEST_F(GzipPieces, LeaveNothingWhereTheDiskIsFull) {
    Image<std::uint8_t> image(Shape{200, 200, 100});
    image.pixels() = mixed(image.pixels().size());
    {
        const testing::FileSizeLimit limit(1 << 19);
        EXPECT_THROW(write_image(image, file("a.nii.gz")), UnwritableOutput);
    }
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tesela::io
