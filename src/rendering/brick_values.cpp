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
    constexpr std::int64_t most_bricks = 256, most_values = 1 << 20;
    const std::int64_t all = source.brick_count(), chosen = std::min(all, most_bricks);
    const int level = all <= most_bricks ? 0 : 1;
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

// The range of all blocks of a box, as far as there are any.
std::array<float, 2> united(const std::vector<float>& ranges,
                            const std::array<std::int64_t, 3>& blocks,
                            std::array<std::int64_t, 3> begin, std::array<std::int64_t, 3> end) {
    for (std::size_t a = 0; a < 3; ++a) {
        begin[a] = std::max<std::int64_t>(0, begin[a]);
        end[a] = std::min(blocks[a], end[a]);
    }
    std::array<float, 2> range{nothing_lowest, nothing_highest};
    for (std::int64_t z = begin[2]; z < end[2]; ++z)
        for (std::int64_t y = begin[1]; y < end[1]; ++y)
            for (std::int64_t x = begin[0]; x < end[0]; ++x) {
                const auto from =
                    static_cast<std::size_t>(2 * ((z * blocks[1] + y) * blocks[0] + x));
                range[0] = std::min(range[0], ranges[from]);
                range[1] = std::max(range[1], ranges[from + 1]);
            }
    return range;
}

}  // namespace

ValueStatistics statistics_of(const BrickSource& source) {
    if (source.facts().levels.front().channels == 3) return {0, 255, 0, 255};
    std::vector<double> values = sampled_values(source);
    if (values.empty()) return {};
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    ValueStatistics statistics{*least, *greatest};
    set_percentiles(std::move(values), statistics);
    for (const float end : block_ranges_of(source, 0))
        if (std::abs(end) < nothing_lowest) {
            statistics.lowest = std::min(statistics.lowest, double(end));
            statistics.highest = std::max(statistics.highest, double(end));
        }
    return statistics;
}

std::vector<float> block_ranges_of(const BrickSource& source, double value_offset) {
    const BrickSourceFacts& facts = source.facts();
    const BlockRange first = source.block_range({});
    const bool is_known =
        std::isfinite(first.lowest) || std::isfinite(first.highest) || std::isnan(first.lowest);
    if (!is_known || facts.levels.front().channels != 1) return {};
    const auto blocks = source.blocks();
    std::vector<float> ranges(static_cast<std::size_t>(2 * blocks[0] * blocks[1] * blocks[2]));
    for_each_block(blocks, [&](const std::array<std::int64_t, 3>& at, std::size_t number) {
        const BlockRange stored = source.block_range({at[0], at[1], at[2]});
        const double a = scaled_value(stored.lowest, facts.scaling) - value_offset;
        const double b = scaled_value(stored.highest, facts.scaling) - value_offset;
        const bool is_empty = std::isnan(a) || std::isnan(b);
        ranges[2 * number] = is_empty ? nothing_lowest : static_cast<float>(std::min(a, b));
        ranges[2 * number + 1] = is_empty ? nothing_highest : static_cast<float>(std::max(a, b));
    });
    return ranges;
}

std::vector<float> coarser_ranges(const std::vector<float>& finest,
                                  const std::array<std::int64_t, 3>& blocks, int level,
                                  const std::array<std::int64_t, 3>& coarser_blocks) {
    const std::int64_t covers = std::int64_t{1} << level;
    const std::int64_t around = level == 0 ? 0 : 1;  // ranges have one voxel around the block
    std::vector<float> ranges(
        static_cast<std::size_t>(2 * coarser_blocks[0] * coarser_blocks[1] * coarser_blocks[2]));
    for_each_block(coarser_blocks, [&](const std::array<std::int64_t, 3>& at, std::size_t number) {
        std::array<std::int64_t, 3> begin{}, end{};
        for (std::size_t a = 0; a < 3; ++a) {
            begin[a] = at[a] * covers - around;
            end[a] = (at[a] + 1) * covers + around;
        }
        const auto [lowest, highest] = united(finest, blocks, begin, end);
        // As render_write_range: more than rounding can change an interpolated value.
        const float more = lowest < highest ? (highest - lowest) * (1.0f / 256.0f) : 0.0f;
        ranges[2 * number] = lowest - more;
        ranges[2 * number + 1] = highest + more;
    });
    return ranges;
}

void widen_ranges(const std::vector<std::uint8_t>& coarser, const kernels::render_grid& grid,
                  std::vector<float>& ranges) {
    const std::vector<float> own = ranges;
    const std::array<std::int64_t, 3> blocks{grid.blocks[0], grid.blocks[1], grid.blocks[2]};
    for_each_block(blocks, [&](const std::array<std::int64_t, 3>& at, std::size_t number) {
        const auto brick = [&](std::size_t a) { return at[a] >> grid.brick_shift; };
        if (coarser[static_cast<std::size_t>(
                (brick(2) * grid.bricks[1] + brick(1)) * grid.bricks[0] + brick(0))] == 0)
            return;
        const auto [lowest, highest] = united(own, blocks, {at[0] - 1, at[1] - 1, at[2] - 1},
                                              {at[0] + 2, at[1] + 2, at[2] + 2});
        ranges[2 * number] = lowest;
        ranges[2 * number + 1] = highest;
    });
}

}  // namespace tesela::rendering
