// What transforms do, of maps whose figures are known.
#include "tesela/transform_measures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tesela {
namespace {

constexpr double degree = 3.14159265358979323846 / 180;

TEST(TransformMeasures, TurnedStretchedAndMirrored) {
    const ImageGrid grid{{101, 51}, {}};
    const double c = std::cos(30 * degree), s = std::sin(30 * degree);
    // Stretched by 2 along x and by 0.5 along y, then turned by 30 degrees.
    const Transform transform{
        .steps = {LinearMap{
            LinearKind::affine, {2 * c, -0.5 * s, 0, 2 * s, 0.5 * c, 0, 0, 0, 1}, {3, 4, 0}}}};
    const TransformMeasures found = measure_transform(transform, grid);
    EXPECT_NEAR(found.angle, 30, 1e-9);
    EXPECT_NEAR(found.determinant.least, 1, 1e-12);
    EXPECT_NEAR(found.determinant.most, 1, 1e-12);
    EXPECT_NEAR(found.stretch.least, 0.5, 1e-12);
    EXPECT_NEAR(found.stretch.most, 2, 1e-12);
    EXPECT_FALSE(found.mirrored);
    EXPECT_EQ(found.folded, 0);
    ASSERT_EQ(found.corners.size(), 4u);
    EXPECT_NEAR(found.corners[0][0], 3, 1e-12);
    EXPECT_NEAR(found.corners[1][0], 200 * c + 3 - 100, 1e-9);  // of (100, 0)
    EXPECT_NEAR(found.corners[2][1], 25 * c + 4 - 50, 1e-9);    // of (0, 50)
    const Transform mirrored{
        .steps = {LinearMap{LinearKind::rigid, {-c, -s, 0, -s, c, 0, 0, 0, 1}, {}}}};
    const TransformMeasures other = measure_transform(mirrored, grid);
    EXPECT_TRUE(other.mirrored);
    EXPECT_EQ(other.folded, 0);
    EXPECT_NEAR(other.determinant.least, -1, 1e-12);
    EXPECT_NEAR(other.angle, 30, 1e-9);
}

TEST(TransformMeasures, MeansAndVolumes) {
    const ImageGrid grid{{9, 9, 9}, {}};
    const double c = std::cos(40 * degree), s = std::sin(40 * degree);
    const Transform shift{
        .dimensions = 3,
        .steps = {LinearMap{LinearKind::rigid, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 2, 2}}}};
    EXPECT_NEAR(measure_transform(shift, grid).mean_displacement, 3, 1e-12);
    EXPECT_NEAR(measure_transform(shift, grid).largest_displacement, 3, 1e-12);
    const Transform turn{.dimensions = 3,
                         .steps = {LinearMap{LinearKind::rigid, {c, 0, s, 0, 1, 0, -s, 0, c}, {}}}};
    const TransformMeasures found = measure_transform(turn, grid);
    EXPECT_NEAR(found.angle, 40, 1e-9);
    EXPECT_EQ(found.corners.size(), 8u);
    EXPECT_NEAR(found.stretch.most, 1, 1e-12);
}

TEST(TransformMeasures, FoldsAreFound) {
    const ImageGrid grid{{101, 101}, {}};
    SplineMap spline = spline_over({0, 0, 0}, {100, 100, 0}, 2, 20);
    const auto middle = static_cast<std::size_t>(4 * spline.size[0] + 4);
    spline.displacements[middle] = 60;
    const TransformMeasures found = measure_transform({.steps = {spline}}, grid);
    EXPECT_GT(found.folded, 0.005);
    EXPECT_LT(found.folded, 0.2);
    EXPECT_LT(found.determinant.least, 0);
    spline.displacements[middle] = 10;
    EXPECT_EQ(measure_transform({.steps = {spline}}, grid).folded, 0);
}

}  // namespace
}  // namespace tesela
