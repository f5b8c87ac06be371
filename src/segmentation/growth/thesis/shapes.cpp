#include "segmentation/growth/thesis/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

namespace tesela::region_thesis {
namespace {

constexpr std::int64_t tile = 20;

constexpr std::array<std::string_view, 17> spiral_tiles{
    ".......................", ".#####################.", ".....................#.",
    ".###################.#.", ".#.................#.#.", ".#.###############.#.#.",
    ".#.#.............#.#.#.", ".#.#.###########.#.#.#.", ".#.#.#.........#.#.#.#.",
    ".#.#.#.#########.#.#.#.", ".#.#.#...........#.#.#.", ".#.#.#############.#.#.",
    ".#.#...............#.#.", ".#.#################.#.", ".#...................#.",
    ".#####################.", "......................."};

// The output function of the SplitMix64 generator (G. L. Steele, D. Lea, C. H. Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014): the same numbers everywhere.
std::uint64_t scrambled(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

double unit(std::uint64_t seed, std::uint64_t index) {  // above 0, below 1
    return (static_cast<double>(scrambled(seed << 40 | index) >> 12) + 0.5) / 4503599627370496.0;
}

// By Box and Muller.
double normal(std::uint64_t seed, std::uint64_t index) {
    return std::sqrt(-2 * std::log(unit(seed, 2 * index))) *
           std::cos(2 * std::numbers::pi * unit(seed, 2 * index + 1));
}

bool is_in_ring(std::int64_t x, std::int64_t row) {
    const std::int64_t r2 = (x - 238) * (x - 238) + (row - 175) * (row - 175);
    return r2 > 70 * 70 && r2 < 150 * 150;
}

bool is_in_spiral(std::int64_t column, std::int64_t row) {
    return column < 23 && row < 17 &&
           spiral_tiles[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] == '#';
}

}  // namespace

bool is_object(const Painting& painting, std::int64_t x, std::int64_t row) {
    // In the tile, and which tile; the rim of the picture belongs to none.
    const std::int64_t u = (x - 1) % tile, v = (row - 1) % tile;
    const std::int64_t column = (x - 1) / tile, line = (row - 1) / tile;
    const bool in_tile = x >= 1 && row >= 1;
    switch (painting.figure) {
        case Figure::none:
            return false;
        case Figure::disc:
            return (x - 238) * (x - 238) + (row - 175) * (row - 175) <= 110 * 110;
        case Figure::ring:
            return is_in_ring(x, row);
        case Figure::c_shape:
            return is_in_ring(x, row) && !(x > 238 && std::abs(row - 175) < 25);
        case Figure::spiral:
            return in_tile && is_in_spiral(column, line);
        case Figure::snake:
            return in_tile && (v % 2 == 0 || (v % 4 == 1 && u == 19) || (v % 4 == 3 && u == 0));
        case Figure::hook:
            return in_tile && ((v == 10 && u >= 10 && u <= 17) || (u == 17 && v >= 10 && v <= 15) ||
                               (v == 15 && u >= 13 && u <= 17));
        case Figure::two_tones:
            return in_tile &&
                   scrambled(std::uint64_t{painting.seed} << 40 |
                             static_cast<std::uint64_t>(line * painting.width + column)) %
                           2 ==
                       1;
    }
    return false;
}

Image<std::uint8_t> paint_figure(const Painting& painting) {
    Image<std::uint8_t> image({painting.width, painting.height, 1, 1, 3});
    std::uint64_t index = 0;
    for (std::int64_t row = 0; row < painting.height; ++row)
        for (std::int64_t x = 0; x < painting.width; ++x) {
            const Rgb& color = is_object(painting, x, row) ? painting.object : painting.background;
            for (std::size_t c = 0; c < 3; ++c) {
                const double shift =
                    painting.noise > 0 ? painting.noise * normal(painting.seed, index++) : 0;
                image(x, painting.height - 1 - row, 0, 0, static_cast<int>(c)) =
                    static_cast<std::uint8_t>(
                        std::lround(std::clamp(static_cast<double>(color[c]) + shift, 0.0, 255.0)));
            }
        }
    return image;
}

LabelImage figure_truth(const Painting& painting) {
    LabelImage truth({painting.width, painting.height});
    for (std::int64_t row = 0; row < painting.height; ++row)
        for (std::int64_t x = 0; x < painting.width; ++x)
            truth(x, painting.height - 1 - row) = is_object(painting, x, row) ? 1 : 0;
    return truth;
}

}  // namespace tesela::region_thesis
