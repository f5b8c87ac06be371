// Thresholds on every device (spec 001, rows H4 and H5).
#include "tesela/threshold.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "devices.h"
#include "reference/threshold_reference.h"
#include "segmentation/thresholds/histogram_threshold.h"
#include "segmentation/thresholds/threshold_surface.h"
#include "tesela/components.h"

namespace tesela {
namespace {

class Threshold : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Threshold);

// A square of 160 on 90 with noise of a few levels, as figure 3.5 of the thesis.
template <class T>
Image<T> two_tones(const Shape& shape, double noise, double scale = 1) {
    Image<T> image(shape);
    std::mt19937 generator(35);
    std::normal_distribution<double> normal(0, 1);
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const std::int64_t x = i % shape.x, y = i / shape.x % shape.y;
        const bool inside =
            std::abs(2 * x - shape.x) < shape.x / 2 && std::abs(2 * y - shape.y) < shape.y / 2;
        const double value = (inside ? 160 : 90) + noise * normal(generator);
        image.pixels()[static_cast<std::size_t>(i)] =
            static_cast<T>(std::clamp(std::round(value), 0.0, 255.0) * scale);
    }
    return image;
}

std::vector<double> values_of(const Image<std::uint8_t>& image) {
    return {image.pixels().begin(), image.pixels().end()};
}

TEST_P(Threshold, TwoTonesAreTakenApart) {
    for (const double noise : {0.0, 8.0}) {
        const Image<std::uint8_t> image = two_tones<std::uint8_t>({150, 120}, noise);
        for (const ThresholdResult& found :
             {otsu_threshold(image, queue), iterative_threshold(image, queue)}) {
            EXPECT_GT(found.threshold, 100);
            EXPECT_LT(found.threshold, 150);
            EXPECT_NEAR(found.mean_below, 90, 1);
            EXPECT_NEAR(found.mean_above, 160, 1);
            std::int64_t above = 0;
            for (std::size_t i = 0; i < image.pixels().size(); ++i) {
                ASSERT_EQ(found.mask.pixels()[i], image.pixels()[i] > found.threshold ? 255 : 0);
                above += image.pixels()[i] > found.threshold;
            }
            EXPECT_EQ(found.points_above, above);
        }
    }
    // No value lies between the tones, so that any threshold there is as good: the middle.
    EXPECT_EQ(otsu_threshold(two_tones<std::uint8_t>({150, 120}, 0), queue).threshold, 124);
    EXPECT_EQ(iterative_threshold(two_tones<std::uint8_t>({150, 120}, 0), queue).threshold, 125);
}

// Background, wide squares and few bright spots, with grain.
template <class T>
Image<T> three_tones(int factor) {
    Image<T> image({150, 120});
    for (std::int64_t y = 0; y < 120; ++y)
        for (std::int64_t x = 0; x < 150; ++x) {
            const bool is_square = (x / 30 + y / 30) % 3 == 0, is_spot = x % 37 < 4 && y % 29 < 4;
            const std::int64_t tone = is_spot ? 200 : is_square ? 110 : 40;
            const std::int64_t grain = (x * x * 7 + y * y * 13 + x * y * 5) % 17;
            image(x, y) = static_cast<T>(factor * (tone + grain));
        }
    return image;
}

// Thresholds of scikit-image 0.26 of the same pixels: threshold_li rounded down,
// threshold_triangle.
TEST_P(Threshold, LiAndTriangleAreThoseOfScikitImage) {
    const auto bytes = three_tones<std::uint8_t>(1);
    const auto words = three_tones<std::uint16_t>(200);
    const auto negative = three_tones<std::int16_t>(-100);
    EXPECT_EQ(li_threshold(bytes, queue).threshold, 71);        // 71.303
    EXPECT_EQ(li_threshold(words, queue).threshold, 14260);     // 14260.558
    EXPECT_EQ(li_threshold(negative, queue).threshold, -8865);  // -8864.762
    EXPECT_EQ(triangle_threshold(bytes, queue).threshold, 57);
    EXPECT_EQ(triangle_threshold(words, queue).threshold, 8001);
    EXPECT_EQ(triangle_threshold(negative, queue).threshold, -4001);
    EXPECT_GT(li_threshold(bytes, queue).iterations, 1);
}

TEST_P(Threshold, BelowTakesTheOthers) {
    const auto check = [&](const auto& image) {
        using Global =
            ThresholdResult (*)(const AnyImageView&, Queue&, const Progress&, ThresholdSide);
        for (const auto threshold : {Global{otsu_threshold}, Global{iterative_threshold},
                                     Global{li_threshold}, Global{triangle_threshold}}) {
            const ThresholdResult above = threshold(image, queue, {}, ThresholdSide::above);
            const ThresholdResult below = threshold(image, queue, {}, ThresholdSide::below);
            EXPECT_EQ(below.threshold, above.threshold);
            EXPECT_EQ(below.points_above, above.points_above);
            for (std::size_t i = 0; i < above.mask.pixels().size(); ++i)
                ASSERT_EQ(below.mask.pixels()[i], 255 - above.mask.pixels()[i]);
        }
    };
    check(three_tones<std::uint8_t>(1));
    check(three_tones<std::int16_t>(-100));
    check(three_tones<float>(3));
}

// Those of scikit-image's threshold_multiotsu.
TEST_P(Threshold, SeveralClassesAreThoseOfScikitImage) {
    const auto image = three_tones<std::uint8_t>(1);
    const MultiOtsuResult found = multi_otsu(image, {.classes = 3}, queue);
    EXPECT_EQ(found.thresholds, (std::vector<double>{56, 126}));
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        ASSERT_EQ(found.classes.pixels()[i], (image.pixels()[i] > 56) + (image.pixels()[i] > 126));
    EXPECT_EQ(multi_otsu(image, {.classes = 4}, queue).thresholds,
              (std::vector<double>{47, 56, 126}));
    // No value lies between the two thresholds.
    const auto mask = otsu_threshold(image, queue).mask;
    const auto two = multi_otsu(image, {.classes = 2}, queue).classes;
    for (std::size_t i = 0; i < mask.pixels().size(); ++i)
        ASSERT_EQ(two.pixels()[i] * 255, mask.pixels()[i]);
    // One pixel far away takes no level from the others.
    Image<std::uint16_t> hot({4, 1});
    hot.pixels() = {100, 110, 120, 65535};
    EXPECT_EQ(multi_otsu(hot, {.classes = 4}, queue).thresholds,
              (std::vector<double>{100, 110, 120}));
    // Wide levels are taken together.
    const MultiOtsuResult wide = multi_otsu(three_tones<std::uint16_t>(200), {.classes = 3}, queue);
    EXPECT_EQ(wide.classes.pixels(), found.classes.pixels());
    EXPECT_THROW(multi_otsu(two_tones<std::uint8_t>({50, 40}, 0), {.classes = 3}, queue),
                 InvalidArgument);
    EXPECT_THROW(multi_otsu(image, {.classes = 7}, queue), InvalidArgument);
    EXPECT_THROW(multi_otsu(image, {.classes = 1}, queue), InvalidArgument);
}

// Exact in every pixel type, also where 65536 steps would not tell the values apart.
TEST_P(Threshold, RangeKeepsWhatIsWithinBothLimits) {
    Image<float> floats({6, 1});
    floats.pixels() = {-1e30F, 0.1F, 0.10000001F, 0.2F, std::numeric_limits<float>::quiet_NaN(),
                       1e30F};
    const ThresholdResult found =
        range_threshold(floats, {.low = 0.10000001F, .high = 0.2F}, queue);
    EXPECT_EQ(found.mask.pixels(), (std::vector<std::uint8_t>{0, 0, 255, 255, 0, 0}));
    EXPECT_EQ(found.points_above, 2);
    for (const Shape& shape : {Shape{1, 1}, Shape{37, 23}, Shape{513, 11}, Shape{9, 8, 7}}) {
        const auto image = two_tones<std::int16_t>(shape, 20, -7);
        const ThresholdResult kept = range_threshold(image, {.low = -900, .high = -630}, queue);
        EXPECT_EQ(kept.mask.shape(), shape);
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            ASSERT_EQ(kept.mask.pixels()[i],
                      image.pixels()[i] >= -900 && image.pixels()[i] <= -630 ? 255 : 0);
    }
    Image<std::uint8_t> color({2, 1, 1, 1, 4});  // the fourth is alpha
    color.has_alpha = true;
    color.pixels() = {10, 20, 30, 0, 10, 20, 31, 255};
    EXPECT_EQ(range_threshold(color, {.low = 10, .high = 30}, queue).mask.pixels(),
              (std::vector<std::uint8_t>{255, 0}));
}

TEST_P(Threshold, RangeNeedsTwoLimitsInOrder) {
    const Image<std::uint8_t> image({3, 3});
    for (const RangeThresholdOptions& options :
         {RangeThresholdOptions{.low = 1}, RangeThresholdOptions{.high = 1},
          RangeThresholdOptions{.low = 2, .high = 1},
          RangeThresholdOptions{.low = std::numeric_limits<double>::quiet_NaN(), .high = 1}})
        EXPECT_THROW(range_threshold(image, options, queue), InvalidArgument);
    EXPECT_THROW(
        range_threshold(Image<std::uint8_t>({3, 3, 1, 1, 2}), {.low = 1, .high = 2}, queue),
        UnsupportedFormat);
}

// Integers of one channel are counted as they are, of colors levels are made first.
template <class T>
void expect_as_of_colors(Queue& queue, const Shape& shape, int step) {
    Image<T> gray(shape);
    Image<T> colors({shape.x, shape.y, shape.z, 1, 3});
    std::mt19937 generator(46);
    for (std::size_t i = 0; i < gray.pixels().size(); ++i) {
        const auto value = static_cast<int>(generator() % 16 * (generator() % 16));
        // Runs of equal values are counted in another way.
        gray.pixels()[i] = static_cast<T>(i / 50 % 2 == 0 ? 7 : step * value - 20);
        std::fill_n(colors.pixels().begin() + static_cast<std::ptrdiff_t>(3 * i), 3,
                    gray.pixels()[i]);
    }
    using Global = ThresholdResult (*)(const AnyImageView&, Queue&, const Progress&, ThresholdSide);
    for (const auto threshold : {Global{otsu_threshold}, Global{iterative_threshold}}) {
        const ThresholdResult found = threshold(gray, queue, {}, ThresholdSide::above);
        const ThresholdResult of_colors = threshold(colors, queue, {}, ThresholdSide::above);
        EXPECT_EQ(found.threshold, of_colors.threshold);
        EXPECT_EQ(found.mean_below, of_colors.mean_below);
        EXPECT_EQ(found.mean_above, of_colors.mean_above);
        EXPECT_EQ(found.points_above, of_colors.points_above);
        EXPECT_EQ(found.mask.pixels(), of_colors.mask.pixels());
        EXPECT_EQ(found.points_above,
                  std::count(found.mask.pixels().begin(), found.mask.pixels().end(), 255));
    }
}
TEST_P(Threshold, GrayLevelsAreCountedLikeThoseOfColors) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{3, 1}, Shape{37, 23}, Shape{513, 511}, Shape{9, 8, 7}}) {
        expect_as_of_colors<std::uint8_t>(queue, shape, 1);
        expect_as_of_colors<std::uint16_t>(queue, shape, 250);
        expect_as_of_colors<std::int16_t>(queue, shape, -140);
    }
}

// No other threshold has a larger variance between the classes.
TEST_P(Threshold, OtsuIsTheBest) {
    std::mt19937 generator(1);
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{37, 23}, Shape{9, 8, 7}}) {
        Image<std::uint8_t> image(shape);
        for (auto& pixel : image.pixels())
            pixel = static_cast<std::uint8_t>((generator() % 16) * (generator() % 16));
        const ThresholdResult found = otsu_threshold(image, queue);
        double best = 0;
        for (int t = 0; t < 256; ++t)
            best = std::max(best, reference::variance_between(values_of(image), t));
        EXPECT_NEAR(reference::variance_between(values_of(image), found.threshold), best,
                    1e-9 * best);
    }
}

// The threshold is the mean of the means of its classes.
TEST_P(Threshold, IterativeIsAFixedPoint) {
    const Image<std::uint8_t> image = two_tones<std::uint8_t>({90, 80}, 25);
    const ThresholdResult found = iterative_threshold(image, queue);
    const auto classes = reference::classes_at(values_of(image), found.threshold);
    EXPECT_EQ(std::floor((classes.below + classes.above) / 2), found.threshold);
    EXPECT_GE(found.iterations, 2);
}

TEST_P(Threshold, EveryPixelType) {
    const Shape shape{60, 50};
    const double expected = otsu_threshold(two_tones<std::uint8_t>(shape, 9), queue).threshold;
    const auto expect_same_mask = [&](const AnyImage& image, double threshold, double error) {
        const ThresholdResult found = otsu_threshold(image, queue);
        EXPECT_NEAR(found.threshold, threshold, error) << pixel_type_name(pixel_type_of(image));
        EXPECT_EQ(found.mask.pixels(),
                  otsu_threshold(two_tones<std::uint8_t>(shape, 9), queue).mask.pixels())
            << pixel_type_name(pixel_type_of(image));
    };
    // Empty levels between those of 8 bits move the middle of the best thresholds.
    expect_same_mask(two_tones<std::uint16_t>(shape, 9, 100), expected * 100 + 50, 51);
    expect_same_mask(two_tones<std::int16_t>(shape, 9, 100), expected * 100 + 50, 51);
    expect_same_mask(two_tones<float>(shape, 9, 0.5), expected / 2 + 0.25, 0.26);
    expect_same_mask(two_tones<double>(shape, 9, 1e-3), expected * 1e-3 + 5e-4, 6e-4);
    expect_same_mask(two_tones<std::int32_t>(shape, 9, 1000), expected * 1000 + 500, 510);
}

TEST_P(Threshold, ColorsByTheirLuma) {
    Image<std::uint8_t> color({3, 1, 1, 1, 4});
    color.has_alpha = true;
    color.pixels() = {200, 0, 0, 255, 0, 200, 0, 0, 0, 0, 200, 7};  // luma 60, 117, 23
    const ThresholdResult found = otsu_threshold(color, queue);
    EXPECT_EQ(found.mask.shape().channels, 1);
    EXPECT_EQ(found.mask.pixels(), (std::vector<std::uint8_t>{0, 255, 0}));
}

TEST_P(Threshold, ConstantImagesAreBelow) {
    for (const AnyImage& image :
         {AnyImage(Image<std::uint8_t>({5, 4})), AnyImage(Image<float>({5, 4}))}) {
        EXPECT_EQ(otsu_threshold(image, queue).points_above, 0);
        EXPECT_EQ(iterative_threshold(image, queue).points_above, 0);
        EXPECT_EQ(li_threshold(image, queue).points_above, 0);
        EXPECT_EQ(triangle_threshold(image, queue).points_above, 0);
        EXPECT_EQ(adaptive_threshold(image, {}, queue).points_above, 0);
        EXPECT_EQ(adaptive_threshold(image, {.method = AdaptiveMethod::mean}, queue).points_above,
                  0);
    }
}

// Levels are spread over the values, however small these are.
TEST_P(Threshold, TinyValuesHaveTheirLevels) {
    const auto image_times = [](float factor) {
        Image<float> image({5, 1});
        image.pixels() = {0, 1 * factor, 2 * factor, 200 * factor, 255 * factor};
        return image;
    };
    for (const int power : {-119, -60, 0, 119}) {
        const ThresholdResult found = otsu_threshold(image_times(std::ldexp(1.0F, power)), queue);
        EXPECT_EQ(found.mask.pixels(), (std::vector<std::uint8_t>{0, 0, 0, 255, 255})) << power;
    }
    EXPECT_THROW(otsu_threshold(image_times(std::ldexp(1.0F, -125)), queue), InvalidArgument);
}

TEST(HistogramThreshold, ByHand) {
    // Two levels 1 and 3: thresholds 1 and 2 are as good.
    const std::vector<std::uint32_t> two{0, 5, 0, 5};
    EXPECT_EQ(otsu(two).level, 1u);
    EXPECT_EQ(otsu(two).mean_above, 3);
    EXPECT_EQ(ridler_calvard(two).level, 2u);
    const std::vector<std::uint32_t> one{0, 0, 7, 0};
    EXPECT_EQ(otsu(one).level, 2u);
    EXPECT_EQ(ridler_calvard(one).level, 2u);
    EXPECT_EQ(ridler_calvard(one).count_above, 0);
    // The mean 2.8 makes classes with means 0.25 and 9.67..., those with 0.25 and 13: no change.
    const std::vector<std::uint32_t> skew{3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    EXPECT_EQ(ridler_calvard(skew).level, 6u);
}

// ---- Adaptive ----------------------------------------------------------------------------------

// Light grows from left to right by more than the discs are brighter than what is around them.
Image<std::uint8_t> discs_in_uneven_light(const Shape& shape, Image<std::uint8_t>* truth) {
    Image<std::uint8_t> image(shape);
    *truth = Image<std::uint8_t>(shape);
    std::mt19937 generator(2);
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const auto x = static_cast<double>(i % shape.x);
        const auto y = static_cast<double>(i / shape.x % shape.y);
        const double dx = std::fmod(x, 40) - 20, dy = std::fmod(y, 40) - 20;
        const bool inside = dx * dx + dy * dy < 100;
        truth->pixels()[static_cast<std::size_t>(i)] = inside ? 255 : 0;
        image.pixels()[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(40 + 120 * x / static_cast<double>(shape.x) +
                                      (inside ? 50 : 0) + static_cast<double>(generator() % 5));
    }
    return image;
}

double share_of_errors(const Image<std::uint8_t>& mask, const Image<std::uint8_t>& truth) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < mask.pixels().size(); ++i)
        wrong += mask.pixels()[i] != truth.pixels()[i];
    return static_cast<double>(wrong) / static_cast<double>(mask.pixels().size());
}

TEST_P(Threshold, AdaptiveFindsObjectsInUnevenLight) {
    Image<std::uint8_t> truth;
    const Image<std::uint8_t> image = discs_in_uneven_light({240, 200}, &truth);
    EXPECT_GT(share_of_errors(otsu_threshold(image, queue).mask, truth), 0.2);
    const ThresholdResult found = adaptive_threshold(image, {}, queue);
    EXPECT_LT(share_of_errors(found.mask, truth), 0.02);
    EXPECT_EQ(found.surface.shape(), image.shape());
    EXPECT_GT(found.iterations, 0);
    const ThresholdResult by_mean = adaptive_threshold(
        image, {.method = AdaptiveMethod::mean, .radius = 20, .offset = 12}, queue);
    EXPECT_LT(share_of_errors(by_mean.mask, truth), 0.02);
}

// Between two steps the surface crosses the ground at a slant, where noise makes specks.
TEST_P(Threshold, GhostsAreTakenOut) {
    Image<std::uint8_t> image({200, 100});
    std::mt19937 generator(4);
    for (std::int64_t i = 0; i < 20000; ++i) {
        const std::int64_t x = i % 200;
        const int ground = x < 40 ? 20 : x < 160 ? 80 : 200;
        image.pixels()[i] = static_cast<std::uint8_t>(ground + static_cast<int>(generator() % 9));
    }
    const auto regions = [&](double ghosts) {
        const auto mask = adaptive_threshold(image, {.ghosts = ghosts}, queue).mask;
        return components(mask, {.values = ComponentValues::equal}, queue).count;
    };
    EXPECT_GT(regions(0), 20u);
    EXPECT_LE(regions(0.5), 4u);
}

// The mask says whether a value is above the surface that is given, and that is the solution of
// Laplace's equation through the values at edges.
TEST_P(Threshold, SurfaceSolvesLaplacesEquation) {
    const Shape shape{61, 47};
    Image<std::uint8_t> truth;
    const Image<std::uint8_t> image = discs_in_uneven_light(shape, &truth);
    const ThresholdResult found = adaptive_threshold(image, {.smoothing = 0, .ghosts = 0}, queue);
    std::vector<double> surface(found.surface.pixels().begin(), found.surface.pixels().end());
    std::vector<bool> is_fixed(surface.size());
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < surface.size(); ++i) {
        // Elsewhere the surface has exactly the image's value by accident only.
        is_fixed[i] = std::abs(surface[i] - image.pixels()[i]) < 1e-4;
        fixed += is_fixed[i];
        ASSERT_EQ(found.mask.pixels()[i], image.pixels()[i] > surface[i] + 1e-5 ? 255 : 0);
    }
    ASSERT_GT(fixed, 60u);
    ASSERT_LT(fixed, surface.size() / 4);
    const std::vector<double> exact =
        reference::laplace(surface, is_fixed, static_cast<int>(shape.x), static_cast<int>(shape.y));
    for (std::size_t i = 0; i < surface.size(); ++i)
        ASSERT_NEAR(surface[i], exact[i], 0.25) << i;  // gray levels; sweeps end at a 64th a sweep
}

// Bands of rows, whole and cut off, give what sweeps over the whole surface give, until it settles.
TEST_P(Threshold, SurfacesAreRelaxedAlike) {
    std::mt19937 generator(8);
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 200}, Shape{200, 1}, Shape{2, 64},
                               Shape{37, 65}, Shape{130, 150}, Shape{90, 195, 2}}) {
        std::vector<std::uint8_t> fixed(static_cast<std::size_t>(shape.points()));
        std::vector<float> values(fixed.size());
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            fixed[i] = generator() % 20 == 0;
            values[i] = static_cast<float>(generator() % 65536);
        }
        const auto is_fixed = queue.upload(std::span<const std::uint8_t>(fixed), "fixed points");
        const auto relaxed = [&](SurfaceWay way) {
            auto surface = queue.upload(std::span<const float>(values), "surface");
            SurfaceRelaxation relaxation(queue, shape, is_fixed, 1.7f, surface, way);
            std::vector<std::vector<float>> states;
            for (bool settled = false; !settled && states.size() < 20;) {
                settled = relaxation.sweep();
                relaxation.finish();
                states.push_back(queue.download(surface));
            }
            return states;
        };
        EXPECT_TRUE(relaxed(SurfaceWay::in_bands) == relaxed(SurfaceWay::by_colors))
            << shape.x << "x" << shape.y << "x" << shape.z;
    }
}

TEST_P(Threshold, MeanOfTheWindow) {
    Image<std::uint8_t> image({4, 3});
    image.pixels() = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
    const ThresholdResult found = adaptive_threshold(
        image, {.method = AdaptiveMethod::mean, .radius = 1, .offset = 0}, queue);
    EXPECT_FLOAT_EQ(found.surface(0, 0), 35);  // (10 + 20 + 50 + 60)/4
    EXPECT_FLOAT_EQ(found.surface(1, 1), 60);  // of nine
    EXPECT_FLOAT_EQ(found.surface(3, 1), 75);  // of six
    EXPECT_EQ(found.mask(1, 1), 0);            // equal is not above
    EXPECT_EQ(found.mask(3, 1), 255);
    EXPECT_EQ(found.mask(0, 0), 0);
}

// Images and windows shorter and longer than what an item walks along.
TEST_P(Threshold, MeansOfWindowsAreExact) {
    std::mt19937 generator(6);
    for (const Shape& shape : {Shape{150, 131}, Shape{64, 65}, Shape{1, 200}, Shape{70, 9, 3}})
        for (const int radius : {1, 15, 127}) {
            Image<std::uint8_t> image(shape);
            for (auto& value : image.pixels()) value = static_cast<std::uint8_t>(generator() >> 24);
            const ThresholdResult found = adaptive_threshold(
                image, {.method = AdaptiveMethod::mean, .radius = radius}, queue);
            const auto window = [&](std::int64_t n, std::int64_t at) {
                return std::pair{std::max<std::int64_t>(at - radius, 0),
                                 std::min<std::int64_t>(at + radius, n - 1)};
            };
            for (std::int64_t z = 0; z < shape.z; ++z)
                for (std::int64_t y = 0; y < shape.y; y += 7)
                    for (std::int64_t x = 0; x < shape.x; x += 5) {
                        const auto [x0, x1] = window(shape.x, x);
                        const auto [y0, y1] = window(shape.y, y);
                        std::int64_t sum = 0;
                        for (std::int64_t v = y0; v <= y1; ++v)
                            for (std::int64_t u = x0; u <= x1; ++u) sum += image(u, v, z);
                        const std::int64_t count = (x1 - x0 + 1) * (y1 - y0 + 1);
                        ASSERT_EQ(found.mask(x, y, z), image(x, y, z) * count > sum ? 255 : 0)
                            << x << ", " << y << ", " << z << ", radius " << radius;
                        ASSERT_FLOAT_EQ(found.surface(x, y, z),
                                        static_cast<float>(sum) / static_cast<float>(count));
                    }
        }
}

// Slices have thresholds of their own.
TEST_P(Threshold, SlicesStandByThemselves) {
    Image<std::uint8_t> truth;
    const Image<std::uint8_t> slice = discs_in_uneven_light({80, 60}, &truth);
    Image<std::uint8_t> volume({80, 60, 2});
    for (std::int64_t i = 0; i < 4800; ++i) {
        volume.pixels()[i] = slice.pixels()[i];
        volume.pixels()[4800 + i] = static_cast<std::uint8_t>(slice.pixels()[i] / 2);
    }
    for (const AdaptiveThresholdOptions& options :
         {AdaptiveThresholdOptions{.method = AdaptiveMethod::mean},
          AdaptiveThresholdOptions{.edge_threshold = 10, .ghosts = 0}}) {
        const ThresholdResult both = adaptive_threshold(volume, options, queue);
        const ThresholdResult one = adaptive_threshold(slice, options, queue);
        for (std::int64_t i = 0; i < 4800; ++i)
            ASSERT_NEAR(both.surface.pixels()[i], one.surface.pixels()[i], 0.25);
    }
}

TEST_P(Threshold, SameBitsAsOnTheProcessor) {
    Queue processor(Device::parse("cpu"));
    Image<std::uint8_t> truth;
    const Image<std::uint8_t> image = discs_in_uneven_light({513, 301}, &truth);
    const ThresholdResult found = adaptive_threshold(image, {}, queue);
    const ThresholdResult there = adaptive_threshold(image, {}, processor);
    EXPECT_EQ(found.mask.pixels(), there.mask.pixels());
    EXPECT_EQ(found.surface.pixels(), there.surface.pixels());
    EXPECT_EQ(found.iterations, there.iterations);
}

TEST_P(Threshold, OptionsOfTheOtherMethodAreRefused) {
    const Image<std::uint8_t> image({5, 4});
    const auto mean = AdaptiveMethod::mean;
    const std::vector<std::pair<AdaptiveThresholdOptions, std::string>> cases{
        {{.radius = 15}, "--radius is of --method mean"},
        {{.offset = 0}, "--offset is of --method mean"},
        {{.method = mean, .smoothing = 1}, "--smoothing is of --method yanowitz"},
        {{.method = mean, .edge_threshold = 0}, "--edge-threshold is of --method yanowitz"},
        {{.method = mean, .ghosts = 0.5}, "--ghosts is of --method yanowitz"}};
    for (const auto& [options, words] : cases) {
        try {
            adaptive_threshold(image, options, queue);
            ADD_FAILURE() << "taken, but: " << words;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    }
}

TEST_P(Threshold, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    const auto mean = AdaptiveMethod::mean;
    EXPECT_THROW(adaptive_threshold(image, {.method = mean, .radius = 0}, queue), InvalidArgument);
    EXPECT_THROW(adaptive_threshold(image, {.method = mean, .radius = 128}, queue),
                 InvalidArgument);
    EXPECT_THROW(adaptive_threshold(image, {.edge_threshold = -1}, queue), InvalidArgument);
    EXPECT_THROW(adaptive_threshold(image, {.ghosts = -1}, queue), InvalidArgument);
    EXPECT_THROW(otsu_threshold(Image<std::uint8_t>({5, 4, 1, 1, 2}), queue), UnsupportedFormat);
    Image<float> holes({5, 4});
    holes(1, 2) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(otsu_threshold(holes, queue), InvalidArgument);
}

TEST_P(Threshold, MemoryIsAsPlanned) {
    Image<std::uint8_t> truth;
    const Image<std::uint8_t> image = discs_in_uneven_light({400, 300}, &truth);
    adaptive_threshold(image, {}, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              threshold_device_bytes(image, AdaptiveThresholdOptions{}) * 17 / 16);
    Queue others(GetParam());
    otsu_threshold(image, others);
    EXPECT_LE(others.counters().peak_bytes_in_use,
              threshold_device_bytes(image, GetParam()) * 17 / 16);
    const AdaptiveThresholdOptions by_mean{.method = AdaptiveMethod::mean};
    adaptive_threshold(image, by_mean, others);
    EXPECT_LE(others.counters().peak_bytes_in_use,
              threshold_device_bytes(image, by_mean) * 17 / 16);
    const std::int64_t allocations = queue.counters().allocations;
    adaptive_threshold(image, {}, queue);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

}  // namespace
}  // namespace tesela
