#include "tesela/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tesela/error.h"

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

TEST(Overlay, EnlargedPixelsAreSquares) {
    Image<std::uint8_t> image({4, 3, 1, 1, 3});
    LabelImage labels({4, 3});
    for (std::int64_t x = 0; x < 4; ++x)
        for (std::int64_t y = 0; y < 3; ++y) {
            image(x, y, 0, 0, 1) = static_cast<std::uint8_t>(10 * x + y);
            labels(x, y) = x < 2 ? 7 : 0;
        }
    image.geometry = {.spacing = {3, 3, 1}, .unit = Unit::micrometer};
    const Image<std::uint8_t> picture = boundary_overlay(
        image, labels, {.colored_lines = true, .enlarge = 3, .color_of = label_as_red});
    ASSERT_EQ(picture.shape(), (Shape{12, 9, 1, 1, 3}));
    EXPECT_EQ(picture.geometry.spacing[0], 1);
    EXPECT_EQ(picture.geometry.origin[0], -1);
    for (std::int64_t y = 0; y < 9; ++y)
        for (std::int64_t x = 0; x < 12; ++x) {
            const Rgb below{0, static_cast<std::uint8_t>(10 * (x / 3) + y / 3), 0};
            EXPECT_EQ(at(picture, x, y), x == 5 ? label_as_red(7) : below) << x << " " << y;
        }
}

// A line of two pixels lies on both sides of a straight boundary, up to the picture's end.
TEST(Overlay, SmoothLinesLieBetweenPixels) {
    const Image<std::uint8_t> image({6, 4, 1, 1, 3});
    LabelImage labels({6, 4});
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 6; ++x) labels(x, y) = x < 3 ? 0 : 5;
    const OverlayOptions smooth{.smooth_lines = true, .enlarge = 3};
    const Image<std::uint8_t> picture = boundary_overlay(image, labels, smooth);
    for (std::int64_t y = 0; y < 12; ++y)
        for (std::int64_t x = 0; x < 18; ++x)
            EXPECT_EQ(at(picture, x, y), x == 8 || x == 9 ? yellow : gray(0)) << x << " " << y;
    OverlayOptions colored = smooth;
    colored.colored_lines = true;
    colored.color_of = label_as_red;
    EXPECT_EQ(at(boundary_overlay(image, labels, colored), 8, 6), label_as_red(5));
}

// Where the boundary runs in steps the line runs through their middles, with soft edges.
TEST(Overlay, SmoothLinesFollowDiagonals) {
    constexpr std::int64_t size = 8;
    const Image<std::uint8_t> image({size, size, 1, 1, 3});
    LabelImage labels({size, size});
    for (std::int64_t y = 0; y < size; ++y)
        for (std::int64_t x = 0; x < size; ++x) labels(x, y) = x > y ? 1 : 0;
    const Image<std::uint8_t> picture =
        boundary_overlay(image, labels, {.line_width = 2, .smooth_lines = true, .enlarge = 4});
    // Through the points half a pixel to the right of the diagonal.
    for (std::int64_t y = 4; y < 28; ++y)
        for (std::int64_t x = 4; x < 28; ++x) {
            const double away = std::abs(static_cast<double>(x - y) - 2) / std::sqrt(2.0);
            const double share = std::clamp(1.5 - away, 0.0, 1.0);
            EXPECT_NEAR(at(picture, x, y)[0], 255 * share, 1) << x << " " << y;
        }
}

TEST(Overlay, NumbersStandInTheMiddleOfTheirLabels) {
    const Image<std::uint8_t> image({120, 60, 1, 1, 3});
    LabelImage labels({120, 60});
    for (std::int64_t y = 0; y < 60; ++y)
        for (std::int64_t x = 0; x < 120; ++x) labels(x, y) = x < 60 ? 1 : 23;
    const Image<std::uint8_t> picture =
        boundary_overlay(image, labels, {.lines = false, .numbers = true});
    const auto bright = [&](std::int64_t first, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t y = 20; y < 40; ++y)
            for (std::int64_t x = first; x < end; ++x) count += at(picture, x, y)[0] > 150;
        return count;
    };
    EXPECT_GT(bright(20, 40), 3);
    EXPECT_GT(bright(80, 100), bright(20, 40));  // two digits
    EXPECT_EQ(bright(0, 20) + bright(40, 80) + bright(100, 120), 0);
}

TEST(Overlay, SidesOfThePatientStandOnVolumesAlone) {
    Image<std::uint8_t> image({60, 50, 40});
    const LabelImage labels({60, 50, 40});
    const auto drawn = [&] {
        const auto pixels = boundary_overlay(image, labels, {.sides = true}).pixels();
        return std::count(pixels.begin(), pixels.end(), 255) > 0;
    };
    EXPECT_FALSE(drawn());  // its place is not known
    image.geometry.unit = Unit::millimeter;
    EXPECT_FALSE(drawn());  // its spacing alone is
    image.geometry.origin = {-30, -25, 10};
    EXPECT_TRUE(drawn());
    image.geometry.unit = Unit::micrometer;
    EXPECT_FALSE(drawn());
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

TEST(Overlay, TheImageItself) {
    Image<std::int16_t> volume({7, 6, 5});
    for (std::size_t i = 0; i < volume.pixels().size(); ++i)
        volume.pixels()[i] = static_cast<std::int16_t>(i * 37 % 400);
    EXPECT_EQ(image_picture(volume).pixels(),
              boundary_overlay(volume, LabelImage({7, 6, 5})).pixels());
    EXPECT_EQ(image_picture(volume).shape(), (Shape{7 + 4 + 7 + 4 + 6, 6, 1, 1, 3}));
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

Image<std::uint8_t> gray_picture(std::int64_t width, std::int64_t height, std::uint8_t value) {
    Image<std::uint8_t> image({width, height, 1, 1, 3});
    for (std::uint8_t& pixel : image.pixels()) pixel = value;
    return image;
}
// Label 1 left of the column, label 2 from it on.
LabelImage halves(std::int64_t width, std::int64_t height, std::int64_t column) {
    LabelImage labels({width, height});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) labels(x, y) = x < column ? 1 : 2;
    return labels;
}

TEST(Overlay, LinesHaveTheWidthAskedFor) {
    const auto image = gray_picture(20, 5, 90);
    for (const int width : {1, 2, 3, 6}) {
        const auto picture = boundary_overlay(image, halves(20, 5, 10), {.line_width = width});
        int drawn = 0;
        for (std::int64_t x = 0; x < 20; ++x) drawn += at(picture, x, 2) == yellow;
        EXPECT_EQ(drawn, width);
        EXPECT_EQ(at(picture, 9, 2), yellow);
    }
    EXPECT_EQ(boundary_overlay(image, halves(20, 5, 10)).pixels(),
              boundary_overlay(image, halves(20, 5, 10), {.line_width = 1}).pixels());
}

TEST(Overlay, LinesOfLargePicturesAreWider) {
    const auto drawn_at = [](std::int64_t width) {
        const auto picture = boundary_overlay(gray_picture(width, 2, 90), halves(width, 2, 100));
        int drawn = 0;
        for (std::int64_t x = 0; x < width; ++x) drawn += at(picture, x, 0) == yellow;
        return drawn;
    };
    EXPECT_EQ(drawn_at(1400), 1);
    EXPECT_EQ(drawn_at(2100), 2);
    EXPECT_EQ(drawn_at(5000), 5);
}

TEST(Overlay, RegionsAreFilledButForTheBackground) {
    LabelImage labels = halves(6, 3, 3);
    for (std::uint32_t& label : labels.pixels()) label -= 1;  // 0 and 1
    const auto picture = boundary_overlay(gray_picture(6, 3, 100), labels,
                                          {.fill = 0.5, .color_of = [](std::uint32_t) {
                                               return Rgb{200, 0, 100};
                                           }});
    EXPECT_EQ(at(picture, 0, 1), gray(100));
    EXPECT_EQ(at(picture, 5, 1), (Rgb{150, 50, 100}));
    EXPECT_EQ(at(picture, 2, 1), yellow);  // lines stay on top
    EXPECT_THROW(boundary_overlay(gray_picture(6, 3, 1), labels, {.fill = 0.5}), InvalidArgument);
    EXPECT_THROW(
        boundary_overlay(gray_picture(6, 3, 1), labels, {.fill = 1.5, .color_of = label_as_red}),
        InvalidArgument);
    EXPECT_THROW(boundary_overlay(gray_picture(6, 3, 1), labels, {.line_width = -1}),
                 InvalidArgument);
}

TEST(Overlay, AWindowSaysWhatIsBlackAndWhite) {
    Image<std::int16_t> image({5, 1});
    for (std::int64_t x = 0; x < 5; ++x) image(x, 0) = static_cast<std::int16_t>(100 * x);
    const auto picture =
        boundary_overlay(image, LabelImage({5, 1}), {.window = BrightnessWindow::parse("100,300")});
    EXPECT_EQ(at(picture, 1, 0), gray(0));
    EXPECT_EQ(at(picture, 2, 0), gray(128));
    EXPECT_EQ(at(picture, 3, 0), gray(255));
    EXPECT_EQ(at(picture, 4, 0), gray(255));
    for (const char* bad : {"", "5", "5,", "5,5", "9,1", "0,inf", "nan,1", "1,2,3", "a,b", "1;2"})
        EXPECT_THROW(BrightnessWindow::parse(bad), InvalidArgument) << bad;
}

// The slices that a picture shows, by the red of their labels.
std::vector<int> slices_shown(const Image<std::uint8_t>& picture, std::int64_t side) {
    std::vector<int> shown;
    for (std::int64_t y = 0; y < picture.shape().y; y += side + 4)
        for (std::int64_t x = 0; x < picture.shape().x; x += side + 4)
            if (picture(x, y, 0, 0, 0) > 0) shown.push_back(picture(x, y, 0, 0, 0));
    return shown;
}

TEST(Overlay, SlicesOfAVolume) {
    constexpr std::int64_t side = 6, count = 10;
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 1, 3};
    LabelImage labels({side, side, count}, geometry);
    for (std::int64_t i = 0; i < labels.shape().points(); ++i)
        labels.pixels()[static_cast<std::size_t>(i)] =
            static_cast<std::uint32_t>(1 + i / (side * side));
    const auto shown = [&](const char* slices) {
        return slices_shown(label_picture(labels, label_as_red, SliceChoice::parse(slices)), side);
    };
    EXPECT_EQ(shown("all"), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(shown("3mm"), shown("all"));
    EXPECT_EQ(shown("1mm"), shown("all"));  // no slice twice
    EXPECT_EQ(shown("9mm"), (std::vector<int>{1, 4, 7, 10}));
    EXPECT_EQ(shown("12mm"), (std::vector<int>{2, 6, 10}));  // rests of half a slice and of none
    EXPECT_EQ(shown("4px"), shown("12mm"));
    EXPECT_EQ(shown("1000um"), shown("all"));
    const auto all = label_picture(labels, label_as_red, SliceChoice::parse("all"));
    EXPECT_EQ(all.shape().x, 3 * (side + 4) - 4);  // about square
    EXPECT_EQ(all.shape().y, 4 * (side + 4) - 4);
    EXPECT_EQ(label_picture(labels, label_as_red, SliceChoice::parse("middle")).pixels(),
              label_picture(labels, label_as_red).pixels());
    for (const char* bad : {"", "some", "0", "-1mm", "0.5px", "12kg"})
        EXPECT_THROW(SliceChoice::parse(bad), InvalidArgument) << bad;
    labels.geometry = {};
    EXPECT_THROW(shown("12mm"), InvalidArgument);
    EXPECT_EQ(shown("9"), (std::vector<int>{1, 10}));
}

}  // namespace
}  // namespace tesela
