#include "registration/slide_tiles.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

// Places along a curve that stays near (G. M. Morton, 1966).
std::uint64_t place_on_curve(std::uint64_t x, std::uint64_t y) {
    std::uint64_t place = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
        place |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
    return place;
}

}  // namespace

std::array<double, 2> pixel_sides(const ImageGrid& grid) {
    const SpaceMatrix m = placement(grid).matrix;
    return {std::hypot(m[0], m[3], m[6]), std::hypot(m[1], m[4], m[7])};
}

SlideTiles::SlideTiles(const ImageGrid& grid, double pixel, std::int64_t tile_side)
    : side(tile_side) {
    const std::array<std::int64_t, 2> length{grid.shape.x, grid.shape.y};
    const std::array<double, 2> sides = pixel_sides(grid);
    LinearMap to_level_0;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        step[axis] = pixel / sides[axis];
        to_level_0.matrix[4 * axis] = step[axis];
        to_level_0.translation[axis] = (step[axis] - 1) / 2;
        constexpr double rounding = 1e-9;
        size[axis] = static_cast<std::int64_t>(static_cast<double>(length[axis]) /
                                                   (step[axis] * static_cast<double>(side)) +
                                               rounding);
    }
    placed = composed(to_level_0, placement(grid));
}

SpacePoint SlideTiles::middle(std::int64_t tile) const {
    const auto along = [&](std::int64_t number) {
        return static_cast<double>(number * side) + static_cast<double>(side - 1) / 2;
    };
    return {along(tile % size[0]), along(tile / size[0]), 0};
}

std::array<double, 2> SlideTiles::in_level_0(const SpacePoint& pixel) const {
    return {(pixel[0] + 0.5) * step[0] - 0.5, (pixel[1] + 0.5) * step[1] - 0.5};
}

std::vector<std::int64_t> spread_tiles(const SlideTiles& tiles, std::vector<std::int64_t> chosen,
                                       std::int64_t most) {
    const auto place = [&](std::int64_t tile) {
        return place_on_curve(static_cast<std::uint64_t>(tile % tiles.size[0]),
                              static_cast<std::uint64_t>(tile / tiles.size[0]));
    };
    std::sort(chosen.begin(), chosen.end(),
              [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
    const std::int64_t count = std::ssize(chosen);
    if (count <= most) return chosen;
    std::vector<std::int64_t> spread;
    for (std::int64_t i = 0; i < most; ++i)
        spread.push_back(chosen[static_cast<std::size_t>(i * count / most)]);
    return spread;
}

}  // namespace tesela
