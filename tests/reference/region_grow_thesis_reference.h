// The thesis's region growing in one thread, as spec 001, section 2, has it: distances in double
// precision, sums anew in each iteration, one region after the other. Pictures are interleaved RGB;
// everything else is in the order of processing, whose row 0 is the bottom of the picture.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tesela::reference {

using Ycc = std::array<int, 3>;

struct ThesisGrowth {
    int width = 0, height = 0;
    int block = 20, stride = 20;
    int growth_iterations = 50, merge_iterations = 50;
    double growth_threshold = 0.2, merge_threshold = 0.2;
    bool quadrants = false, symmetric = false;
};

// Exactly, and then to the nearest, halves up: numerator over denominator, which is positive.
inline int nearest(long long numerator, long long denominator) {
    const double value = std::floor(static_cast<double>(2 * numerator + denominator) /
                                    static_cast<double>(2 * denominator));
    return static_cast<int>(std::clamp(value, 0.0, 255.0));
}

inline Ycc to_ycc(int r, int g, int b, bool studio) {
    if (studio)
        return {nearest(16 * 255000 + 65481 * r + 128553 * g + 24966 * b, 255000),
                nearest(128 * 255000 - 37797 * r - 74203 * g + 112000 * b, 255000),
                nearest(128 * 255000 + 112000 * r - 93786 * g - 18214 * b, 255000)};
    return {nearest(299000 * r + 587000 * g + 114000 * b, 1000000),
            nearest(128000000 - 168736 * r - 331264 * g + 500000 * b, 1000000),
            nearest(128000000 + 500000 * r - 418688 * g - 81312 * b, 1000000)};
}

inline std::array<int, 3> to_rgb(const Ycc& ycc, bool studio) {
    const int u = ycc[1] - 128, v = ycc[2] - 128;
    if (studio) {
        const int light = 1164384 * (ycc[0] - 16);
        return {nearest(light + 1596027 * v, 1000000),
                nearest(light - 391763 * u - 812968 * v, 1000000),
                nearest(light + 2017233 * u, 1000000)};
    }
    const int light = 1000000 * ycc[0];
    return {nearest(light + 1402000 * v, 1000000),
            nearest(light - 344136 * u - 714136 * v, 1000000),
            nearest(light + 1772000 * u, 1000000)};
}

inline std::vector<Ycc> to_ycc(const std::vector<std::uint8_t>& rgb, int width, int height,
                               bool studio) {
    std::vector<Ycc> pixels;
    for (int row = 0; row < height; ++row)
        for (int x = 0; x < width; ++x) {
            const auto i = static_cast<std::size_t>(3 * ((height - 1 - row) * width + x));
            pixels.push_back(to_ycc(rgb[i], rgb[i + 1], rgb[i + 2], studio));
        }
    return pixels;
}

// Equation 3.6; a candidate without a color is as far as can be from all but itself.
inline double relative_distance(const Ycc& candidate, const Ycc& mean) {
    double difference = 0, norm = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        difference += std::pow(candidate[c] - mean[c], 2);
        norm += std::pow(candidate[c], 2);
    }
    if (norm == 0) return difference == 0 ? 0 : HUGE_VAL;
    return std::sqrt(difference / norm);
}

struct ThesisRegion {
    int size = 0, iterations = 0;
    Ycc sum{}, mean{};
    std::vector<char> inside;  // of the square that the tile owns, row by row
};

inline ThesisRegion grow_tile(const std::vector<Ycc>& pixels, const ThesisGrowth& growth,
                              int tile_x, int tile_y) {
    const int block = growth.block, side = block + 2;
    const auto color = [&](int x, int y) -> const Ycc& {
        return pixels[static_cast<std::size_t>((tile_y * growth.stride + y) * growth.width +
                                               tile_x * growth.stride + x)];
    };
    std::vector<char> label(static_cast<std::size_t>(side * side), 0);
    const auto at = [&](int x, int y) -> char& {
        return label[static_cast<std::size_t>(y * side + x)];
    };
    const int seed = block / 2 + 1;
    at(seed, seed) = 1;
    ThesisRegion region;
    const auto measure = [&] {
        region.size = 0;
        region.sum = {};
        for (int y = 1; y <= block; ++y)
            for (int x = 1; x <= block; ++x)
                if (at(x, y)) {
                    ++region.size;
                    for (std::size_t c = 0; c < 3; ++c) region.sum[c] += color(x, y)[c];
                }
        for (std::size_t c = 0; c < 3; ++c) region.mean[c] = region.sum[c] / region.size;
    };
    measure();
    for (int iteration = 1; iteration <= growth.growth_iterations; ++iteration) {
        const std::vector<char> before = label;
        const auto was = [&](int x, int y) {
            return before[static_cast<std::size_t>(y * side + x)] != 0;
        };
        for (int y = 1; y <= block; ++y)
            for (int x = 1; x <= block; ++x) {
                const bool all = !growth.quadrants;
                const bool touches =
                    ((all || x >= seed) && was(x - 1, y)) || ((all || x < seed) && was(x + 1, y)) ||
                    ((all || y >= seed) && was(x, y - 1)) || ((all || y < seed) && was(x, y + 1));
                if (!was(x, y) && touches &&
                    relative_distance(color(x, y), region.mean) < growth.growth_threshold)
                    at(x, y) = 1;
            }
        if (label == before) break;
        region.iterations = iteration;
        measure();
    }
    for (int y = 1; y <= block; ++y)
        for (int x = 1; x <= block; ++x) region.inside.push_back(at(x, y));
    return region;
}

// Labels of a grid of regions, from 1.
struct ThesisGrid {
    int nx = 0, ny = 0;
    std::vector<Ycc> mean;
    std::vector<std::uint32_t> label;

    std::size_t at(int x, int y) const { return static_cast<std::size_t>(y * nx + x); }
};

// `taker` takes the label of `giver`.
inline bool takes(const ThesisGrid& grid, const ThesisGrowth& growth, std::size_t giver,
                  std::size_t taker) {
    double distance = relative_distance(grid.mean[taker], grid.mean[giver]);
    if (growth.symmetric)
        distance = std::max(distance, relative_distance(grid.mean[giver], grid.mean[taker]));
    return distance < growth.merge_threshold;
}

// The steps of one pass in a window: labels come from x - 1 and y - 1 (way -1), or x + 1 and y + 1.
inline void merge_window(ThesisGrid& grid, const ThesisGrowth& growth, int x0, int y0, int x1,
                         int y1, int way) {
    for (int step = 0; step < growth.merge_iterations; ++step) {
        const std::vector<std::uint32_t> before = grid.label;
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) {
                std::uint32_t& own = grid.label[grid.at(x, y)];
                const auto take = [&](int from_x, int from_y) {
                    if (from_x < x0 || from_x >= x1 || from_y < y0 || from_y >= y1) return;
                    const std::size_t giver = grid.at(from_x, from_y);
                    if (takes(grid, growth, giver, grid.at(x, y)))
                        own = std::min(own, before[giver]);
                };
                take(x + way, y);
                take(x, y + way);
            }
    }
}

// Passes over windows of `side`, or over the whole grid as one window where side is 0.
inline void merge_pass(ThesisGrid& grid, const ThesisGrowth& growth, int side, int way) {
    if (side == 0) return merge_window(grid, growth, 0, 0, grid.nx, grid.ny, way);
    const int stride = side - 1;
    const int windows_x = std::max(1, (grid.nx - 1 + stride - 1) / stride);
    const int windows_y = std::max(1, (grid.ny - 1 + stride - 1) / stride);
    for (int k = 0; k < windows_x * windows_y; ++k) {
        const int window = way < 0 ? k : windows_x * windows_y - 1 - k;
        const int x0 = window % windows_x * stride, y0 = window / windows_x * stride;
        merge_window(grid, growth, x0, y0, std::min(x0 + side, grid.nx),
                     std::min(y0 + side, grid.ny), way);
    }
}

// Both passes until nothing changes. Gives the number of rounds that changed a label.
inline int merge_until_stable(ThesisGrid& grid, const ThesisGrowth& growth) {
    for (int rounds = 0;; ++rounds) {
        const std::vector<std::uint32_t> before = grid.label;
        merge_pass(grid, growth, growth.block, -1);
        merge_pass(grid, growth, growth.block, 1);
        if (grid.label == before) return rounds;
    }
}

// All tiles of a picture. Labels of pixels are the numbers of tiles, in the order of processing.
struct ThesisTiles {
    ThesisGrid grid;
    std::vector<ThesisRegion> regions;
    std::vector<std::uint32_t> pixel_labels;
};

inline ThesisTiles grow_tiles(const std::vector<Ycc>& pixels, const ThesisGrowth& growth) {
    ThesisTiles tiles;
    const int side = growth.block + 2;
    tiles.grid.nx = (growth.width - side) / growth.stride + 1;
    tiles.grid.ny = (growth.height - side) / growth.stride + 1;
    tiles.pixel_labels.assign(pixels.size(), 0);
    for (int ty = 0; ty < tiles.grid.ny; ++ty)
        for (int tx = 0; tx < tiles.grid.nx; ++tx) {
            tiles.regions.push_back(grow_tile(pixels, growth, tx, ty));
            const ThesisRegion& region = tiles.regions.back();
            const auto label = static_cast<std::uint32_t>(tiles.regions.size());
            tiles.grid.mean.push_back(region.mean);
            tiles.grid.label.push_back(label);
            for (int k = 0; k < growth.block * growth.block; ++k) {
                if (!region.inside[static_cast<std::size_t>(k)]) continue;
                const int x = tx * growth.stride + 1 + k % growth.block;
                const int row = ty * growth.stride + 1 + k / growth.block;
                tiles.pixel_labels[static_cast<std::size_t>(row * growth.width + x)] = label;
            }
        }
    return tiles;
}

}  // namespace tesela::reference
