// The size of a pixel in pictures: written, read back, told apart from the resolution of print.
#include <cmath>

#include "io/lost_geometry.h"
#include "io/pixel_size.h"
#include "io/support.h"
#include "tesela/tile_source.h"

namespace tesela::io::testing {
namespace {

class PixelSize : public FileTest {
  protected:
    // Gives the warnings of writing.
    std::vector<std::string> expect_kept(const std::string& name, double x, double y,
                                         const std::string& source) {
        SCOPED_TRACE(name + " " + std::to_string(x));
        Image<std::uint8_t> image = pattern<std::uint8_t>({300, 200}, micrometers_per_pixel(x, y));
        const std::vector<std::string> warnings = write_image(image, file(name));
        const ReadResult read = read_image(file(name));
        EXPECT_EQ(read.spacing_source, source);
        EXPECT_TRUE(read.warnings.empty());
        const Geometry& geometry = geometry_of(read.image);
        EXPECT_EQ(geometry.known(), !source.empty());
        if (!source.empty()) {
            EXPECT_DOUBLE_EQ(geometry.spacing[0], x);
            EXPECT_DOUBLE_EQ(geometry.spacing[1], y);
            EXPECT_EQ(geometry.unit, Unit::micrometer);
        }
        return warnings;
    }
};

TEST_F(PixelSize, IsReadBackAsItWas) {
    for (const auto& [x, y] : {std::pair{0.325, 0.325},
                               {0.25, 0.5},
                               {0.2527, 0.499},
                               {9.99, 12.5},
                               {10.0, 10.0},
                               {250.0, 250.0},
                               {1300.0, 700.0}}) {
        EXPECT_TRUE(expect_kept("a.tif", x, y, "TIFF resolution").empty());
        EXPECT_TRUE(expect_kept("a.ome.tif", x, y, "OME").empty());
        EXPECT_TRUE(expect_kept("a.png", x, y, "PNG resolution").empty());
        if (x < 1000) {
            EXPECT_TRUE(expect_kept("a.jpg", x, y, "JPEG resolution").empty());
        }
    }
}

// 16 bits hold 65535 pixels of a centimeter; a whole number of a meter holds 937.5 um badly.
TEST_F(PixelSize, ThatAFormatCannotHoldIsTold) {
    const auto expect_lost = [&](const std::string& name, double size, const std::string& format) {
        const auto warnings = expect_kept(name, size, size, "");
        ASSERT_EQ(warnings.size(), 1u);
        for (const std::string& word : {name, format, std::string("pixel size"), std::string("um")})
            EXPECT_NE(warnings[0].find(word), std::string::npos) << warnings[0];
    };
    expect_lost("a.jpg", 0.1, "JPEG");
    expect_lost("a.jpg", 937.5, "JPEG");
    expect_lost("a.png", 937.5, "PNG");
    expect_lost("a.bmp", 0.325, "BMP");
    EXPECT_TRUE(expect_kept("a.tif", 937.5, 937.5, "TIFF resolution").empty());
}

TEST_F(PixelSize, UnknownIsNotWritten) {
    for (const std::string name : {"a.tif", "a.png", "a.jpg", "a.bmp"}) {
        EXPECT_TRUE(write_image(pattern<std::uint8_t>({4, 3}), file(name)).empty());
        EXPECT_FALSE(geometry_of(read_image(file(name)).image).known()) << name;
    }
}

TEST_F(PixelSize, OfVolumes) {
    Geometry patient;
    patient.unit = Unit::millimeter;
    patient.spacing = {0.9375, 0.9375, 1.5};
    for (const std::string name : {"a.tif", "a.ome.tif"}) {
        EXPECT_TRUE(write_image(pattern<std::int16_t>({5, 4, 3}, patient), file(name)).empty());
        const Geometry read = geometry_of(read_image(file(name)).image);
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(read.spacing_mm()[axis], patient.spacing[axis], 1e-12) << name;
    }
}

std::vector<std::string> lost(const std::string& name, const Geometry& geometry,
                              const Shape& shape = {4, 3}) {
    return lost_geometry(Image<std::uint8_t>(shape, geometry), output_format(name), name);
}

TEST(LostGeometry, NamesWhatIsLost) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    EXPECT_TRUE(lost("a.tif", geometry).empty());
    EXPECT_TRUE(lost("a.bmp", Geometry{}).empty());
    geometry.origin = {-10, 20, 30};
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    for (const std::string name : {"a.tif", "a.ome.tif", "a.png"}) {
        const auto sentences = lost(name, geometry);
        ASSERT_EQ(sentences.size(), 1u);
        EXPECT_NE(sentences[0].find("its origin (-10, 20, 30 mm) and its orientation (RAS)"),
                  std::string::npos)
            << sentences[0];
        EXPECT_EQ(sentences[0].find("pixel size"), std::string::npos);
    }
    for (const std::string name : {"a.nrrd", "a.nii.gz", "a.mha"})
        EXPECT_TRUE(lost(name, geometry).empty());
}

// Coarser levels of a slide are shifted by a part of a pixel.
TEST(LostGeometry, PartsOfAPixelAreNone) {
    Geometry geometry = micrometers_per_pixel(2, 2);
    geometry.origin = {0.75, 0.75, 0};
    EXPECT_TRUE(lost("a.png", geometry).empty());
    geometry.origin = {20, 0, 0};
    EXPECT_EQ(lost("a.png", geometry).size(), 1u);
    geometry.origin = {0, 0, 0.5};  // between slices, of which there is one
    EXPECT_EQ(lost("a.tif", geometry).size(), 1u);
    EXPECT_TRUE(lost("a.tif", geometry, {4, 3, 2}).empty());
}

TEST(RoundedLength, HasTheFewestDigits) {
    const auto same = [](double length) { return std::round(1e4 / length) == 30769; };
    EXPECT_EQ(rounded_length(1e4 / 30769, same), 0.325);
    EXPECT_EQ(rounded_length(0.123456789, [](double length) { return length == 0.123456789; }),
              0.123456789);
    EXPECT_EQ(rounded_length(1.0 / 3, [](double) { return false; }), 1.0 / 3);
}

TEST(UnlessPrint, CountsWhatIsFineOrOurs) {
    EXPECT_EQ(unless_print({{0.5, 0.5}, "it"}, false).source, "it");
    EXPECT_EQ(unless_print({{84.7, 84.7}, "it"}, false).source, "");  // 300 dpi
    EXPECT_EQ(unless_print({{84.7, 84.7}, "it"}, true).source, "it");
    EXPECT_EQ(unless_print({{0, 0.5}, "it"}, true).source, "");
}

}  // namespace
}  // namespace tesela::io::testing
