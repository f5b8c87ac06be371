#include "rendering/page_bricks.h"

#include <algorithm>

#include "volumes/brick_coder.h"

namespace tesela::rendering {
namespace {

constexpr int side = kernels::render_brick_side, border = kernels::render_brick_border;

std::array<std::int64_t, 3> lengths_of(const BrickSourceFacts& facts, int level) {
    const Shape& shape = facts.levels[static_cast<std::size_t>(level)];
    return {shape.x, shape.y, shape.z};
}

// The first and the last brick of the source along an axis that a page has voxels of.
struct Span {
    std::int64_t first = 0, last = 0;
};
Span bricks_along(std::int64_t page, std::int64_t length, int level) {
    const std::int64_t brick_side = BrickSource::side >> level;
    const std::int64_t begin = page * side - border, end = begin + side + 2 * border;
    return {std::max<std::int64_t>(begin, 0) / brick_side,
            (std::min(end, length) - 1) / brick_side};
}

bool is_next_along_x(const PageTarget& a, const PageTarget& b) {
    return b.brick[0] == a.brick[0] + 1 && b.brick[1] == a.brick[1] && b.brick[2] == a.brick[2];
}

// Of numbers of bricks, of which those of a row follow each other.
struct Run {
    std::int64_t begin = 0, end = 0;
};

}  // namespace

kernels::render_pages pages_of_level(const BrickSourceFacts& facts, int level) {
    kernels::render_pages pages{};
    const auto lengths = lengths_of(facts, level);
    for (std::size_t a = 0; a < 3; ++a)
        pages.count[a] = static_cast<std::int32_t>((lengths[a] + side - 1) / side);
    return pages;
}

std::vector<std::int32_t> page_table_of(const BrickSourceFacts& facts, int level,
                                        std::span<const PageTarget> targets) {
    const auto& count = pages_of_level(facts, level).count;
    std::vector<std::int32_t> table(
        static_cast<std::size_t>(std::int64_t{count[0]} * count[1] * count[2]), -1);
    for (const PageTarget& target : targets)
        table[static_cast<std::size_t>(
            (std::int64_t{target.brick[2]} * count[1] + target.brick[1]) * count[0] +
            target.brick[0])] = target.page;
    return table;
}

std::vector<std::int64_t> bricks_under(const BrickSource& source, int level,
                                       std::span<const PageTarget> targets) {
    const auto lengths = lengths_of(source.facts(), level);
    std::vector<Run> runs;
    for (std::size_t first = 0, last = 0; first < targets.size(); first = ++last) {
        while (last + 1 < targets.size() && is_next_along_x(targets[last], targets[last + 1]))
            ++last;
        const Span x{bricks_along(targets[first].brick[0], lengths[0], level).first,
                     bricks_along(targets[last].brick[0], lengths[0], level).last};
        const Span y = bricks_along(targets[first].brick[1], lengths[1], level);
        const Span z = bricks_along(targets[first].brick[2], lengths[2], level);
        for (std::int64_t row = z.first; row <= z.last; ++row)
            for (std::int64_t column = y.first; column <= y.last; ++column) {
                const std::int64_t begin = source.number_of({x.first, column, row});
                runs.push_back({begin, begin + x.last - x.first + 1});
            }
    }
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.begin < b.begin; });
    std::vector<std::int64_t> numbers;
    std::int64_t next = 0;
    for (const Run& run : runs) {
        for (next = std::max(next, run.begin); next < run.end; ++next) numbers.push_back(next);
    }
    return numbers;
}

std::int64_t most_bricks_under(int level) {
    const std::int64_t along_axis = (side + 2 * border - 1) / (BrickSource::side >> level) + 2;
    return along_axis * along_axis * along_axis;
}

std::array<std::int32_t, kernels::render_fill_numbers> filled_by(const BrickSource& source,
                                                                 int level,
                                                                 const BrickPlace& place) {
    const std::int32_t brick_side = BrickSource::side >> level;
    const auto counts = source.bricks();
    const detail::BrickSize size = detail::size_at(source.brick_size(place), level);
    const auto pages = pages_of_level(source.facts(), level);
    const std::array<std::int64_t, 3> at{place.x, place.y, place.z};
    std::array<std::int32_t, kernels::render_fill_numbers> numbers{};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto origin = static_cast<std::int32_t>(at[a]) * brick_side;
        const std::int32_t begin = at[a] == 0 ? -border : origin;
        const std::int32_t end =
            at[a] + 1 == counts[a] ? pages.count[a] * side + border : origin + size[a];
        numbers[kernels::render_fill_begin + a] = begin;
        numbers[kernels::render_fill_count + a] = end - begin;
        numbers[kernels::render_fill_origin + a] = origin;
        numbers[kernels::render_fill_size + a] = size[a];
    }
    return numbers;
}

}  // namespace tesela::rendering
