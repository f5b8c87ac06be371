// Pictures and volumes that need not fit into memory, part by part: what is read in boxes, and how
// the whole is cut.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "tesela/brick_source.h"
#include "tesela/progress.h"
#include "tesela/tile_source.h"

namespace tesela {

using PartSize = std::array<std::int64_t, 3>;  // points along x, y and z

// What can be read in boxes from several threads at once.
class PartSource : public VolumeInput {
  public:
    // What is stored together, so that reading one point takes all of it.
    virtual PartSize stored_part() const = 0;
};

// The finest level of a slide or of a volume in bricks, as what is read in boxes from several
// threads at once; numbers have their scaling. Tiles and bricks stay in TileCache::global(). Throws
// InvalidArgument for a slide of several planes, of which tiles have the first alone.
std::shared_ptr<const PartSource> in_parts(std::shared_ptr<const TileSource> slide);
std::shared_ptr<const PartSource> in_parts(std::shared_ptr<const BrickSource> volume);

// An image cut into boxes of one size, which are smaller at the upper borders. Parts that follow
// one another along z come first, then along y, then along x: columns of a slide, as its writers
// take them.
class PartGrid {
  public:
    // Throws InvalidArgument for a size below 1 or an image with a time axis.
    PartGrid(const Shape& shape, const PartSize& size);

    const Shape& shape() const { return shape_; }
    const std::array<std::int64_t, 3>& counts() const { return counts_; }  // along x, y and z
    std::int64_t count() const { return counts_[0] * counts_[1] * counts_[2]; }
    std::array<std::int64_t, 3> place(std::int64_t part) const;
    std::int64_t number(const std::array<std::int64_t, 3>& place) const;
    // With up to `halo` points around it, as far as the image has them.
    VoxelBox box(std::int64_t part, std::int64_t halo = 0) const;

  private:
    Shape shape_;
    PartSize size_;
    std::array<std::int64_t, 3> counts_{};
};

inline constexpr std::int64_t picture_part = 2048;  // side of the parts of pictures
// A size for parts of about 4 million points: of a picture whole tiles as they are written, of a
// volume whole parts as they are stored.
PartSize part_size(const PartSource& source);

// Calls `work` with the number of each of `count` parts, at once from as many threads as there are
// workers, each with its own number. Reports progress and looks at cancellation from the caller's
// thread. The first error ends the work and is thrown.
void for_each_part(std::int64_t count, std::size_t workers, const Progress& progress,
                   std::string_view stage,
                   const std::function<void(std::int64_t part, std::size_t worker)>& work);

}  // namespace tesela
