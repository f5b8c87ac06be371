// Slides of copies of one picture, whose tiles are in the file once; and where points lie on their
// levels.
#include <cmath>

#include "io/support.h"
#include "tesela/slide_io.h"
#include "tesela/synthetic_slide.h"

namespace tesela::io {
namespace {

class RepeatedSlide : public testing::FileTest {};

Image<std::uint8_t> cell(std::int64_t side) {
    return testing::pattern<std::uint8_t>({side, side, 1, 1, 3}, micrometers_per_pixel(0.5, 0.5));
}

TEST_F(RepeatedSlide, HasThePixelsOfTheCopies) {
    AnyImage level = cell(128);
    const SlideWriteOptions options{.tile = 32, .compression = TileCompression::deflate};
    for (const auto& [width, height] : {std::pair{128, 128}, {500, 300}, {33, 20}}) {
        write_repeated_slide(level, width, height, file("s.ome.tif"),
                             {true, options.tile, options.compression});
        const auto slide = open_slide(file("s.ome.tif"));
        AnyImage expected = level;
        for (int l = 0; l < static_cast<int>(slide->facts().levels.size()); ++l) {
            const Shape& shape = slide->facts().levels[static_cast<std::size_t>(l)].shape;
            EXPECT_EQ(shape.x, (width + (1 << l) - 1) >> l);
            const AnyImage read = slide->read(l, {0, 0, shape.x, shape.y});
            const std::int64_t side = shape_of(expected).x;
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int c = 0; c < 3; ++c)
                        ASSERT_EQ(std::get<0>(read)(x, y, 0, 0, c),
                                  std::get<0>(expected)(x % side, y % side, 0, 0, c))
                            << "level " << l << ": " << x << ", " << y;
            if (side > 1) expected = halved(expected);
        }
    }
}

TEST_F(RepeatedSlide, IsASmallFile) {
    write_repeated_slide(cell(512), 110000, 80000, file("large.ome.tif"));
    EXPECT_LT(testing::fs::file_size(file("large.ome.tif")), 5u << 20);
    const auto slide = open_slide(file("large.ome.tif"));
    EXPECT_EQ(slide->facts().levels.front().shape, (Shape{110000, 80000, 1, 1, 3}));
    EXPECT_EQ(slide->facts().spacing_source, "OME");
    const AnyImage first = slide->read(0, {512, 1024, 40, 40});
    EXPECT_EQ(std::get<0>(slide->read(0, {109568, 79360, 40, 40})).pixels(),
              std::get<0>(first).pixels());
}

TEST_F(RepeatedSlide, LabelsKeepTheirValues) {
    const SyntheticSection section = synthetic_section(256);
    write_repeated_slide(section.labels, 600, 300, file("l.ome.tif"), {.tile = 64, .labels = true});
    const auto slide = open_slide(file("l.ome.tif"));
    for (int l = 0; l < 3; ++l) {
        const Shape& shape = slide->facts().levels[static_cast<std::size_t>(l)].shape;
        const AnyImage read = slide->read(l, {0, 0, shape.x, shape.y});
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                ASSERT_EQ(std::get<0>(read)(x, y), section.labels((x << l) % 256, (y << l) % 256));
    }
}

TEST_F(RepeatedSlide, RefusesOtherPictures) {
    const auto refuse = [&](const AnyImage& picture, const SlideWriteOptions& options) {
        testing::expect_error(ErrorCode::invalid_argument, {"cannot be repeated"}, [&] {
            write_repeated_slide(picture, 300, 300, file("s.ome.tif"), options);
        });
        EXPECT_TRUE(names().empty());
    };
    refuse(cell(128), {.tile = 96});
    refuse(cell(16), {.tile = 32});
    refuse(Image<std::uint8_t>({64, 32, 1, 1, 3}), {.tile = 32});
}

// Spots with known centers, in every copy: each is found on every level, through the file, within
// a hundredth of a pixel of level 0.
TEST_F(RepeatedSlide, PointsLieWhereTheyAreOnEveryLevel) {
    constexpr std::int64_t side = 512;
    constexpr double at_x = 200.3, at_y = 311.8;
    Image<float> spot({side, side}, micrometers_per_pixel(0.25, 0.25));
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x)
            spot(x, y) = static_cast<float>(
                std::exp(-(std::pow(double(x) - at_x, 2) + std::pow(double(y) - at_y, 2)) / 800));
    write_repeated_slide(spot, 1500, 1100, file("s.ome.tif"), {.tile = 64});
    const auto slide = open_slide(file("s.ome.tif"));
    ASSERT_EQ(slide->facts().levels.size(), 6u);
    for (int l = 0; l < 5; ++l) {
        const TileLevel& level = slide->facts().levels[static_cast<std::size_t>(l)];
        const std::int64_t part = side >> l;
        for (const std::int64_t row : {0, 1})
            for (const std::int64_t column : {0, 1}) {
                const AnyImage read = slide->read(l, {column * part, row * part, part, part});
                double sum = 0, x_sum = 0, y_sum = 0;
                for (std::int64_t y = 0; y < part; ++y)
                    for (std::int64_t x = 0; x < part; ++x) {
                        const double value = double{std::get<Image<float>>(read)(x, y)};
                        sum += value;
                        x_sum += value * double(x);
                        y_sum += value * double(y);
                    }
                const double x = x_sum / sum, y = y_sum / sum;
                const auto found =
                    level.to_level_0(x + double(column * part), y + double(row * part));
                EXPECT_NEAR(found[0], at_x + double(column * side), 0.01) << "level " << l;
                EXPECT_NEAR(found[1], at_y + double(row * side), 0.01) << "level " << l;
                const Geometry& geometry = geometry_of(read);
                EXPECT_NEAR(geometry.origin[0] + x * geometry.spacing[0], 0.25 * found[0], 0.0025);
                EXPECT_NEAR(geometry.origin[1] + y * geometry.spacing[1], 0.25 * found[1], 0.0025);
            }
    }
}

}  // namespace
}  // namespace tesela::io
