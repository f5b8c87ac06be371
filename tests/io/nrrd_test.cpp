// NRRD files written by hand: every value is known.
#include <cmath>

#include "io/gzip_pieces.h"
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using Vector = std::array<double, 3>;

// 4 x 3 x 2 bytes, or of another size.
class NrrdTest : public HandWrittenTest {
  protected:
    ReadResult read(const std::string& fields, const std::string& sizes = "4 3 2",
                    std::size_t bytes = 24) {
        SCOPED_TRACE(fields);
        const auto axes = std::count(sizes.begin(), sizes.end(), ' ') + 1;
        return read_image(text("a.nrrd",
                               "NRRD0005\ntype: uint8\ndimension: " + std::to_string(axes) +
                                   "\nsizes: " + sizes + "\nencoding: raw\n" + fields + "\n\n",
                               bytes));
    }
    Geometry geometry(const std::string& fields, const std::string& sizes = "4 3 2",
                      std::size_t bytes = 24) {
        const ReadResult result = read(fields, sizes, bytes);
        expect_warning(result, {});
        return geometry_of(result.image);
    }
    void refused(ErrorCode code, const std::vector<std::string>& words_of_error,
                 const std::string& fields) {
        SCOPED_TRACE(fields);
        const fs::path path = text("a.nrrd", "NRRD0004\n" + fields + "\n\n", 12);
        std::vector<std::string> all = words_of_error;
        all.push_back("a.nrrd");
        expect_error(code, all, [&] { read_image(path); });
    }
};

const std::string steps = "space directions: (2,0,0) (0,3,0) (0,0,4)\n";

TEST_F(NrrdTest, PlanesAreReadWithoutACopy) {
    const fs::path planes = text("p.nrrd",
                                 "NRRD0004\ntype: unsigned char\ndimension: 3\nsizes: 1000 1000 2\n"
                                 "kinds: domain domain vector\nencoding: raw\n\n",
                                 2000000);
    expect_error(ErrorCode::out_of_memory, {"p.nrrd", "2000000"},
                 [&] { read_image(planes, {.max_bytes = 1999999}); });
    const AnyImage image = read_image(planes, {.max_bytes = 2000000}).image;
    EXPECT_EQ(shape_of(image), (Shape{1000, 1000, 1, 1, 2}));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(image)(7, 0, 0, 0, 1), (1000000 + 7) % 256);
}

TEST_F(NrrdTest, SpacesOfPatients) {
    const std::pair<std::string, std::string> spaces[] = {{"right-anterior-superior", "RAS"},
                                                          {"Left-Anterior-Superior", "LAS"},
                                                          {"left-posterior-superior", "LPS"},
                                                          {"RAS", "RAS"},
                                                          {"las", "LAS"},
                                                          {"LPS", "LPS"},
                                                          {"left anterior superior", "LAS"}};
    for (const auto& [name, letters] : spaces) {
        const Geometry g = geometry("space: " + name + "\n" + steps + "space origin: (10,20,30)");
        EXPECT_EQ(g.orientation(), letters) << name;
        EXPECT_EQ(g.spacing, (Vector{2, 3, 4})) << name;
        EXPECT_EQ(g.origin,
                  (Vector{letters[0] == 'R' ? -10.0 : 10, letters[1] == 'A' ? -20.0 : 20, 30}))
            << name;
    }
}

TEST_F(NrrdTest, SpacesOfPatientsAndTime) {
    const std::pair<std::string, std::string> spaces[] = {{"right-anterior-superior-time", "RAS"},
                                                          {"left-anterior-superior-time", "LAS"},
                                                          {"left-posterior-superior-time", "LPS"},
                                                          {"RAST", "RAS"},
                                                          {"LAST", "LAS"},
                                                          {"lpst", "LPS"}};
    for (const auto& [name, letters] : spaces) {
        const ReadResult result = read("space: " + name +
                                           "\nspace directions: (2,0,0,0) (0,3,0,0) (0,0,4,0) "
                                           "(0,0,0,1500)\nspace origin: (10,20,30,0)\n"
                                           "space units: \"mm\" \"mm\" \"mm\" \"ms\"",
                                       "2 3 2 2");
        expect_warning(result, {});
        const Geometry& g = geometry_of(result.image);
        EXPECT_EQ(shape_of(result.image), (Shape{2, 3, 2, 2}));
        EXPECT_EQ(g.orientation(), letters) << name;
        EXPECT_EQ(g.origin,
                  (Vector{letters[0] == 'R' ? -10.0 : 10, letters[1] == 'A' ? -20.0 : 20, 30}))
            << name;
        EXPECT_EQ(g.time_step, 1.5);
    }
}

TEST_F(NrrdTest, OtherSpaces) {
    for (const std::string name : {"scanner-xyz", "3D-right-handed", "3D-left-handed"})
        expect_warning(read("space: " + name + "\n" + steps),
                       {"'" + name + "'", "how a patient lies"});
    const ReadResult numbered = read("space dimension: 3\n" + steps);
    expect_warning(numbered, {"how a patient lies"});
    EXPECT_EQ(geometry_of(numbered.image).spacing, (Vector{2, 3, 4}));
    EXPECT_EQ(geometry("space: RAS\nspacings: 2 3 4").orientation(), "RAS");
    const Geometry flat = geometry(
        "space dimension: 2\nspace directions: (0,2) (-3,0)\n"
        "space origin: (5,6)",
        "4 6");
    EXPECT_EQ(flat.orientation(), "PRS");
    EXPECT_EQ(flat.origin, (Vector{5, 6, 0}));
}

TEST_F(NrrdTest, UnitsOfLength) {
    const auto spaced = [&](const std::string& unit) {
        return geometry("space: LPS\n" + steps + "space origin: (1,2,3)\nspace units: " + unit +
                        " " + unit + " " + unit);
    };
    for (const std::string name : {"\"um\"", "\"microns\"", "\"\xc2\xb5m\"", "\"\xce\xbcm\""}) {
        const Geometry g = spaced(name);
        EXPECT_EQ(g.unit, Unit::micrometer) << name;
        EXPECT_EQ(g.spacing, (Vector{2, 3, 4})) << name;
    }
    const std::pair<std::string, double> units[] = {
        {"\"mm\"", 1}, {"\"cm\"", 10}, {"\"m\"", 1000}, {"\"nm\"", 1e-6}, {"\"meters\"", 1000}};
    for (const auto& [name, scale] : units) {
        const Geometry g = spaced(name);
        EXPECT_EQ(g.unit, Unit::millimeter);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(g.spacing[i], scale * static_cast<double>(i + 2), 1e-9 * scale) << name;
            EXPECT_NEAR(g.origin[i], scale * static_cast<double>(i + 1), 1e-9 * scale) << name;
        }
    }
    const Geometry mixed = geometry("space: LPS\nspacings: 500 2 0.1\nunits: \"um\" \"mm\" \"cm\"");
    EXPECT_EQ(mixed.spacing, (Vector{0.5, 2, 1}));
    expect_warning(read("space: LPS\nspacings: 2 3 4\nunits: \"mm\" \"mm\" \"furlong\""),
                   {"'furlong'"});
    expect_warning(read("spacings: 2 3 4", "4 6 1"), {"unit of length"});
    const ReadResult plain = read("spacings: 2 3 4");
    ASSERT_EQ(plain.warnings.size(), 2u);
    EXPECT_NE(plain.warnings[1].find("how a patient lies"), std::string::npos);
}

TEST_F(NrrdTest, WithoutSpacingsItIsUnknown) {
    EXPECT_EQ(geometry(""), Geometry{});
    EXPECT_EQ(geometry("spacings: nan nan nan"), Geometry{});
    expect_warning(read("axis mins: 1 2 3"), {"no spacings"});
}

// A cell's center is half a step from its border; without centers axes have cells, as in teem.
TEST_F(NrrdTest, BordersOfAxes) {
    const std::string mm = "space: LPS\nunits: \"mm\" \"mm\" \"mm\"\n";
    for (const std::string centers :
         {"", "centers: cell cell cell\n", "centerings: ??? cell cell\n"}) {
        Geometry g = geometry(mm + centers + "axis mins: 0 0 0\naxis maxs: 8 6 6");
        EXPECT_EQ(g.spacing, (Vector{2, 2, 3}));
        EXPECT_EQ(g.origin, (Vector{1, 1, 1.5}));
        g = geometry(mm + centers + "spacings: 2 2 3\naxismins: 10 20 30");
        EXPECT_EQ(g.origin, (Vector{11, 21, 31.5}));
    }
    const Geometry nodes =
        geometry(mm + "centers: node node node\naxis mins: 1 2 3\naxis maxs: 7 6 6");
    EXPECT_EQ(nodes.spacing, (Vector{2, 2, 3}));
    EXPECT_EQ(nodes.origin, (Vector{1, 2, 3}));
    const Geometry turned = geometry(mm + "axis mins: 8 0 0\naxis maxs: 0 6 6");
    EXPECT_EQ(turned.orientation(), "RPS");
    EXPECT_EQ(turned.spacing, (Vector{2, 2, 3}));
    EXPECT_EQ(turned.origin, (Vector{7, 1, 1.5}));
    expect_warning(read(mm + "spacings: 2 2 3\naxis mins: 0 0 0\naxis maxs: 9 6 6"),
                   {"do not fit"});
}

TEST_F(NrrdTest, NumbersThatAreNotKeptAreNamed) {
    const std::string mm = "space: LPS\nunits: \"mm\" \"mm\" \"mm\"\nspacings: 2 2 3\n";
    expect_warning(read(mm + "thicknesses: nan nan 3"), {});
    expect_warning(read(mm + "thicknesses: nan nan 5"), {"thick"});
    expect_warning(read(mm + "old min: -1\nold max: 1"), {"old min"});
    expect_warning(read(mm + "spaze: 3"), {"'spaze'"});
    expect_warning(read("space: LPS\nspacings: 2 3 5\n" + steps), {"spacings differ"});
    EXPECT_EQ(
        geometry("units: \"mm\" \"mm\" \"mm\"\nspacings: 2 2 nan\nthicknesses: nan nan 5", "4 6 1")
            .spacing,
        (Vector{2, 2, 5}));
    expect_warning(read("space: LPS\nspacings: 2 2 nan\nunits: \"mm\" \"mm\" \"mm\""),
                   {"along axis 3"});
}

TEST_F(NrrdTest, ShearIsRefusedOrNamed) {
    expect_warning(read("space: LPS\nspace directions: (2,0,0) (0.06,2,0) (0,0,3)"),
                   {"1.72 degrees"});
    refused(ErrorCode::unsupported_format, {"26.6 degrees"},
            "type: uint8\ndimension: 2\nencoding: raw\nsizes: 3 2\nspace dimension: 2\n"
            "space directions: (2,0) (1,2)");
}

// Slicer calls colors vectors.
TEST_F(NrrdTest, ChannelsAreColorsOrNot) {
    const auto separate = [&](const std::string& kind, const std::string& type) {
        const std::string header = "NRRD0004\ntype: " + type +
                                   "\ndimension: 3\nsizes: 3 2 2\nendian: little\nencoding: raw\n"
                                   "kinds: " +
                                   kind + " domain domain\n\n";
        const ReadResult result = read_image(text("a.nrrd", header, 24));
        expect_warning(result, kind.ends_with("vector") && type == "uint8"
                                   ? std::vector<std::string>{"vectors of three bytes"}
                                   : std::vector<std::string>{});
        return result.separate_channels;
    };
    for (const char* kind : {"RGB-color", "3-color"}) {
        EXPECT_FALSE(separate(kind, "uint8"));
        EXPECT_FALSE(separate(kind, "uint16"));
    }
    for (const char* kind : {"vector", "3-vector", "covariant-vector", "3-normal", "list"})
        for (const char* type : {"int16", "uint16"}) EXPECT_TRUE(separate(kind, type)) << kind;
    EXPECT_FALSE(separate("vector", "uint8"));
    EXPECT_FALSE(separate("3-vector", "uint8"));
    EXPECT_TRUE(separate("list", "uint8"));  // three frames, say
    EXPECT_TRUE(read("kinds: XYZ-color domain domain", "3 4 2").separate_channels);
}

TEST_F(NrrdTest, KindsOfAxes) {
    const auto shape = [&](const std::string& kinds, const std::string& sizes) {
        const ReadResult result = read("kinds: " + kinds, sizes);
        expect_warning(result, {});
        return shape_of(result.image);
    };
    EXPECT_EQ(shape("domain domain time", "4 3 2"), (Shape{4, 3, 1, 2}));
    EXPECT_EQ(shape("time domain domain", "2 4 3"), (Shape{4, 3, 1, 2}));
    EXPECT_EQ(shape("domain domain list", "4 3 2"), (Shape{4, 3, 1, 1, 2}));
    EXPECT_EQ(shape("RGB-color domain domain", "3 4 2"), (Shape{4, 2, 1, 1, 3}));
    EXPECT_EQ(shape("space vector space space", "2 4 3 1"), (Shape{2, 3, 1, 1, 4}));
    EXPECT_EQ(shape("3D-symmetric-matrix domain domain", "6 2 2"), (Shape{2, 2, 1, 1, 6}));
    EXPECT_EQ(shape("domain domain domain domain", "2 3 2 2"), (Shape{2, 3, 2, 2}));
    EXPECT_EQ(shape("domain", "24"), Shape{24});
    EXPECT_TRUE(has_alpha(read("kinds: RGBA-color domain domain", "4 3 2").image));
    EXPECT_FALSE(has_alpha(read("kinds: vector domain domain", "4 3 2").image));
    expect_warning(read("kinds: HSV-color domain domain", "3 4 2"), {"hsvcolor"});

    // Each number goes to its place: x fastest in the image, channels side by side.
    const AnyImage time_first = read("kinds: time domain list", "2 4 3").image;
    EXPECT_EQ(shape_of(time_first), (Shape{4, 1, 1, 2, 3}));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(time_first)(3, 0, 0, 1, 2), 23);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(time_first)(1, 0, 0, 1, 2), 1 + 2 * 1 + 8 * 2);

    const std::string rest = "type: uint8\ndimension: 2\nencoding: raw\nsizes: 6 2\n";
    refused(ErrorCode::unreadable_input, {"kinds"}, rest + "kinds: RGB-color domain");
    refused(ErrorCode::unreadable_input, {"kinds"}, rest + "kinds: colour domain");
    refused(ErrorCode::unsupported_format, {"axes"}, rest + "kinds: list vector");
    refused(ErrorCode::unsupported_format, {"complex"},
            "type: uint8\ndimension: 2\nencoding: raw\nsizes: 2 6\nkinds: complex domain");
}

TEST_F(NrrdTest, AxesWithoutADirection) {
    const std::string head = "space: LPS\nspace origin: (1,2,3)\n";
    const ReadResult behind = read(head + "space directions: (2,0,0) (0,3,0) none");
    expect_warning(behind, {"for time"});
    EXPECT_EQ(shape_of(behind.image), (Shape{4, 3, 1, 2}));
    const ReadResult before = read(head + "space directions: none (2,0,0) (0,3,0)");
    expect_warning(before, {"for channels"});
    EXPECT_EQ(shape_of(before.image), (Shape{3, 2, 1, 1, 4}));
    EXPECT_EQ(geometry_of(before.image).spacing, (Vector{2, 3, 1}));
}

TEST_F(NrrdTest, TimeSteps) {
    const auto step = [&](const std::string& unit, const std::string& value) {
        return geometry_of(read("kinds: domain domain time\nspacings: 1 1 " + value +
                                "\nunits: \"mm\" \"mm\" \"" + unit + "\"")
                               .image)
            .time_step;
    };
    EXPECT_EQ(step("s", "2.5"), 2.5);
    EXPECT_EQ(step("ms", "2500"), 2.5);
    EXPECT_NEAR(step("us", "2500"), 0.0025, 1e-12);
    EXPECT_EQ(step("min", "2"), 120);
    EXPECT_EQ(step("", "2"), 2);
    EXPECT_EQ(step("s", "nan"), 1);
    expect_warning(read("kinds: domain domain time\nspacings: 1 1 50\nunits: \"mm\" \"mm\" \"Hz\""),
                   {"'Hz'"});
}

TEST_F(NrrdTest, MeasurementFrames) {
    const std::string head =
        "space: LPS\nkinds: vector domain domain\n"
        "space directions: none (2,0,0) (0,3,0)\nmeasurement frame: ";
    expect_warning(read(head + "(1,0,0) (0,1,0) (0,0,1)"), {});
    expect_warning(read(head + "(0,1,0) (1,0,0) (0,0,1)"), {"measurement frame"});
}

// ---- where the numbers lie ------------------------------------------------------------------

class NrrdDataTest : public NrrdTest {
  protected:
    void SetUp() override {
        for (int i = 0; i < 24; ++i) bytes.push_back(static_cast<std::uint8_t>(100 + i));
        expected = Image<std::uint8_t>({4, 3, 2});
        std::copy(bytes.begin(), bytes.end(), expected.data());
    }
    static std::string header(const std::string& fields, const std::string& type = "uint8") {
        return "NRRD0005\ntype: " + type + "\ndimension: 3\nsizes: 4 3 2\n" + fields;
    }
    void expect_read(const fs::path& path) { expect_same_pixels(read_image(path).image, expected); }
    Bytes packed(const Bytes& plain) {
        write_bytes(file("plain"), plain);
        OutputFile out(file("packed"), file("packed"));
        gzip_file(file("plain"), out);
        out.close();
        return read_bytes(file("packed"));
    }

    Bytes bytes;
    Image<std::uint8_t> expected;
};

TEST_F(NrrdDataTest, DataFilesAreFoundBesideTheHeader) {
    fs::create_directory(file("far"));
    write_bytes(file("far/a.raw"), bytes);
    expect_read(text("a.nhdr", header("encoding: raw\ndata file: far/a.raw\n")));
    expect_read(text("b.nhdr",
                     header("encoding: raw\r\ndatafile: " + file("far/a.raw").string() + "\r\n")));
    write_bytes(file("50% %s.raw"), bytes);
    expect_read(text("c.nhdr", header("encoding: raw\ndata file: 50% %s.raw\n")));
}

TEST_F(NrrdDataTest, SkipsInRawFiles) {
    write_bytes(file("a.raw"), joined("one\ntwo\n12345", bytes));
    expect_read(
        text("a.nhdr", header("encoding: raw\nline skip: 2\nbyte skip: 5\ndata file: a.raw\n")));
    expect_read(
        text("b.nhdr", header("encoding: raw\nlineskip: 1\nbyteskip: 9\ndata file: a.raw\n")));
    expect_read(text("c.nhdr", header("encoding: raw\nbyte skip: -1\ndata file: a.raw\n")));
    expect_read(text("d.nrrd", header("encoding: raw\nbyte skip: -1\n\nsome words"), bytes));
    expect_read(text("e.nrrd", header("encoding: raw\nline skip: 1\n\nsome words\n"), bytes));
    const auto refused_skip = [&](const std::string& skip, const std::string& word) {
        const fs::path path =
            text("f.nhdr", header("encoding: raw\n" + skip + "\ndata file: a.raw\n"));
        expect_error(ErrorCode::unreadable_input, {"f.nhdr", word}, [&] { read_image(path); });
    };
    refused_skip("line skip: 3", "line skip");
    refused_skip("line skip: -1", "line skip");
    refused_skip("byte skip: -2", "byte skip");
    refused_skip("byte skip: 1000000000000", "byte skip");
    refused_skip("byte skip: 14", "24 bytes");
}

TEST_F(NrrdDataTest, SkipsInCompressedFiles) {
    write_bytes(file("a.gz"), joined("one\ntwo\n", packed(joined("12345", bytes))));
    for (const std::string skip : {"5", "-1"})
        expect_read(text("a.nhdr", header("encoding: gz\nline skip: 2\nbyte skip: " + skip +
                                          "\ndata file: a.gz\n")));
    expect_read(text("b.nrrd", header("encoding: gzip\nbyte skip: -1\n\n"), packed(bytes)));
    const fs::path much = text("c.nrrd", header("encoding: gzip\nbyte skip: -1\n\n"),
                               packed(Bytes(std::size_t{1} << 25)));
    expect_error(ErrorCode::unsupported_format, {"byte skip"}, [&] { read_image(much); });
    const fs::path few =
        text("d.nrrd", header("encoding: gzip\nbyte skip: -1\n\n"), packed({1, 2}));
    expect_error(ErrorCode::unreadable_input, {"only 2"}, [&] { read_image(few); });
}

TEST_F(NrrdDataTest, TextAndHexadecimalDigits) {
    std::string digits, list;
    for (const std::uint8_t byte : bytes) {
        char hex[8];
        std::snprintf(hex, sizeof hex, byte % 2 ? "%02x" : "%02X\n ", byte);
        digits += hex;
        list += std::to_string(byte) + (byte % 3 ? " " : byte % 2 ? ",\n" : "\t");
    }
    for (const std::string name : {"ascii", "text", "txt"})
        expect_read(text("a.nrrd", header("encoding: " + name + "\n\n" + list)));
    expect_read(text("b.nrrd", header("encoding: hex\n\n" + digits)));
    write_bytes(file("list.txt"), joined("x y\n" + list, {}));
    expect_read(text("c.nhdr", header("encoding: ascii\nline skip: 1\ndata file: list.txt\n")));

    const AnyImage reals = read_image(text("d.nrrd",
                                           "NRRD0001\ntype: float\ndimension: 2\nsizes: 2 2\n"
                                           "encoding: ascii\n\n+1.5 -2e3\nnan 0.25"))
                               .image;
    const auto& values = std::get<Image<float>>(reals).pixels();
    EXPECT_EQ(values[0], 1.5f);
    EXPECT_EQ(values[1], -2000.0f);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_EQ(values[3], 0.25f);
}

TEST_F(NrrdDataTest, TextThatIsNoNumbersIsRefused) {
    const auto refused_text = [&](const std::string& fields, const std::string& behind,
                                  const std::string& word) {
        const fs::path path = text("a.nrrd", header(fields + "\n\n" + behind));
        expect_error(ErrorCode::unreadable_input, {"a.nrrd", word}, [&] { read_image(path); });
    };
    std::string list = "300";
    for (int i = 0; i < 23; ++i) list += " 1";
    refused_text("encoding: ascii", list, "'300'");
    list.replace(0, 3, "1.5");
    refused_text("encoding: ascii", list, "'1.5'");
    refused_text("encoding: ascii", "1 2 3", "24 bytes");
    refused_text("encoding: ascii", "1" + std::string(60, ' ') + "2", "before pixel value 3");
    refused_text("encoding: hex", std::string(47, 'a'), "24 bytes");
    refused_text("encoding: hex", std::string(47, 'a') + "g", "no hexadecimal");
}

TEST_F(NrrdDataTest, ByteOrders) {
    for (const std::string type : {"short", "int16_t", "Signed Short Int"}) {
        Bytes both(48);
        for (std::size_t i = 0; i < 24; ++i) both[2 * i] = bytes[i];
        const AnyImage little =
            read_image(text("a.nrrd", header("encoding: raw\nendian: little\n\n", type), both))
                .image;
        const AnyImage big =
            read_image(text("b.nrrd", header("encoding: raw\nendian: big\n\n", type), both)).image;
        EXPECT_EQ(std::get<Image<std::int16_t>>(little)(3, 2, 1), 123);
        EXPECT_EQ(std::get<Image<std::int16_t>>(big)(3, 2, 1), 123 * 256);
    }
}

TEST_F(NrrdDataTest, SeveralFilesAreRefusedByName) {
    write_bytes(file("a_01.raw"), bytes);
    for (const auto& [value, word] :
         {std::pair<std::string, std::string>{"LIST\na_01.raw\na_02.raw", "LIST"},
          {"LIST 2\na_01.raw", "LIST"},
          {"a_%02d.raw 1 2 1", "percent sign in 'a_%02d.raw 1 2 1'"}}) {
        const fs::path path = text("a.nhdr", header("encoding: raw\ndata file: " + value + "\n"));
        expect_error(ErrorCode::unsupported_format, {"a.nhdr", "several files", word},
                     [&] { read_image(path); });
    }
}

TEST_F(NrrdTest, Refusals) {
    const std::string rest = "type: uint8\ndimension: 2\nencoding: raw\n";
    refused(ErrorCode::unreadable_input, {"sizes"}, rest + "sizes: 3 x");
    refused(ErrorCode::unreadable_input, {"sizes"}, rest + "sizes: 3 0");
    refused(ErrorCode::unreadable_input, {"sizes"}, rest + "sizes: 3 2 2");
    refused(ErrorCode::unreadable_input, {"sizes"}, rest);
    refused(ErrorCode::unreadable_input, {"sizes", "twice"}, rest + "sizes: 3 2\nSizes: 3 2");
    refused(ErrorCode::unreadable_input, {"enormous"}, rest + "sizes: 2000000000 2000000000");
    refused(ErrorCode::unreadable_input, {"4000000"}, rest + "sizes: 2000 2000");
    refused(ErrorCode::unsupported_format, {"'block'"},
            "type: block\ndimension: 2\nsizes: 3 2\nencoding: raw");
    refused(ErrorCode::unsupported_format, {"'bzip2'"},
            "type: uint8\ndimension: 2\nsizes: 3 2\nencoding: bzip2");
    refused(ErrorCode::unreadable_input, {"endian"},
            "type: int16\ndimension: 2\nsizes: 3 2\nencoding: raw");
    refused(ErrorCode::unreadable_input, {"missing.raw"},
            rest + "sizes: 3 2\ndata file: missing.raw");
    refused(ErrorCode::unsupported_format, {"space 'left'"}, rest + "sizes: 3 2\nspace: left");
    refused(ErrorCode::unreadable_input, {"space directions"},
            rest + "sizes: 3 2\nspace dimension: 2\nspace directions: (1,0) (0,x)");
    refused(ErrorCode::unreadable_input, {"space directions"},
            rest + "sizes: 3 2\nspace dimension: 2\nspace directions: (1,0) (0,1,0)");
    refused(ErrorCode::unreadable_input, {"kinds"},
            rest + "sizes: 3 2\nkinds: " + std::string(500, 'a') + " domain");
    refused(ErrorCode::unreadable_input, {"axis mins"}, rest + "sizes: 3 2\naxis mins: 3 2 1");
}

TEST_F(NrrdTest, LongLinesAreRead) {
    EXPECT_EQ(geometry("# " + std::string(40000, 'c') + "\nkey:=" + std::string(300000, 'v') +
                       "\nspace: LPS\nspacings: 2 3 4\nunits: \"mm\" \"mm\" \"mm\"")
                  .spacing,
              (Vector{2, 3, 4}));
}

}  // namespace
}  // namespace tesela::io::testing
