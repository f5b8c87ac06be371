// Transforms on the host: known values, inverses, and what is refused.
#include "tesela/transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tesela/error.h"
#include "tesela/evaluate_landmarks.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

LinearMap turned(double angle, double x, double y) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {x, y, 0}};
}

// Waves of a few pixels.
SplineMap waves(double height) {
    SplineMap map = spline_over({0, 0, 0}, {199, 149, 0}, 2, 25);
    const auto nodes = static_cast<std::size_t>(map.nodes());
    for (std::size_t i = 0; i < nodes; ++i) {
        map.displacements[i] = height * std::sin(1.3 * static_cast<double>(i));
        map.displacements[nodes + i] = height * std::cos(0.7 * static_cast<double>(i));
    }
    return map;
}

void expect_near(const SpacePoint& a, const SpacePoint& b, double tolerance) {
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(a[axis], b[axis], tolerance) << axis;
}

TEST(Transform, StepsAreAppliedInTheirOrder) {
    const Transform transform{.steps = {turned(std::acos(0.0), 0, 0), turned(0, 10, 0)}};
    expect_near(transform({2, 1, 0}), {9, 2, 0}, 1e-12);
    expect_near(composed(turned(std::acos(0.0), 0, 0), turned(0, 10, 0))({2, 1, 0}), {9, 2, 0},
                1e-12);
}

// Nodes on a line displace linearly: cubic B-splines reproduce lines.
TEST(Transform, ASplineReproducesALine) {
    SplineMap map = spline_over({0, 0, 0}, {100, 100, 0}, 2, 20);
    ASSERT_EQ(map.size, (std::array<std::int64_t, 3>{8, 8, 1}));
    for (std::int64_t j = 0; j < 8; ++j)
        for (std::int64_t i = 0; i < 8; ++i)
            map.displacements[static_cast<std::size_t>(8 * j + i)] =
                0.1 * (map.origin[0] + 20 * static_cast<double>(i));
    for (const double x : {0.0, 7.3, 50.0, 100.0}) {
        expect_near(map({x, 31, 0}), {1.1 * x, 31, 0}, 1e-12);
    }
    EXPECT_NEAR(map.jacobian({50, 31, 0})[0], 1.1, 1e-12);
    expect_near(map({150, 31, 0}), {160, 31, 0}, 1e-12);  // as at the border
}

TEST(Transform, RefinedSplinesDisplaceAlike) {
    const SplineMap coarse = waves(4), fine = refined(coarse);
    EXPECT_EQ(fine.spacing[0], coarse.spacing[0] / 2);
    EXPECT_EQ(fine.size[1], 2 * coarse.size[1] - 3);
    for (const SpacePoint& point :
         {SpacePoint{0, 0, 0}, SpacePoint{57.3, 91.8, 0}, SpacePoint{199, 149, 0}})
        expect_near(fine(point), coarse(point), 1e-12);
}

TEST(Transform, JacobiansAreDerivatives) {
    const Transform transform{.steps = {waves(4), turned(0.6, 3, -8)}};
    const double step = 1e-5;
    for (const SpacePoint& point : {SpacePoint{20, 30, 0}, SpacePoint{101.5, 77.25, 0}}) {
        const SpaceMatrix jacobian = transform.jacobian(point);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            SpacePoint ahead = point, behind = point;
            ahead[axis] += step;
            behind[axis] -= step;
            for (std::size_t row = 0; row < 2; ++row)
                EXPECT_NEAR(jacobian[3 * row + axis],
                            (transform(ahead)[row] - transform(behind)[row]) / (2 * step), 1e-6);
        }
    }
}

TEST(Transform, InversesComeBack) {
    const Transform transform{.steps = {waves(5), turned(2.1, 300, -20), waves(3)}};
    for (double y = 0; y < 150; y += 13)
        for (double x = 0; x < 200; x += 17)
            expect_near(transform.inverse_of(transform({x, y, 0})), {x, y, 0}, 1e-3);
}

// A point that several are moved to has one of them for its inverse, or an error.
TEST(Transform, AFoldIsSeen) {
    SplineMap map = spline_over({0, 0, 0}, {100, 100, 0}, 2, 20);
    for (std::size_t i = 0; i < 64; ++i) map.displacements[i] = i % 8 < 4 ? 90 : -90;
    EXPECT_LT(least_jacobian({.steps = {map}}, {{100, 100}, {}}, 1), 0);
    for (const double x : {-30.0, 20.0, 50.0, 130.0}) {
        SpacePoint found{};
        try {
            found = map.inverse_of({x, 50, 0});
        } catch (const InvalidArgument&) {
            continue;
        }
        expect_near(map(found), {x, 50, 0}, 0.01);
    }
}

TEST(Transform, BadOnesAreRefused) {
    const auto refused = [](const Transform& transform) {
        EXPECT_THROW(validate(transform), InvalidArgument);
    };
    refused({.dimensions = 4});
    refused({.steps = {LinearMap{LinearKind::affine, {1, 2, 0, 2, 4, 0, 0, 0, 1}, {}}}});
    refused({.steps = {LinearMap{LinearKind::affine, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {NAN, 0, 0}}}});
    refused({.steps = {LinearMap{LinearKind::affine, {1, 0, 0.5, 0, 1, 0, 0, 0, 1}, {}}}});
    SplineMap map = waves(1);
    map.displacements.pop_back();
    refused({.steps = {map}});
    validate({.steps = {waves(1), turned(1, 2, 3)}});
}

TEST(Transform, PointsOfAVolumeAreInMillimeters) {
    ImageGrid grid{{10, 10, 10}, {}};
    grid.geometry.unit = Unit::millimeter;
    grid.geometry.spacing = {1, 2, 3};
    grid.geometry.origin = {-5, 0, 7};
    grid.geometry.direction = {0, 1, 0, 1, 0, 0, 0, 0, 1};
    expect_near(placement(grid)({1, 2, 3}), {-5 + 4, 1, 7 + 9}, 1e-12);
}

Landmarks landmarks_of(const std::vector<SpacePoint>& points) {
    Landmarks landmarks;
    for (std::size_t i = 0; i < points.size(); ++i)
        landmarks.list.push_back({std::to_string(i), points[i]});
    return landmarks;
}

TEST(EvaluateLandmarks, CountsPairsAndErrors) {
    const Landmarks fixed = landmarks_of({{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {10, 10, 0}});
    Landmarks moving = landmarks_of({{3, 4, 0}, {10, 0, 0}, {0, 12, 0}});
    moving.list.push_back({"other", {1, 1, 0}});
    const LandmarkPairs pairs = paired(fixed, moving);
    EXPECT_EQ(pairs.fixed.size(), 3u);
    EXPECT_EQ(pairs.without_partner, 2);
    const LandmarkEvaluation found = evaluate_landmarks(pairs, Transform{}, 100);
    EXPECT_EQ(found.errors, (std::vector<double>{5, 0, 2}));
    EXPECT_DOUBLE_EQ(found.tre.median, 2);
    EXPECT_DOUBLE_EQ(found.rtre->largest, 0.05);
    EXPECT_DOUBLE_EQ(found.robustness, 0);
    EXPECT_THROW(paired(fixed, landmarks_of({})), InvalidArgument);
}

TEST(TargetGrid, IsThatOfTheImageThatIsWarpedTo) {
    Transform transform;
    transform.fixed = ImageGrid{{30, 20}, {}};
    EXPECT_EQ(target_grid(transform, false).shape, (Shape{30, 20}));
    EXPECT_THROW(target_grid(transform, true), InvalidArgument);
    transform.moving = ImageGrid{{40, 50}, {}};
    EXPECT_EQ(target_grid(transform, true).shape, (Shape{40, 50}));
}

TEST(EvaluateLandmarks, DiagonalsAreThoseOfTheImage) {
    EXPECT_DOUBLE_EQ(diagonal_of({{30, 40}, {}}), 50);
    Geometry geometry{.spacing = {100, 200, 500}, .unit = Unit::micrometer};
    EXPECT_DOUBLE_EQ(diagonal_of({{30, 20}, geometry}), 5);
    EXPECT_DOUBLE_EQ(diagonal_of({{30, 20, 24}, geometry}), 13);
}

TEST(EvaluateLandmarks, FitsWhatAPolynomialMakes) {
    std::vector<SpacePoint> from, to;
    for (int i = 0; i < 30; ++i) {
        const double x = 7 * (i % 6) + i % 5, y = 9 * (i / 6) + i % 7;
        from.push_back({x, y, 0});
        to.push_back({3 + x + 0.01 * x * y, y - 0.002 * x * x, 0});
    }
    const LandmarkPairs pairs = paired(landmarks_of(from), landmarks_of(to));
    EXPECT_GT(evaluate_landmarks(pairs, LandmarkFit::affine, 0).tre.largest, 0.5);
    EXPECT_LT(evaluate_landmarks(pairs, LandmarkFit::quadratic, 0).tre.largest, 1e-9);
    EXPECT_LT(evaluate_landmarks(pairs, LandmarkFit::cubic, 0).tre.largest, 1e-9);
    const LandmarkPairs line = paired(landmarks_of({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}),
                                      landmarks_of({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}));
    EXPECT_THROW(evaluate_landmarks(line, LandmarkFit::affine, 0), InvalidArgument);
    EXPECT_THROW(evaluate_landmarks(line, LandmarkFit::cubic, 0), InvalidArgument);
}

}  // namespace
}  // namespace tesela
