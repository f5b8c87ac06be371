// NumPy's files: arrays written byte by byte, and those of ours.

#include "io/archive_mutants.h"
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class NumpyTest : public HandWrittenTest {
  protected:
    static std::string header(const std::string& type, const std::string& shape,
                              const std::string& fortran = "False") {
        std::string text =
            "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
        text.append((64 - (text.size() + 11) % 64) % 64, ' ');
        text += '\n';
        std::string front = "\x93NUMPY";
        front += {1, 0, static_cast<char>(text.size()), 0};
        return front + text;
    }
    ReadResult read(const std::string& type, const std::string& shape, std::size_t bytes,
                    const std::string& fortran = "False") {
        return read_image(text("a.npy", header(type, shape, fortran), bytes));
    }
    static Geometry oblique() {
        Geometry g;
        g.unit = Unit::micrometer;
        g.spacing = {0.47, 1.25, 3.3};
        g.origin = {-91.123456, 126.5, -72.25};
        g.direction = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        return g;
    }
    template <class T>
    void expect_round_trip(const Shape& shape) {
        SCOPED_TRACE(std::string(pixel_type_name(pixel_type_of<T>())) + " " +
                     std::to_string(shape.x) + " " + std::to_string(shape.channels));
        Geometry g = oblique();
        if (shape.t > 1) g.time_step = 2.5;
        const Image<T> image = pattern<T>(shape, g);
        write_image(image, file("a.npy"));
        expect_same_pixels(read_image(file("a.npy")).image, image);
        for (const Compression packed :
             {Compression::automatic, Compression::none, Compression::fast, Compression::small}) {
            write_image(image, file("a.npz"), {.compression = packed});
            const ReadResult result = read_image(file("a.npz"));
            expect_same_pixels(result.image, image);
            EXPECT_EQ(geometry_of(result.image).spacing, g.spacing);
            EXPECT_EQ(geometry_of(result.image).origin, g.origin);
            EXPECT_EQ(geometry_of(result.image).direction, g.direction);
            EXPECT_EQ(geometry_of(result.image).unit, g.unit);
            EXPECT_EQ(geometry_of(result.image).time_step, g.time_step);
            EXPECT_EQ(result.format, "NPZ");
            EXPECT_TRUE(result.warnings.empty());
        }
    }
};

TEST_F(NumpyTest, EveryTypeAndShapeComesBack) {
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 5}, Shape{3, 4, 5}, Shape{4, 1, 9},
                               Shape{9, 8, 1, 1, 3}, Shape{9, 8, 1, 1, 7}, Shape{6, 5, 4, 1, 2},
                               Shape{6, 5, 1, 3}, Shape{6, 5, 4, 3}, Shape{2, 5, 4, 3, 2}}) {
        expect_round_trip<std::uint8_t>(shape);
        expect_round_trip<std::int8_t>(shape);
        expect_round_trip<std::uint16_t>(shape);
        expect_round_trip<std::int16_t>(shape);
        expect_round_trip<std::uint32_t>(shape);
        expect_round_trip<std::int32_t>(shape);
        expect_round_trip<float>(shape);
        expect_round_trip<double>(shape);
    }
    expect_round_trip<std::uint16_t>({1100, 1000, 2});  // several pieces
}

TEST_F(NumpyTest, OpacityIsKept) {
    Image<std::uint8_t> image = pattern<std::uint8_t>({5, 4, 1, 1, 4});
    image.has_alpha = true;
    for (const std::string name : {"a.npy", "a.npz"}) {
        write_image(image, file(name));
        expect_same_pixels(read_image(file(name)).image, image);
    }
    Image<std::uint8_t> gray = pattern<std::uint8_t>({5, 4, 1, 1, 2});
    gray.has_alpha = true;
    write_image(gray, file("b.npz"));
    expect_same_pixels(read_image(file("b.npz")).image, gray);
    expect_error(ErrorCode::unsupported_format, {"b.npy", "opacity"},
                 [&] { write_image(gray, file("b.npy")); });
}

// Element (y, x) of rows of three is byte 2 (3 y + x), or 2 (y + 2 x) in Fortran's order.
TEST_F(NumpyTest, OrdersOfBytesAndAxes) {
    const auto c = std::get<Image<std::uint16_t>>(read("<u2", "(2, 3)", 12).image);
    EXPECT_EQ(c.shape(), (Shape{3, 2}));
    EXPECT_EQ(c(1, 1), 0x0908);
    const auto big = std::get<Image<std::uint16_t>>(read(">u2", "(2, 3)", 12).image);
    EXPECT_EQ(big(1, 1), 0x0809);
    const auto fortran = std::get<Image<std::uint16_t>>(read(">u2", "(2, 3)", 12, "True").image);
    EXPECT_EQ(fortran.shape(), (Shape{3, 2}));
    EXPECT_EQ(fortran(1, 1), 0x0607);
    EXPECT_EQ(shape_of(read("|b1", "(7,)", 7).image), (Shape{7, 1}));
    EXPECT_EQ(shape_of(read("|u1", "(5, 6, 3)", 90).image), (Shape{6, 5, 1, 1, 3}));
    EXPECT_EQ(shape_of(read("|u1", "(3, 5, 6)", 90).image), (Shape{6, 5, 3}));
}

TEST_F(NumpyTest, RefusalsSayWhatAndWhere) {
    const auto refused = [&](ErrorCode code, const std::string& word, const std::string& type,
                             const std::string& shape, std::size_t bytes) {
        SCOPED_TRACE(word);
        expect_error(code, {"a.npy", word}, [&] { read(type, shape, bytes); });
    };
    refused(ErrorCode::unsupported_format, "f2", "<f2", "(2, 3)", 12);
    refused(ErrorCode::unsupported_format, "c8", "<c8", "(2, 3)", 48);
    refused(ErrorCode::unsupported_format, "O", "|O", "(2, 3)", 48);
    refused(ErrorCode::unsupported_format, "6 axes", "|u1", "(1, 1, 1, 1, 2, 3)", 6);
    refused(ErrorCode::unsupported_format, "0 axes", "|u1", "()", 1);
    refused(ErrorCode::unreadable_input, "empty", "|u1", "(0, 3)", 1);
    refused(ErrorCode::unreadable_input, "12 bytes", "<u2", "(2, 3)", 11);
    refused(ErrorCode::unreadable_input, "enormous", "|u1", "(99999999999, 99999999999)", 9);
    refused(ErrorCode::unreadable_input, "shape", "|u1", "(-2, 3)", 9);
    refused(ErrorCode::unreadable_input, "shape", "|u1", "2", 9);
}

TEST_F(NumpyTest, MutatedArchivesNeverGiveOtherPixels) {
    const Image<std::int16_t> image = pattern<std::int16_t>({13, 11, 5}, oblique());
    for (const Compression packed : {Compression::none, Compression::small}) {
        write_image(image, file("a.npz"), {.compression = packed});
        expect_mutants_refused_or_equal(file("a.npz"), image);
    }
}

TEST_F(NumpyTest, NpyWarnsOfLostGeometry) {
    const auto lost = write_image(pattern<float>({5, 4, 3}, oblique()), file("a.npy"));
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_NE(lost[0].find("NPY does not hold"), std::string::npos);
    EXPECT_TRUE(write_image(pattern<float>({5, 4, 3}, oblique()), file("a.npz")).empty());
}

}  // namespace
}  // namespace tesela::io::testing
