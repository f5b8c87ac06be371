// Images on other grids, on every device.
#include "tesela/resample.h"

#include <cmath>
#include <limits>
#include <random>

#include "device_images.h"
#include "reference/resample_reference.h"
#include "reference/smooth_reference.h"
#include "refusal.h"

namespace tesela {
namespace {

constexpr std::array all_interpolations{Interpolation::nearest, Interpolation::linear,
                                        Interpolation::cubic};
constexpr ResampleOptions sharp(Interpolation interpolation) {
    return {.interpolation = interpolation, .anti_aliasing = AntiAliasing::none};
}

template <class T>
Image<T> noise(const Shape& shape, const Geometry& geometry = {}) {
    std::mt19937 generator(5);
    Image<T> image(shape, geometry);
    for (T& value : image.pixels()) value = static_cast<T>(generator() % 251);
    image.has_alpha = shape.channels == 4;
    return image;
}

Geometry turned(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {.spacing = {0.5, 2, 3},
            .origin = {10, -20, 30},
            .direction = {c, -s, 0, s, c, 0, 0, 0, 1},
            .unit = Unit::millimeter};
}

class Resample : public testing::OnDeviceImages {
  protected:
    // Sizes are odd, so that no position is half way between pixels. Equal to the formula, up to
    // the rounding of positions in single precision, and the same from host and device.
    template <class T>
    void expect_formula(const Image<T>& image, const ResampleGrid& target,
                        const ResampleOptions& options) {
        const AnyImage made = resample(image, target, options, queue);
        const auto& found = std::get<Image<T>>(made);
        const Shape& shape = found.shape();
        EXPECT_EQ(shape.t, image.shape().t);
        EXPECT_EQ(shape.channels, image.shape().channels);
        EXPECT_EQ(found.geometry, target.grid.geometry);
        const double outside = options.outside.value_or(0);
        const double bound = 0.02 + (std::is_integral_v<T> ? 0.5 : 0);
        for (std::int64_t t = 0; t < shape.t; ++t)
            for (std::int64_t z = 0; z < shape.z; ++z)
                for (std::int64_t y = 0; y < shape.y; ++y)
                    for (std::int64_t x = 0; x < shape.x; ++x)
                        for (int c = 0; c < shape.channels; ++c) {
                            const auto at = target.to_image({double(x), double(y), double(z)});
                            double expected = reference::value_at(image, at, t, c,
                                                                  options.interpolation, outside);
                            if constexpr (std::is_integral_v<T>)
                                expected =
                                    std::clamp(expected, double{std::numeric_limits<T>::min()},
                                               double{std::numeric_limits<T>::max()});
                            ASSERT_NEAR(double(found(x, y, z, t, c)), expected, bound)
                                << enum_name(options.interpolation) << " at " << x << ", " << y
                                << ", " << z;
                        }
        expect_same(found, resample(lent(image), target, options, queue));
    }
    template <class T>
    void expect_formula_of_type() {
        for (const Shape& shape : {Shape{1, 1}, Shape{23, 17, 1, 1, 4}, Shape{9, 7, 5, 2, 3}}) {
            const Image<T> image = noise<T>(shape);
            const std::int64_t slices = shape.z > 1 ? 7 : 1;
            for (const Interpolation interpolation : all_interpolations) {
                ResampleOptions options = sharp(interpolation);
                options.outside = 0;
                expect_formula(image, grid_of_size(grid_of(image), {11, 29, slices}), options);
            }
        }
    }
};
TESELA_ON_EVERY_DEVICE(Resample);

TEST_P(Resample, OfEveryPixelType) {
    expect_formula_of_type<std::uint8_t>();
    expect_formula_of_type<std::uint16_t>();
    expect_formula_of_type<std::int16_t>();
    expect_formula_of_type<float>();
}

TEST_P(Resample, OnTheGridOfAnotherImage) {
    const auto image = noise<float>({12, 10, 8}, turned(0.3));
    Geometry other = turned(-0.4);
    other.spacing = {1.1, 0.9, 2.3};
    other.origin = {11, -18, 31};
    const ResampleGrid target = grid_like(grid_of(image), {{14, 9, 6}, other});
    for (const Interpolation interpolation : all_interpolations) {
        if (interpolation == Interpolation::nearest) continue;  // may be off at halves
        ResampleOptions options = sharp(interpolation);
        options.outside = -7;
        expect_formula(image, target, options);
    }
    // Where a pixel of the grid lies in space, the image has it.
    const SpacePoint at{3, 2, 1};
    const auto there = physical_point(other, at);
    const auto here = physical_point(image.geometry, target.to_image(at));
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(here[a], there[a], 1e-12);
}

// In micrometers or millimeters, and stored the other way round: the same pixels.
TEST_P(Resample, PixelsThatCoincideStay) {
    const auto image = noise<std::uint16_t>({12, 10, 8}, turned(0));
    Geometry other = image.geometry;
    other.unit = Unit::micrometer;
    for (double& length : other.spacing) length *= 1000;
    for (double& place : other.origin) place *= 1000;
    other.origin[0] += 11 * other.spacing[0];
    other.direction[0] = -1;
    for (const Interpolation interpolation : all_interpolations) {
        const AnyImage made = resample(image, grid_like(grid_of(image), {{12, 10, 8}, other}),
                                       sharp(interpolation), queue);
        const auto& found = std::get<Image<std::uint16_t>>(made);
        for (std::int64_t i = 0; i < image.shape().points(); ++i)
            ASSERT_EQ(found(i % 12, i / 12 % 10, i / 120),
                      image(11 - i % 12, i / 12 % 10, i / 120));
    }
}

TEST_P(Resample, GridsKeepTheCorner) {
    const ImageGrid image{{10, 6, 4}, turned(0.3)};
    const auto corner = [](const ImageGrid& grid) {
        return physical_point(grid.geometry, {-0.5, -0.5, -0.5});
    };
    const ResampleGrid large = grid_of_step(image, {2, 3, 1.5});
    EXPECT_EQ(large.grid.shape, (Shape{5, 2, 3}));  // 2.67 slices are 3
    EXPECT_EQ(large.grid.geometry.spacing, (std::array{1.0, 6.0, 4.5}));
    const ResampleGrid small = grid_of_size(image, {40, 6, 5});
    EXPECT_EQ(small.grid.shape, (Shape{40, 6, 5}));
    EXPECT_NEAR(small.grid.geometry.spacing[0], 0.125, 1e-15);
    EXPECT_NEAR(small.grid.geometry.spacing[2], 2.4, 1e-15);
    for (const ResampleGrid& made : {large, small})
        for (std::size_t a = 0; a < 3; ++a) {
            EXPECT_NEAR(corner(made.grid)[a], corner(image)[a], 1e-12);
            EXPECT_NEAR(physical_point(made.grid.geometry, {2, 1, 1})[a],
                        physical_point(image.geometry, made.to_image({2, 1, 1}))[a], 1e-12);
        }
    EXPECT_EQ(grid_of_step({{7, 7}, {}}, {100, 100, 1}).grid.shape, (Shape{1, 1}));
    EXPECT_EQ(grid_of_step({{10, 5}, {}}, {2, 2, 1}).grid.shape, (Shape{5, 2}));
}

// As scikit-image's resize does: a Gaussian of (f - 1) / 2 along each axis first.
TEST_P(Resample, SmoothsWhatBecomesSmaller) {
    const auto image = noise<float>({24, 30, 9});
    Image<double> wide(image.shape());
    std::copy(image.pixels().begin(), image.pixels().end(), wide.pixels().begin());
    const ResampleGrid target = grid_of_size(grid_of(image), {8, 60, 6});
    const Image<double> smooth = reference::gaussian(wide, {1, 0, 0.25});
    for (const Interpolation interpolation : all_interpolations) {
        const ResampleOptions options{.interpolation = interpolation};
        const AnyImage made = resample(image, target, options, queue);
        const auto& found = std::get<Image<float>>(made);
        const Image<double>& source = interpolation == Interpolation::nearest ? wide : smooth;
        for (std::int64_t i = 0; i < found.shape().points(); ++i) {
            const std::array at{i % 8, i / 8 % 60, i / 480};
            const auto from = target.to_image({double(at[0]), double(at[1]), double(at[2])});
            ASSERT_NEAR(found(at[0], at[1], at[2]),
                        reference::value_at(source, from, 0, 0, interpolation, 0), 1e-3);
        }
        expect_same(found, resample(lent(image), target, options, queue));
    }
}

TEST_P(Resample, LabelsKeepTheirBits) {
    Image<std::uint32_t> labels({5, 4});
    for (std::size_t i = 0; i < 20; ++i) labels.pixels()[i] = 0xfffffff0u + std::uint32_t(i) % 16;
    Image<std::int32_t> numbers({5, 4});
    for (std::size_t i = 0; i < 20; ++i) numbers.pixels()[i] = -0x7fffffff + std::int32_t(i);
    const ResampleGrid target = grid_of_size(grid_of(labels), {10, 8, 1});
    const ResampleOptions options{.interpolation = Interpolation::nearest};
    const AnyImage made = resample(labels, target, options, queue);
    const AnyImage of_numbers = resample(numbers, target, options, queue);
    for (std::int64_t y = 0; y < 8; ++y)
        for (std::int64_t x = 0; x < 10; ++x) {
            EXPECT_EQ(std::get<LabelImage>(made)(x, y), labels(x / 2, y / 2));
            EXPECT_EQ(std::get<Image<std::int32_t>>(of_numbers)(x, y), numbers(x / 2, y / 2));
        }
    expect_same(std::get<LabelImage>(made), resample(lent(labels), target, options, queue));
    EXPECT_NE(testing::refusal([&] {
                  resample(lent(labels), target, sharp(Interpolation::linear), queue);
              }).find("nearest"),
              std::string::npos);
}

TEST_P(Resample, TransfersNothing) {
    const auto image = noise<std::uint8_t>({40, 30});
    const auto there = lent(image);
    const ResampleGrid target = grid_of_size(grid_of(image), {80, 20, 1});
    EXPECT_EQ(moved_by([&] { resample(there, target, sharp(Interpolation::cubic), queue); }), 0);
}

TEST_P(Resample, RefusesWhatItCannotDo) {
    auto image = noise<float>({8, 8});
    image(3, 3) = std::numeric_limits<float>::quiet_NaN();
    const ResampleGrid half = grid_of_size(grid_of(image), {4, 4, 1});
    EXPECT_NE(testing::refusal([&] { resample(image, half, {}, queue); }), "");
    EXPECT_NE(testing::refusal([&] { resample(lent(image), half, {}, queue); }), "");
    const AnyImage made = resample(image, half, sharp(Interpolation::linear), queue);
    EXPECT_TRUE(std::isnan(std::get<Image<float>>(made)(1, 1)));
    EXPECT_FALSE(std::isnan(std::get<Image<float>>(made)(0, 0)));
}

TEST(ResampleGrids, OfWrongSizes) {
    const ImageGrid image{{8, 8}, {}};
    EXPECT_NE(testing::refusal([&] { grid_of_size(image, {0, 4, 1}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_of_step(image, {0, 1, 1}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_of_step(image, {std::nan(""), 1, 1}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_of_step(image, {1e-12, 1, 1}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_of_size(image, {2000000000, 2000000000, 1}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_like(image, {{4, 4}, turned(0)}); }), "");
    EXPECT_NE(testing::refusal([&] { grid_like({{4, 4}, turned(0)}, image); }), "");
}

TEST(ResampleGrids, OfPicturesAreInOnePlane) {
    Geometry other = turned(0);
    other.origin[2] = 77;
    const ResampleGrid target = grid_like({{4, 4}, turned(0)}, {{4, 4}, other});
    EXPECT_EQ(target.to_image({1, 2, 0}), (SpacePoint{1, 2, 0}));
}

TEST(ResampleLabels, AreRecognized) {
    Image<std::uint8_t> mask({20, 20});
    EXPECT_TRUE(looks_like_labels(mask));
    mask(3, 3) = 255;
    EXPECT_TRUE(looks_like_labels(mask));
    EXPECT_TRUE(looks_like_labels(Image<std::uint32_t>({1, 1})));
    EXPECT_FALSE(looks_like_labels(noise<std::uint8_t>({40, 40})));
    EXPECT_FALSE(looks_like_labels(Image<std::uint8_t>({20, 20, 1, 1, 3})));
    EXPECT_FALSE(looks_like_labels(Image<float>({20, 20})));
    EXPECT_FALSE(looks_like_labels(Image<std::uint8_t>({3, 3})));  // too small to tell
}

}  // namespace
}  // namespace tesela
