// Signed distances on every device, against all pairs of points.
#include "tesela/distance.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/distance_reference.h"

namespace tesela {
namespace {

class Distance : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Distance);

// Some points, scattered or in blobs.
Image<std::uint8_t> object(const Shape& shape, double share, unsigned seed) {
    std::mt19937 generator(seed);
    Image<std::uint8_t> image(shape);
    for (std::uint8_t& value : image.pixels())
        value = static_cast<double>(generator()) < share * 4294967296.0
                    ? static_cast<std::uint8_t>(1 + seed)
                    : 0;
    image.pixels()[0] = 1;
    return image;
}

void expect_reference(const Image<std::uint8_t>& image, const std::array<double, 3>& spacing,
                      const DistanceResult& result) {
    const Shape& s = image.shape();
    std::vector<std::uint8_t> inside(image.pixels());
    for (std::uint8_t& value : inside) value = value != 0;
    const auto expected = reference::signed_distance(
        {static_cast<int>(s.x), static_cast<int>(s.y), static_cast<int>(s.z)}, spacing, inside);
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(result.distance.pixels()[i], expected[i], 1e-6 * std::abs(expected[i]))
            << s.x << "x" << s.y << "x" << s.z << ", point " << i;
}

TEST_P(Distance, EqualsAllPairs) {
    testing::Cases cases(GetParam());
    for (const Shape& shape : {Shape{1, 40}, Shape{37, 23}, Shape{64, 3}, Shape{300, 3},
                               Shape{17, 13, 9}, Shape{3, 700}, Shape{2, 3, 300}})
        for (const double share : {0.0, 0.02, 0.5, 0.97}) {
            if (!cases.take()) continue;
            const auto image = object(shape, share, 3);
            expect_reference(image, {1, 1, 1}, signed_distance(image, {}, queue));
            Image<std::uint8_t> spaced = image;
            spaced.geometry.unit = Unit::millimeter;
            spaced.geometry.spacing = {0.7, 1.3, 3.1};
            const DistanceResult result = signed_distance(spaced, {}, queue);
            EXPECT_TRUE(result.millimeters);
            expect_reference(image, {0.7, 1.3, 3.1}, result);
        }
}

// Of one side they are those of both, and 0 elsewhere.
TEST_P(Distance, OfOneSide) {
    for (const Shape& shape : {Shape{40, 1}, Shape{1, 40}, Shape{300, 270}, Shape{37, 23, 11}}) {
        auto image = object(shape, 0.5, 7);
        image.pixels()[1] = 0;
        const auto both = signed_distance(image, {}, queue).distance;
        const auto inside = signed_distance(image, {.side = DistanceSide::inside}, queue);
        const auto outside = signed_distance(image, {.side = DistanceSide::outside}, queue);
        for (std::size_t i = 0; i < both.pixels().size(); ++i) {
            ASSERT_EQ(inside.distance.pixels()[i], std::max(-both.pixels()[i], 0.0F));
            ASSERT_EQ(outside.distance.pixels()[i], std::max(both.pixels()[i], 0.0F));
        }
        EXPECT_EQ(inside.lowest, 0);
        EXPECT_EQ(outside.highest, signed_distance(image, {}, queue).highest);
    }
}

// Far from the only point outside, where parabolas are steep.
TEST_P(Distance, LongLines) {
    Image<std::uint8_t> image({3001, 2}, {});
    std::fill(image.pixels().begin(), image.pixels().end(), 1);
    image(2900, 1) = 0;
    const DistanceResult result = signed_distance(image, {}, queue);
    EXPECT_NEAR(result.distance(0, 0), -std::hypot(2900.0, 1.0), 1e-3);
    EXPECT_EQ(result.distance(2900, 1), 1);
    EXPECT_EQ(result.lowest, result.distance(0, 0));
}

// Beyond thousands of points squares are rounded, and two points are as near by turns over some
// rows.
TEST_P(Distance, NearTiesFarAway) {
    testing::Cases cases(GetParam());
    for (int k = 0; k < 40; ++k) {
        if (!cases.take()) continue;
        Image<std::uint8_t> image({3, 14000}, {});
        std::fill(image.pixels().begin(), image.pixels().end(), 1);
        image(1, 0) = image(2, 1) = 0;
        const double across = 18.4 + 0.011 * k, along = 0.2;
        image.geometry.unit = Unit::millimeter;
        image.geometry.spacing = {across, along, 1};
        const DistanceResult result = signed_distance(image, {}, queue);
        for (std::int64_t y = 0; y < image.shape().y; ++y) {
            const double first = std::hypot(across, along * static_cast<double>(y));
            const double second = std::hypot(2 * across, along * static_cast<double>(y - 1));
            const double expected = std::min(first, second);
            ASSERT_NEAR(result.distance(0, y), -expected, 1e-6 * expected) << across << ", " << y;
        }
    }
}

TEST_P(Distance, OptionsAreFollowed) {
    Image<std::uint16_t> labels({5, 1});
    labels.pixels() = {0, 7, 7, 9, 0};
    labels.geometry.unit = Unit::millimeter;
    labels.geometry.spacing = {2, 1, 1};
    using Values = std::vector<float>;
    EXPECT_EQ(signed_distance(labels, {}, queue).distance.pixels(), (Values{2, -2, -4, -2, 2}));
    EXPECT_EQ(signed_distance(labels, {.label = 7, .pixels = true}, queue).distance.pixels(),
              (Values{1, -1, -1, 1, 2}));
    EXPECT_EQ(
        signed_distance(labels, {.label = 9, .inside_positive = true}, queue).distance.pixels(),
        (Values{-6, -4, -2, 2, -2}));
}

TEST_P(Distance, BadInput) {
    const auto refused = [&](const AnyImage& image, const DistanceOptions& options,
                             const std::string& word) {
        try {
            signed_distance(image, options, queue);
            ADD_FAILURE() << "taken; expected: " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    Image<std::uint8_t> image({4, 4});
    refused(image, {}, "empty");
    image.pixels()[3] = 1;
    refused(image, {.label = 2}, "label 2");
    refused(image, {.label = -1}, "label");
    refused(image, {.side = DistanceSide::inside, .inside_positive = true}, "--side both");
    std::fill(image.pixels().begin(), image.pixels().end(), 1);
    refused(image, {}, "whole image");
    refused(Image<std::uint8_t>({4, 4, 1, 1, 3}), {}, "one channel");
    refused(Image<std::uint8_t>({4, 4, 1, 2}), {}, "frames");
}

// Those of the whole image, cut off; also in a part, as far as it has what lies within the bound.
TEST_P(Distance, WithinABound) {
    testing::Cases cases(GetParam());
    for (const Shape& shape : {Shape{90, 1}, Shape{61, 70}, Shape{40, 37, 23}})
        for (const double within : {1.0, 2.5, 7.0})
            for (const DistanceSide side :
                 {DistanceSide::both, DistanceSide::inside, DistanceSide::outside}) {
                if (!cases.take()) continue;
                auto image = object(shape, 0.01, 5);
                image.geometry.unit = Unit::millimeter;
                image.geometry.spacing = {0.7, 1.3, 2.1};
                const auto all = signed_distance(image, {.side = side}, queue);
                const auto near = signed_distance(image, {.side = side, .within = within}, queue);
                const auto most = static_cast<float>(within);
                for (std::size_t i = 0; i < image.pixels().size(); ++i)
                    ASSERT_EQ(near.distance.pixels()[i],
                              std::clamp(all.distance.pixels()[i], -most, most));
                EXPECT_EQ(near.highest,
                          side == DistanceSide::inside ? std::min(all.highest, within) : within);
            }
    const DistanceOptions part{.within = 3, .is_part = true};
    for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{1}}) {
        Image<std::uint8_t> image({9, 8, 7});
        std::fill(image.pixels().begin(), image.pixels().end(), value);
        const auto far = signed_distance(image, part, queue).distance.pixels();
        EXPECT_EQ(far, std::vector<float>(far.size(), value == 0 ? 3.0F : -3.0F));
        EXPECT_THROW(signed_distance(image, {.within = 3}, queue), InvalidArgument);
    }
    Image<std::uint8_t> image({9, 8, 7});
    EXPECT_THROW(signed_distance(image, {.within = 0}, queue), InvalidArgument);
    EXPECT_THROW(signed_distance(image, {.is_part = true}, queue), InvalidArgument);
}

// The voxels of the shortest steps are farthest away in number; an axis of one pixel has none.
TEST(DistanceReach, IsInPixelsOfTheFinestAxis) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 0.5, 0.1};
    EXPECT_EQ(distance_reach({.within = 3}, {9, 9, 9}, geometry), 31);
    EXPECT_EQ(distance_reach({.within = 3}, {9, 9}, geometry), 7);
    EXPECT_EQ(distance_reach({.pixels = true, .within = 3}, {9, 9}, geometry), 4);
    EXPECT_FALSE(distance_reach({}, {9, 9}, geometry));
    EXPECT_FALSE(distance_reach({.within = 1000}, {9, 9}, {}));
}

TEST_P(Distance, ASecondCallAllocatesNothing) {
    const auto image = object({40, 30, 5}, 0.1, 1);
    signed_distance(image, {}, queue);
    const auto before = queue.counters().allocations;
    signed_distance(image, {}, queue);
    EXPECT_EQ(queue.counters().allocations, before);
}

}  // namespace
}  // namespace tesela
