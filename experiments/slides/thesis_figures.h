// Figures that the thesis behind circles and tissue prints (Ruiz Sanchez 2015).
#pragma once

#include <array>
#include <string_view>

#include "experiments/table.h"

namespace tesela::experiments {

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

// Table 4.1: percent right of 500 tiles, left out one by one and in 20 draws of 50.
struct PrintedAccuracy {
    int levels;
    double left_out, left_out_deviation, drawn, drawn_deviation;
};
inline constexpr std::array<PrintedAccuracy, 3> printed_accuracies{
    {{4, 98.6, 11.8, 98.76, 1.5}, {8, 98.6, 11.8, 98.86, 1.6}, {16, 99.4, 7.7, 99.59, 0.8}}};

// Table 4.7: a GeForce 8800 GTX against one thread, 4 levels. 1024 is printed as 439.4.
struct PrintedTile {
    int side;
    double ratio;
};
inline constexpr std::array<PrintedTile, 5> printed_tiles{
    {{128, 2.6}, {256, 9.1}, {512, 24.1}, {1024, 39.4}, {2048, 46.3}}};

// Section 4.3.1: local patterns by overlapped blocks on a Quadro FX 5600.
struct PrintedBlock {
    int side;
    double milliseconds;
};
inline constexpr std::array<PrintedBlock, 7> printed_blocks{
    {{8, 2.31}, {10, 2.16}, {12, 2.00}, {14, 1.89}, {16, 1.82}, {18, 1.90}, {20, 2.02}}};

// Tables 4.9 and 4.10: slides, their tiles of 1024 x 1024 pixels, and seconds of analysis alone
// with 4 levels by C++ and by CUDA on one GPU.
struct PrintedSlide {
    std::string_view name;
    int width, height, tiles;
    double one_thread, cuda;
};
inline constexpr std::array<PrintedSlide, 3> printed_slides{
    {{"small", 32980, 66426, 2145, 2620, 27},
     {"medium", 76543, 63024, 4650, 5691, 58},
     {"large", 109110, 80828, 8453, 10283, 107}}};

// Tables 6.1 and 6.3, in milliseconds: all moments of an order on a Tesla C2075 (Fermi) and a K20c
// (Kepler), of pictures of these sizes. The print of table 6.1 has lost its rows for Kepler.
inline constexpr std::array printed_sides_of_moments{64, 128, 256, 512, 1024, 2048};
struct PrintedMoments {
    int order;
    std::array<double, 6> direct_fermi, recursive_fermi, recursive_kepler;
};
inline constexpr std::array<PrintedMoments, 9> printed_moments{
    {{4,
      {0.12, 0.17, 0.37, 1.11, 4.08, 15.75},
      {0.08, 0.12, 0.29, 0.90, 3.31, 13.07},
      {0.11, 0.12, 0.24, 0.59, 2.01, 7.76}},
     {8,
      {0.20, 0.32, 0.74, 2.36, 8.83, 34.71},
      {0.11, 0.17, 0.45, 1.50, 5.78, 22.53},
      {0.14, 0.16, 0.32, 0.91, 3.27, 12.73}},
     {12,
      {0.29, 0.50, 1.21, 4.08, 15.32, 60.41},
      {0.12, 0.23, 0.61, 2.12, 8.12, 32.12},
      {0.17, 0.20, 0.42, 1.25, 4.54, 17.73}},
     {16,
      {0.38, 0.72, 1.82, 6.14, 23.49, 92.05},
      {0.14, 0.28, 0.79, 2.74, 10.58, 41.66},
      {0.20, 0.24, 0.52, 1.58, 5.82, 22.79}},
     {20,
      {0.51, 0.97, 2.50, 8.68, 33.37, 130.93},
      {0.17, 0.34, 0.95, 3.36, 13.13, 51.35},
      {0.23, 0.29, 0.62, 1.91, 7.11, 27.87}},
     {24,
      {0.61, 1.27, 3.31, 11.76, 45.39, 176.51},
      {0.19, 0.39, 1.12, 3.98, 15.59, 60.88},
      {0.26, 0.32, 0.72, 2.24, 8.38, 32.93}},
     {28,
      {0.74, 1.59, 4.23, 15.20, 58.20, 229.20},
      {0.21, 0.45, 1.28, 4.60, 17.97, 70.56},
      {0.28, 0.36, 0.82, 2.58, 9.66, 38.03}},
     {32,
      {0.87, 2.00, 5.27, 18.89, 73.30, 288.76},
      {0.23, 0.50, 1.45, 5.31, 20.41, 80.19},
      {0.32, 0.41, 0.93, 2.92, 10.95, 43.15}},
     {34,
      {0.95, 2.16, 5.89, 20.96, 81.29, 319.76},
      {0.24, 0.52, 1.54, 5.55, 21.64, 85.00},
      {0.33, 0.44, 0.98, 3.09, 11.59, 45.70}}}};
inline constexpr int printed_best_group = 128;  // figure 6.2, Kepler

}  // namespace tesela::experiments
