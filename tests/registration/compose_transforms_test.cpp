#include "tesela/compose_transforms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "refusal.h"
#include "tesela/error.h"

namespace tesela {
namespace {

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

LinearMap turned(double angle, const SpacePoint& shift) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, shift};
}

SplineMap bent(int dimensions, double height) {
    const SpacePoint last{100, 80, dimensions == 3 ? 60.0 : 0.0};
    SplineMap spline = spline_over({0, 0, 0}, last, dimensions, 20);
    for (std::size_t i = 0; i < spline.displacements.size(); ++i)
        spline.displacements[i] = height * std::sin(1.7 * static_cast<double>(i));
    return spline;
}

TEST(ComposeTransforms, OneAfterTheOther) {
    const ImageGrid a{{100, 80}, {}}, b{{90, 70}, {}}, c{{80, 60}, {}};
    const Transform first{.steps = {bent(2, 2), turned(0.3, {2, 5, 0})}, .fixed = a, .moving = b};
    const Transform second{
        .steps = {turned(-0.1, {1, -4, 0}), bent(2, 1)}, .fixed = b, .moving = c};
    const Transform both = composed(first, second);
    EXPECT_EQ(both.steps.size(), 3u);  // the linear maps in the middle are one
    EXPECT_EQ(std::get<LinearMap>(both.steps[1]).kind, LinearKind::rigid);
    EXPECT_EQ(both.fixed->shape, a.shape);
    EXPECT_EQ(both.moving->shape, c.shape);
    for (const SpacePoint& point : {SpacePoint{10, 20, 0}, SpacePoint{70, 33, 0}})
        EXPECT_LT(distance(both(point), second(first(point))), 1e-9);
}

TEST(ComposeTransforms, RefusesWhatDoesNotFollow) {
    const ImageGrid a{{100, 80}, {}}, b{{90, 70}, {}};
    const Transform first{.steps = {turned(0, {})}, .fixed = a, .moving = b};
    const std::string other = testing::refusal([&] { composed(first, first); });
    EXPECT_NE(other.find("ends at an image of 90 x 70 pixels"), std::string::npos) << other;
    EXPECT_NE(other.find("begins at one of 100 x 80 pixels"), std::string::npos) << other;
    EXPECT_THROW(composed(first, {.dimensions = 3}), InvalidArgument);
    EXPECT_THROW(composed(first, {.unit = Unit::millimeter}), InvalidArgument);
    EXPECT_NO_THROW(composed(first, {.steps = {turned(1, {})}}));  // of unknown images
}

// A file of ITK names no unit: it follows transforms in any, and has theirs.
TEST(ComposeTransforms, WithoutAUnitTheOthersHolds) {
    const Transform physical{.unit = Unit::millimeter, .steps = {turned(0.2, {1, 2, 0})}};
    const Transform pixels{.steps = {turned(0.1, {3, 0, 0})}};
    const Transform itk{.steps = {turned(0.3, {0, 4, 0})}, .has_unit = false};
    for (const Transform& other : {physical, pixels})
        for (const Transform& both : {composed(itk, other), composed(other, itk)}) {
            EXPECT_EQ(both.unit, other.unit);
            EXPECT_TRUE(both.has_unit);
        }
    EXPECT_FALSE(composed(itk, itk).has_unit);
    EXPECT_FALSE(inverted(itk).transform.has_unit);
    EXPECT_THROW(composed(physical, pixels), InvalidArgument);
}

TEST(ComposeTransforms, InversesComeBack) {
    for (const int dimensions : {2, 3}) {
        const ImageGrid a{{100, 80, dimensions == 3 ? 60 : 1}, {}}, b{{90, 70}, {}};
        const Transform there{.dimensions = dimensions,
                              .steps = {bent(dimensions, 2), turned(0.3, {2, 5, 0})},
                              .fixed = a,
                              .moving = b};
        const InvertedTransform back = inverted(there);
        EXPECT_EQ(back.transform.fixed->shape, b.shape);
        EXPECT_EQ(back.transform.moving->shape, a.shape);
        EXPECT_GT(back.largest_error, 0);
        EXPECT_LT(back.largest_error, 0.3);
        for (double x = 3; x < 98; x += 9.7)
            for (double y = 2; y < 78; y += 7.3) {
                const SpacePoint point{x, y, dimensions == 3 ? 31.0 : 0.0};
                EXPECT_LT(distance(back.transform(there(point)), point), 1.5 * back.largest_error);
            }
    }
    const InvertedTransform exact = inverted({.steps = {turned(0.4, {3, 1, 0})}});
    EXPECT_EQ(exact.largest_error, 0);
    EXPECT_LT(distance(exact.transform(turned(0.4, {3, 1, 0})({7, 9, 0})), {7, 9, 0}), 1e-12);
}

// There and back again as one transform, of linear maps exactly.
TEST(ComposeTransforms, WithItsInverseNothingMoves) {
    const ImageGrid a{{100, 80}, {}}, b{{90, 70}, {}};
    const LinearMap sheared{LinearKind::affine, {1.2, 0.3, 0, -0.1, 0.8, 0, 0, 0, 1}, {4, -7, 0}};
    for (const auto& steps : {std::vector<std::variant<LinearMap, SplineMap>>{sheared},
                              {bent(2, 3), sheared},
                              {bent(2, 2), sheared, bent(2, 1)}}) {
        const Transform there{.steps = steps, .fixed = a, .moving = b};
        const InvertedTransform back = inverted(there);
        const Transform whole = composed(there, back.transform);
        EXPECT_EQ(whole.fixed->shape, a.shape);
        EXPECT_EQ(whole.moving->shape, a.shape);
        const bool is_linear = steps.size() == 1;
        EXPECT_EQ(whole.steps.size(), is_linear ? 1u : steps.size() == 2 ? 3u : 6u);
        for (double x = 25; x < 80; x += 6.1)
            for (double y = 22; y < 60; y += 5.3)
                EXPECT_LT(distance(whole({x, y, 0}), {x, y, 0}),
                          is_linear ? 1e-12 : 4 * back.largest_error);
    }
}

TEST(ComposeTransforms, FoldsAndHugeBendsHaveNoInverse) {
    EXPECT_THROW(inverted({.steps = {bent(2, 60)}}), InvalidArgument);
    EXPECT_THROW(inverted({.steps = {bent(2, 1e9)}}), InvalidArgument);
}

}  // namespace
}  // namespace tesela
