// Outlines of label maps: filled again, they give the map; each ring is simple.
#include "tesela/label_outlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tesela/color.h"
#include "tesela/error.h"

namespace tesela {
namespace {

LabelImage map_of(const std::vector<std::string>& rows) {
    LabelImage map({std::ssize(rows.front()), std::ssize(rows)});
    for (std::int64_t y = 0; y < map.shape().y; ++y)
        for (std::int64_t x = 0; x < map.shape().x; ++x)
            map(x, y) = static_cast<std::uint32_t>(
                rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] - '0');
    return map;
}

const Polygons& polygons_of(const Annotation& annotation) {
    return std::get<Polygons>(annotation.shape);
}

LabelImage filled(const Annotations& outlines, const Shape& shape) {
    LabelImage map(shape);
    for (const Annotation& annotation : outlines.list)
        for (const Polygon& polygon : polygons_of(annotation))
            for_each_covered(
                polygon, {0, 0, static_cast<int>(shape.x), static_cast<int>(shape.y)},
                [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                    for (std::int64_t x = first; x < end; ++x) {
                        EXPECT_EQ(map(x, y), 0u) << x << "," << y;
                        map(x, y) = static_cast<std::uint32_t>(annotation.measurements[0].second);
                    }
                });
    return map;
}

// No corner twice; the outer ring turns from x towards y, holes the other way.
void expect_simple(const Annotations& outlines) {
    const auto expect_simple_ring = [](const PlaneLine& ring) {
        std::set<std::pair<double, double>> corners;
        for (const PlanePoint& p : ring) EXPECT_TRUE(corners.emplace(p.x, p.y).second);
        EXPECT_GE(ring.size(), 4u);
    };
    for (const Annotation& annotation : outlines.list)
        for (const Polygon& polygon : polygons_of(annotation)) {
            expect_simple_ring(polygon.outer);
            EXPECT_GT(signed_area(polygon.outer), 0);
            for (const PlaneLine& hole : polygon.holes) {
                expect_simple_ring(hole);
                EXPECT_LT(signed_area(hole), 0);
            }
        }
}

Annotations expect_round_trip(const LabelImage& map) {
    Annotations outlines = label_outlines(map);
    expect_simple(outlines);
    EXPECT_TRUE(std::ranges::equal(filled(outlines, map.shape()).pixels(), map.pixels()));
    return outlines;
}

TEST(LabelOutlines, GoAlongTheEdgesOfPixels) {
    const Annotations outlines = label_outlines(map_of({"000", "022", "020"}));
    ASSERT_EQ(outlines.list.size(), 1u);
    const Polygons& polygons = polygons_of(outlines.list[0]);
    ASSERT_EQ(polygons.size(), 1u);
    EXPECT_TRUE(polygons[0].holes.empty());
    EXPECT_EQ(signed_area(polygons[0].outer), 3);
    PlaneLine corners = polygons[0].outer;
    std::ranges::sort(corners, {}, [](const PlanePoint& p) { return std::pair(p.y, p.x); });
    EXPECT_EQ(corners, (PlaneLine{{1, 1}, {3, 1}, {2, 2}, {3, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(outlines.list[0].name, "2");
    EXPECT_TRUE(outlines.list[0].classes.empty());
}

TEST(LabelOutlines, RegionsLieInHolesOfOthers) {
    const Annotations outlines = expect_round_trip(map_of({"1111111",  //
                                                           "1000001",  //
                                                           "1022201",  //
                                                           "1021201",  //
                                                           "1022201",  //
                                                           "1000001",  //
                                                           "1111111"}));
    ASSERT_EQ(outlines.list.size(), 2u);
    ASSERT_EQ(polygons_of(outlines.list[0]).size(), 2u);
    EXPECT_EQ(polygons_of(outlines.list[0])[0].holes.size(), 1u);
    EXPECT_EQ(area(polygons_of(outlines.list[0])[1]), 1);
    EXPECT_EQ(polygons_of(outlines.list[1])[0].holes.size(), 1u);
}

TEST(LabelOutlines, CornersWhereTwoPixelsMeet) {
    // Two parts.
    EXPECT_EQ(polygons_of(expect_round_trip(map_of({"10", "01"})).list[0]).size(), 2u);
    // One part, whose hole touches the outside; two holes that touch.
    for (const auto& rows : {std::vector<std::string>{"011", "101", "111"},
                             {"110", "101", "111"},
                             {"111", "101", "110"}}) {
        const Annotations outlines = expect_round_trip(map_of(rows));
        ASSERT_EQ(polygons_of(outlines.list[0]).size(), 1u);
        EXPECT_EQ(polygons_of(outlines.list[0])[0].holes.size(), 1u);
    }
    const Annotations two = expect_round_trip(map_of({"1111", "1011", "1101", "1111"}));
    ASSERT_EQ(polygons_of(two.list[0]).size(), 1u);
    EXPECT_EQ(polygons_of(two.list[0])[0].holes.size(), 2u);
}

TEST(LabelOutlines, RandomMapsComeBack) {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        LabelImage map({static_cast<std::int64_t>(1 + random() % 24),
                        static_cast<std::int64_t>(1 + random() % 24)});
        const auto labels = 1 + random() % 4;
        for (std::uint32_t& label : map.pixels())
            label = static_cast<std::uint32_t>(random() % (labels + 1));
        SCOPED_TRACE(round);
        const Annotations outlines = expect_round_trip(map);
        EXPECT_TRUE(std::ranges::is_sorted(outlines.list, {}, [](const Annotation& annotation) {
            return annotation.measurements[0].second;
        }));
    }
}

TEST(LabelOutlines, HugeLabelsNamesAndEmptyMaps) {
    LabelImage map({3, 1});
    map(1, 0) = 0xffffffffu;
    const Annotations outlines = label_outlines(map, {{0xffffffffu, {"Tumor"}}});
    ASSERT_EQ(outlines.list.size(), 1u);
    EXPECT_EQ(outlines.list[0].name, "Tumor");
    EXPECT_EQ(outlines.list[0].classes, std::vector<std::string>{"Tumor"});
    EXPECT_EQ(outlines.list[0].color, label_color(0xffffffffu));
    EXPECT_EQ(outlines.list[0].measurements[0].second, 0xffffffffu);
    const Rgb own{1, 2, 3};
    EXPECT_EQ(label_outlines(map, {{0xffffffffu, {"Tumor", own}}}).list[0].color, own);
    EXPECT_TRUE(label_outlines(LabelImage({4, 4})).list.empty());
}

TEST(LabelOutlines, RefusesVolumesAndStops) {
    EXPECT_THROW(label_outlines(LabelImage({4, 4, 2})), InvalidArgument);
    EXPECT_THROW(label_outlines(LabelImage({4, 4, 1, 2})), InvalidArgument);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(label_outlines(LabelImage({4, 4}), {}, Progress({}, &token)), Cancelled);
}

}  // namespace
}  // namespace tesela
