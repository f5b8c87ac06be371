// The bricks of a volume that pages of the pool are made of.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rendering/bricks.h"
#include "tesela/brick_source.h"

namespace tesela::rendering {

// A brick of the grid of a level, and the page that it gets.
struct PageTarget {
    std::int32_t page = 0;
    std::array<std::int32_t, 3> brick{};
};

// Pages of a level along each axis.
kernels::render_pages pages_of_level(const BrickSourceFacts& facts, int level);

// For each brick of the grid of a level its page among `targets`, -1 where it has none.
std::vector<std::int32_t> page_table_of(const BrickSourceFacts& facts, int level,
                                        std::span<const PageTarget> targets);

// The numbers of the bricks of the source that these pages have voxels of, their borders included;
// each once, in order.
std::vector<std::int64_t> bricks_under(const BrickSource& source, int level,
                                       std::span<const PageTarget> targets);
// At most as many for each page.
std::int64_t most_bricks_under(int level);

// What `render_fill` is told of a brick.
std::array<std::int32_t, kernels::render_fill_numbers> filled_by(const BrickSource& source,
                                                                 int level,
                                                                 const BrickPlace& place);

}  // namespace tesela::rendering
