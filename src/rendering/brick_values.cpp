#include "rendering/brick_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/threads.h"

namespace tesela::rendering {
namespace {

constexpr float nothing_lowest = 3.0e38f, nothing_highest = -3.0e38f;

double scaled_value(double stored, const ValueScaling& scaling) {
    return scaling.needed() ? scaling.slope * stored + scaling.intercept : stored;
}

// Finite values, every `stride`th.
void add_values(const AnyImage& brick, const ValueScaling& scaling, std::size_t stride,
                std::vector<double>& values) {
    std::visit(
        [&](const auto& image) {
            for (std::size_t i = 0; i < image.pixels().size(); i += stride) {
                const double value = scaled_value(static_cast<double>(image.pixels()[i]), scaling);
                if (std::isfinite(value)) values.push_back(value);
            }
        },
        brick);
}

// Of bricks that can be decoded.
std::vector<double> sampled_values(const BrickSource& source) {
    constexpr std::int64_t most_bricks = 256;
    const std::int64_t all = source.brick_count(), chosen = std::min(all, most_bricks);
    const int level = all <= most_bricks ? 0 : 1;
    const std::int64_t most_values = level == 0 ? 1 << 20 : 1 << 18;
    std::int64_t voxels = source.facts().levels[static_cast<std::size_t>(level)].elements();
    if (level > 0) voxels = chosen * 32 * 32 * 32;
    // An odd stride meets all columns.
    const std::size_t stride =
        voxels <= most_values ? 1 : static_cast<std::size_t>(voxels / most_values) | 1;
    std::vector<double> values;
    std::mutex mutex;
    detail::for_each_index(chosen, 0, [&](std::int64_t i) {
        std::vector<double> own;
        try {
            add_values(source.brick(level, source.place_of(i * all / chosen)),
                       source.facts().scaling, stride, own);
        } catch (const UnreadableInput&) {
            return;  // is told where it is seen
        }
        const std::lock_guard lock(mutex);
        values.insert(values.end(), own.begin(), own.end());
    });
    return values;
}

// Calls `visit` with each block and its number.
template <class Visit>
void for_each_block(const std::array<std::int64_t, 3>& blocks, const Visit& visit) {
    detail::for_each_index(blocks[2], 0, [&](std::int64_t z) {
        std::int64_t number = z * blocks[1] * blocks[0];
        for (std::int64_t y = 0; y < blocks[1]; ++y)
            for (std::int64_t x = 0; x < blocks[0]; ++x, ++number)
                visit(std::array{x, y, z}, static_cast<std::size_t>(number));
    });
}

// The range of all blocks of a box, as far as there are any; `range_at` gives that of one.
template <class RangeAt>
std::array<float, 2> united(const std::array<std::int64_t, 3>& blocks,
                            std::array<std::int64_t, 3> begin, std::array<std::int64_t, 3> end,
                            const RangeAt& range_at) {
    for (std::size_t a = 0; a < 3; ++a) {
        begin[a] = std::max<std::int64_t>(0, begin[a]);
        end[a] = std::min(blocks[a], end[a]);
    }
    std::array<float, 2> range{nothing_lowest, nothing_highest};
    for (std::int64_t z = begin[2]; z < end[2]; ++z)
        for (std::int64_t y = begin[1]; y < end[1]; ++y)
            for (std::int64_t x = begin[0]; x < end[0]; ++x) {
                const auto [lowest, highest] = range_at(std::array{x, y, z});
                range[0] = std::min(range[0], lowest);
                range[1] = std::max(range[1], highest);
            }
    return range;
}

bool has_ranges(const BrickSource& source) {
    const BlockRange first = source.block_range({});
    const bool is_known =
        std::isfinite(first.lowest) || std::isfinite(first.highest) || std::isnan(first.lowest);
    return is_known && source.facts().levels.front().channels == 1;
}

// Of a block of level 0.
std::array<float, 2> range_of(const BrickSource& source, double value_offset,
                              const std::array<std::int64_t, 3>& at) {
    const ValueScaling& scaling = source.facts().scaling;
    const BlockRange stored = source.block_range({at[0], at[1], at[2]});
    const double a = scaled_value(stored.lowest, scaling) - value_offset;
    const double b = scaled_value(stored.highest, scaling) - value_offset;
    if (std::isnan(a) || std::isnan(b)) return {nothing_lowest, nothing_highest};
    return {static_cast<float>(std::min(a, b)), static_cast<float>(std::max(a, b))};
}

// Of each column of blocks of level 0 along z, from plane `begin` to below `end`, as far as there
// are any.
std::vector<std::array<float, 2>> united_planes(const BrickSource& source, double value_offset,
                                                std::int64_t begin, std::int64_t end) {
    const auto blocks = source.blocks();
    std::vector<std::array<float, 2>> columns(static_cast<std::size_t>(blocks[0] * blocks[1]),
                                              {nothing_lowest, nothing_highest});
    for (std::int64_t z = std::max<std::int64_t>(0, begin); z < std::min(blocks[2], end); ++z) {
        auto column = columns.begin();
        for (std::int64_t y = 0; y < blocks[1]; ++y)
            for (std::int64_t x = 0; x < blocks[0]; ++x, ++column) {
                const auto [lowest, highest] = range_of(source, value_offset, {x, y, z});
                *column = {std::min((*column)[0], lowest), std::max((*column)[1], highest)};
            }
    }
    return columns;
}

void add_ranges(const BrickSource& source, ValueStatistics& statistics) {
    const auto blocks = source.blocks();
    std::mutex mutex;
    detail::for_each_index(blocks[2], 0, [&](std::int64_t z) {
        const auto [lowest, highest] =
            united(blocks, {0, 0, z}, {blocks[0], blocks[1], z + 1}, [&](const auto& at) {
                std::array<float, 2> range = range_of(source, 0, at);
                if (!(std::abs(range[0]) < nothing_lowest)) range[0] = nothing_lowest;
                if (!(std::abs(range[1]) < nothing_lowest)) range[1] = nothing_highest;
                return range;
            });
        const std::lock_guard lock(mutex);
        if (std::abs(lowest) < nothing_lowest)
            statistics.lowest = std::min(statistics.lowest, double(lowest));
        if (std::abs(highest) < nothing_lowest)
            statistics.highest = std::max(statistics.highest, double(highest));
    });
}

}  // namespace

ValueStatistics statistics_of(const BrickSource& source) {
    if (source.facts().levels.front().channels == 3) return {0, 255, 0, 255};
    std::vector<double> values = sampled_values(source);
    if (values.empty()) return {};
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    ValueStatistics statistics{*least, *greatest};
    set_percentiles(std::move(values), statistics);
    if (has_ranges(source)) add_ranges(source, statistics);
    return statistics;
}

std::vector<float> block_ranges_of(const BrickSource& source, double value_offset, int level,
                                   const kernels::render_grid& grid) {
    if (!has_ranges(source)) return {};
    const std::int64_t covers = std::int64_t{1} << level;
    const std::int64_t around = level == 0 ? 0 : 1;  // ranges have one voxel around the block
    const auto finest = source.blocks();
    const std::array<std::int64_t, 3> blocks{grid.blocks[0], grid.blocks[1], grid.blocks[2]};
    std::vector<float> ranges(static_cast<std::size_t>(2 * blocks[0] * blocks[1] * blocks[2]));
    const auto begin = [&](std::int64_t at) { return at * covers - around; };
    const auto end = [&](std::int64_t at) { return (at + 1) * covers + around; };
    detail::for_each_index(blocks[2], 0, [&](std::int64_t z) {
        // Of the finest blocks that the plane covers, united along z.
        const std::vector<std::array<float, 2>> plane =
            united_planes(source, value_offset, begin(z), end(z));
        const auto at_plane = [&](const auto& at) {
            return plane[static_cast<std::size_t>(at[1] * finest[0] + at[0])];
        };
        auto number = static_cast<std::size_t>(2 * z * blocks[1] * blocks[0]);
        for (std::int64_t y = 0; y < blocks[1]; ++y)
            for (std::int64_t x = 0; x < blocks[0]; ++x, number += 2) {
                const auto [lowest, highest] =
                    united(finest, {begin(x), begin(y), 0}, {end(x), end(y), 1}, at_plane);
                // As render_write_range: more than rounding can change an interpolated value.
                const float more = lowest < highest ? (highest - lowest) * (1.0f / 256.0f) : 0.0f;
                ranges[number] = lowest - more;
                ranges[number + 1] = highest + more;
            }
    });
    return ranges;
}

void widen_ranges(const std::vector<std::uint8_t>& coarser, const kernels::render_grid& grid,
                  std::vector<float>& ranges) {
    const std::vector<float> own = ranges;
    const std::array<std::int64_t, 3> blocks{grid.blocks[0], grid.blocks[1], grid.blocks[2]};
    const auto own_range = [&](const std::array<std::int64_t, 3>& at) {
        const auto from =
            static_cast<std::size_t>(2 * ((at[2] * blocks[1] + at[1]) * blocks[0] + at[0]));
        return std::array{own[from], own[from + 1]};
    };
    for_each_block(blocks, [&](const std::array<std::int64_t, 3>& at, std::size_t number) {
        const auto brick = [&](std::size_t a) { return at[a] >> grid.brick_shift; };
        if (coarser[static_cast<std::size_t>(
                (brick(2) * grid.bricks[1] + brick(1)) * grid.bricks[0] + brick(0))] == 0)
            return;
        const auto [lowest, highest] = united(blocks, {at[0] - 1, at[1] - 1, at[2] - 1},
                                              {at[0] + 2, at[1] + 2, at[2] + 2}, own_range);
        ranges[2 * number] = lowest;
        ranges[2 * number + 1] = highest;
    });
}

}  // namespace tesela::rendering
