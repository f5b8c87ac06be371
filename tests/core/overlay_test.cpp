#include "tesela/overlay.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tesela {
namespace {

const Rgb yellow{255, 255, 0};

Rgb at(const Image<std::uint8_t>& picture, std::int64_t x, std::int64_t y) {
    return {picture(x, y, 0, 0, 0), picture(x, y, 0, 0, 1), picture(x, y, 0, 0, 2)};
}
Rgb gray(std::uint8_t value) { return {value, value, value}; }

// The label in the red channel.
Rgb label_as_red(std::uint32_t label) { return {static_cast<std::uint8_t>(label), 0, 0}; }

TEST(Overlay, LinesOnePixelWide) {
    Image<std::uint8_t> image({6, 4, 1, 1, 3});
    for (std::uint8_t& value : image.pixels()) value = 100;
    LabelImage labels({6, 4});
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 6; ++x) labels(x, y) = x < 3 ? 1 : y < 2 ? 2 : 3;
    const Image<std::uint8_t> picture = boundary_overlay(image, labels);
    ASSERT_EQ(picture.shape(), (Shape{6, 4, 1, 1, 3}));
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 6; ++x) {
            const bool boundary = x == 2 || (x > 2 && y == 1);
            EXPECT_EQ(at(picture, x, y), boundary ? yellow : gray(100)) << x << " " << y;
        }
}

TEST(Overlay, GrayIsWindowedByPercentiles) {
    Image<std::int16_t> image({100, 10});
    for (std::int64_t y = 0; y < 10; ++y)
        for (std::int64_t x = 0; x < 100; ++x)
            image(x, y) = static_cast<std::int16_t>(1000 + 10 * x);
    image(50, 5) = 30000;  // one outlier does not darken the rest
    const Image<std::uint8_t> picture = boundary_overlay(image, LabelImage({100, 10}));
    EXPECT_EQ(at(picture, 0, 0), gray(0));
    EXPECT_EQ(at(picture, 99, 0), gray(255));
    EXPECT_NEAR(at(picture, 50, 0)[0], 128, 3);
    EXPECT_EQ(at(picture, 50, 5), gray(255));
}

TEST(Overlay, ConstantAndUndefinedValues) {
    Image<float> image({5, 5});
    for (float& value : image.pixels()) value = 3;
    image(2, 2) = std::nanf("");
    const Image<std::uint8_t> picture = boundary_overlay(image, LabelImage({5, 5}));
    EXPECT_EQ(at(picture, 0, 0), gray(128));
    EXPECT_EQ(at(picture, 2, 2), gray(0));
}

TEST(Overlay, TheMiddleFrameIsShown) {
    Image<std::uint8_t> image({4, 2, 1, 3, 3});
    LabelImage labels({4, 2, 1, 3});
    for (std::int64_t t = 0; t < 3; ++t)
        for (std::int64_t y = 0; y < 2; ++y)
            for (std::int64_t x = 0; x < 4; ++x) {
                labels(x, y, 0, t) = t == 1 && x > 1 ? 2 : 1;
                for (int c = 0; c < 3; ++c)
                    image(x, y, 0, t, c) = static_cast<std::uint8_t>(50 * t);
            }
    const Image<std::uint8_t> picture = boundary_overlay(image, labels);
    ASSERT_EQ(picture.shape(), (Shape{4, 2, 1, 1, 3}));
    EXPECT_EQ(at(picture, 0, 0), gray(50));
    EXPECT_EQ(at(picture, 1, 0), yellow);
    EXPECT_EQ(at(label_picture(labels, label_as_red), 3, 1), label_as_red(2));
}

TEST(Overlay, AlphaIsIgnored) {
    Image<std::uint8_t> image({3, 3, 1, 1, 4});
    image.has_alpha = true;
    for (std::int64_t i = 0; i < 9; ++i) image.data()[4 * i + 1] = 80;  // green, transparent
    const Image<std::uint8_t> picture = boundary_overlay(image, LabelImage({3, 3}));
    EXPECT_EQ(at(picture, 1, 1), (Rgb{0, 80, 0}));
}

TEST(Overlay, SizesMustAgree) {
    EXPECT_THROW(boundary_overlay(Image<std::uint8_t>({3, 3}), LabelImage({3, 4})),
                 InvalidArgument);
}

// A volume whose labels are the position along one axis of the image, plus one.
LabelImage positions_along(int axis, const Shape& shape, const Geometry& geometry) {
    LabelImage labels(shape, geometry);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                labels(x, y, z) = static_cast<std::uint32_t>((axis == 0   ? x
                                                              : axis == 1 ? y
                                                                          : z) +
                                                             1);
    return labels;
}

TEST(Overlay, ThreeSlicesInTrueProportions) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 1, 3};  // thick slices
    const LabelImage labels = positions_along(2, {10, 8, 6}, geometry);
    const Image<std::uint8_t> picture = label_picture(labels, label_as_red);
    // Axial 10 x 8, coronal 10 x 18, sagittal 8 x 18, gaps of 4.
    EXPECT_EQ(picture.shape(), (Shape{10 + 4 + 10 + 4 + 8, 18, 1, 1, 3}));
    // The axial slice is the middle one and stands in the middle of the height.
    EXPECT_EQ(at(picture, 3, 9), (Rgb{4, 0, 0}));
    EXPECT_EQ(at(picture, 3, 2), (Rgb{0, 0, 0}));
    // Coronal: the head (z = 5) on top, each slice three pixels thick.
    for (int row = 0; row < 18; ++row) EXPECT_EQ(at(picture, 17, row)[0], 6 - row / 3) << row;
}

TEST(Overlay, PatientsRightOnTheLeft) {
    const Shape shape{6, 8, 10};
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    // LPS: x grows to the patient's left, which is on the right of the picture.
    Image<std::uint8_t> picture = label_picture(positions_along(0, shape, geometry), label_as_red);
    EXPECT_EQ(at(picture, 0, 5)[0], 1);
    EXPECT_EQ(at(picture, 5, 5)[0], 6);
    // RAS: x grows to the right, y to the front; both are turned round.
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    picture = label_picture(positions_along(0, shape, geometry), label_as_red);
    EXPECT_EQ(at(picture, 0, 5)[0], 6);
    EXPECT_EQ(at(picture, 5, 5)[0], 1);
    picture = label_picture(positions_along(1, shape, geometry), label_as_red);
    EXPECT_EQ(at(picture, 2, 1)[0], 8);  // the front on top of the axial slice
    const std::int64_t sagittal = 6 + 4 + 6 + 4;
    EXPECT_EQ(at(picture, sagittal, 5)[0], 8);  // and on the left of the sagittal one
}

TEST(Overlay, SlicesStoredAlongAnotherAxis) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.direction = {0, 0, 1, 1, 0, 0, 0, -1, 0};  // PIL: sagittal slices
    // x runs to the back (6), y to the feet (8), z to the left (10).
    const LabelImage labels = positions_along(1, {6, 8, 10}, geometry);
    const Image<std::uint8_t> picture = label_picture(labels, label_as_red);
    // Axial: left-right 10 by front-back 6; coronal 10 x 8; sagittal 6 x 8.
    EXPECT_EQ(picture.shape(), (Shape{10 + 4 + 10 + 4 + 6, 8, 1, 1, 3}));
    EXPECT_EQ(at(picture, 14, 0)[0], 1);  // y = 0 is nearest to the head
    EXPECT_EQ(at(picture, 14, 7)[0], 8);
}

TEST(Overlay, UnknownPlaceIsShownAsStored) {
    const LabelImage labels = positions_along(2, {6, 8, 10}, {});
    const Image<std::uint8_t> picture = label_picture(labels, label_as_red);
    EXPECT_EQ(at(picture, 10, 0)[0], 1);
    EXPECT_EQ(at(picture, 10, 9)[0], 10);
}

TEST(Overlay, ExtremeSpacingKeepsThePictureSmall) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1e-6, 1, 1};
    const Image<std::uint8_t> picture =
        label_picture(LabelImage({4, 20, 20}, geometry), label_as_red);
    EXPECT_LE(picture.shape().x, 3 * 4096 + 8);
    EXPECT_LE(picture.shape().y, 4096);
}

}  // namespace
}  // namespace tesela
