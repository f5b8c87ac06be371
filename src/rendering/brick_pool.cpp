#include "rendering/brick_pool.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/rendering/render_fill.kernel.h"
#include "rendering/brick_values.h"
#include "tesela/error.h"

namespace tesela::rendering {
namespace {

std::int64_t budget_of(std::int64_t max_bytes, const Queue& queue) {
    constexpr std::int64_t unknown = std::int64_t{1} << 30;
    if (max_bytes > 0) return max_bytes;
    const std::int64_t free = queue.device().free_memory();
    return free > 0 ? free / 2 : unknown;
}

std::string in_mib(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

// For bricks on their way to a pool of this size.
std::int64_t stage_of(std::int64_t pool_bytes) {
    return std::clamp<std::int64_t>(pool_bytes / 8, 1 << 20, std::int64_t{1} << 29);
}

struct PageRanges {
    Queue& queue;
    const Buffer<std::int32_t>& filled;
    std::int64_t count;
    const kernels::render_grid& grid;
    Buffer<float>& ranges;

    template <class Kernel, class V>
    void launch(const Kernel& kernel, const Buffer<V>& pool) const {
        const std::int64_t blocks = std::int64_t{1} << (3 * grid.brick_shift);
        queue.launch(kernel, Range{blocks, count}, pool, filled, grid, std::int32_t{1}, ranges);
    }
    void operator()(const Buffer<std::uint8_t>& pool) const {
        launch(kernels::render_page_ranges_u8, pool);
    }
    void operator()(const Buffer<std::uint16_t>& pool) const {
        launch(kernels::render_page_ranges_u16, pool);
    }
    void operator()(const Buffer<float>& pool) const {
        launch(kernels::render_page_ranges_f32, pool);
    }
    void operator()(const Buffer<std::uint32_t>& pool) const {
        launch(kernels::render_page_ranges_rgb, pool);
    }
};

}  // namespace

BrickPool::BrickPool(std::shared_ptr<const BrickSource> source, Queue& queue,
                     std::int64_t max_bytes, const ValueStatistics& values, Bricks& bricks)
    : source_(std::move(source)),
      queue_(queue),
      max_bytes_(budget_of(max_bytes, queue)),
      values_(values),
      bricks_(bricks),
      filler_(PageFiller::of(source_, queue)) {
    bricks_.value_offset = filler_->value_offset();
}

void BrickPool::set_level(int level, std::vector<std::uint8_t> coarser) {
    if (level == level_ && coarser == coarser_) return;
    if (level != level_) set_grid(level);
    coarser_ = std::move(coarser);
    set_ranges();
}

double BrickPool::table_bytes(int level) const {
    const Shape& shape = source_->facts().levels[static_cast<std::size_t>(level)];
    constexpr std::int64_t side = kernels::render_brick_side,
                           block = kernels::render_paged_block_side;
    double tables = 0;
    for (const auto& [length, bytes] : {std::pair{side, 8.0}, std::pair{block, 34.0}})
        tables += bytes * double((shape.x + length - 1) / length) *
                  double((shape.y + length - 1) / length) * double((shape.z + length - 1) / length);
    return tables;
}

std::int64_t BrickPool::most_pages(int level) const {
    const std::int64_t for_pages = max_bytes_ - static_cast<std::int64_t>(table_bytes(level));
    return (for_pages - stage_of(for_pages)) / page_bytes();
}

void BrickPool::require(int level) const {
    if (table_bytes(level) > double(max_bytes_) / 2)
        throw OutOfMemory("render: what is known of the blocks of level " + std::to_string(level) +
                              " takes more than half of the " + in_mib(max_bytes_) +
                              " for bricks; take a coarser --level or more memory",
                          max_bytes_, max_bytes_ / 2);
    if (most_pages(level) < 1) refuse_too_few();
}

void BrickPool::refuse_too_few() const {
    throw OutOfMemory("render: " + in_mib(max_bytes_) + " for bricks are too few: a brick takes " +
                          in_mib(page_bytes()) +
                          ", and as much again while it is decoded; raise "
                          "--max-memory",
                      page_bytes(), max_bytes_);
}

void BrickPool::set_grid(int level) {
    require(level);
    level_ = -1;  // until all is there
    bricks_.grid = grid_of(source_->facts().levels[static_cast<std::size_t>(level)],
                           kernels::render_paged_block_side);
    reserve(most_pages(level));
    page_table_.assign(static_cast<std::size_t>(bricks_.bricks()), 0);
    bricks_.page_table = queue_.upload(std::span<const std::int32_t>(page_table_), "page table");
    known_ranges_ = block_ranges_of(*source_, bricks_.value_offset, level, bricks_.grid);
    level_ = level;
}

// Unknown ranges hold every value. Coarser voxels reach one block further.
void BrickPool::set_ranges() {
    std::vector<float> ranges = known_ranges_;
    if (ranges.empty()) {
        ranges.resize(static_cast<std::size_t>(2 * bricks_.blocks()));
        for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = i % 2 == 0 ? -3.0e38f : 3.0e38f;
    } else if (!coarser_.empty()) {
        widen_ranges(coarser_, bricks_.grid, ranges);
    }
    bricks_.ranges = queue_.upload(std::span<const float>(ranges), "ranges of blocks");
    has_new_ranges_ = true;
}

// Fewer pages than the most, or than the grid has bricks, where the queue may not take as much
// memory. What is decoded on the way has to fit too, so that as much is held until the pool is
// there. A pool of nearly that size keeps its bricks.
void BrickPool::reserve(std::int64_t most) {
    std::int64_t pages = std::min(most, bricks_.bricks());
    if (pages >= 1 && capacity() <= most && capacity() >= std::min(pages, most - most / 4)) return;
    pages_.clear();
    page_of_.clear();
    bricks_.pool = Bricks::Pool();
    filler_->drop_memory();
    queue_.trim();
    for (; pages >= 1; pages = pages * 3 / 4) try {
            const std::int64_t stage_bytes = stage_of(pages * page_bytes());
            const auto stage = queue_.allocate<std::uint8_t>(stage_bytes, "bricks on their way");
            bricks_.pool = filler_->allocate(pages);
            pages_.resize(static_cast<std::size_t>(pages));
            filler_->set_stage(stage_bytes);
            return;
        } catch (const OutOfMemory&) {
            queue_.trim();
        }
    refuse_too_few();
}

std::uint64_t BrickPool::key_of(std::int32_t brick) const {
    const int levels = levels_of(brick);
    const auto& count = bricks_.grid.bricks;
    const std::int64_t x = brick % count[0] >> levels, y = brick / count[0] % count[1] >> levels,
                       z = brick / count[0] / count[1] >> levels;
    const auto coarser_count = [&](std::size_t a) {
        return std::int64_t{(count[a] - 1) >> levels} + 1;
    };
    const std::int64_t number = (z * coarser_count(1) + y) * coarser_count(0) + x;
    return static_cast<std::uint64_t>(level_ + levels) << 32 | static_cast<std::uint64_t>(number);
}

PageTarget BrickPool::target_of(std::uint64_t key, std::int32_t page) const {
    const Shape& shape = source_->facts().levels[static_cast<std::size_t>(key >> 32)];
    constexpr std::int64_t side = kernels::render_brick_side;
    const auto number = static_cast<std::int64_t>(key & 0xffffffffu);
    const std::int64_t nx = (shape.x + side - 1) / side, ny = (shape.y + side - 1) / side;
    return {page,
            {static_cast<std::int32_t>(number % nx), static_cast<std::int32_t>(number / nx % ny),
             static_cast<std::int32_t>(number / nx / ny)}};
}

// Each once, the finest level first.
std::vector<std::uint64_t> BrickPool::keys_of(std::span<const std::int32_t> bricks) const {
    std::vector<std::uint64_t> keys;
    for (const std::int32_t brick : bricks) keys.push_back(key_of(brick));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

void BrickPool::load(std::span<const std::int32_t> bricks, const Progress& progress) {
    ++loads_;
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t key : keys_of(bricks)) {
        const auto found = page_of_.find(key);
        if (found == page_of_.end())
            missing.push_back(key);
        else
            pages_[static_cast<std::size_t>(found->second)].used = loads_;
    }
    if (!missing.empty()) fill(missing, progress);
    bool is_changed = false;
    for (const std::int32_t brick : bricks) {
        const std::int32_t entry = page_of_.at(key_of(brick)) | levels_of(brick)
                                                                    << kernels::render_level_shift;
        is_changed |= std::exchange(page_table_[static_cast<std::size_t>(brick)], entry) != entry;
    }
    if (is_changed) queue_.write(bricks_.page_table, std::span<const std::int32_t>(page_table_));
}

// In the place of the least recently used pages, which are empty where filling ends early.
void BrickPool::fill(const std::vector<std::uint64_t>& missing, const Progress& progress) {
    std::vector<std::int32_t> old;
    for (std::size_t i = 0; i < pages_.size(); ++i)
        if (pages_[i].used < loads_) old.push_back(static_cast<std::int32_t>(i));
    std::stable_sort(old.begin(), old.end(), [&](std::int32_t a, std::int32_t b) {
        return pages_[static_cast<std::size_t>(a)].used < pages_[static_cast<std::size_t>(b)].used;
    });
    for (std::size_t first = 0; first < missing.size();) {
        const int level = static_cast<int>(missing[first] >> 32);
        std::vector<PageTarget> targets;
        std::size_t end = first;
        for (; end < missing.size() && static_cast<int>(missing[end] >> 32) == level; ++end) {
            Page& page = pages_[static_cast<std::size_t>(old.at(end))];
            if (page.key != no_key) page_of_.erase(page.key);
            page = {};
            targets.push_back(target_of(missing[end], old[end]));
        }
        filler_->fill(level, targets, values_.lowest - bricks_.value_offset, bricks_.pool, counts_,
                      progress);
        for (std::size_t i = first; i < end; ++i) {
            pages_[static_cast<std::size_t>(old[i])] = {missing[i], loads_};
            page_of_[missing[i]] = old[i];
        }
        if (known_ranges_.empty() && coarser_.empty()) measure(targets);
        first = end;
    }
}

// Each pixel has the same ray in any tile.
void BrickPool::in_tiles(const Sight& sight, const PictureTile& tile,
                         const std::vector<SeenBrick>& seen, const CastTile& cast,
                         const Progress& progress) {
    constexpr std::int64_t group_side = 8;  // pixels, of the kernels that cast rays
    const std::vector<SeenBrick> met = sight.met_by(tile, seen);
    std::vector<std::int32_t> bricks;
    for (const SeenBrick& brick : met) bricks.push_back(brick.number);
    const std::int64_t pages = std::ssize(keys_of(bricks));
    if (pages <= capacity()) {
        load(bricks, progress);
        ++counts_.tiles;
        return cast(tile, progress);
    }
    const std::size_t axis = tile.length(0) >= tile.length(1) ? 0 : 1;
    if (tile.length(axis) <= group_side)
        throw OutOfMemory(
            "render: " + std::to_string(met.size()) + " bricks are seen by 8 x 8 pixels, and " +
                std::to_string(capacity()) + " fit; raise --max-memory or take a coarser --level",
            pages * page_bytes(), capacity() * page_bytes());
    const std::int64_t half = (tile.length(axis) / 2 + group_side - 1) / group_side * group_side;
    PictureTile first = tile, second = tile;
    first.end[axis] = second.begin[axis] = tile.begin[axis] + half;
    in_tiles(sight, first, met, cast, progress.part(0, 0.5));
    in_tiles(sight, second, met, cast, progress.part(0.5, 1));
}

void BrickPool::measure(std::span<const PageTarget> filled) {
    std::vector<std::int32_t> numbers;
    for (const PageTarget& target : filled) {
        numbers.push_back(target.page);
        numbers.insert(numbers.end(), target.brick.begin(), target.brick.end());
    }
    const auto on_device = queue_.upload(std::span<const std::int32_t>(numbers), "filled pages");
    std::visit(PageRanges{queue_, on_device, std::ssize(filled), bricks_.grid, bricks_.ranges},
               bricks_.pool);
    has_new_ranges_ = true;
}

}  // namespace tesela::rendering
