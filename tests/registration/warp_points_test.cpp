// Outlines and landmarks carried along.
#include <gtest/gtest.h>

#include <cmath>

#include "tesela/error.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

Transform bent() {
    SplineMap map = spline_over({0, 0, 0}, {400, 400, 0}, 2, 50);
    for (std::size_t i = 0; i < map.displacements.size(); ++i)
        map.displacements[i] = 8 * std::sin(0.9 * static_cast<double>(i));
    return {.steps = {map, LinearMap{.translation = {30, -5, 0}}}};
}

// How far a point is from a closed line.
double distance(const PlaneLine& ring, const PlanePoint& p) {
    double nearest = 1e9;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const PlanePoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
        const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
        const double along =
            squared > 0
                ? std::min(1.0, std::max(0.0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared))
                : 0;
        nearest = std::min(nearest, std::hypot(a.x + along * dx - p.x, a.y + along * dy - p.y));
    }
    return nearest;
}

TEST(WarpAnnotations, EdgesBend) {
    const Transform transform = bent();
    const Polygon square{{{60, 60}, {340, 60}, {340, 340}, {60, 340}},
                         {{{100, 100}, {100, 300}, {300, 300}}}};
    Annotations annotations;
    annotations.list.push_back({.shape = Polygons{square},
                                .name = "tumor",
                                .classes = {"Tumor"},
                                .measurements = {{"Area", 3}},
                                .properties = "{\"a\":1}"});
    const Annotations warped = warp_annotations(annotations, transform, true);
    const Polygon& found = std::get<Polygons>(warped.list[0].shape)[0];
    EXPECT_EQ(warped.list[0].properties, "{\"a\":1}");
    EXPECT_EQ(warped.list[0].classes, annotations.list[0].classes);
    ASSERT_EQ(found.holes.size(), 1u);
    const auto check = [&](const PlaneLine& before, const PlaneLine& after) {
        EXPECT_GT(after.size(), before.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            for (double share = 0; share < 1; share += 0.003) {
                const PlanePoint &a = before[i], &b = before[(i + 1) % before.size()];
                const SpacePoint at = transform(
                    {a.x + share * (b.x - a.x) - 0.5, a.y + share * (b.y - a.y) - 0.5, 0});
                EXPECT_LT(distance(after, {at[0] + 0.5, at[1] + 0.5}), 0.5);
            }
    };
    check(square.outer, found.outer);
    check(square.holes[0], found.holes[0]);
}

TEST(WarpAnnotations, ComeBack) {
    Annotations annotations;
    annotations.list.push_back({.shape = Points{{100, 120}, {250.5, 300}}});
    annotations.list.push_back({.shape = Lines{{{100, 120}, {250.5, 300}}}});
    const Transform transform = bent();
    const Annotations back =
        warp_annotations(warp_annotations(annotations, transform, false), transform, true);
    const auto& points = std::get<Points>(back.list[0].shape);
    EXPECT_NEAR(points[1].x, 250.5, 0.01);
    EXPECT_NEAR(points[1].y, 300, 0.01);
    EXPECT_GE(std::get<Lines>(back.list[1].shape)[0].size(), 2u);
    EXPECT_THROW(warp_annotations(annotations, {.dimensions = 3}, false), InvalidArgument);
}

TEST(WarpAnnotations, NucleiMoveWithTheirCells) {
    Annotations annotations;
    annotations.list.push_back({.shape = Polygons{{{{0, 0}, {4, 0}, {0, 4}}, {}}},
                                .form = {true, R"({"plane":{"z":1}})"},
                                .nucleus = Points{{1, 2}}});
    const LinearMap shift{LinearKind::affine, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {10, 20}};
    const Annotation moved = warp_annotations(annotations, {.steps = {shift}}, false).list.front();
    const PlanePoint& corner = std::get<Polygons>(moved.shape)[0].outer[0];
    const PlanePoint& nucleus = std::get<Points>(moved.nucleus)[0];
    EXPECT_NEAR(nucleus.x - corner.x, 1, 1e-9);
    EXPECT_NEAR(nucleus.y - corner.y, 2, 1e-9);
    EXPECT_NEAR(std::abs(corner.x), 10, 1e-9);
    EXPECT_FALSE(moved.form.is_ellipse);
    EXPECT_EQ(moved.form.members, R"({"plane":{"z":1}})");
}

// Lines stay straight under linear maps, and far away rounding is no bend.
TEST(WarpAnnotations, EdgesThatAreFarAwayStayFew) {
    PlaneLine ring;
    for (int i = 0; i < 100; ++i)
        ring.push_back({1e12 * std::sin(37.0 * i), 1e12 * std::cos(91.0 * i)});
    Annotations annotations;
    annotations.list.push_back({.shape = Polygons{Polygon{ring, {}}}});
    const LinearMap shrunk{
        LinearKind::affine, {1e-5, 3e-6, 0, 7e-6, 1.1e-5, 0, 0, 0, 1}, {0.1, 0.2}};
    const auto points = [&](const Transform& transform) {
        const Annotations warped = warp_annotations(annotations, transform, false);
        return std::get<Polygons>(warped.list[0].shape)[0].outer.size();
    };
    EXPECT_EQ(points({.steps = {shrunk}}), 100u);
    EXPECT_LT(points({.steps = {spline_over({0, 0, 0}, {400, 400, 0}, 2, 50), shrunk}}), 10000u);
}

TEST(WarpLandmarks, GoThroughTheGridsOfBothImages) {
    ImageGrid fixed{{10, 10}, {}}, moving{{10, 10}, {}};
    for (ImageGrid* grid : {&fixed, &moving}) grid->geometry.unit = Unit::millimeter;
    fixed.geometry.spacing = {2, 2, 1};
    moving.geometry.spacing = {0.5, 0.5, 1};
    const Transform transform{.unit = Unit::millimeter,
                              .steps = {LinearMap{.translation = {1, 0, 0}}},
                              .fixed = fixed,
                              .moving = moving};
    Landmarks landmarks;
    landmarks.list.push_back({"a", {3, 4, 0}});
    const Landmarks there = warp_landmarks(landmarks, transform, true);
    EXPECT_NEAR(there.list[0].point[0], 14, 1e-12);
    EXPECT_NEAR(there.list[0].point[1], 16, 1e-12);
    EXPECT_NEAR(warp_landmarks(there, transform, false).list[0].point[0], 3, 1e-12);
}

}  // namespace
}  // namespace tesela
