#include "levelset/seeded_regions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tesela {
namespace {

enum class Extreme { lowest, highest };

// Minimum or maximum over the points within a radius that are in the image.
Levels over_balls(const Levels& levels, const LevelGrid& grid, double radius, Extreme extreme) {
    Levels result = levels;
    const Shape& shape = grid.shape;
    const auto reach = [&](std::size_t axis, std::int64_t length, double within) {
        const auto far = static_cast<std::int64_t>(within / grid.spacing[axis] + 1e-9);
        return std::min(far, length - 1);
    };
    const auto row = [&](std::int64_t y, std::int64_t z) { return (z * shape.y + y) * shape.x; };
    const auto take = [&](std::int64_t dx, std::int64_t dy, std::int64_t dz) {
        const std::int64_t first = std::max<std::int64_t>(0, -dx), last = shape.x - std::abs(dx);
        for (std::int64_t z = std::max<std::int64_t>(0, -dz); z < std::min(shape.z, shape.z - dz);
             ++z)
            for (std::int64_t y = std::max<std::int64_t>(0, -dy);
                 y < std::min(shape.y, shape.y - dy); ++y) {
                const std::uint8_t* from = levels.data() + row(y + dy, z + dz) + first + dx;
                std::uint8_t* to = result.data() + row(y, z) + first;
                if (extreme == Extreme::lowest)
                    for (std::int64_t x = 0; x < last; ++x) to[x] = std::min(to[x], from[x]);
                else
                    for (std::int64_t x = 0; x < last; ++x) to[x] = std::max(to[x], from[x]);
            }
    };
    const auto left = [](double within, double along) {
        return std::sqrt(std::max(within * within - along * along, 0.0));
    };
    const std::int64_t far_z = reach(2, shape.z, radius);
    for (std::int64_t dz = -far_z; dz <= far_z; ++dz) {
        const double in_plane = left(radius, static_cast<double>(dz) * grid.spacing[2]);
        const std::int64_t far_y = reach(1, shape.y, in_plane);
        for (std::int64_t dy = -far_y; dy <= far_y; ++dy) {
            const double in_row = left(in_plane, static_cast<double>(dy) * grid.spacing[1]);
            const std::int64_t far_x = reach(0, shape.x, in_row);
            for (std::int64_t dx = -far_x; dx <= far_x; ++dx) take(dx, dy, dz);
        }
    }
    return result;
}

// The highest level of all paths from a seed to each point; the level of a path is that of its
// lowest point.
Levels flooded(const Levels& levels, const Shape& shape, std::span<const std::uint32_t> seeds) {
    Levels result(levels.size(), 0);
    std::array<std::vector<std::uint32_t>, 256> waiting;
    const auto reach = [&](std::int64_t point, std::uint8_t most) {
        const auto at = static_cast<std::size_t>(point);
        const std::uint8_t level = std::min(levels[at], most);
        if (result[at] != 0 || level == 0) return;
        result[at] = level;
        waiting[level].push_back(static_cast<std::uint32_t>(point));
    };
    for (const std::uint32_t seed : seeds) reach(seed, 255);
    const std::int64_t row = shape.x, slice = shape.x * shape.y;
    for (std::size_t level = 255; level > 0; --level) {
        std::vector<std::uint32_t>& front = waiting[level];
        const auto most = static_cast<std::uint8_t>(level);
        while (!front.empty()) {
            const std::int64_t point = front.back();
            front.pop_back();
            const std::int64_t x = point % row, y = point / row % shape.y, z = point / slice;
            if (x > 0) reach(point - 1, most);
            if (x + 1 < shape.x) reach(point + 1, most);
            if (y > 0) reach(point - row, most);
            if (y + 1 < shape.y) reach(point + row, most);
            if (z > 0) reach(point - slice, most);
            if (z + 1 < shape.z) reach(point + slice, most);
        }
        front = {};
    }
    return result;
}

// A sum and a weight for each level.
struct Means {
    std::array<double, 257> sum{}, weight{};

    // Accumulates over all levels up to this one.
    void add(std::uint8_t level, double value, double by) {
        sum[level] += by * value;
        weight[level] += by;
    }
    std::array<double, 256> means() {
        std::array<double, 256> result{};
        for (std::size_t level = 256; level-- > 0;) {
            sum[level] += sum[level + 1];
            weight[level] += weight[level + 1];
            if (weight[level] > 0) result[level] = sum[level] / weight[level];
        }
        return result;
    }
};

}  // namespace

Levels seeded_regions(const Levels& levels, const LevelGrid& grid,
                      std::span<const std::uint32_t> seeds, double radius) {
    if (radius <= 0) return flooded(levels, grid.shape, seeds);
    const Levels core =
        flooded(over_balls(levels, grid, radius, Extreme::lowest), grid.shape, seeds);
    Levels regions = over_balls(core, grid, radius, Extreme::highest);
    for (std::size_t i = 0; i < levels.size(); ++i) regions[i] = std::min(regions[i], levels[i]);
    return regions;
}

double block_volume(const LevelGrid& grid) {
    const std::array<std::int64_t, 3> length{grid.shape.x, grid.shape.y, grid.shape.z};
    double volume = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (length[axis] > 1) volume *= grid.spacing[axis];
    return volume;
}

Levels widened(const Levels& levels, const LevelGrid& grid, double radius) {
    return over_balls(levels, grid, radius, Extreme::highest);
}

RegionCurves region_curves(const Levels& regions, const LevelGrid& grid,
                           std::span<const float> values) {
    const Shape& shape = grid.shape;
    const std::array<std::int64_t, 3> length{shape.x, shape.y, shape.z};
    const std::array<std::int64_t, 3> step{1, shape.x, shape.x * shape.y};
    const double voxel = block_volume(grid);
    RegionCurves curves;
    for (const std::uint8_t level : regions) curves.volume[level] += voxel;
    for (std::size_t level = 255; level-- > 0;) curves.volume[level] += curves.volume[level + 1];
    Means border, inside;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double face = voxel / grid.spacing[axis];
        const std::int64_t ahead = step[axis], block = ahead * length[axis];
        for (std::int64_t first = 0; first < shape.points(); first += block)
            for (std::int64_t i = first; i + ahead < first + block; ++i) {
                const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(i + ahead);
                const std::uint8_t low = std::min(regions[a], regions[b]);
                const std::uint8_t high = std::max(regions[a], regions[b]);
                if (high == 0) continue;
                const double across = std::abs(static_cast<double>(values[a]) - values[b]);
                if (std::isnan(across)) continue;
                inside.add(low, across, face);
                // Between the two lies the border of the levels above the lower one.
                if (low == high) continue;
                border.add(high, across, face);
                border.add(low, across, -face);
            }
    }
    curves.contrast = border.means();
    curves.inside = inside.means();
    return curves;
}

}  // namespace tesela
