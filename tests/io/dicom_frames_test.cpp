// DICOM files of several frames, and colors by a palette.
#include "io/compressed_dicom.h"

namespace tesela::io::testing {
namespace {

constexpr std::uint32_t shared_groups = 0x52009229, frame_groups = 0x52009230;

class DicomFramesTest : public FileTest {
  protected:
    ReadResult read(const DicomSample& sample) {
        write_bytes(file("a.dcm"), dicom_bytes(sample));
        return read_image(file("a.dcm"));
    }
    void refuse(const DicomSample& sample, ErrorCode code, const std::vector<std::string>& words) {
        expect_error(code, words, [&] { read(sample); });
    }
};

// Values of frame n are from 1000 n on.
DicomSample several(std::int64_t frames) {
    DicomSample s;
    s.frames = frames;
    for (std::int64_t n = 0; n < frames; ++n)
        for (std::int64_t i = 0; i < s.rows * s.columns; ++i)
            s.values.push_back(static_cast<std::uint16_t>(1000 * n + i));
    return s;
}

DicomElement scaling_of(const std::string& intercept) {
    return {0x00289145, "SQ", "", {{0x00281052, "DS", intercept}, {0x00281053, "DS", "2"}}};
}

// The groups of frames at these places along z, each with a scaling of its own.
DicomElement groups_at(const std::vector<int>& places) {
    DicomElement groups{frame_groups, "SQ"};
    for (const int z : places)
        groups.more_items.push_back(
            {{0x00209113, "SQ", "", {{0x00200032, "DS", "1\\2\\" + std::to_string(z)}}},
             scaling_of(std::to_string(-z))});
    return groups;
}

TEST_F(DicomFramesTest, OfEnhancedFilesAreSlicesByTheirPlaces) {
    DicomSample s = several(3);
    s.extra = {
        {shared_groups, "SQ", "", {{0x00289110, "SQ", "", {{0x00280030, "DS", "0.25\\0.5"}}}}},
        groups_at({8, 2, 5})};
    const ReadResult result = read(s);
    ASSERT_EQ(shape_of(result.image), (Shape{5, 4, 3}));
    const auto& volume = std::get<Image<std::int16_t>>(result.image);
    EXPECT_EQ(volume(1, 0, 0), 2 * 1001 - 2);
    EXPECT_EQ(volume(4, 3, 1), 2 * 2019 - 5);
    EXPECT_EQ(volume(0, 0, 2), -8);
    Geometry expected;
    expected.unit = Unit::millimeter;
    expected.spacing = {0.5, 0.25, 3};
    expected.origin = {1, 2, 2};
    expect_same_geometry(volume.geometry, expected);
    EXPECT_TRUE(result.warnings.empty());
}

TEST_F(DicomFramesTest, OfDosesLieAtTheirOffsets) {
    DicomSample s = several(3);
    s.extra = {{0x3004000c, "DS", "0\\2.5\\5"}};
    const AnyImage image = read(s).image;
    ASSERT_EQ(shape_of(image), (Shape{5, 4, 3}));
    EXPECT_NEAR(geometry_of(image).spacing[2], 2.5, 1e-9);
    EXPECT_NEAR(geometry_of(image).origin[2], 30, 1e-9);
    EXPECT_EQ(std::get<Image<std::uint16_t>>(image)(4, 3, 2), 2019);
    s.extra = {{0x3004000c, "DS", "30\\25\\20"}};  // places along z, downwards
    const AnyImage down = read(s).image;
    EXPECT_NEAR(geometry_of(down).origin[2], 20, 1e-9);
    EXPECT_EQ(std::get<Image<std::uint16_t>>(down)(4, 3, 0), 2019);
    s.extra = {{0x3004000c, "DS", "0\\2.5"}};
    refuse(s, ErrorCode::unreadable_input, {"GridFrameOffsetVector"});
}

TEST_F(DicomFramesTest, WithoutPlacesOfTheirOwnAreTimes) {
    const AnyImage image = read(several(4)).image;
    EXPECT_EQ(shape_of(image), (Shape{5, 4, 1, 4}));
    EXPECT_EQ(std::get<Image<std::uint16_t>>(image)(4, 3, 0, 3), 3019);
    EXPECT_NEAR(geometry_of(image).spacing[0], 0.75, 1e-9);
    const AnyImage one = read_image(file("a.dcm"), {.choice = {.time = 2}}).image;
    EXPECT_EQ(std::get<Image<std::uint16_t>>(one)(0, 0), 2000);
}

TEST_F(DicomFramesTest, OfCompressedFilesEqualPlainOnes) {
    for (const std::string& syntax :
         {run_lengths, jpeg_lossless, jpegls_lossless, jpeg2000_lossless}) {
        SCOPED_TRACE(syntax);
        DicomSample plain = smooth_sample(syntax), packed = plain;
        plain.values.clear();
        packed.fragments.clear();
        for (int n = 0; n < 3; ++n) {
            DicomSample one = smooth_sample(syntax);
            for (std::uint16_t& value : one.values) value = static_cast<std::uint16_t>(value + n);
            plain.values.insert(plain.values.end(), one.values.begin(), one.values.end());
            const DicomSample frame = compressed(one, syntax);
            packed.syntax = frame.syntax;
            packed.fragments.push_back(frame.fragments[0]);
        }
        plain.frames = packed.frames = 3;
        const AnyImage expected = read(plain).image;
        ASSERT_EQ(shape_of(expected).t, 3);
        expect_same_pixels(read(packed).image, std::get<Image<std::uint16_t>>(expected));
        // The second frame in two fragments, which the table of offsets tells.
        const Bytes whole = packed.fragments[1];
        const auto half = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 4 * 2);
        packed.fragments[1] = Bytes(whole.begin(), half);
        packed.fragments.insert(packed.fragments.begin() + 2, Bytes(half, whole.end()));
        refuse(packed, ErrorCode::unsupported_format, {"3 frames", "4 fragments"});
        packed.offsets.resize(12);
        const auto first = static_cast<std::uint32_t>(packed.fragments[0].size() + 8);
        put_number(packed.offsets, 4, first, false);
        put_number(packed.offsets, 8, static_cast<std::uint32_t>(first + whole.size() + 16), false);
        expect_same_pixels(read(packed).image, std::get<Image<std::uint16_t>>(expected));
        put_number(packed.offsets, 8, first + 2, false);
        refuse(packed, ErrorCode::unreadable_input, {"offset table"});
    }
}

// Frames of one bit a pixel begin within a byte.
TEST_F(DicomFramesTest, OfPackedBits) {
    DicomSample s;
    s.columns = 5;
    s.rows = 3;
    s.frames = 3;
    s.bits_allocated = s.bits_stored = 1;
    Bytes bits(6);
    for (std::size_t i = 0; i < 45; ++i)
        if (i % 7 == 0 || i % 5 == 3)
            bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1 << i % 8);
    Bytes bytes = dicom_bytes(s);
    bytes.resize(bytes.size() - dicom_pixels(s).size());
    put_number(bytes, bytes.size() - 4, std::uint32_t{6}, false);
    bytes.insert(bytes.end(), bits.begin(), bits.end());
    write_bytes(file("bits.dcm"), bytes);
    const AnyImage image = read_image(file("bits.dcm")).image;
    ASSERT_EQ(shape_of(image), (Shape{5, 3, 1, 3}));
    const auto& pixels = std::get<Image<std::uint8_t>>(image).pixels();
    for (std::size_t i = 0; i < 45; ++i)
        EXPECT_EQ(pixels[i], i % 7 == 0 || i % 5 == 3 ? 1 : 0) << i;
}

TEST_F(DicomFramesTest, WrongCountsAreRefused) {
    DicomSample s = several(3);
    const Bytes bytes = dicom_bytes(s);
    s.extra = {groups_at({1, 2})};
    refuse(s, ErrorCode::unreadable_input, {"functional groups", "2 of its 3 frames"});
    s.extra = {groups_at({1, 2, 2})};
    refuse(s, ErrorCode::unsupported_format,
           {"frame 2 of 'a.dcm' and frame 3 of 'a.dcm'", "same place"});
    for (const std::string count : {"999", "0.5", "70000", "1e9"}) {
        Bytes wrong = bytes;
        const std::string mark = std::string("\x28\0\x08\0IS\x02\0", 8);
        const auto at = std::search(wrong.begin(), wrong.end(), mark.begin(), mark.end());
        ASSERT_NE(at, wrong.end());
        const std::string padded = count + std::string(count.size() % 2, ' ');
        const auto place = at - wrong.begin();
        wrong[static_cast<std::size_t>(place) + 6] = static_cast<std::uint8_t>(padded.size());
        wrong.erase(wrong.begin() + place + 8, wrong.begin() + place + 10);
        wrong.insert(wrong.begin() + place + 8, padded.begin(), padded.end());
        write_bytes(file("wrong.dcm"), wrong);
        EXPECT_THROW(read_image(file("wrong.dcm")), Error) << count;
    }
}

std::string words_of(const std::vector<std::uint16_t>& values) {
    std::string text;
    for (const std::uint16_t value : values) {
        text += static_cast<char>(value & 0xff);
        text += static_cast<char>(value >> 8);
    }
    return text;
}

DicomSample with_palette(const std::vector<std::uint16_t>& extent,
                         const std::array<std::string, 3>& tables) {
    DicomSample s;
    s.colors = "PALETTE COLOR";
    s.bits_allocated = s.bits_stored = 8;
    for (std::uint32_t c = 0; c < 3; ++c)
        s.extra.push_back({0x00281101 + c, "US", words_of(extent)});
    for (std::uint32_t c = 0; c < 3; ++c) s.extra.push_back({0x00281201 + c, "US", tables[c]});
    return s;
}

TEST_F(DicomFramesTest, PalettesGiveColors) {
    // Values 0 to 19; colors begin at value 4, and end at 8.
    const DicomSample bytes = with_palette(
        {5, 4, 8}, {std::string("\1\2\3\4\5\0", 6), std::string("\x0a\x14\x1e\x28\x32\0", 6),
                    std::string("\xff\xfe\xfd\xfc\xfb\0", 6)});
    const AnyImage image = read(bytes).image;
    ASSERT_EQ(shape_of(image), (Shape{5, 4, 1, 1, 3}));
    const auto& colors = std::get<Image<std::uint8_t>>(image);
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return std::array{int{colors(x, y, 0, 0, 0)}, int{colors(x, y, 0, 0, 1)},
                          int{colors(x, y, 0, 0, 2)}};
    };
    EXPECT_EQ(at(0, 0), (std::array{1, 10, 255}));  // below
    EXPECT_EQ(at(0, 1), (std::array{2, 20, 254}));  // value 5
    EXPECT_EQ(at(4, 3), (std::array{5, 50, 251}));  // above
    EXPECT_NEAR(colors.geometry.spacing[0], 0.75, 1e-9);
    const std::vector<std::uint16_t> wide{100, 2000, 30000, 40000, 65535};
    const AnyImage words =
        read(with_palette({5, 0, 16}, {words_of(wide), words_of(wide), words_of(wide)})).image;
    EXPECT_EQ(std::get<Image<std::uint16_t>>(words)(3, 0, 0, 0, 2), 40000);
    EXPECT_EQ(std::get<Image<std::uint16_t>>(words)(0, 1, 0, 0, 0), 65535);
    // Labels are the places.
    EXPECT_EQ(read_labels(file("a.dcm"))(3, 0), 3u);
}

TEST_F(DicomFramesTest, DamagedPalettesAreRefused) {
    const std::string table("\1\2\3\4", 4);
    refuse(with_palette({5, 4, 8}, {table, table, table}), ErrorCode::unreadable_input,
           {"PaletteColorLookupTableData"});
    DicomSample s = with_palette({4, 0, 8}, {table, table, table});
    s.extra.pop_back();
    refuse(s, ErrorCode::unreadable_input, {"PaletteColorLookupTableData"});
    s.extra.erase(s.extra.begin());
    refuse(s, ErrorCode::unreadable_input, {"PaletteColorLookupTableDescriptor"});
    s = with_palette({4, 0, 8}, {table, table, table});
    s.extra.push_back({0x00281221, "US", table});
    refuse(s, ErrorCode::unsupported_format, {"in segments"});
}

}  // namespace
}  // namespace tesela::io::testing
