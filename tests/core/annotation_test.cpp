// Areas of polygons, and the pixels that they cover.
#include "tesela/annotation.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace tesela {
namespace {

// A letter for each pixel: '#' where covered, '2' where covered twice.
std::vector<std::string> picture(const std::vector<Polygon>& polygons, const TileBox& box) {
    std::vector<std::string> rows(static_cast<std::size_t>(box.height),
                                  std::string(static_cast<std::size_t>(box.width), '.'));
    for (const Polygon& polygon : polygons)
        for_each_covered(polygon, box, [&](std::int64_t y, std::int64_t first, std::int64_t end) {
            EXPECT_LT(first, end);
            for (std::int64_t x = first; x < end; ++x) {
                char& c =
                    rows[static_cast<std::size_t>(y - box.y)][static_cast<std::size_t>(x - box.x)];
                c = c == '.' ? '#' : '2';
            }
        });
    return rows;
}

using Rows = std::vector<std::string>;

Polygon rectangle(double x, double y, double right, double bottom) {
    return {{{x, y}, {right, y}, {right, bottom}, {x, bottom}}, {}};
}

TEST(Annotation, AreasLeaveHolesOut) {
    Polygon square = rectangle(2, 3, 12, 13);
    EXPECT_EQ(signed_area(square.outer), 100);
    square.holes.push_back({{4, 5}, {4, 8}, {6, 8}, {6, 5}});
    EXPECT_EQ(signed_area(square.holes[0]), -6);
    EXPECT_EQ(area(square), 94);
    EXPECT_EQ(signed_area({{1, 1}, {3, 1}, {1, 4}}), 3);
}

TEST(Annotation, CoversPixelsByTheirCenters) {
    EXPECT_EQ(picture({rectangle(1, 0, 3, 2)}, {0, 0, 4, 3}), (Rows{".##.", ".##.", "...."}));
    EXPECT_EQ(picture({rectangle(0.6, 0.4, 2.6, 1.5)}, {0, 0, 4, 2}), (Rows{".##.", "...."}));
    // Of a box that does not begin at the origin.
    EXPECT_EQ(picture({rectangle(-5, -5, 11, 12)}, {10, 10, 2, 3}), (Rows{"#.", "#.", ".."}));
    EXPECT_EQ(picture({rectangle(20, 0, 30, 2)}, {0, 0, 4, 1}), (Rows{"...."}));
}

TEST(Annotation, HolesAreNotCovered) {
    Polygon square = rectangle(0, 0, 5, 4);
    square.holes.push_back(rectangle(1, 1, 3, 3).outer);
    EXPECT_EQ(picture({square}, {0, 0, 5, 4}), (Rows{"#####", "#..##", "#..##", "#####"}));
}

// Triangles around a point share edges of all slopes: each pixel belongs to one of them.
TEST(Annotation, NeighborsShareNoPixelAndLeaveNone) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(4, 28);
    for (int turn = 0; turn < 50; ++turn) {
        // Every other time on a center itself.
        PlanePoint middle{place(random), place(random)};
        if (turn % 2 == 0) middle = {std::floor(middle.x) + 0.5, std::floor(middle.y) + 0.5};
        const std::array<PlanePoint, 6> around{
            {{0, 0}, {16.5, 0}, {32, 0}, {32, 32}, {11.5, 32}, {0, 32}}};
        std::vector<Polygon> triangles;
        for (std::size_t i = 0; i < around.size(); ++i)
            triangles.push_back({{around[i], around[(i + 1) % around.size()], middle}, {}});
        EXPECT_EQ(picture(triangles, {0, 0, 32, 32}), Rows(32, std::string(32, '#')))
            << middle.x << ", " << middle.y;
    }
}

TEST(Annotation, CrossingRingsCountByTheEvenOddRule) {
    const Polygon bow{{{0, 0}, {4, 4}, {4, 0}, {0, 4}}, {}};
    EXPECT_EQ(picture({bow}, {0, 0, 4, 4}), (Rows{"...#", "#.##", "#.##", "...#"}));
}

}  // namespace
}  // namespace tesela
