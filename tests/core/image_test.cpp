#include "tesela/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sanitized.h"
#include "tesela/kept_images.h"

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
    Image<std::int32_t> image({3, 2, 2, 1, 2});
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

// Under sanitizers none is kept, which the tests allow.
TEST(ImageOf, MemoryOfLargeImagesServesLaterOnes) {
    constexpr Shape large{2048, 2048}, larger{2048, 2560};
    trim_images();
    {
        Image<float> first(large);
        std::fill(first.pixels().begin(), first.pixels().end(), 7.0F);
    }
    const auto any = Image<float>::unwritten(large, {.spacing = {2, 2, 2}});
    EXPECT_EQ(any.shape(), large);
    EXPECT_EQ(any.geometry.spacing[0], 2);
    EXPECT_EQ(any.pixels().size(), static_cast<std::size_t>(large.elements()));
    {
        Image<float> second(larger);
        std::fill(second.pixels().begin(), second.pixels().end(), 7.0F);
    }
    const Image<float> cleared(large);  // in the memory of the larger one
    EXPECT_EQ(std::count(cleared.pixels().begin(), cleared.pixels().end(), 0.0F), large.elements());
}

TEST(ImageOf, NoMemoryIsKeptWhereNoneIsWanted) {
    constexpr Shape large{2048, 2048};
    const auto first_pixel_after = [&] {
        { Image<float>(large).pixels()[0] = 7; }
        return Image<float>::unwritten(large).pixels()[0];
    };
    trim_images();
    EXPECT_EQ(first_pixel_after() == 7, !testing::sanitized);
    keep_images(0);
    EXPECT_NE(first_pixel_after(), 7);
    keep_images(images_kept);
}

TEST(ImageOf, MovedAndAssignedImagesKeepTheirPixels) {
    Image<std::uint32_t> a({2048, 1024}), b({2048, 1024});
    a(5, 5) = 5;
    b(5, 5) = 6;
    const std::uint32_t* const pixels = a.data();
    b = std::move(a);
    EXPECT_EQ(b(5, 5), 5u);
    EXPECT_EQ(b.data(), pixels);
    Image<std::uint32_t> c = b;
    c(5, 5) = 7;
    EXPECT_EQ(b(5, 5), 5u);
    const Image<std::uint32_t> d({2048, 1024});  // in the memory that b had
    EXPECT_EQ(d(5, 5), 0u);
    EXPECT_EQ(c(5, 5), 7u);
    EXPECT_THROW(Image<float>::unwritten({0, 1}), InvalidArgument);
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
