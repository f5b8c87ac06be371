// A bounded pool of bricks, which are decoded when a picture needs them; the least recently used
// ones make way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rendering/page_filler.h"
#include "rendering/values.h"
#include "rendering/visible_bricks.h"

namespace tesela::rendering {

class BrickPool {
  public:
    // Keeps pool, page table, ranges and grid of `bricks` up to date. `max_bytes` of device memory
    // are taken, 0: half of what is free.
    BrickPool(std::shared_ptr<const BrickSource> source, Queue& queue, std::int64_t max_bytes,
              const ValueStatistics& values, Bricks& bricks);

    const BrickSource& source() const { return *source_; }
    // The level of the grid, and for each of its bricks how many levels coarser it is shown; empty:
    // none is. Throws as `require`. The pool is allocated at the first call.
    void set_level(int level, std::vector<std::uint8_t> coarser = {});
    std::int64_t capacity() const { return std::ssize(pages_); }
    // Throws OutOfMemory where what is known of the blocks of a level does not fit, or not one
    // brick beside it.
    void require(int level) const;

    // The pages of these bricks of the grid, at most as many as the capacity. Throws Cancelled.
    void load(std::span<const std::int32_t> bricks, const Progress& progress);
    // Calls `cast` for tiles of the picture whose bricks are loaded: the whole, or halves of it
    // until the bricks fit. Throws OutOfMemory where those of one group of pixels do not.
    using CastTile = std::function<void(const PictureTile& tile, const Progress& progress)>;
    void in_tiles(const Sight& sight, const PictureTile& tile, const std::vector<SeenBrick>& seen,
                  const CastTile& cast, const Progress& progress);
    // Whether ranges became known since the last call.
    bool takes_new_ranges() { return std::exchange(has_new_ranges_, false); }

    BrickCounts& counts() { return counts_; }

  private:
    // A page holds a brick of the grid of any level, by its key: the level, and the number there.
    static constexpr std::uint64_t no_key = ~std::uint64_t{0};
    struct Page {
        std::uint64_t key = no_key;
        std::uint64_t used = 0;
    };

    double table_bytes(int level) const;
    std::int64_t most_pages(int level) const;
    [[noreturn]] void refuse_too_few() const;
    void set_grid(int level);
    void set_ranges();
    int levels_of(std::int32_t brick) const {
        return coarser_.empty() ? 0 : coarser_[static_cast<std::size_t>(brick)];
    }
    std::uint64_t key_of(std::int32_t brick) const;
    PageTarget target_of(std::uint64_t key, std::int32_t page) const;
    std::vector<std::uint64_t> keys_of(std::span<const std::int32_t> bricks) const;
    void fill(const std::vector<std::uint64_t>& missing, const Progress& progress);
    void reserve(std::int64_t most);
    void measure(std::span<const PageTarget> filled);
    std::int64_t page_bytes() const {
        return filler_->voxel_bytes() * kernels::render_brick_voxels;
    }

    std::shared_ptr<const BrickSource> source_;
    Queue& queue_;
    std::int64_t max_bytes_;
    ValueStatistics values_;
    Bricks& bricks_;
    std::unique_ptr<PageFiller> filler_;

    int level_ = -1;
    std::vector<float> known_ranges_;       // of blocks of the grid; empty where they are not
    std::vector<std::uint8_t> coarser_;     // of each brick of the grid; empty: none
    std::vector<std::int32_t> page_table_;  // of the grid; of bricks that were never there 0
    std::vector<Page> pages_;
    std::unordered_map<std::uint64_t, std::int32_t> page_of_;
    std::uint64_t loads_ = 0;
    bool has_new_ranges_ = false;
    BrickCounts counts_;
};

}  // namespace tesela::rendering
