#include <zlib.h>

#include "io/support.h"
#include "tesela/volume_io.h"

namespace tesela::io::testing {
namespace {

class DicomTest : public FileTest {
  protected:
    void slice(const std::string& name, const DicomSample& sample) {
        fs::create_directories(file("series"));
        write_bytes(file("series/" + name), dicom_bytes(sample));
    }
    // Slices along z whose names are in another order than their places.
    void series(const std::vector<double>& places) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            DicomSample s;
            s.position[2] = places[i];
            s.values.assign(20, static_cast<std::uint16_t>(100 + places[i]));
            slice("s" + std::to_string(places.size() - i), s);
        }
    }
    ReadResult read() { return read_image(file("series")); }
};

TEST_F(DicomTest, SlicesAreSortedByPosition) {
    series({7.5, 0, 5, 2.5});
    write_bytes(file("series/notes.txt"), {'h', 'i'});
    write_bytes(file("series/long.txt"), Bytes(500, 'x'));
    const ReadResult result = read();
    EXPECT_EQ(result.format, "DICOM");
    const auto& volume = std::get<Image<std::uint16_t>>(result.image);
    ASSERT_EQ(volume.shape(), (Shape{5, 4, 4}));
    EXPECT_EQ(volume(0, 0, 0), 100);
    EXPECT_EQ(volume(4, 3, 1), 102);
    EXPECT_EQ(volume(0, 0, 3), 107);
    Geometry expected;
    expected.unit = Unit::millimeter;
    expected.spacing = {0.75, 0.5, 2.5};
    expected.origin = {-10, 20, 0};
    expect_same_geometry(volume.geometry, expected);
    EXPECT_TRUE(result.warnings.empty());
}

// Compressing reads a series part by part: the slices in question and no others.
TEST_F(DicomTest, PartsOfASeriesAreReadAlone) {
    series({7.5, 0, 5, 2.5});
    std::vector<std::string> warnings;
    const auto parts = open_series(file("series"), warnings);
    const auto whole = std::get<Image<std::uint16_t>>(read().image);
    EXPECT_EQ(parts->facts().shape, whole.shape());
    expect_same_geometry(parts->facts().geometry, whole.geometry);
    fs::remove(file("series/s4"));  // the last slice
    const auto part = std::get<Image<std::uint16_t>>(parts->read({{1, 2, 1}, {5, 4, 3}}, 0));
    ASSERT_EQ(part.shape(), (Shape{4, 2, 2}));
    for (std::int64_t z = 0; z < 2; ++z)
        for (std::int64_t y = 0; y < 2; ++y)
            for (std::int64_t x = 0; x < 4; ++x)
                EXPECT_EQ(part(x, y, z), whole(x + 1, y + 2, z + 1));
    EXPECT_THROW(parts->read({{0, 0, 3}, {5, 4, 4}}, 0), UnreadableInput);
    EXPECT_TRUE(warnings.empty());
}

// Of a series with one scaling, so that compressing does not widen them.
TEST_F(DicomTest, StoredNumbersComeWithTheirScaling) {
    for (int i = 0; i < 3; ++i) {
        DicomSample s;
        s.position[2] = i;
        s.slope = "0.5";
        s.intercept = "-1000";
        s.values.assign(20, static_cast<std::uint16_t>(7 + i));
        slice("s" + std::to_string(i), s);
    }
    std::vector<std::string> warnings;
    const auto same = open_series(file("series"), warnings);
    EXPECT_EQ(same->facts().scaling, (ValueScaling{0.5, -1000}));
    const auto stored = std::get<Image<std::uint16_t>>(same->read({{0, 0, 2}, {5, 4, 3}}, 0));
    EXPECT_EQ(stored(4, 3), 9);
    DicomSample other;
    other.position[2] = 3;
    slice("s3", other);
    const auto mixed = open_series(file("series"), warnings);
    EXPECT_FALSE(mixed->facts().scaling.needed());
    const auto values = std::get<Image<double>>(mixed->read({{0, 0, 2}, {5, 4, 3}}, 0));
    EXPECT_EQ(values(4, 3), -995.5);
}

TEST_F(DicomTest, ObliqueSeries) {
    for (int i = 0; i < 3; ++i) {
        DicomSample s;
        const double orientation[6] = {0, 1, 0, 0, 0, -1};
        std::copy_n(orientation, 6, s.orientation);
        s.position[0] = -3.0 * i;  // the normal is y x -z = -x
        slice("s" + std::to_string(i), s);
    }
    const Geometry g = geometry_of(read().image);
    EXPECT_EQ(g.orientation(), "PIR");
    EXPECT_NEAR(g.spacing[2], 3, 1e-9);
    EXPECT_NEAR(g.origin[0], 0, 1e-9);
}

TEST_F(DicomTest, RescaleMayDifferFromSliceToSlice) {
    for (int i = 0; i < 3; ++i) {
        DicomSample s;
        s.position[2] = i;
        s.slope = i == 2 ? "0.5" : "2";
        s.intercept = "-1000";
        s.values.assign(20, 7);
        slice("s" + std::to_string(i), s);
    }
    const ReadResult result = read();
    const auto& volume = std::get<Image<double>>(result.image);
    EXPECT_EQ(volume(0, 0, 0), -986);
    EXPECT_EQ(volume(0, 0, 2), -996.5);
}

TEST_F(DicomTest, SingleFile) {
    write_bytes(file("a.dcm"), dicom_bytes({}));
    const ReadResult result = read_image(file("a.dcm"));
    const auto& image = std::get<Image<std::uint16_t>>(result.image);
    EXPECT_EQ(image.shape(), (Shape{5, 4}));
    EXPECT_EQ(image(4, 3), 19);
    EXPECT_NEAR(image.geometry.spacing[0], 0.75, 1e-9);
    EXPECT_NEAR(image.geometry.origin[2], 30, 1e-9);
}

// What stands before DICOM's mark is free, also to look like another format's beginning.
TEST_F(DicomTest, PreambleOfAnotherFormat) {
    const Bytes plain = dicom_bytes({});
    write_bytes(file("plain.dcm"), plain);
    const ReadResult expected = read_image(file("plain.dcm"));
    for (const auto& [name, bytes] : sample_files(folder)) {
        SCOPED_TRACE(name);
        Bytes mixed = plain;
        std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size(), 128), mixed.begin());
        write_bytes(file("mixed"), mixed);
        const ReadResult result = read_image(file("mixed"));
        EXPECT_EQ(result.format, "DICOM");
        expect_same_pixels(result.image, std::get<Image<std::uint16_t>>(expected.image));
    }
}

// The mark alone may stand among pixels.
TEST_F(DicomTest, MarkWithinAPicture) {
    write_image(pattern<std::uint8_t>({20, 8, 1, 1, 3}), file("a.bmp"));
    Bytes bytes = read_bytes(file("a.bmp"));
    const std::string mark = "DICM";
    std::copy(mark.begin(), mark.end(), bytes.begin() + 128);
    write_bytes(file("a.bmp"), bytes);
    EXPECT_EQ(read_image(file("a.bmp")).format, "BMP");
}

// The file with another number in an element of group 28, 01xx.
Bytes with_number(Bytes bytes, std::uint8_t element, std::uint8_t value) {
    const Bytes head = {0x28, 0, element, 1, 'U', 'S', 2, 0};
    const auto at = std::search(bytes.begin(), bytes.end(), head.begin(), head.end());
    *(at + 8) = value;
    return bytes;
}

TEST_F(DicomTest, ValuesInHighBits) {
    DicomSample s;
    for (int i = 0; i < 20; ++i) s.values.push_back(static_cast<std::uint16_t>(i << 4 | 15));
    write_bytes(file("a.dcm"), with_number(dicom_bytes(s), 0x02, 15));
    const auto image = std::get<Image<std::uint16_t>>(read_image(file("a.dcm")).image);
    for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(image(i % 5, i / 5), i);
}

// Bits above those that are stored are no part of a value, but for its sign.
TEST_F(DicomTest, FewerBitsThanAreAllocated) {
    for (const int allocated : {8, 16})
        for (const int stored : {1, 5, 7, 8, 9, 13, 16})
            for (const bool is_signed : {false, true}) {
                if (stored > allocated) continue;
                SCOPED_TRACE(std::to_string(stored) + " of " + std::to_string(allocated));
                DicomSample s;
                s.bits_allocated = allocated;
                s.bits_stored = stored;
                for (int i = 0; i < 20; ++i)
                    s.values.push_back(
                        static_cast<std::uint16_t>(0xffffu << stored | static_cast<unsigned>(i)));
                write_bytes(file("a.dcm"), with_number(dicom_bytes(s), 0x03, is_signed ? 1 : 0));
                const std::vector<double> found = std::visit(
                    [](const auto& image) {
                        return std::vector<double>(image.pixels().begin(), image.pixels().end());
                    },
                    read_image(file("a.dcm")).image);
                ASSERT_EQ(found.size(), 20u);
                const int all = 1 << stored, top = all / 2;
                for (int i = 0; i < 20; ++i) {
                    const int bits = i % all;
                    EXPECT_EQ(found[static_cast<std::size_t>(i)],
                              is_signed && bits >= top ? bits - all : bits);
                }
            }
}

TEST_F(DicomTest, TwentyOfThirtyTwoBits) {
    for (const bool is_signed : {false, true}) {
        DicomSample s;
        s.columns = 10;  // halves of wider values
        for (int i = 0; i < 20; ++i) {
            s.values.push_back(static_cast<std::uint16_t>(60000 + i));
            s.values.push_back(0xfff9);  // of which the lowest four bits are stored
        }
        Bytes bytes = with_number(dicom_bytes(s), 0x00, 32);
        bytes = with_number(with_number(bytes, 0x01, 20), 0x02, 19);
        bytes = with_number(bytes, 0x03, is_signed ? 1 : 0);
        const Bytes columns = {0x28, 0, 0x11, 0, 'U', 'S', 2, 0};
        *(std::search(bytes.begin(), bytes.end(), columns.begin(), columns.end()) + 8) = 5;
        write_bytes(file("a.dcm"), bytes);
        const AnyImage image = read_image(file("a.dcm")).image;
        EXPECT_EQ(shape_of(image), (Shape{5, 4}));
        const double last =
            std::visit([](const auto& typed) { return static_cast<double>(typed(4, 3)); }, image);
        const int bits = 9 * 65536 + 60019;
        EXPECT_EQ(last, is_signed ? bits - (1 << 20) : bits);
    }
}

TEST_F(DicomTest, OneBit) {
    DicomSample s;
    s.bits_allocated = s.bits_stored = 8;
    s.values.assign(20, 0);
    s.values[0] = 0x05, s.values[1] = 0x80, s.values[2] = 0x08;
    Bytes bytes = with_number(dicom_bytes(s), 0x00, 1);
    write_bytes(file("a.dcm"), with_number(with_number(bytes, 0x01, 1), 0x02, 0));
    const auto image = std::get<Image<std::uint8_t>>(read_image(file("a.dcm")).image);
    for (const std::int64_t i : {0, 1, 2, 3, 14, 15, 16, 19})
        EXPECT_EQ(image(i % 5, i / 5), i == 0 || i == 2 || i == 15 || i == 19) << i;
}

TEST_F(DicomTest, PairsOfPixelsShareColors) {
    DicomSample s;
    s.columns = 2, s.rows = 1, s.samples = 3;
    s.bits_allocated = s.bits_stored = 8;
    s.colors = "YBR_FULL_422";
    s.values = {50, 200, 128, 128, 0, 0};
    write_bytes(file("a.dcm"), dicom_bytes(s));
    const auto image = std::get<Image<std::uint8_t>>(read_image(file("a.dcm")).image);
    for (int channel = 0; channel < 3; ++channel) {
        EXPECT_NEAR(image(0, 0, 0, 0, channel), 50, 1);
        EXPECT_NEAR(image(1, 0, 0, 0, channel), 200, 1);
    }
}

TEST_F(DicomTest, WideColors) {
    DicomSample s;
    s.samples = 3;
    s.colors = "RGB";
    s.bits_stored = 16;
    for (int i = 0; i < 60; ++i) s.values.push_back(static_cast<std::uint16_t>(1000 * i));
    write_bytes(file("a.dcm"), dicom_bytes(s));
    const auto image = std::get<Image<std::uint16_t>>(read_image(file("a.dcm")).image);
    ASSERT_EQ(image.shape(), (Shape{5, 4, 1, 1, 3}));
    for (int channel = 0; channel < 3; ++channel)
        EXPECT_EQ(image(4, 3, 0, 0, channel), 1000 * (57 + channel));
}

// The elements behind the meta group with their numbers turned around.
Bytes big_endian(const DicomSample& sample) {
    Bytes bytes = dicom_bytes(sample);
    const auto swap = [&](std::size_t at, std::size_t count) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
    };
    for (std::size_t at = 144 + bytes[140]; at < bytes.size();) {
        const std::string vr{static_cast<char>(bytes[at + 4]), static_cast<char>(bytes[at + 5])};
        const bool pixels = vr == "OW";
        const std::size_t value = at + (pixels ? 12 : 8);
        const std::size_t length =
            pixels ? bytes.size() - value : bytes[at + 6] + 256u * bytes[at + 7];
        swap(at, 2), swap(at + 2, 2);
        if (pixels)
            swap(at + 8, 4);
        else
            swap(at + 6, 2);
        if (pixels || vr == "US")
            for (std::size_t i = 0; i < length; i += 2) swap(value + i, 2);
        at = value + length;
    }
    return bytes;
}

TEST_F(DicomTest, BigEndian) {
    DicomSample s;
    s.syntax = "1.2.840.10008.1.2.2";
    for (int i = 0; i < 20; ++i) s.values.push_back(static_cast<std::uint16_t>(1 + 200 * i));
    write_bytes(file("a.dcm"), big_endian(s));
    const auto image = std::get<Image<std::uint16_t>>(read_image(file("a.dcm")).image);
    ASSERT_EQ(image.shape(), (Shape{5, 4}));
    for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(image(i % 5, i / 5), 1 + 200 * i);
    EXPECT_NEAR(image.geometry.spacing[0], 0.75, 1e-9);
}

// How gray values are shown is no part of them.
TEST_F(DicomTest, InvertedValuesStayThoseOfTheFile) {
    DicomSample s;
    s.colors = "MONOCHROME1";
    s.slope = "2";
    s.intercept = "-1000";
    write_bytes(file("a.dcm"), dicom_bytes(s));
    const ReadResult result = read_image(file("a.dcm"));
    const auto& image = std::get<Image<std::int16_t>>(result.image);
    EXPECT_EQ(image(0, 0), -1000);
    EXPECT_EQ(image(1, 0), -998);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("MONOCHROME1"), std::string::npos);
}

TEST_F(DicomTest, OneInvertedSliceIsTold) {
    DicomSample s;
    slice("a", s);
    s.position[2] = 31;
    s.colors = "MONOCHROME1";
    slice("b", s);
    const ReadResult result = read();
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("MONOCHROME1"), std::string::npos);
}

// What the header of any slice makes the user be told, once.
TEST_F(DicomTest, WarningsOfAllSlices) {
    for (int i = 0; i < 4; ++i) {
        DicomSample s;
        s.position[2] = i;
        if (i > 1) s.extra = {{0x00409096, "SQ", "", {{0x00409210, "SH", "density"}}}};
        slice("s" + std::to_string(i), s);
    }
    const ReadResult result = read();
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("Real World Value Mapping"), std::string::npos);
    std::vector<std::string> warnings;
    open_series(file("series"), warnings);
    EXPECT_EQ(warnings, result.warnings);
}

// What gives values their meaning elsewhere than in slope and intercept is refused or told.
TEST_F(DicomTest, ScalingInSequences) {
    const auto write = [&](const DicomElement& element) {
        DicomSample s;
        s.extra = {element};
        write_bytes(file("a.dcm"), dicom_bytes(s));
    };
    for (const bool undefined_length : {false, true}) {
        write({0x00283000, "SQ", "", {{0x00283003, "LO", "density"}}, undefined_length});
        expect_error(ErrorCode::unsupported_format, {"a.dcm", "Modality LUT Sequence"},
                     [&] { read_image(file("a.dcm")); });
    }
    write({0x00409096, "SQ", "", {{0x00409210, "SH", "density"}}});
    const ReadResult result = read_image(file("a.dcm"));
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("Real World Value Mapping"), std::string::npos);
    DicomSample huge;
    huge.slope = "1e308";
    write_bytes(file("a.dcm"), dicom_bytes(huge));
    expect_error(ErrorCode::unreadable_input, {"a.dcm", "RescaleSlope"},
                 [&] { read_image(file("a.dcm")); });
}

constexpr std::uint32_t shared_groups = 0x52009229, frame_groups = 0x52009230;

DicomElement scaling(const char* slope, const char* intercept) {
    return {0x00289145, "SQ", "", {{0x00281052, "DS", intercept}, {0x00281053, "DS", slope}}};
}
DicomElement measures(const char* spacing) {
    return {0x00289110, "SQ", "", {{0x00280030, "DS", spacing}}};
}

// Of enhanced files of one frame: what is said of the frame comes before what is said of all.
TEST_F(DicomTest, FunctionalGroups) {
    DicomSample s;
    s.slope = "5";
    s.extra = {{shared_groups, "SQ", "", {measures("0.25\\0.125"), scaling("3", "7")}},
               {frame_groups,
                "SQ",
                "",
                {{0x00209113, "SQ", "", {{0x00200032, "DS", "1\\2\\3"}}},
                 {0x00209116, "SQ", "", {{0x00200037, "DS", "0\\1\\0\\-1\\0\\0"}}},
                 scaling("2", "-1024")}}};
    for (const char* vr : {"SQ", "UN"}) {
        for (DicomElement& group : s.extra) group.vr = vr;
        write_bytes(file("a.dcm"), dicom_bytes(s));
        const ReadResult result = read_image(file("a.dcm"));
        EXPECT_EQ(std::get<Image<std::int16_t>>(result.image)(1, 0), -1022) << vr;
        const Geometry& geometry = geometry_of(result.image);
        EXPECT_NEAR(geometry.spacing[0], 0.125, 1e-9);
        EXPECT_NEAR(geometry.spacing[1], 0.25, 1e-9);
        EXPECT_NEAR(geometry.origin[1], 2, 1e-9);
        EXPECT_NEAR(geometry.direction[3], 1, 1e-9);
        EXPECT_TRUE(result.warnings.empty());
    }
}

// Elements of the same tags that speak of other images, or of who knows what.
TEST_F(DicomTest, OtherSequencesInFunctionalGroupsDoNotCount) {
    const DicomElement other_scaling = scaling("7", "99"), other_size = measures("9\\9"),
                       place = {0x00200032, "DS", "8\\8\\8"}, size = {0x00280030, "DS", "9\\9"};
    DicomSample s;
    s.slope = "2";
    s.intercept = "-1024";
    s.extra = {
        {shared_groups,
         "SQ",
         "",
         {{0x00081140, "SQ", "", {place, size, other_size, other_scaling}},
          {0x00089124, "SQ", "", {{0x00082112, "SQ", "", {size, other_size, other_scaling}}}},
          {0x00209113, "SQ", "", {size}},
          {0x00211101, "SQ", "", {other_size, {0x00281052, "DS", "99"}, other_scaling}},
          {0x00283000, "SQ", "", {}, true},
          size,
          {0x00289145, "SQ", "", {{0x00281052, "DS", "-1000"}, {0x00281053, "DS", ""}, size}}}}};
    write_bytes(file("a.dcm"), dicom_bytes(s));
    const ReadResult result = read_image(file("a.dcm"));
    EXPECT_EQ(std::get<Image<std::int16_t>>(result.image)(1, 0), -998);
    const Geometry& geometry = geometry_of(result.image);
    EXPECT_NEAR(geometry.spacing[0], 0.75, 1e-9);
    EXPECT_NEAR(geometry.origin[0], -10, 1e-9);
    EXPECT_TRUE(result.warnings.empty());
}

TEST_F(DicomTest, DosesAreScaled) {
    DicomSample s;
    s.extra = {{0x3004000e, "DS", "0.25"}};
    write_bytes(file("a.dcm"), dicom_bytes(s));
    std::visit([](const auto& image) { EXPECT_EQ(static_cast<double>(image(3, 0)), 0.75); },
               read_image(file("a.dcm")).image);
}

TEST_F(DicomTest, SizesOfPixelsThatAreNotReadAreTold) {
    DicomSample s;
    s.has_spacing = false;
    const auto warnings = [&] {
        write_bytes(file("a.dcm"), dicom_bytes(s));
        return read_image(file("a.dcm")).warnings;
    };
    EXPECT_TRUE(warnings().empty());
    s.aspect = "1\\1";
    EXPECT_TRUE(warnings().empty());
    s.aspect = "4\\3";
    ASSERT_EQ(warnings().size(), 1u);
    EXPECT_NE(warnings()[0].find("not square"), std::string::npos);
    s.has_spacing = true;
    EXPECT_TRUE(warnings().empty());
}

TEST_F(DicomTest, SpacingAtTheDetector) {
    DicomSample s;
    s.is_at_detector = true;
    write_bytes(file("a.dcm"), dicom_bytes(s));
    const ReadResult result = read_image(file("a.dcm"));
    EXPECT_NEAR(geometry_of(result.image).spacing[0], 0.75, 1e-9);
    EXPECT_NEAR(geometry_of(result.image).spacing[1], 0.5, 1e-9);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("ImagerPixelSpacing"), std::string::npos);
}

// Whole numbers stay so where the scaling makes whole numbers.
TEST_F(DicomTest, WholeScalingGivesWholeNumbers) {
    DicomSample s;
    s.slope = "1";
    s.intercept = "-1024";
    slice("a", s);
    s.position[2] = 31;
    slice("b", s);
    EXPECT_EQ(pixel_type_of(read_image(file("series/a")).image), PixelType::i16);
    const ReadResult both = read();
    EXPECT_EQ(std::get<Image<std::int16_t>>(both.image)(1, 0, 1), -1023);
}

// All behind the meta group is packed, without a head or checksum.
Bytes deflated(const DicomSample& sample) {
    const Bytes plain = dicom_bytes(sample);
    const std::size_t begin = 144 + plain[140];
    Bytes packed(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(begin));
    packed.resize(plain.size() + 1000);
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = const_cast<Bytef*>(plain.data() + begin);
    stream.avail_in = static_cast<uInt>(plain.size() - begin);
    stream.next_out = packed.data() + begin;
    stream.avail_out = static_cast<uInt>(packed.size() - begin);
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(begin + stream.total_out);
    deflateEnd(&stream);
    return packed;
}

TEST_F(DicomTest, Deflated) {
    DicomSample s;
    s.syntax = "1.2.840.10008.1.2.1.99";
    const Bytes bytes = deflated(s);
    slice("a", {});
    DicomSample next;
    next.position[2] = 31;
    slice("b", next);
    const ReadResult expected = read();
    write_bytes(file("series/a"), bytes);
    const ReadResult both = read();
    expect_same_pixels(both.image, std::get<Image<std::uint16_t>>(expected.image));
    expect_same_geometry(geometry_of(both.image), geometry_of(expected.image));
    write_bytes(file("cut.dcm"), Bytes(bytes.begin(), bytes.end() - 20));
    expect_error(ErrorCode::unreadable_input, {"cut.dcm", "truncated"},
                 [&] { read_image(file("cut.dcm")); });
}

TEST_F(DicomTest, MissingAndDoubleSlicesAreErrors) {
    series({0, 1, 2, 4});
    expect_error(ErrorCode::unsupported_format, {"not evenly spaced", "'s2' and 's1'"},
                 [&] { read(); });
    fs::remove_all(file("series"));
    series({0, 1, 2, 2});
    expect_error(ErrorCode::unsupported_format, {"same place"}, [&] { read(); });
}

TEST_F(DicomTest, UnlikeSlicesAreErrors) {
    series({0, 1});
    DicomSample s;
    s.position[2] = 2;
    s.rows = 6;
    slice("larger", s);
    expect_error(ErrorCode::unsupported_format, {"differs", "size"}, [&] { read(); });
}

TEST_F(DicomTest, FolderWithoutDicom) {
    fs::create_directory(file("series"));
    expect_error(ErrorCode::unreadable_input, {"series", "no DICOM"}, [&] { read(); });
    write_bytes(file("series/a.txt"), Bytes(300, 'x'));
    expect_error(ErrorCode::unreadable_input, {"series", "no DICOM"}, [&] { read(); });
}

TEST_F(DicomTest, TruncatedSliceIsNamed) {
    series({0, 1, 2});
    Bytes bytes = read_bytes(file("series/s2"));
    bytes.resize(bytes.size() - 7);
    write_bytes(file("series/s2"), bytes);
    expect_error(ErrorCode::unreadable_input, {"s2", "truncated"}, [&] { read(); });
}

}  // namespace
}  // namespace tesela::io::testing
