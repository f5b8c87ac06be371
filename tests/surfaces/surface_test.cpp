// Surfaces of labels: closed in every case, of the right volume, where the voxels lie.
#include "tesela/label_surfaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "core/vectors.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Around each point the triangles name, for each neighbor, the one that follows: a single ring in a
// closed surface of one piece at the point, in which each edge is passed once in each direction.
void expect_closed(const LabelSurface& surface) {
    std::vector<std::map<std::uint32_t, std::uint32_t>> around(surface.points.size());
    for (const auto& triangle : surface.triangles)
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_TRUE(
                around[triangle[i]].emplace(triangle[(i + 1) % 3], triangle[(i + 2) % 3]).second)
                << "an edge is passed twice in one direction";
    for (const auto& ring : around) {
        ASSERT_GE(ring.size(), 3u);
        std::size_t steps = 0;
        std::uint32_t at = ring.begin()->first;
        do {
            const auto next = ring.find(at);
            ASSERT_NE(next, ring.end()) << "an edge has one triangle";
            at = next->second;
            ++steps;
        } while (at != ring.begin()->first && steps <= ring.size());
        EXPECT_EQ(steps, ring.size()) << "two surfaces meet at a point";
    }
}

std::int64_t euler_number(const LabelSurface& surface) {
    return std::ssize(surface.points) - std::ssize(surface.triangles) / 2;
}

double voxels_of(const LabelImage& map, std::uint32_t label) {
    return static_cast<double>(std::count(map.pixels().begin(), map.pixels().end(), label));
}

template <class Inside>
LabelImage map_where(const Shape& shape, const Inside& inside) {
    LabelImage map(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) map(x, y, z) = inside(x, y, z) ? 1 : 0;
    return map;
}

LabelSurface only_surface(const LabelImage& map, const LabelSurfaceOptions& options = {}) {
    LabelSurfaces made = label_surfaces(map, options);
    EXPECT_EQ(made.list.size(), 1u);
    expect_closed(made.list.front());
    return std::move(made.list.front());
}

const LabelSurfaceOptions unsmoothed{.smooth = 0, .labels = {}};

TEST(Surface, OneVoxelIsACube) {
    LabelImage map({3, 2, 2});
    map(1, 1, 0) = 7;
    const LabelSurface cube = only_surface(map, unsmoothed);
    EXPECT_EQ(cube.label, 7u);
    EXPECT_EQ(cube.color, label_color(7));
    EXPECT_EQ(cube.points.size(), 8u);
    EXPECT_EQ(cube.triangles.size(), 12u);
    EXPECT_DOUBLE_EQ(cube.volume, 1);
    EXPECT_DOUBLE_EQ(cube.area, 6);
    const auto [low, high] = std::minmax_element(cube.points.begin(), cube.points.end());
    EXPECT_EQ(*low, (std::array<float, 3>{0.5f, 0.5f, -0.5f}));
    EXPECT_EQ(*high, (std::array<float, 3>{1.5f, 1.5f, 0.5f}));
}

TEST(Surface, IsClosedForEverySetOfEightVoxels) {
    for (unsigned set = 1; set < 256; ++set) {
        SCOPED_TRACE(set);
        const LabelImage map = map_where(
            {2, 2, 2}, [&](auto x, auto y, auto z) { return set >> (x + 2 * y + 4 * z) & 1; });
        EXPECT_NEAR(only_surface(map, unsmoothed).volume, voxels_of(map, 1), 1e-6);
        EXPECT_NEAR(only_surface(map).volume, voxels_of(map, 1), 1e-4);
    }
}

TEST(Surface, IsClosedInNoise) {
    std::mt19937 random(5);
    for (const unsigned labels : {2u, 3u, 9u})
        for (const Shape& shape : {Shape{1, 1, 9}, Shape{9, 8, 7}, Shape{2, 17, 3}}) {
            LabelImage map(shape);
            for (std::uint32_t& voxel : map.pixels())
                voxel = static_cast<std::uint32_t>(random() % labels);
            for (const std::int32_t rounds : {0, 20})
                for (const LabelSurface& surface : label_surfaces(map, {.smooth = rounds}).list) {
                    expect_closed(surface);
                    const double voxels = voxels_of(map, surface.label);
                    EXPECT_NEAR(surface.volume, voxels, 1e-4 * voxels);
                }
        }
}

// Voxels that meet at an edge or a corner alone are two cubes; a ring of voxels has a tunnel, a
// shell a second surface inside.
TEST(Surface, HasTheTopologyOfVoxelsThatShareFaces) {
    const auto euler = [](const LabelImage& map) { return euler_number(only_surface(map)); };
    EXPECT_EQ(euler(map_where({2, 2, 2}, [](auto x, auto y, auto z) { return z == 0 && x == y; })),
              4);
    EXPECT_EQ(euler(map_where({2, 2, 2}, [](auto x, auto y, auto z) { return x == y && y == z; })),
              4);
    EXPECT_EQ(euler(map_where({3, 3, 2},
                              [](auto x, auto y, auto z) { return z == 0 && (x != 1 || y != 1); })),
              0);
    EXPECT_EQ(euler(map_where({3, 3, 3},
                              [](auto x, auto y, auto z) { return x != 1 || y != 1 || z != 1; })),
              4);
}

TEST(Surface, OfABallIsSmooth) {
    const double radius = 12.3;
    const std::array<double, 3> middle{14.2, 15.1, 14.7};
    const LabelImage map = map_where({30, 31, 30}, [&](auto... index) {
        const std::array<double, 3> at{static_cast<double>(index)...};
        return detail::length(detail::Vector{at[0] - middle[0], at[1] - middle[1],
                                             at[2] - middle[2]}) < radius;
    });
    const LabelSurface ball = only_surface(map);
    EXPECT_EQ(euler_number(ball), 2);
    const double area = 4 * std::numbers::pi * radius * radius;
    EXPECT_NEAR(ball.volume, voxels_of(map, 1), 0.01);
    EXPECT_NEAR(ball.volume, area * radius / 3, 0.01 * ball.volume);
    EXPECT_NEAR(ball.area, area, 0.02 * area);
    double squares = 0;
    for (const auto& p : ball.points) {
        const double off =
            detail::length(detail::Vector{p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]}) -
            radius;
        squares += off * off;
        EXPECT_LT(std::abs(off), 0.6);
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(ball.points.size())), 0.15);
    // The faces of the voxels alone have half as much area again.
    EXPECT_GT(only_surface(map, unsmoothed).area, 1.4 * area);
}

TEST(Surface, ThinAndLongObjectsKeepTheirVolume) {
    const auto volume_of = [](const LabelImage& map) {
        return only_surface(map).volume / voxels_of(map, 1);
    };
    EXPECT_NEAR(volume_of(map_where({36, 36, 3}, [](auto, auto, auto z) { return z == 1; })), 1,
                1e-4);
    EXPECT_NEAR(volume_of(map_where({400, 2, 2}, [](auto...) { return true; })), 1, 1e-4);
    EXPECT_NEAR(
        volume_of(map_where({40, 40, 40}, [](auto x, auto y, auto z) { return x + y + z < 40; })),
        1, 1e-4);
}

// The mesh lies where the image does, and outside is outside also where the axes are a left hand's.
TEST(Surface, LiesInSpace) {
    LabelImage map =
        map_where({4, 5, 6}, [](auto x, auto y, auto z) { return x == 1 && y > 1 && z < 3; });
    for (const double third : {1., -1.}) {
        map.geometry.unit = Unit::micrometer;
        map.geometry.spacing = {500, 1000, 2000};
        map.geometry.origin = {10000, -20000, 30000};
        map.geometry.direction = {0, 1, 0, 1, 0, 0, 0, 0, third};
        const LabelSurfaces made = label_surfaces(map, unsmoothed);
        ASSERT_TRUE(made.millimeters);
        const LabelSurface& box = made.list.at(0);
        expect_closed(box);
        EXPECT_NEAR(box.volume, 9 * 0.5 * 1 * 2, 1e-6);
        std::array<float, 3> low = box.points[0], high = low;
        for (const auto& point : box.points)
            for (std::size_t a = 0; a < 3; ++a) {
                low[a] = std::min(low[a], point[a]);
                high[a] = std::max(high[a], point[a]);
            }
        // Axis y leads to x of space, and x to y.
        EXPECT_EQ(low, (std::array<float, 3>{11.5f, -19.75f, third > 0 ? 29.f : 25.f}));
        EXPECT_EQ(high, (std::array<float, 3>{14.5f, -19.25f, third > 0 ? 35.f : 31.f}));
    }
}

TEST(Surface, TakesTheLabelsThatAreAskedFor) {
    LabelImage map({5, 1, 2});
    for (std::int64_t x = 0; x < 5; ++x) map(x, 0, 1) = static_cast<std::uint32_t>(10 * x);
    const auto labels = [&](const LabelSurfaceOptions& options, int threads) {
        std::vector<std::uint32_t> found;
        for (const LabelSurface& surface : label_surfaces(map, options, threads).list)
            found.push_back(surface.label);
        return found;
    };
    EXPECT_EQ(labels({}, 2), (std::vector<std::uint32_t>{10, 20, 30, 40}));
    EXPECT_EQ(labels({.labels = {{40, 40}, {15, 25}}}, 1), (std::vector<std::uint32_t>{20, 40}));
    EXPECT_EQ(surface_size(map).faces, 24);
}

TEST(Surface, RefusesWhatHasNone) {
    const auto sentence = [](const LabelImage& map, const LabelSurfaceOptions& options = {}) {
        try {
            label_surfaces(map, options);
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    LabelImage map({3, 3, 3});
    EXPECT_NE(sentence(map).find("no objects"), std::string::npos);
    EXPECT_NE(sentence(LabelImage({3, 3})).find("measure --outlines"), std::string::npos);
    map(1, 1, 1) = 2;
    EXPECT_NE(sentence(map, {.labels = {{2, 2}, {3, 3}}}).find("label 3 is not"),
              std::string::npos);
    EXPECT_NE(sentence(map, {.labels = {{3, 9}}}).find("labels 3 to 9 are not"), std::string::npos);
    EXPECT_NE(sentence(map, {.smooth = -1}).find("smooth"), std::string::npos);
    EXPECT_THROW(label_surfaces(LabelImage({3, 3, 3, 2})), UnsupportedFormat);
    EXPECT_THROW(label_surfaces(LabelImage({3, 3, 3, 1, 2})), UnsupportedFormat);
}

TEST(Surface, CanBeCancelled) {
    CancelToken token;
    token.cancel();
    LabelImage map({3, 3, 3});
    map(1, 1, 1) = 1;
    EXPECT_THROW(label_surfaces(map, {}, 0, Progress({}, &token)), Cancelled);
}

}  // namespace
}  // namespace tesela
