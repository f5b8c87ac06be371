#include "tesela/image.h"

#include <gtest/gtest.h>

#include <limits>

namespace tesela {
namespace {

TEST(ShapeOf, PointsAndDimensions) {
    const Shape shape{4, 3, 2, 1, 3};
    EXPECT_EQ(shape.points(), 24);
    EXPECT_EQ(shape.elements(), 72);
    EXPECT_EQ(shape.dimensions(), 3);
    EXPECT_EQ((Shape{4, 3}).dimensions(), 2);
    EXPECT_EQ((Shape{4, 3, 1, 5}).dimensions(), 4);
}

TEST(ShapeOf, ImpossibleShapesAreRefused) {
    for (const Shape& shape :
         {Shape{0, 3}, Shape{3, 0}, Shape{-1, 3}, Shape{3, 3, 0}, Shape{3, 3, 1, 0},
          Shape{3, 3, 1, 1, 0}, Shape{std::int64_t{1} << 31, 1},
          Shape{2147483647, 2147483647, 2147483647}})
        EXPECT_THROW(validate(shape), InvalidArgument);
    EXPECT_NO_THROW(validate({2147483647, 2147483647}));
}

TEST(ImageOf, InterleavedXFastest) {
    Image<int> image({3, 2, 2, 1, 2});
    image(2, 1, 1, 0, 1) = 7;
    EXPECT_EQ(image.pixels().back(), 7);
    image(1, 0, 0, 0, 0) = 5;
    EXPECT_EQ(image.pixels()[2], 5);
    EXPECT_TRUE(image.view().contiguous());
}

TEST(ImageOf, ViewsCarryGeometryAndAlpha) {
    Image<float> image({3, 2, 1, 1, 2});
    image.geometry.spacing = {2, 3, 4};
    image.has_alpha = true;
    const ImageView<const float> view = image;
    EXPECT_TRUE(view.has_alpha());
    EXPECT_EQ(view.geometry(), image.geometry);
    const ImageView<float>::Strides strides{2, 6, 12, 12, 1};
    const ImageView<float> column(image.data() + 2, {1, 2, 1, 1, 2}, strides);
    EXPECT_FALSE(column.contiguous());
    image(1, 1, 0, 0, 1) = 9;
    EXPECT_EQ(column(0, 1, 0, 0, 1), 9);
}

TEST(PixelTypes, NamesAndSizes) {
    for (int i = 0; i < 8; ++i) {
        const auto type = static_cast<PixelType>(i);
        EXPECT_EQ(parse_pixel_type(pixel_type_name(type)), type);
    }
    EXPECT_EQ(pixel_type_bytes(PixelType::f64), 8);
    EXPECT_EQ(pixel_type_bytes(PixelType::i16), 2);
    EXPECT_THROW(parse_pixel_type("short"), InvalidArgument);
}

TEST(AnyImageOf, TypeIsKnownAtRunTime) {
    AnyImage image = Image<std::int16_t>({5, 4});
    EXPECT_EQ(pixel_type_of(image), PixelType::i16);
    EXPECT_EQ(shape_of(image), (Shape{5, 4}));
    geometry_of(image).spacing = {1, 2, 3};
    EXPECT_EQ(std::get<Image<std::int16_t>>(image).geometry.spacing[1], 2);
    EXPECT_FALSE(has_alpha(image));
}

}  // namespace
}  // namespace tesela
