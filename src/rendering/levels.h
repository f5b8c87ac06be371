// A volume at its resolutions on the device.
#pragma once

#include <vector>

#include "rendering/view.h"
#include "tesela/progress.h"

namespace tesela::rendering {

// Level 0 is the volume itself; each further one has half as many voxels along each axis.
class Levels {
  public:
    static constexpr int coarsest = 4;

    // Uploads the finest level from `finest` on that fits on the device; the coarser ones are made from it
    // when they are first asked for. Throws OutOfMemory where not even the coarsest fits.
    Levels(const AnyImage& volume, int finest, Queue& queue);

    struct Level {
        Place place;
        Bricks bricks;
        Buffer<std::uint8_t> hidden;  // blocks that cannot be seen
    };
    // Counts from that of the volume; finer levels than the finest are that one.
    Level& at(int level);
    int finest() const { return finest_; }

  private:
    Level level_of_bricks(Bricks bricks, int level);

    Queue& queue_;
    Place place_;
    int finest_ = 0;
    std::vector<Level> levels_;  // from the finest on
};

// Each voxel the mean of the two, four or eight that it covers; NaN is passed over.
AnyImage half_of(const AnyImage& volume);

}  // namespace tesela::rendering
