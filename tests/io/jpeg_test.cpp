#include <cstdio>

#include <jpeglib.h>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

using JpegTest = FileTest;

// A file made by libjpeg itself; the marker, where not empty, goes in as APP1.
void write_jpeg(const fs::path& path, const Image<std::uint8_t>& image, J_COLOR_SPACE space,
                const Bytes& marker = {}, bool progressive = false,
                std::uint16_t dots_of_centimeter = 118) {
    jpeg_compress_struct info;
    jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    jpeg_stdio_dest(&info, file);
    info.image_width = static_cast<JDIMENSION>(image.shape().x);
    info.image_height = static_cast<JDIMENSION>(image.shape().y);
    info.input_components = image.shape().channels;
    info.in_color_space = space;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 100, TRUE);
    if (progressive) jpeg_simple_progression(&info);
    info.density_unit = 2;
    info.X_density = dots_of_centimeter;
    info.Y_density = static_cast<UINT16>(dots_of_centimeter / 2);
    jpeg_start_compress(&info, TRUE);
    if (!marker.empty())
        jpeg_write_marker(&info, JPEG_APP0 + 1, marker.data(),
                          static_cast<unsigned>(marker.size()));
    for (std::int64_t y = 0; y < image.shape().y; ++y) {
        auto* row = const_cast<JSAMPROW>(&image(0, y));
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    std::fclose(file);
}

Bytes exif_with_orientation(std::uint8_t orientation, bool big_endian) {
    if (big_endian)
        return {'E', 'x',  'i', 'f', 0, 0, 'M', 'M', 0, 42,          0, 0, 0, 8, 0, 1,
                1,   0x12, 0,   3,   0, 0, 0,   1,   0, orientation, 0, 0, 0, 0, 0, 0};
    return {'E',  'x', 'i', 'f', 0, 0, 'I', 'I', 42,          0, 8, 0, 0, 0, 1, 0,
            0x12, 1,   3,   0,   1, 0, 0,   0,   orientation, 0, 0, 0, 0, 0, 0, 0};
}

// Quadrants of 16 x 8 pixels each, so that coding errors stay small.
Image<std::uint8_t> quadrants() {
    Image<std::uint8_t> image({32, 16});
    for (std::int64_t y = 0; y < 16; ++y)
        for (std::int64_t x = 0; x < 32; ++x)
            image(x, y) = static_cast<std::uint8_t>(40 + 60 * (x / 16) + 120 * (y / 8));
    return image;
}

// The gray levels near the corners: upper left, upper right, lower left, lower right.
std::vector<int> corners(const AnyImage& any) {
    const auto& image = std::get<Image<std::uint8_t>>(any);
    const std::int64_t x = image.shape().x - 3, y = image.shape().y - 3;
    std::vector<int> result;
    for (const int value : {image(2, 2), image(x, 2), image(2, y), image(x, y)})
        result.push_back((value + 10) / 20 * 20);
    return result;
}

TEST_F(JpegTest, RoundTripIsClose) {
    for (const int channels : {1, 3}) {
        Image<std::uint8_t> image({37, 23, 1, 1, channels});
        for (std::int64_t y = 0; y < 23; ++y)
            for (std::int64_t x = 0; x < 37; ++x)
                for (int c = 0; c < channels; ++c)
                    image(x, y, 0, 0, c) = static_cast<std::uint8_t>(3 * x + 2 * y + 40 * c);
        write_image(image, file("a.jpeg"));
        const ReadResult result = read_image(file("a.jpeg"));
        EXPECT_EQ(result.format, "JPEG");
        ASSERT_EQ(shape_of(result.image), image.shape());
        const auto& read = std::get<Image<std::uint8_t>>(result.image).pixels();
        for (std::size_t i = 0; i < read.size(); ++i)
            ASSERT_NEAR(int{read[i]}, int{image.pixels()[i]}, 6) << i;
    }
}

TEST_F(JpegTest, DensityOfPrintIsNoSpacing) {
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE);
    EXPECT_FALSE(geometry_of(read_image(file("a.jpg")).image).known());
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE, {}, false, 20000);
    const ReadResult fine = read_image(file("a.jpg"));
    EXPECT_EQ(fine.spacing_source, "JPEG resolution");
    EXPECT_EQ(geometry_of(fine.image).spacing[0], 0.5);
    EXPECT_EQ(geometry_of(fine.image).spacing[1], 1);
}

// Some writers leave bytes between two markers, which every reader passes over.
TEST_F(JpegTest, BytesBeforeAMarkerAreAWarning) {
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE);
    Bytes b = read_bytes(file("a.jpg"));
    const std::vector<int> expected = corners(read_image(file("a.jpg")).image);
    b.insert(b.begin() + 20, {1, 2, 3});  // behind the JFIF header
    write_bytes(file("a.jpg"), b);
    const QuietScope quiet;
    const ReadResult result = read_image(file("a.jpg"));
    EXPECT_EQ(corners(result.image), expected);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("3 extraneous bytes"), std::string::npos);
}

TEST_F(JpegTest, ExifOrientationIsApplied) {
    const std::vector<std::vector<int>> expected = {
        {40, 100, 160, 220}, {100, 40, 220, 160}, {220, 160, 100, 40}, {160, 220, 40, 100},
        {40, 160, 100, 220}, {160, 40, 220, 100}, {220, 100, 160, 40}, {100, 220, 40, 160}};
    for (std::uint8_t orientation = 1; orientation <= 8; ++orientation)
        for (const bool big_endian : {false, true}) {
            SCOPED_TRACE(int{orientation});
            write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE,
                       exif_with_orientation(orientation, big_endian));
            const AnyImage image = read_image(file("a.jpg")).image;
            EXPECT_EQ(shape_of(image).x, orientation < 5 ? 32 : 16);
            EXPECT_EQ(corners(image), expected[orientation - 1u]);
        }
}

// The index of a file of several pictures (CIPA DC-007): a primary one, and others of this kind.
Bytes index_of_pictures(std::uint8_t kind, std::uint8_t count) {
    Bytes b{0xff, 0xe2, 0, 0,    'M', 'P', 'F', 0, 'I', 'I', 42,    0, 8, 0, 0, 0,
            2,    0,    1, 0xb0, 4,   0,   1,   0, 0,   0,   count, 0, 0, 0, 2, 0xb0,
            7,    0,    0, 0,    0,   0,   38,  0, 0,   0,   0,     0, 0, 0};
    for (std::uint8_t i = 0; i < count; ++i) {
        const std::uint8_t here = i == 0 ? 3 : kind;
        const Bytes entry{0, 0, here, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        b.insert(b.end(), entry.begin(), entry.end());
    }
    b[3] = static_cast<std::uint8_t>(b.size() - 2);
    return b;
}

TEST_F(JpegTest, ViewsOfOneSceneAreCounted) {
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE);
    const Bytes jpeg = read_bytes(file("a.jpg"));
    const auto warnings = [&](const Bytes& index) {
        Bytes b = jpeg;
        b.insert(b.begin() + 20, index.begin(), index.end());  // behind the JFIF header
        write_bytes(file("b.jpg"), b);
        return read_image(file("b.jpg")).warnings;
    };
    constexpr std::uint8_t preview = 1, view = 2;
    EXPECT_TRUE(warnings(index_of_pictures(preview, 3)).empty());
    const auto stereo = warnings(index_of_pictures(view, 3));
    ASSERT_EQ(stereo.size(), 1u);
    EXPECT_NE(stereo[0].find("2 views"), std::string::npos) << stereo[0];
    Bytes damaged = index_of_pictures(view, 3);
    damaged[39] = 0xff;  // the entries lie outside
    EXPECT_TRUE(warnings(damaged).empty());
}

TEST_F(JpegTest, DamagedExifIsIgnored) {
    Bytes marker = exif_with_orientation(6, false);
    marker[10] = 0xff;  // the directory lies far outside
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE, marker);
    EXPECT_EQ(shape_of(read_image(file("a.jpg")).image).x, 32);
    marker.resize(15);
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE, marker);
    EXPECT_EQ(shape_of(read_image(file("a.jpg")).image).x, 32);
}

TEST_F(JpegTest, CmykIsRefused) {
    write_jpeg(file("a.jpg"), pattern<std::uint8_t>({16, 16, 1, 1, 4}), JCS_CMYK);
    expect_error(ErrorCode::unsupported_format, {"a.jpg", "CMYK"},
                 [&] { read_image(file("a.jpg")); });
}

TEST_F(JpegTest, EnormousHeaderIsRefusedByFileSize) {
    write_jpeg(file("a.jpg"), quadrants(), JCS_GRAYSCALE);
    Bytes b = read_bytes(file("a.jpg"));
    for (std::size_t i = 0; i + 9 < b.size(); ++i)
        if (b[i] == 0xff && b[i + 1] == 0xc0) b[i + 5] = b[i + 7] = 0xff;
    write_bytes(file("a.jpg"), b);
    expect_error(ErrorCode::unreadable_input, {"a.jpg", "far too short"},
                 [&] { read_image(file("a.jpg")); });
}

// libjpeg holds the coefficients of all scans, of two bytes each.
TEST_F(JpegTest, CoefficientsOfProgressiveFilesCount) {
    const Image<std::uint8_t> image({1000, 1000, 1, 1, 3});
    write_jpeg(file("p.jpg"), image, JCS_RGB, {}, true);
    write_jpeg(file("b.jpg"), image, JCS_RGB);
    EXPECT_NO_THROW(read_image(file("b.jpg"), {.max_bytes = 3000000}));
    // Luma in blocks of 8 x 8, each chroma in half as many along both axes.
    constexpr std::int64_t needed = 3000000 + 2 * (1008 * 1008 + 2 * 504 * 504);
    try {
        read_image(file("p.jpg"), {.max_bytes = needed - 1});
        FAIL() << "no error was thrown";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.bytes_needed(), needed);
        EXPECT_NE(std::string(error.what()).find("p.jpg"), std::string::npos);
    }
    EXPECT_EQ(read_image(file("p.jpg"), {.max_bytes = needed}).work_bytes, needed - 3000000);
}

}  // namespace
}  // namespace tesela::io::testing
