// How small files are made: every suffix has the forms that it can have and refuses the others, the
// pixels are the same in all, and what is damaged is refused.
#include <zlib.h>

#include <fstream>

#include "io/gzip.h"
#include "io/gzip_pieces.h"
#include "io/support.h"
#include "tesela/io.h"

namespace tesela::io::testing {
namespace {

class CompressionTest : public FileTest {
  protected:
    // 3 MB of numbers that grow slowly, with some noise.
    static Image<std::int16_t> volume(int channels = 1) {
        Geometry geometry;
        geometry.unit = Unit::millimeter;
        geometry.spacing = {0.5, 0.75, 2};
        Image<std::int16_t> image = pattern<std::int16_t>({129, 101, 117, 1, channels}, geometry);
        std::int64_t i = 0;
        for (std::int16_t& value : image.pixels())
            value = static_cast<std::int16_t>(i++ / 200 % 3000 + value % 16);
        return image;
    }
    std::int64_t size(const std::string& name) const {
        return static_cast<std::int64_t>(fs::file_size(file(name)));
    }
    std::string head(const std::string& name) const {
        const Bytes bytes = read_bytes(file(name));
        return {bytes.begin(), bytes.begin() + 600};
    }
    // Where the gzip member of a volume begins.
    static std::size_t member_of(const Bytes& bytes) {
        constexpr std::uint8_t mark[] = {0x1f, 0x8b, 8, 4};
        return static_cast<std::size_t>(
            std::search(bytes.begin(), bytes.end(), mark, std::end(mark)) - bytes.begin());
    }
};

constexpr const char* packed_volumes[] = {"a.nii.gz", "a.nrrd", "a.mha"};

TEST_F(CompressionTest, OfVolumesKeepsTheVoxels) {
    for (const int channels : {1, 3}) {
        const Image<std::int16_t> image = volume(channels);
        const auto bytes = static_cast<std::int64_t>(2 * image.pixels().size());
        for (const char* name : packed_volumes) {
            SCOPED_TRACE(name);
            std::int64_t last = bytes * 3 / 4;
            for (const Compression compression : {Compression::fast, Compression::small}) {
                write_image(image, file(name), {.compression = compression});
                EXPECT_LE(size(name), last);
                last = size(name);
                const AnyImage read = read_image(file(name)).image;
                expect_same_pixels(read, image);
                expect_same_geometry(geometry_of(read), image.geometry);
            }
        }
    }
}

TEST_F(CompressionTest, IsAsBeforeWhereNothingIsSaid) {
    const Image<std::int16_t> image = volume();
    const auto bytes = static_cast<std::int64_t>(2 * image.pixels().size());
    for (const char* name : {"a.nii", "a.nrrd", "a.mha"}) {
        write_image(image, file(name));
        EXPECT_GT(size(name), bytes) << name;
        write_image(image, file("b" + std::string(name)), {.compression = Compression::none});
        EXPECT_TRUE(read_bytes(file(name)) == read_bytes(file("b" + std::string(name)))) << name;
    }
    write_image(image, file("a.nii.gz"));
    EXPECT_LT(size("a.nii.gz"), bytes * 3 / 4);
}

TEST_F(CompressionTest, IsSaidByTheHeader) {
    for (const Compression compression : {Compression::fast, Compression::none}) {
        const bool packed = compression == Compression::fast;
        write_image(volume(), file("a.nrrd"), {.compression = compression});
        write_image(volume(), file("a.mha"), {.compression = compression});
        EXPECT_NE(head("a.nrrd").find(packed ? "\nencoding: gzip\n" : "\nencoding: raw\n"),
                  std::string::npos);
        const std::string meta = head("a.mha");
        EXPECT_NE(meta.find(packed ? "\nCompressedData = True\n" : "\nCompressedData = False\n"),
                  std::string::npos);
        const std::size_t key = meta.find("\nCompressedDataSize = ");
        ASSERT_EQ(key != std::string::npos, packed);
        if (!packed) continue;
        const auto behind = static_cast<std::int64_t>(member_of(read_bytes(file("a.mha"))));
        EXPECT_EQ(std::stoll(meta.substr(key + 22)), size("a.mha") - behind);
    }
}

// One member, of which all other programs can read all.
TEST_F(CompressionTest, MakesOneMemberToTheEndOfTheFile) {
    const Image<std::int16_t> image = volume();
    for (const char* name : packed_volumes) {
        SCOPED_TRACE(name);
        write_image(image, file(name), {.compression = Compression::fast});
        Bytes packed = read_bytes(file(name));
        const std::size_t begin = member_of(packed);
        ASSERT_LT(begin, packed.size());
        z_stream stream{};
        ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
        Bytes out(2 * image.pixels().size() + 352);
        stream.next_in = &packed[begin];
        stream.avail_in = static_cast<uInt>(packed.size() - begin);
        stream.next_out = out.data();
        stream.avail_out = static_cast<uInt>(out.size());
        EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
        EXPECT_EQ(stream.avail_in, 0u);
        const std::size_t front = std::string(name) == "a.nii.gz" ? 352 : 0;
        EXPECT_EQ(stream.total_out, out.size() - 352 + front);
        EXPECT_EQ(std::memcmp(&out[front], image.data(), 2 * image.pixels().size()), 0);
        inflateEnd(&stream);
    }
}

TEST_F(CompressionTest, OfPicturesKeepsThePixels) {
    const Image<std::uint8_t> gray = pattern<std::uint8_t>({400, 300});
    const Image<float> numbers = pattern<float>({400, 300, 2, 1, 2});
    for (const Compression compression :
         {Compression::none, Compression::fast, Compression::automatic, Compression::small}) {
        const WriteOptions how{.compression = compression};
        for (const char* name : {"a.png", "a.tif", "a.ome.tif"}) {
            write_image(gray, file(name), how);
            expect_same_pixels(read_image(file(name)).image, gray);
        }
        write_image(numbers, file("b.tif"), how);
        expect_same_pixels(read_image(file("b.tif")).image, numbers);
    }
    const LabelImage labels({200, 100});
    for (const char* name : {"l.png", "l.tif", "l.nrrd"}) {
        write_labels(labels, file(name), {.compression = Compression::none});
        const std::int64_t whole = size(name);
        write_labels(labels, file(name), {.compression = Compression::small});
        EXPECT_LT(size(name) * 4, whole) << name;
        EXPECT_EQ(read_labels(file(name)).pixels(), labels.pixels());
    }
}

TEST_F(CompressionTest, IsRefusedWhereTheSuffixHasNone) {
    struct Refusal {
        std::string name;
        Compression compression;
        std::string instead;
    };
    const Image<std::uint8_t> image({5, 4});
    for (const auto& [suffixed, compression, instead] :
         std::vector<Refusal>{{"a.nii.gz", Compression::none, "use .nii,"},
                              {"a.nii", Compression::fast, "use .nii.gz,"},
                              {"a.nii", Compression::small, "use .nii.gz,"},
                              {"a.nhdr", Compression::fast, "use .nrrd,"},
                              {"a.mhd", Compression::small, "use .mha,"},
                              {"a.bmp", Compression::fast, "use .png,"},
                              {"a.jpg", Compression::none, "use .png,"},
                              {"a.JPEG", Compression::small, "use .png,"}}) {
        const std::string name = suffixed;
        const WriteOptions how{.compression = compression};
        const std::vector<std::string> words{name, std::string(enum_name(compression)), instead};
        expect_error(ErrorCode::invalid_argument, words,
                     [&] { write_image(image, file(name), how); });
        if (!name.ends_with(".jpg") && !name.ends_with(".JPEG"))
            expect_error(ErrorCode::invalid_argument, words, [&] {
                write_labels(LabelImage({5, 4}), file(name), how);
            });
    }
    EXPECT_TRUE(names().empty());
    for (const char* name : {"a.nii", "a.bmp", "a.nhdr", "a.mhd"})
        EXPECT_NO_THROW(write_image(image, file(name), {.compression = Compression::none}));
}

TEST_F(CompressionTest, OfDamagedVolumesIsFound) {
    const Image<std::int16_t> image = volume();
    for (const char* name : packed_volumes) {
        SCOPED_TRACE(name);
        write_image(image, file(name), {.compression = Compression::fast});
        const Bytes whole = read_bytes(file(name));
        for (const std::size_t cut : {std::size_t{1}, std::size_t{8}, whole.size() / 2}) {
            Bytes shorter(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(cut));
            write_bytes(file(name), shorter);
            EXPECT_THROW(read_image(file(name)), UnreadableInput) << cut;
        }
        for (const std::size_t place : {whole.size() - 6, whole.size() - 2, whole.size() / 2}) {
            Bytes wrong = whole;
            wrong[place] ^= 0x11;
            write_bytes(file(name), wrong);
            EXPECT_THROW(read_image(file(name)), UnreadableInput) << place;
        }
        // Lengths of pieces are a help, no more.
        Bytes other = whole;
        other[member_of(whole) + 21] ^= 1;
        write_bytes(file(name), other);
        expect_same_pixels(read_image(file(name)).image, image);
        // What follows the member is left alone.
        Bytes longer = whole;
        longer.insert(longer.end(), 1000, 0);
        write_bytes(file(name), longer);
        expect_same_pixels(read_image(file(name)).image, image);
    }
}

// Other orders of bytes and channels, and numbers that are scaled, are placed piece by piece.
TEST_F(CompressionTest, OfOtherOrdersIsReadByPieces) {
    const Image<std::int16_t> image = volume();
    write_image(image, file("a.nrrd"), {.compression = Compression::fast});
    write_image(image, file("a.nii.gz"));
    const Bytes nrrd = read_bytes(file("a.nrrd"));
    std::string header(nrrd.begin(), nrrd.begin() + static_cast<std::ptrdiff_t>(member_of(nrrd)));
    const Bytes member(nrrd.begin() + static_cast<std::ptrdiff_t>(header.size()), nrrd.end());
    header.replace(header.find("endian: little"), 14, "endian: big");
    write_bytes(file("b.nrrd"), joined(header, member));
    Image<std::int16_t> swapped = image;
    for (std::int16_t& value : swapped.pixels()) {
        const auto bits = static_cast<std::uint16_t>(value);
        value = static_cast<std::int16_t>(bits << 8 | bits >> 8);
    }
    expect_same_pixels(read_image(file("b.nrrd")).image, swapped);

    write_image(image, file("a.mha"), {.compression = Compression::fast});
    const Bytes meta = read_bytes(file("a.mha"));
    std::string text(meta.begin(), meta.begin() + static_cast<std::ptrdiff_t>(member_of(meta)));
    text.insert(text.find("NDims"), "ElementToIntensityFunctionSlope = 0.5\n");
    const Bytes of_meta(meta.begin() + static_cast<std::ptrdiff_t>(member_of(meta)), meta.end());
    write_bytes(file("b.mha"), joined(text, of_meta));
    const auto scaled = std::get<Image<float>>(read_image(file("b.mha")).image);
    for (std::size_t i = 0; i < scaled.pixels().size(); ++i)
        ASSERT_EQ(scaled.pixels()[i], 0.5f * image.pixels()[i]) << i;
}

// The file is cut off after it was opened, as by a program that writes it anew.
TEST_F(CompressionTest, OfAFileThatShrinksWhileItIsReadIsRefused) {
    const Image<std::int16_t> image = volume();
    const std::size_t bytes = 2 * image.pixels().size();
    write_image(image, file("a.nii.gz"));
    write_image(image, file("a.nii"));
    const InputFile packed(file("a.nii.gz")), raw(file("a.nii"));
    for (const char* name : {"a.nii.gz", "a.nii"})
        fs::resize_file(file(name), fs::file_size(file(name)) / 2);
    Bytes out(bytes);
    EXPECT_FALSE(inflate_pieces(packed, 0, 352, out));
    expect_unreadable({"a.nii.gz", "truncated"}, [&] { inflate_all(packed, 0, 0); });
    expect_unreadable({"a.nii", "ends early"}, [&] { raw.read(352, out); });
    // And grows: what was there is read.
    write_image(image, file("b.nii"));
    const InputFile growing(file("b.nii"));
    std::ofstream(file("b.nii"), std::ios::app | std::ios::binary) << "more";
    growing.read(352, out);
    EXPECT_EQ(std::memcmp(out.data(), image.data(), bytes), 0);
}

// Whatever byte is wrong: it is refused in a sentence, or the stream gives the pixels all the same.
TEST_F(CompressionTest, OfPiecesAndStripesStandsAnyWrongByte) {
    for (const auto& [name, bytes] : sample_piece_files(folder)) {
        write_bytes(file(name), bytes);
        EXPECT_NO_THROW(read_image(file(name)));
        const std::size_t step = bytes.size() / 97 + 1;
        for (std::size_t i = 0; i < bytes.size(); i += i < 60 ? 7 : step) {
            Bytes wrong = bytes;
            wrong[i] ^= 0x5a;
            write_bytes(file(name), wrong);
            try {
                EXPECT_EQ(shape_of(read_image(file(name)).image).channels, 1);
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << i;
            }
            write_bytes(file(name),
                        {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(i)});
            EXPECT_THROW(read_image(file(name)), Error) << name << " of " << i << " bytes";
        }
    }
}

TEST_F(CompressionTest, LeavesNothingWhereTheDiskIsFull) {
    const Image<std::int16_t> image = volume();
    for (const char* name : {"a.nii.gz", "a.nrrd", "a.mha", "a.tif"}) {
        const FileSizeLimit limit(1 << 19);
        EXPECT_THROW(write_image(image, file(name), {.compression = Compression::fast}),
                     UnwritableOutput)
            << name;
    }
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tesela::io::testing
