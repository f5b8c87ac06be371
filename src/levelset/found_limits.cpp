#include "levelset/found_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "levelset/seeded_regions.h"
#include "segmentation/thresholds/histogram_threshold.h"

namespace tesela {
namespace {

constexpr double most_blocks = 1e6;
// Radii of necks, in lengths of a block.
constexpr std::array<double, 8> neck_widths{0, 1, 1.5, 2, 2.5, 3, 3.5, 4};
constexpr double needed_seeds = 0.5;  // the share of the seeds that a region must include
// A region leaks if it grows by these factors within one level, or within three, and its border has
// this share of the highest contrast: before that it is not yet the object.
constexpr double leap = 0.08, leap_of_three = 0.16, contrast_of_leak = 0.5;
constexpr std::size_t levels_to_leak = 8;  // a border closer to a leak has not been passed
constexpr double same_volume = 1.1;
constexpr double faint = 0.5;  // borders of such a share of the clearest one do not count
// An object smaller than this share of the image is searched again, in a box with smaller blocks.
constexpr double small_object = 0.02;
constexpr double least_gain = 1.05;  // of a limit on the far side

// A part of an image.
struct Box {
    std::array<std::int64_t, 3> first{}, length{};
};

// A box of an image in blocks, each with the mean of its points. Values are negated if the object
// is darker than its surroundings, so that it is always the brighter one.
struct Blocks {
    Box box;
    LevelGrid grid;
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::vector<float> values;
    std::vector<bool> known;  // has points that the object may hold
    std::vector<std::uint32_t> seeds;
    double seed = 0, lowest = 0, highest = 0;  // the median of seeds; nearly all values
    bool is_dark = false;

    double total() const {
        return static_cast<double>(std::count(known.begin(), known.end(), true)) *
               block_volume(grid);
    }
};

using Spacing = std::array<double, 3>;

std::array<std::int64_t, 3> lengths_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

// A box around the seeds with at most as many points as there may be blocks.
Box box_around(const Shape& shape, const Spacing& spacing, std::span<const std::uint32_t> seeds) {
    const std::array<std::int64_t, 3> most{shape.x, shape.y, shape.z};
    double point = 1, axes = 0;
    std::array<double, 3> middle{};
    for (const std::uint32_t seed : seeds) {
        const std::int64_t p = seed;
        const std::array<std::int64_t, 3> at{p % shape.x, p / shape.x % shape.y,
                                             p / shape.x / shape.y};
        for (std::size_t axis = 0; axis < 3; ++axis)
            middle[axis] += static_cast<double>(at[axis]) / static_cast<double>(seeds.size());
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (most[axis] > 1) {
            point *= spacing[axis];
            ++axes;
        }
    const double side = axes > 0 ? std::pow(point * most_blocks, 1 / axes) : 1;
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.length[axis] =
            std::clamp<std::int64_t>(std::llround(side / spacing[axis]), 1, most[axis]);
        box.first[axis] = std::clamp<std::int64_t>(
            std::llround(middle[axis]) - box.length[axis] / 2, 0, most[axis] - box.length[axis]);
    }
    return box;
}

std::array<std::int64_t, 3> block_size(const Box& box, const Spacing& spacing) {
    const auto& length = box.length;
    double volume = 1, axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (length[axis] > 1) {
            volume *= static_cast<double>(length[axis]) * spacing[axis];
            ++axes;
        }
    const double side = axes > 0 ? std::pow(volume / most_blocks, 1 / axes) : 0;
    std::array<std::int64_t, 3> size{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis)
        size[axis] = std::clamp<std::int64_t>(std::llround(side / spacing[axis]), 1, length[axis]);
    return size;
}

// Calls `use` with each point and its block.
template <class Use>
void for_blocks(const Shape& shape, const Blocks& blocks, const Use& use) {
    const auto& [first, length] = blocks.box;
    for (std::int64_t z = 0; z < length[2]; ++z)
        for (std::int64_t y = 0; y < length[1]; ++y) {
            const std::int64_t row =
                (z / blocks.size[2] * blocks.grid.shape.y + y / blocks.size[1]) *
                blocks.grid.shape.x;
            const std::int64_t point =
                ((first[2] + z) * shape.y + first[1] + y) * shape.x + first[0];
            for (std::int64_t x = 0; x < length[0]; ++x)
                use(static_cast<std::size_t>(point + x),
                    static_cast<std::size_t>(row + x / blocks.size[0]));
        }
}

template <class T>
float at_share(std::vector<T> values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

// Blocks that are at least half seeds, or those with the largest share.
void find_seeds(Blocks& blocks, const Shape& shape, std::span<const std::uint32_t> seeds,
                const std::vector<std::uint32_t>& counts) {
    std::vector<bool> marked(static_cast<std::size_t>(shape.points()), false);
    for (const std::uint32_t seed : seeds) marked[seed] = true;
    std::vector<std::uint32_t> within(counts.size(), 0);
    for_blocks(shape, blocks,
               [&](std::size_t point, std::size_t block) { within[block] += marked[point]; });
    const std::uint32_t most = *std::max_element(within.begin(), within.end());
    std::vector<float> values;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (within[i] == 0 || !blocks.known[i] || 2 * within[i] < std::min(counts[i], most))
            continue;
        blocks.seeds.push_back(static_cast<std::uint32_t>(i));
        values.push_back(blocks.values[i]);
    }
    if (!values.empty()) blocks.seed = at_share(std::move(values), 0.5);
}

void invert(Blocks& blocks) {
    blocks.is_dark = !blocks.is_dark;
    for (float& value : blocks.values) value = -value;
    blocks.seed = -blocks.seed;
    blocks.lowest = -std::exchange(blocks.highest, -blocks.lowest);
}

// The range of nearly all values, and on which side of Otsu's threshold the seeds are.
void find_side(Blocks& blocks) {
    std::vector<float> known;
    for (std::size_t i = 0; i < blocks.values.size(); ++i)
        if (blocks.known[i]) known.push_back(blocks.values[i]);
    blocks.lowest = at_share(known, 0.001);
    blocks.highest = at_share(known, 0.999);
    if (!(blocks.highest > blocks.lowest)) return;
    std::vector<std::uint32_t> histogram(256, 0);
    const auto bin = [&](double value) {
        const double share = (value - blocks.lowest) / (blocks.highest - blocks.lowest);
        return static_cast<std::size_t>(std::clamp(255 * share, 0.0, 255.0));
    };
    for (const float value : known) ++histogram[bin(value)];
    if (bin(blocks.seed) <= otsu(histogram).level) invert(blocks);
}

Blocks blocks_of(const LevelSetPixels& image, const Spacing& spacing, const Box& box,
                 std::span<const std::uint32_t> seeds, std::span<const std::uint8_t> mask) {
    const Shape& shape = image.shape();
    Blocks blocks;
    blocks.box = box;
    blocks.size = block_size(box, spacing);
    const auto count_along = [&](std::size_t axis) {
        return (box.length[axis] - 1) / blocks.size[axis] + 1;
    };
    blocks.grid.shape = {count_along(0), count_along(1), count_along(2)};
    for (std::size_t axis = 0; axis < 3; ++axis)
        blocks.grid.spacing[axis] = spacing[axis] * static_cast<double>(blocks.size[axis]);
    const auto count = static_cast<std::size_t>(blocks.grid.shape.points());
    std::vector<double> sums(count, 0);
    std::vector<std::uint32_t> counts(count, 0);
    image.on_host([&](const auto& pixels) {
        for_blocks(shape, blocks, [&](std::size_t point, std::size_t block) {
            const auto value = static_cast<double>(pixels[point]);
            if (!std::isfinite(value) || (!mask.empty() && mask[point] == 0)) return;
            sums[block] += value;
            ++counts[block];
        });
    });
    blocks.values.resize(count);
    blocks.known.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        blocks.known[i] = counts[i] > 0;
        blocks.values[i] = static_cast<float>(sums[i] / counts[i]);  // NaN of none
    }
    find_seeds(blocks, shape, seeds, counts);
    find_side(blocks);
    return blocks;
}

enum class Side { lower, upper };

// Limits on one side, from the seeds' value to the end of the values; a limit on the other side is
// kept.
struct Sweep {
    const Blocks& blocks;
    Side side = Side::lower;
    double other = std::numeric_limits<double>::infinity();
    double radius = 0;

    double end() const { return side == Side::lower ? blocks.lowest : blocks.highest; }
    double limit(std::size_t level) const {
        return blocks.seed + (end() - blocks.seed) * (1 - static_cast<double>(level - 1) / 254);
    }
    Levels regions() const {
        Levels levels(blocks.values.size(), 0);
        const double sign = side == Side::lower ? -1 : 1, span = sign * (end() - blocks.seed);
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const double value = blocks.values[i];
            const bool is_beyond = side == Side::lower ? value > other : value < other;
            if (!blocks.known[i] || is_beyond) continue;
            const double away = sign * (value - blocks.seed);  // from the seeds towards the end
            const double depth = away > 0 ? away / span : 0;
            if (away <= 0 || depth <= 1)
                levels[i] = static_cast<std::uint8_t>(1 + std::floor(254 * (1 - depth)));
        }
        return seeded_regions(levels, blocks.grid, blocks.seeds, radius);
    }
};

// A region with the clearest border, as far as its limits are widened.
struct Border {
    std::size_t level = 0;  // 0: none
    double score = 0, volume = 0, leaked = 0;
    double radius = 0, limit = 0;
    bool is_at_leak = false;
};

enum class Leaks { stop, pass };

// Contrast weighs more than homogeneity of the inside: the tissues of an organ differ too.
double score_of(const RegionCurves& curves, std::size_t level) {
    const double contrast = curves.contrast[level];
    const double inside = std::max(curves.inside[level], contrast / 64);
    return inside > 0 ? std::sqrt(contrast * contrast * contrast / inside) : 0;
}

Border border_of(const Sweep& sweep, Leaks leaks) {
    const Levels regions = sweep.regions();
    const RegionCurves curves = region_curves(regions, sweep.blocks.grid, sweep.blocks.values);
    std::array<std::size_t, 257> seeds{};
    for (const std::uint32_t seed : sweep.blocks.seeds) ++seeds[regions[seed]];
    for (std::size_t level = 256; level-- > 0;) seeds[level] += seeds[level + 1];
    std::size_t first = 255;
    const double needed = needed_seeds * static_cast<double>(sweep.blocks.seeds.size());
    while (first > 0 && static_cast<double>(seeds[first]) < needed) --first;
    double strongest = 0;
    for (std::size_t level = first; level > 0; --level)
        strongest = std::max(strongest, curves.contrast[level]);
    Border best{.radius = sweep.radius};
    for (std::size_t level = first; level > 0; --level) {
        const std::size_t before = std::min(level + 3, first);
        const double volume = curves.volume[level];
        if (leaks == Leaks::stop && level < first &&
            (volume > (1 + leap) * curves.volume[level + 1] ||
             volume > (1 + leap_of_three) * curves.volume[before]) &&
            curves.contrast[before] > contrast_of_leak * strongest) {
            best.leaked = volume;
            best.is_at_leak = best.level < level + levels_to_leak;
            break;
        }
        if (const double score = score_of(curves, level); best.level == 0 || score > best.score) {
            best.level = level;
            best.score = score;
            best.volume = volume;
        }
    }
    if (best.level > 0) best.limit = sweep.limit(best.level);
    return best;
}

// The object that most widths of necks agree on: of these, the one with the clearest border before
// it leaks, at the narrowest of nearly equal widths.
std::optional<Border> agreed(const std::vector<Border>& borders) {
    const auto agree = [](const Border& a, const Border& b) {
        return a.volume < same_volume * b.volume && b.volume < same_volume * a.volume;
    };
    const auto count = [&](const Border& one) {
        return std::count_if(borders.begin(), borders.end(),
                             [&](const Border& other) { return agree(one, other); });
    };
    const auto middle =
        std::max_element(borders.begin(), borders.end(),
                         [&](const Border& a, const Border& b) { return count(a) < count(b); });
    if (middle == borders.end()) return {};
    std::optional<Border> best;
    for (const Border& border : borders) {
        if (!agree(border, *middle)) continue;
        if (!best || (best->is_at_leak && !border.is_at_leak) ||
            (best->is_at_leak == border.is_at_leak && border.score > 1.03 * best->score))
            best = border;
    }
    const std::ptrdiff_t needed = best->is_at_leak ? 3 : 2;
    if (count(*middle) < std::min(needed, std::ssize(borders))) return {};
    return best;
}

struct Choice {
    Border border;
    bool is_held = true;
};

Choice near_limit(const Blocks& blocks, double far, std::optional<double> neck) {
    const double block = *std::min_element(blocks.grid.spacing.begin(), blocks.grid.spacing.end());
    std::vector<double> radii;
    for (const double width : neck_widths) radii.push_back(width * block);
    if (neck) radii = {*neck};
    std::vector<Border> borders;
    for (const double radius : radii) {
        const Border border = border_of({blocks, Side::lower, far, radius}, Leaks::stop);
        if (border.level > 0 && border.volume < 0.5 * blocks.total()) borders.push_back(border);
    }
    double clearest = 0;
    for (const Border& border : borders) clearest = std::max(clearest, border.score);
    std::erase_if(borders, [&](const Border& b) { return b.score < faint * clearest; });
    if (const auto best = agreed(borders)) return {*best, !neck || !best->is_at_leak};
    return {border_of({blocks, Side::lower, far, radii.front()}, Leaks::pass), false};
}

// Infinity if none makes the border clearer.
double far_limit(const Blocks& blocks, const Border& near) {
    const Sweep sweep{blocks, Side::upper, near.limit, near.radius};
    const Border best = border_of(sweep, Leaks::pass);
    return best.level > 1 && best.score > least_gain * near.score
               ? best.limit
               : std::numeric_limits<double>::infinity();
}

bool is_at_border(const Levels& region, const Shape& shape) {
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const std::int64_t x = i % shape.x, y = i / shape.x % shape.y, z = i / shape.x / shape.y;
        const bool is_outermost = x == 0 || x + 1 == shape.x || y == 0 || y + 1 == shape.y ||
                                  (shape.z > 1 && (z == 0 || z + 1 == shape.z));
        if (is_outermost && region[static_cast<std::size_t>(i)] != 0) return true;
    }
    return false;
}

// Points in and around blocks of the region; none if it may extend beyond a box that is a part of
// the image.
std::vector<std::uint8_t> reach_of(const Blocks& blocks, const Shape& shape, double far,
                                   const Border& border) {
    Levels region = Sweep{blocks, Side::lower, far, border.radius}.regions();
    for (std::uint8_t& level : region) level = level >= border.level ? 255 : 0;
    const double around =
        1.5 * *std::max_element(blocks.grid.spacing.begin(), blocks.grid.spacing.end());
    region = widened(region, blocks.grid, around);
    if (blocks.box.length != lengths_of(shape) && is_at_border(region, blocks.grid.shape))
        return {};
    std::vector<std::uint8_t> reach(static_cast<std::size_t>(shape.points()));
    for_blocks(shape, blocks,
               [&](std::size_t point, std::size_t block) { reach[point] = region[block]; });
    return reach;
}

FoundLimits found_on_side(const Blocks& blocks, const Shape& shape, std::optional<double> neck) {
    FoundLimits found;
    if (blocks.seeds.empty() || !(blocks.highest > blocks.lowest)) return found;
    double far = std::numeric_limits<double>::infinity();
    Choice choice = near_limit(blocks, far, neck);
    if (choice.border.level > 0) {
        far = far_limit(blocks, choice.border);
        if (std::isfinite(far)) choice = near_limit(blocks, far, neck);
    }
    const Border& border = choice.border;
    found.is_held = choice.is_held;
    if (border.level == 0) return found;
    found.neck = std::round(100 * border.radius) / 100;
    found.volume = border.volume;
    if (border.is_at_leak) found.leaked = border.leaked;
    found.lower = border.limit;
    if (std::isfinite(far)) found.upper = far;
    if (blocks.is_dark) {
        std::swap(found.lower, found.upper);
        for (auto* limit : {&found.lower, &found.upper})
            if (*limit) **limit = -**limit;
    }
    if (found.is_held) found.reach = reach_of(blocks, shape, far, border);
    return found;
}

// For objects between darker and brighter surroundings, the side that limits them.
FoundLimits found_in(Blocks& blocks, const Shape& shape, std::optional<double> neck) {
    FoundLimits found = found_on_side(blocks, shape, neck);
    if (found.is_held) return found;
    invert(blocks);
    FoundLimits other = found_on_side(blocks, shape, neck);
    return other.is_held ? other : found;
}

}  // namespace

FoundLimits find_limits(const LevelSetPixels& image, const std::array<double, 3>& spacing,
                        std::span<const std::uint32_t> seeds, std::span<const std::uint8_t> mask,
                        std::optional<double> neck) {
    const Shape& shape = image.shape();
    Blocks whole = blocks_of(image, spacing, {{}, lengths_of(shape)}, seeds, mask);
    FoundLimits found = found_in(whole, shape, neck);
    const bool is_small = !found.is_held || found.volume < small_object * whole.total();
    if (whole.size == std::array<std::int64_t, 3>{1, 1, 1} || !is_small) return found;
    Blocks near = blocks_of(image, spacing, box_around(shape, spacing, seeds), seeds, mask);
    FoundLimits finer = found_in(near, shape, neck);
    return finer.is_held ? finer : found;
}

// Sums, counts and values of blocks; levels: original, eroded, flooded and dilated; the queue of
// points.
std::int64_t find_limits_bytes(const Shape& shape) {
    const double points = static_cast<double>(shape.points());
    return static_cast<std::int64_t>(32 * std::min(points, 2 * most_blocks) + 2 * points);
}

}  // namespace tesela
