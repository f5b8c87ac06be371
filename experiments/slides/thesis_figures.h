// Figures that the thesis behind circles and tissue prints (Ruiz Sanchez 2015).
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace tesela::experiments {

inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();

// Tables 3.2 and 3.3, and 3.4 at the end: of a radius, the votes by points and by polygons of 4, 8,
// 16 and 32 sides, and the mean error of a vote.
inline constexpr std::array printed_sides{4, 8, 16, 32};
struct PrintedRing {
    int radius, votes;
    std::array<int, 4> polygon_votes;
    std::array<double, 4> errors;
};
inline constexpr std::array<PrintedRing, 4> printed_rings{
    {{10, 62, {56, 61, 62, 62}, {2.018, 0.511, 0.096, 0.032}},
     {20, 125, {113, 122, 124, 125}, {4.036, 1.022, 0.192, 0.064}},
     {50, 314, {282, 306, 312, 313}, {10.090, 2.557, 0.480, 0.160}},
     {100, 628, {565, 612, 624, 627}, {20.180, 5.114, 0.960, 0.321}}}};
struct PrintedSides {
    int radius, sides;
};
inline constexpr std::array<PrintedSides, 4> printed_least_sides{
    {{20, 10}, {50, 16}, {100, 23}, {200, 32}}};

// Tables 3.6, 3.8, 3.9 and 3.10, in milliseconds: a Core 2 Duo of 2008 with one thread and two at a
// step of 1 / radius, then a GeForce 8800 GTX. What a print lost, or has of another table, is taken
// from tables 3.10 and 3.11.
struct PrintedScene {
    std::string_view name;
    int circles, radius, contour_points;
    bool has_overlaps;
    double one_thread, two_threads;
    double points, polygons, semicircles, channels, blending;
};
inline constexpr std::array<PrintedScene, 9> printed_scenes{
    {{"c20r20", 20, 20, 2512, false, 528.7, 274.2, 64.7, 38.8, 19.2, 11.8, 2.0},
     {"c100r20", 100, 20, 12566, false, 745.8, 381.6, 89.0, 50.8, 24.6, 15.1, 9.8},
     {"c500r20", 500, 20, 62831, true, 1770.6, 888.3, 235.8, 117.3, 69.4, 58.6, 48.2},
     {"c20r50", 20, 50, 6280, false, 1535.3, 753.8, 130.0, 44.4, 46.0, 28.5, 5.0},
     {"c100r50", 100, 50, 31400, true, 2871.0, 1407.5, 303.0, 78.2, 62.9, 37.2, 24.8},
     {"c500r50", 500, 50, 157000, true, 9002.1, 4425.2, 1084.0, 237.4, 164.4, 143.6, 117.7},
     {"c20r100", 20, 100, 12560, true, 3620.9, 1978.9, 293.0, 53.5, 92.3, 57.6, 10.1},
     {"c100r100", 100, 100, 62800, true, 6822.4, 3408.2, 684.0, 94.8, 108.2, 67.1, 34.4},
     {"c500r100", 500, 100, 314000, true, 29190.5, 14805.2, 3737.0, 396.8, 304.2, 254.9, 213.8}}};

}  // namespace tesela::experiments
