// Labels compared one by one, with values computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tesela/error.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

LabelImage box(const Shape& shape, std::int64_t first, std::int64_t last, std::uint32_t label) {
    LabelImage image(shape);
    for (std::int64_t z = first; z <= last; ++z)
        for (std::int64_t y = first; y <= last; ++y)
            for (std::int64_t x = first; x <= last; ++x) image(x, y, z) = label;
    return image;
}

TEST(CompareLabels, ACubeAndALargerOne) {
    Queue queue(Device::parse("cpu"));
    LabelImage small = box({12, 12, 12}, 4, 7, 3);
    small.geometry.unit = Unit::millimeter;
    small.geometry.spacing = {1, 1, 2};
    LabelImage large = box({12, 12, 12}, 3, 8, 3);
    large(0, 0, 0) = 9;
    const auto compared = compare_labels(small, large, queue);
    ASSERT_EQ(compared.size(), 2u);
    EXPECT_EQ(compared[0].label, 3u);
    EXPECT_NEAR(compared[0].dice, 2.0 * 64 / (64 + 216), 1e-12);
    EXPECT_NEAR(compared[0].jaccard, 64.0 / 216, 1e-12);
    EXPECT_EQ(compared[0].sensitivity, 64.0 / 216);
    EXPECT_EQ(compared[0].precision, 1);
    EXPECT_EQ(compared[0].volume, 128);
    EXPECT_EQ(compared[0].truth_volume, 432);
    // From corners of the larger cube, 8 of its 152 points, to those of the smaller one.
    EXPECT_NEAR(compared[0].hausdorff_95, std::sqrt(6.0), 1e-6);
    EXPECT_NEAR(compared[0].hausdorff, std::sqrt(6.0), 1e-6);
    EXPECT_GT(compared[0].mean_distance, 1);
    EXPECT_LT(compared[0].mean_distance, 2);
    EXPECT_EQ(compared[1].label, 9u);
    EXPECT_EQ(compared[1].dice, 0);
    EXPECT_TRUE(std::isnan(compared[1].mean_distance));
    EXPECT_TRUE(std::isnan(compared[1].hausdorff));
    EXPECT_TRUE(std::isnan(compared[1].precision));
    EXPECT_EQ(compared[1].sensitivity, 0);
}

TEST(CompareLabels, TheOnlyPointOfAnImage) {
    Queue queue(Device::parse("cpu"));
    LabelImage one({1, 1});
    one.pixels() = {7};
    const auto same = compare_labels(one, one, queue);
    ASSERT_EQ(same.size(), 1u);
    EXPECT_EQ(same[0].dice, 1);
    EXPECT_EQ(same[0].mean_distance, 0);
    EXPECT_EQ(same[0].hausdorff_95, 0);
}

TEST(CompareLabels, EqualOnesAndAShift) {
    Queue queue(Device::parse("cpu"));
    LabelImage row({9, 1});
    row.pixels() = {0, 0, 5, 5, 5, 0, 0, 0, 0};
    const auto same = compare_labels(row, row, queue);
    EXPECT_EQ(same[0].dice, 1);
    EXPECT_EQ(same[0].mean_distance, 0);
    LabelImage shifted({9, 1});
    shifted.pixels() = {0, 0, 0, 0, 5, 5, 5, 0, 0};
    // Ends at 2 and 4, and at 4 and 6: 2 and 0 away, and 0 and 2.
    const auto moved = compare_labels(row, shifted, queue);
    EXPECT_NEAR(moved[0].mean_distance, 1, 1e-6);
    EXPECT_NEAR(moved[0].hausdorff_95, 2, 1e-6);
    EXPECT_NEAR(moved[0].dice, 2.0 / 6, 1e-12);
}

// One point in a hundred lies far away: the largest distance sees it, the 95th percentile does not.
TEST(CompareLabels, TheLargestDistanceIsThatOfOnePoint) {
    Queue queue(Device::parse("cpu"));
    LabelImage truth({40, 40});
    for (std::int64_t y = 5; y < 30; ++y)
        for (std::int64_t x = 5; x < 30; ++x) truth(x, y) = 1;
    LabelImage found = truth;
    found(35, 20) = 1;
    for (const bool is_swapped : {false, true}) {
        const auto compared =
            is_swapped ? compare_labels(truth, found, queue) : compare_labels(found, truth, queue);
        EXPECT_EQ(compared[0].hausdorff_95, 0);
        EXPECT_NEAR(compared[0].hausdorff, 6, 1e-6);
        EXPECT_NEAR(compared[0].mean_distance, 6.0 / (96 + 97), 1e-9);
        EXPECT_EQ(compared[0].sensitivity, is_swapped ? 625.0 / 626 : 1);
        EXPECT_EQ(compared[0].precision, is_swapped ? 1 : 625.0 / 626);
    }
}

// Ends at 2 and 4, and at 4 and 6: two of four points lie on the other one, the others 2 away.
TEST(CompareLabels, SurfaceDiceCountsPointsWithinTheTolerance) {
    Queue queue(Device::parse("cpu"));
    LabelImage row({9, 1}), shifted({9, 1});
    row.pixels() = {0, 0, 5, 5, 5, 0, 0, 0, 8};
    shifted.pixels() = {0, 0, 0, 0, 5, 5, 5, 0, 0};
    const auto dice = [&](const Length& tolerance) {
        return compare_labels(row, shifted, queue, tolerance)[0].surface_dice;
    };
    EXPECT_EQ(dice(0), 0.5);
    EXPECT_EQ(dice(1.9), 0.5);
    EXPECT_EQ(dice(2), 1);
    EXPECT_TRUE(std::isnan(compare_labels(row, shifted, queue)[0].surface_dice));
    EXPECT_EQ(compare_labels(row, shifted, queue, Length(2))[1].surface_dice, 0);  // not there
    // Steps of 0.1 mm, of which twice the single precision is not 0.2.
    row.geometry = {.spacing = {0.1, 1, 1}, .unit = Unit::millimeter};
    EXPECT_EQ(dice(Length::parse("0.2mm")), 1);
    EXPECT_EQ(dice(Length::parse("199um")), 0.5);
    EXPECT_EQ(dice(2), 1);
    EXPECT_EQ(dice(1), 0.5);
}

// scipy.ndimage 1.17.1: surfaces are m & ~binary_erosion(m), with distance_transform_edt of the
// other surface's complement, sampling = (2, 0.7, 0.5) or 1.
TEST(CompareLabels, SurfaceDiceIsThatOfSciPysDistances) {
    Queue queue(Device::parse("cpu"));
    LabelImage a({28, 24, 14}), b(a.shape());
    for (std::int64_t z = 0; z < 14; ++z)
        for (std::int64_t y = 0; y < 24; ++y)
            for (std::int64_t x = 0; x < 28; ++x) {
                const auto square = [](std::int64_t v) { return v * v; };
                a(x, y, z) = 4 * square(x - 13) + 9 * square(y - 11) + 36 * square(z - 6) <= 900;
                b(x, y, z) = 9 * square(x - 15) + 6 * square(y - 12) + 49 * square(z - 7) <= 900;
            }
    a.geometry = {.spacing = {0.5, 0.7, 2}, .unit = Unit::millimeter};
    for (const auto& [tolerance, expected] : {std::pair{"0mm", 0.19369369369369369},
                                              {"0.5mm", 0.28209459459459457},
                                              {"1mm", 0.4375},
                                              {"1.4mm", 0.5259009009009009},
                                              {"2mm", 0.7280405405405406},
                                              {"3300um", 0.9611486486486487},
                                              {"1px", 0.5602477477477478},
                                              {"2px", 0.7944819819819819},
                                              {"3.3px", 0.9217342342342343}}) {
        const auto compared = compare_labels(a, b, queue, Length::parse(tolerance));
        EXPECT_NEAR(compared[0].surface_dice, expected, 1e-12) << tolerance;
        EXPECT_NEAR(compared[0].mean_distance, 1.3695116843163524, 1e-6);
        EXPECT_NEAR(compared[0].hausdorff, 4.47213595499958, 1e-6);
    }
}

TEST(CompareLabels, BadInput) {
    Queue queue(Device::parse("cpu"));
    const LabelImage one({3, 3});
    for (const Length& tolerance : {Length(-1), Length(std::nan("")), Length::parse("1mm")})
        EXPECT_THROW(compare_labels(one, one, queue, tolerance), InvalidArgument)
            << tolerance.to_string();
    EXPECT_THROW(compare_labels(LabelImage({3, 3}), LabelImage({3, 4}), queue), InvalidArgument);
    EXPECT_THROW(compare_labels(LabelImage({3, 3, 1, 2}), LabelImage({3, 3, 1, 2}), queue),
                 InvalidArgument);
    EXPECT_TRUE(compare_labels(LabelImage({3, 3}), LabelImage({3, 3}), queue).empty());
}

}  // namespace
}  // namespace tesela
