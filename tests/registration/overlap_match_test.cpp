// Pictures that overlap, on every device, against the formula of their scores.
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/overlap_match_reference.h"
#include "registration/overlap_matcher.h"

namespace tesela {
namespace {

class OverlapMatch : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
    OverlapMatcher matcher{queue};
};
TESELA_ON_EVERY_DEVICE(OverlapMatch);

GrayPiece noise(std::int64_t width, std::int64_t height, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> value(0, 1);
    GrayPiece piece{width, height, {}};
    for (std::int64_t i = 0; i < width * height; ++i) piece.values.push_back(value(random));
    return piece;
}
GrayPiece part(const GrayPiece& piece, const ShiftBox& box) {
    GrayPiece cut{box.across, box.down, {}};
    for (std::int64_t y = 0; y < box.down; ++y)
        for (std::int64_t x = 0; x < box.across; ++x)
            cut.values.push_back(
                piece.values[static_cast<std::size_t>((box.top + y) * piece.width + box.left + x)]);
    return cut;
}
reference::Plane plane_of(const GrayPiece& piece) {
    return {static_cast<int>(piece.width), {piece.values.begin(), piece.values.end()}};
}

TEST_P(OverlapMatch, ScoresAreThoseOfTheFormula) {
    const GrayPiece one = noise(47, 47, 1), other = noise(40, 40, 2);
    const reference::Plane band = reference::band_of_plane(plane_of(one)),
                           others = reference::band_of_plane(plane_of(other));
    for (const int dy : {-38, -21, 0, 3, 7, 30, 44})
        for (const int dx : {-35, -1, 0, 5, 19, 41}) {
            const OverlapPeak peak = matcher.match(one, other, {dx, dy, 1, 1}, 1);
            EXPECT_NEAR(peak.score, reference::overlap_score(band, others, dx, dy).value(), 2e-4)
                << dx << " " << dy;
            EXPECT_EQ(peak.x, dx);
            EXPECT_EQ(peak.y, dy);
        }
}

// What lies beside the common pixels and is much brighter does not hide what is faint in them.
TEST_P(OverlapMatch, FaintTextureCountsBesideABrightSpot) {
    GrayPiece one = noise(400, 400, 5), other = noise(400, 400, 6);
    for (GrayPiece* piece : {&one, &other})
        for (float& value : piece->values) value *= 0.03f;
    for (std::int64_t y = 20; y < 60; ++y)
        for (std::int64_t x = 10; x < 50; ++x)
            one.values[static_cast<std::size_t>(y * 400 + x)] = 14;
    const reference::Plane band = reference::band_of_plane(plane_of(one)),
                           others = reference::band_of_plane(plane_of(other));
    for (const int dx : {200, 340})
        EXPECT_NEAR(matcher.match(one, other, {dx, 100, 1, 1}, 1).score,
                    reference::overlap_score(band, others, dx, 100).value(), 2e-3)
            << dx;
}

// All shifts: those beyond the ends, with nothing in common, and with too few pixels are none.
TEST_P(OverlapMatch, ThePartIsFoundWhereItWasCut) {
    const GrayPiece whole = noise(200, 150, 3);
    const GrayPiece left = part(whole, {0, 0, 120, 150}), right = part(whole, {85, 13, 115, 137});
    const OverlapPeak peak = matcher.match(left, right, {-114, -136, 234, 286}, 300);
    EXPECT_NEAR(peak.x, 85, 0.1);
    EXPECT_NEAR(peak.y, 13, 0.1);
    EXPECT_GT(peak.score, 0.7);  // the bands differ at the borders
    EXPECT_LT(peak.second, 0.5 * peak.score);
    EXPECT_FALSE(peak.at_border);
    EXPECT_TRUE(matcher.match(left, right, {74, 13, 12, 20}, 300).at_border);
    EXPECT_LT(matcher.match(left, right, {85, 13, 1, 1}, 35 * 137 + 1).score, 0);
}

TEST_P(OverlapMatch, WhatIsEvenHasTheScore0) {
    const GrayPiece even{40, 30, std::vector<float>(1200)};
    const OverlapPeak peak = matcher.match(even, noise(40, 30, 4), {-10, -10, 21, 21}, 1);
    EXPECT_EQ(peak.score, 0);
}

}  // namespace
}  // namespace tesela
