// Which bricks of a grid the rays of a part of the picture may meet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "rendering/view.h"
#include "tesela/progress.h"

namespace tesela::rendering {

// Pixels; `end` is exclusive.
struct PictureTile {
    std::array<std::int64_t, 2> begin{}, end{};

    std::int64_t length(std::size_t axis) const { return end[axis] - begin[axis]; }
};

// Where a brick of the grid appears in the picture.
struct SeenBrick {
    std::int32_t number = 0;
    PictureTile pixels;
};

// What a camera sees of a grid; `placement` is that of its level. Bricks are never too few.
class Sight {
  public:
    Sight(const kernels::render_view& view, const kernels::render_grid& grid,
          const Placement& placement)
        : view_(view), grid_(grid), placement_(placement) {}

    PictureTile picture() const { return {{0, 0}, {view_.width, view_.height}}; }
    // Those bricks of `wanted`, a flag for each of the grid, that rays may meet within the clip box
    // and the clip planes.
    std::vector<SeenBrick> bricks(const std::vector<std::uint8_t>& wanted) const;
    // Those of them that the rays of a tile may meet.
    std::vector<SeenBrick> met_by(const PictureTile& tile,
                                  const std::vector<SeenBrick>& bricks) const;

  private:
    kernels::render_view view_;
    kernels::render_grid grid_;
    Placement placement_;
};

// A flag for each brick of the grid: whether it has a block that is at most `distance` blocks from
// a visible one, by the distance map.
std::vector<std::uint8_t> bricks_near(const std::vector<std::uint8_t>& distance_map, int distance,
                                      const kernels::render_grid& grid);
// The number of the brick at a position in voxels, or of the nearest one.
std::int32_t brick_at(const Vector3& voxel, const kernels::render_grid& grid);

// The levels of a picture: that of the grid, and how many levels coarser each of its bricks is;
// empty where none is.
struct LevelChoice {
    int level = 0;
    std::vector<std::uint8_t> coarser;
};
// Of each brick the coarsest level of which a voxel is no larger than a pixel where the brick is
// nearest to the camera, or `fixed`. With a focus its bricks have level 0, and others at least
// level 2. `shape` and `placement` are those of level 0. `require` throws for a level whose bricks
// are too many to look at. Throws InvalidArgument (camera, focus), and Cancelled.
LevelChoice levels_of_pixels(const Camera& camera, const RenderSettings& settings,
                             std::optional<int> fixed, const Shape& shape,
                             const Placement& placement,
                             const std::function<void(int level)>& require,
                             const Progress& progress);

}  // namespace tesela::rendering
