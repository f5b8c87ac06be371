// MetaImage files written by hand: every value is known.
#include <zlib.h>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

using Vector = std::array<double, 3>;

// 4 x 3 x 2 bytes.
class MetaImageTest : public HandWrittenTest {
  protected:
    void SetUp() override {
        for (int i = 0; i < 24; ++i) bytes.push_back(static_cast<std::uint8_t>(100 + i));
        expected = Image<std::uint8_t>({4, 3, 2});
        std::copy(bytes.begin(), bytes.end(), expected.data());
    }
    static std::string header(const std::string& fields, const std::string& data = "LOCAL",
                              const std::string& type = "MET_UCHAR") {
        return "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = " + type + "\n" +
               fields + "ElementDataFile = " + data + "\n";
    }
    ReadResult read(const std::string& fields, const std::string& type = "MET_UCHAR",
                    std::size_t count = 24) {
        SCOPED_TRACE(fields);
        return read_image(text("a.mha", header(fields, "LOCAL", type), count));
    }
    Geometry geometry(const std::string& fields) {
        const ReadResult result = read(fields);
        expect_warning(result, {});
        return geometry_of(result.image);
    }
    void expect_read(const fs::path& path) {
        SCOPED_TRACE(path.string());
        const ReadResult result = read_image(path);
        expect_same_pixels(result.image, expected);
        expect_warning(result, {});
    }
    void refused(ErrorCode code, const std::string& word, const fs::path& path) {
        SCOPED_TRACE(word);
        expect_error(code, {path.filename().string(), word}, [&] { read_image(path); });
    }
    static Bytes packed(const Bytes& plain) {
        uLongf size = compressBound(plain.size());
        Bytes out(size);
        compress(out.data(), &size, plain.data(), plain.size());
        out.resize(size);
        return out;
    }

    Bytes bytes;
    Image<std::uint8_t> expected;
};

TEST_F(MetaImageTest, DirectionsAndBytesInOtherOrders) {
    const AnyImage image =
        read_image(text("a.mha",
                        "ObjectType = Image\nNDims = 3\nBinaryData = True\n"
                        "BinaryDataByteOrderMSB = True\nTransformMatrix = 0 1 0 1 0 0 0 0 -1\n"
                        "Offset = 1 2 3\nElementSpacing = 2 3 4\nDimSize = 3 2 1\n"
                        "ElementType = MET_USHORT\nElementDataFile = LOCAL\n",
                        12))
            .image;
    const Geometry& g = geometry_of(image);
    // Rows of TransformMatrix are the directions of the axes.
    EXPECT_EQ(g.orientation(), "PLI");
    EXPECT_EQ(g.spacing, (Vector{2, 3, 4}));
    EXPECT_EQ(g.origin, (Vector{1, 2, 3}));
    EXPECT_EQ(std::get<Image<std::uint16_t>>(image)(0, 0), 0x0001);
    EXPECT_EQ(std::get<Image<std::uint16_t>>(image)(2, 1), 0x0a0b);
}

// The stream ends where it ends, whatever size the header gives.
TEST_F(MetaImageTest, CompressedDataOfAnyStatedSize) {
    const Bytes stream = packed(bytes);
    for (const std::string size : {"", "CompressedDataSize = 0\n", "CompressedDataSize = 5\n"})
        expect_read(text("a.mha", header("CompressedData = True\n" + size), stream));
    expect_read(text("b.mha",
                     header("CompressedData = True\nCompressedDataSize = " +
                            std::to_string(stream.size()) + "\n"),
                     stream));
    write_bytes(file("c.zraw"), stream);
    expect_read(text("c.mhd", header("CompressedData = True\n", "c.zraw")));
    refused(ErrorCode::unreadable_input, "5000",
            text("d.mha", header("CompressedData = True\nCompressedDataSize = 5000\n"), stream));
}

TEST_F(MetaImageTest, DamagedStreamsAreRefused) {
    const Bytes stream = packed(bytes);
    for (std::size_t i = 0; i < stream.size(); ++i) {
        Bytes flipped = stream,
              cut(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(i));
        flipped[i] ^= 0xff;
        for (const Bytes& damaged : {flipped, cut})
            EXPECT_THROW(read_image(text("a.mha", header("CompressedData = True\n"), damaged)),
                         UnreadableInput)
                << i;
    }
    const Bytes few(bytes.begin(), bytes.end() - 1);
    refused(ErrorCode::unreadable_input, "only 23",
            text("b.mha", header("CompressedData = True\n"), packed(few)));
}

TEST_F(MetaImageTest, CompressedDataAreNotHeldAsAWhole) {
    const std::string small =
        "ObjectType = Image\nNDims = 2\nDimSize = 4 6\nElementType = MET_UCHAR\n"
        "CompressedData = True\nElementDataFile = LOCAL\n";
    Bytes stream = packed(bytes);
    stream.resize(stream.size() + 2000000, 'x');
    EXPECT_NO_THROW(read_image(text("p.mha", small, stream), {.max_bytes = 24}));
    const std::string large =
        "ObjectType = Image\nNDims = 2\nDimSize = 2000 2000\n"
        "ElementType = MET_UCHAR\nCompressedData = True\nElementDataFile = LOCAL\n";
    const fs::path path = text("q.mha", large, packed(Bytes(4000000)));
    expect_error(ErrorCode::out_of_memory, {"q.mha", "4000000"},
                 [&] { read_image(path, {.max_bytes = 3999999}); });
}

TEST_F(MetaImageTest, IntensitiesAreScaled) {
    const std::string fields =
        "ElementToIntensityFunctionSlope = 2\nElementToIntensityFunctionOffset = -5\n";
    const ReadResult result = read(fields);
    const auto& scaled = std::get<Image<float>>(result.image);
    EXPECT_EQ(scaled(0, 0, 0), -5);
    EXPECT_EQ(scaled(3, 2, 1), 41);
    const ReadResult stored = read_image(file("a.mha"), {.stored = true});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(stored.image)(3, 2, 1), 23);
    EXPECT_EQ(stored.scaling, (ValueScaling{2, -5}));
    EXPECT_EQ(pixel_type_of(read("ElementToIntensityFunctionSlope = 1\n").image), PixelType::u8);
    const ReadResult wide = read("ElementToIntensityFunctionOffset = 0.5\n", "MET_INT", 96);
    EXPECT_EQ(pixel_type_of(wide.image), PixelType::f64);
    for (const char* field :
         {"ElementToIntensityFunctionSlope", "ElementToIntensityFunctionOffset"})
        refused(ErrorCode::unreadable_input, field,
                text("b.mha", header(std::string(field) + " = nan\n"), bytes));
}

TEST_F(MetaImageTest, IntensitiesBeyondTheLargestNumberAreRefused) {
    for (const char* field : {"ElementToIntensityFunctionSlope = 1e308\n",
                              "ElementToIntensityFunctionOffset = -1e300\n"})
        refused(ErrorCode::unreadable_input, "too large", text("b.mha", header(field), bytes));
}

TEST_F(MetaImageTest, NamesOfOneThingThatDiffer) {
    const std::string rest = "ElementSpacing = 1 1 1\nOffset = 1 2 3\n";
    const ReadResult result = read(rest + "Position = 1 2 4\nOrigin = 1 2 3\n");
    expect_warning(result, {"Offset", "Position", "differ"});
    EXPECT_EQ(geometry_of(result.image).origin[2], 3);
    expect_warning(read(rest + "Position = 1 1.9999999 3.0\n"), {});
}

TEST_F(MetaImageTest, PixelsBehindAnotherHeader) {
    write_bytes(file("a.raw"), joined("a head.", bytes));
    expect_read(text("a.mhd", header("HeaderSize = 7\n", "a.raw")));
    expect_read(text("b.mhd", header("HeaderSize = -1\n", "a.raw")));
    expect_read(text("c.mha", header("HeaderSize = -1\n"), bytes));
    expect_read(text("d.mha", header("HeaderSize = -1\n"), joined("words", bytes)));
    expect_read(text("e.mha", header("HeaderSize = 0\n"), bytes));
    const std::string counted = header("HeaderSize = 200\n");
    expect_read(text("f.mha", counted, joined(std::string(200 - counted.size(), '.'), bytes)));
    const Bytes stream = packed(bytes);
    const std::string size = "CompressedDataSize = " + std::to_string(stream.size()) + "\n";
    write_bytes(file("g.zraw"), joined("a head.", stream));
    for (const std::string skip : {"7", "-1"})
        expect_read(text(
            "g.mhd",
            header("CompressedData = True\n" + size + "HeaderSize = " + skip + "\n", "g.zraw")));

    refused(ErrorCode::unsupported_format, "HeaderSize of -1",
            text("h.mhd", header("CompressedData = True\nHeaderSize = -1\n", "g.zraw")));
    refused(ErrorCode::unsupported_format, "HeaderSize of -2",
            text("i.mhd", header("HeaderSize = -2\n", "a.raw")));
    refused(ErrorCode::unreadable_input, "HeaderSize of 7",
            text("j.mha", header("HeaderSize = 7\n"), bytes));
    refused(ErrorCode::unreadable_input, "HeaderSize of 1000",
            text("k.mhd", header("HeaderSize = 1000\n", "a.raw")));
    refused(ErrorCode::unreadable_input, "24 bytes",
            text("l.mhd", header("HeaderSize = 8\n", "a.raw")));
    write_bytes(file("m.raw"), {1, 2, 3});
    refused(ErrorCode::unreadable_input, "24 bytes",
            text("m.mhd", header("HeaderSize = -1\n", "m.raw")));
}

TEST_F(MetaImageTest, ByteOrders) {
    Bytes both(48);
    for (std::size_t i = 0; i < 24; ++i) both[2 * i] = bytes[i];
    const auto last = [&](const std::string& fields) {
        return std::get<Image<std::int16_t>>(
            read_image(text("a.mha", header(fields, "LOCAL", "MET_SHORT"), both)).image)(3, 2, 1);
    };
    EXPECT_EQ(last(""), 123);
    EXPECT_EQ(last("BinaryDataByteOrderMSB = False\n"), 123);
    EXPECT_EQ(last("BinaryDataByteOrderMSB = True\n"), 123 * 256);
    EXPECT_EQ(last("ElementByteOrderMSB = True\n"), 123 * 256);
    EXPECT_EQ(last("ElementByteOrderMSB = True\nBinaryDataByteOrderMSB = True\n"), 123 * 256);
    refused(ErrorCode::unreadable_input, "two byte orders",
            text("b.mha", header("ElementByteOrderMSB = True\nBinaryDataByteOrderMSB = False\n"),
                 bytes));
}

TEST_F(MetaImageTest, TypesAsMetaIoNamesThem) {
    struct Type {
        std::string name;
        PixelType type;
        std::size_t bytes;
    };
    const Type types[] = {{"MET_CHAR", PixelType::i8, 1},       {"MET_UCHAR", PixelType::u8, 1},
                          {"MET_SHORT", PixelType::i16, 2},     {"MET_USHORT", PixelType::u16, 2},
                          {"MET_INT", PixelType::i32, 4},       {"MET_UINT", PixelType::u32, 4},
                          {"MET_LONG", PixelType::i32, 4},      {"MET_ULONG", PixelType::u32, 4},
                          {"MET_LONG_LONG", PixelType::i32, 8}, {"MET_FLOAT", PixelType::f32, 4},
                          {"MET_DOUBLE", PixelType::f64, 8}};
    for (const Type& t : types) {
        const auto zeros = [&](const std::string& fields, const std::string& name,
                               std::size_t count) {
            return read_image(
                       text("a.mha", header(fields, "LOCAL", name), Bytes(24 * t.bytes * count)))
                .image;
        };
        EXPECT_EQ(pixel_type_of(zeros("", t.name, 1)), t.type) << t.name;
        const AnyImage vectors = zeros("ElementNumberOfChannels = 3\n", t.name + "_ARRAY", 3);
        EXPECT_EQ(pixel_type_of(vectors), t.type) << t.name;
        EXPECT_EQ(shape_of(vectors), (Shape{4, 3, 2, 1, 3}));
    }
}

TEST_F(MetaImageTest, PixelsAsText) {
    std::string list;
    for (const std::uint8_t byte : bytes) list += std::to_string(byte) + " ";
    expect_read(text("a.mha", header("BinaryData = False\n") + list));
    refused(ErrorCode::unreadable_input, "BinaryData",
            text("b.mha", header("BinaryData = False\nCompressedData = True\n") + list));
}

TEST_F(MetaImageTest, NamesOfFieldsOfGeometry) {
    for (const std::string offset : {"Offset", "Position", "Origin"})
        for (const std::string matrix : {"TransformMatrix", "Rotation", "Orientation"}) {
            const Geometry g = geometry("ElementSpacing = 2 3 4\n" + offset + " = 1 2 3\n" +
                                        matrix + " = -1 0 0 0 -1 0 0 0 1\n");
            EXPECT_EQ(g.origin, (Vector{1, 2, 3}));
            EXPECT_EQ(g.orientation(), "RAS");
        }
    EXPECT_EQ(geometry("ElementSize = 2 3 4\n").spacing, (Vector{2, 3, 4}));
    EXPECT_EQ(geometry(""), Geometry{});
    EXPECT_EQ(geometry("ElementSpacing = 2 3 4\nElementSize = 2 3 4\n").spacing, (Vector{2, 3, 4}));
    const ReadResult both = read("ElementSize = 2 3 5\nElementSpacing = 2 3 4\n");
    expect_warning(both, {"ElementSize"});
    EXPECT_EQ(geometry_of(both.image).spacing, (Vector{2, 3, 4}));
    const ReadResult placed = read("Offset = 1 2 3\n");
    expect_warning(placed, {"ElementSpacing", "1 mm"});
    EXPECT_EQ(geometry_of(placed.image).origin, (Vector{1, 2, 3}));
}

TEST_F(MetaImageTest, UnitsOfLength) {
    for (const auto& [name, scale] :
         {std::pair<std::string, double>{"mm", 1}, {"?", 1}, {"um", 1e-3}, {"cm", 10}}) {
        const Geometry g =
            geometry("DistanceUnits = " + name + "\nElementSpacing = 2 3 4\nOffset = 1 2 3\n");
        EXPECT_NEAR(g.spacing[1], 3 * scale, 1e-12) << name;
        EXPECT_NEAR(g.origin[2], 3 * scale, 1e-12) << name;
    }
    expect_warning(read("DistanceUnits = ell\nElementSpacing = 2 3 4\n"), {"'ell'"});
}

TEST_F(MetaImageTest, DirectionsOfAnotherLength) {
    const ReadResult result = read("ElementSpacing = 2 3 4\nTransformMatrix = 2 0 0 0 1 0 0 0 1\n");
    EXPECT_EQ(geometry_of(result.image).spacing, (Vector{2, 3, 4}));
    expect_warning(result, {"TransformMatrix", "length 1"});
}

TEST_F(MetaImageTest, FieldsThatAreNotUsedAreNamed) {
    const std::string turned = "ElementSpacing = 2 3 4\nTransformMatrix = -1 0 0 0 -1 0 0 0 1\n";
    expect_warning(read(turned + "CenterOfRotation = 0 0 0\nAnatomicalOrientation = LPI\n"), {});
    expect_warning(read(turned + "AnatomicalOrientation = RAS\n"), {});
    expect_warning(read(turned + "AnatomicalOrientation = RAI\n"), {"RAI"});
    expect_warning(read(turned + "AnatomicalOrientation = ???\n"), {});
    // A sixth of a turn about the diagonal: no axis runs to one side alone.
    const std::string oblique =
        "ElementSpacing = 2 3 4\nTransformMatrix = 0.666666667 -0.333333333 "
        "0.666666667 0.666666667 0.666666667 -0.333333333 -0.333333333 "
        "0.666666667 0.666666667\nAnatomicalOrientation = ";
    expect_warning(read(oblique + "RAI\n"), {});
    expect_warning(read(oblique + "LPS\n"), {});
    expect_warning(read(oblique + "RAS\n"), {"RAS"});
    expect_warning(read(turned + "AnatomicalOrientation = xyz\n"), {"xyz"});
    expect_warning(read(turned + "CenterOfRotation = 1 0 0\n"), {"CenterOfRotation"});
    expect_warning(read("ElementSpacing = 2 3 4\nCenterOfRotation = 1 0 0\n"), {});
    expect_warning(read("ElementSpacing = 2 3 4\nModality = MET_MOD_CT\nMine = 7\n"), {});
}

TEST_F(MetaImageTest, TimeSteps) {
    const auto film = [&](const std::string& spacing, const std::string& more = "") {
        return read_image(text("a.mha",
                               "ObjectType = Image\nNDims = 4\nDimSize = 2 3 2 2\n"
                               "ElementType = MET_UCHAR\nElementSpacing = " +
                                   spacing + "\n" + more + "ElementDataFile = LOCAL\n",
                               24));
    };
    EXPECT_EQ(geometry_of(film("1 1 1 2.5").image).time_step, 2.5);
    EXPECT_EQ(shape_of(film("1 1 1 2.5").image), (Shape{2, 3, 2, 2}));
    expect_warning(film("1 1 1 -1"), {"time step"});
    expect_warning(film("1 1 1 1", "Offset = 0 0 0 5\n"), {"first volume"});
}

TEST_F(MetaImageTest, NamesOfDataFiles) {
    for (const std::string name : {"s(%Max=5).raw", "10%.raw", "with blanks.raw", "a%d.raw"}) {
        write_bytes(file(name), bytes);
        expect_read(text("a.mhd", header("", name)));
    }
    fs::create_directory(file("far"));
    fs::rename(file("10%.raw"), file("far/10%.raw"));
    expect_read(text("a.mhd", header("", "far/10%.raw")));
    expect_read(text("a.mha", header("", "Local"), bytes));
    for (const std::string list : {"LIST\na.raw\nb.raw", "LIST 2\na.raw"})
        refused(ErrorCode::unsupported_format, "LIST", text("b.mhd", header("", list)));
    refused(ErrorCode::unsupported_format, "percent sign in 'b%03d.raw 1 2 1'",
            text("c.mhd", header("", "b%03d.raw 1 2 1")));
    refused(ErrorCode::unreadable_input, "none.raw", text("d.mhd", header("", "none.raw")));
}

TEST_F(MetaImageTest, LongLinesAreRead) {
    expect_read(text("a.mha", "Comment = " + std::string(40000, 'c') + "\n" + header(""), bytes));
    expect_read(text("b.mha", header("Mine = " + std::string(300000, 'c') + "\n"), bytes));
    refused(ErrorCode::unreadable_input, "does not end",
            text("c.mha", "Comment = " + std::string((1 << 24) + 100000, 'c')));
    refused(ErrorCode::unreadable_input, "no text", text("d.mha", "Comment = \x01\n" + header("")));
}

TEST_F(MetaImageTest, Refusals) {
    const auto refused_fields = [&](ErrorCode code, const std::string& word,
                                    const std::string& fields) {
        refused(code, word,
                text("a.mha", "ObjectType = Image\n" + fields + "\nElementDataFile = LOCAL\n", 12));
    };
    const std::string rest = "NDims = 2\nElementType = MET_UCHAR\n";
    refused_fields(ErrorCode::unreadable_input, "DimSize", rest + "DimSize = 3");
    refused_fields(ErrorCode::unreadable_input, "DimSize", rest + "DimSize = 3 -2");
    refused_fields(ErrorCode::unreadable_input, "9000000", rest + "DimSize = 3000 3000");
    refused_fields(ErrorCode::unreadable_input, "ElementSpacing",
                   rest + "DimSize = 3 2\nElementSpacing = 1 a");
    refused_fields(ErrorCode::unsupported_format, "MET_STRING",
                   "NDims = 2\nDimSize = 3 2\nElementType = MET_STRING");
    refused_fields(ErrorCode::unreadable_input, "spacing",
                   rest + "DimSize = 3 2\nElementSpacing = 0 1");
    refused_fields(ErrorCode::unreadable_input, "CompressedData",
                   rest + "DimSize = 3 2\nCompressedData = maybe");
    refused_fields(ErrorCode::unsupported_format, "HeaderSizePerSlice",
                   rest + "DimSize = 3 2\nHeaderSizePerSlice = 4");
    refused_fields(ErrorCode::unreadable_input, "twice", rest + "DimSize = 3 2\nDimSize = 3 2");
}

}  // namespace
}  // namespace tesela::io::testing
