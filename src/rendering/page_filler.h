// Pages of the pool from the bricks of a volume: decoded on the device where the wavelet codes
// them, else on the host, each brick once for all pages that it has voxels of. Bricks are read, or
// decoded on the host, while the device works on those before them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rendering/page_bricks.h"
#include "tesela/brick_source.h"
#include "tesela/progress.h"
#include "tesela/render.h"

namespace tesela::rendering {

class PageFiller {
  public:
    static std::unique_ptr<PageFiller> of(std::shared_ptr<const BrickSource> source, Queue& queue);
    virtual ~PageFiller() = default;

    // Memory for bricks while they are decoded; one brick is decoded at least.
    void set_stage(std::int64_t bytes) { stage_bytes_ = bytes; }
    // Gives back what is kept for the next call of `fill`.
    virtual void drop_memory() = 0;
    virtual Bricks::Pool allocate(std::int64_t pages) = 0;
    virtual std::int64_t voxel_bytes() const = 0;  // of the pool
    // Added to voxels of the pool gives values.
    virtual double value_offset() const = 0;

    // Damaged bricks get `lowest`, a value of the pool, and are named in `counts`; where voxels are
    // floating-point numbers they get none, which is invisible.
    virtual void fill(int level, std::span<const PageTarget> targets, double lowest,
                      Bricks::Pool& pool, BrickCounts& counts, const Progress& progress) = 0;

  protected:
    std::int64_t stage_bytes_ = 0;
};

}  // namespace tesela::rendering
