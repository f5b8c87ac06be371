// A volume on the device: bricks with a border, and the range of values in each block.
#pragma once

#include <variant>
#include <vector>

#include "kernels/rendering/render_bricks.kernel.h"
#include "pixels/pixel_source.h"
#include "tesela/brick_source.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela::rendering {

// Red, green and blue of a voxel, and their luminance, which is its value.
struct Bricks {
    // u32: of colors.
    using Pool = std::variant<Buffer<std::uint8_t>, Buffer<std::uint16_t>, Buffer<float>,
                              Buffer<std::uint32_t>>;

    kernels::render_grid grid{};
    Pool pool;
    Buffer<std::int32_t> page_table;  // the page in the pool of each brick
    Buffer<float> ranges;             // lowest and highest value of each block
    double value_offset = 0;          // added to voxels of the pool gives those of the image

    std::int64_t bricks() const {
        return std::int64_t{1} * grid.bricks[0] * grid.bricks[1] * grid.bricks[2];
    }
    std::int64_t blocks() const {
        return std::int64_t{1} * grid.blocks[0] * grid.blocks[1] * grid.blocks[2];
    }
};

kernels::render_grid grid_of(const Shape& shape, int block_side);
template <class T>
Bricks bricks_of(const PixelSource<T>& volume, Queue& queue);
// Labels of the same grid, in the same pages.
struct LabelBricks {
    Buffer<std::uint16_t> pool;
    Buffer<float> ranges;
    Buffer<std::uint32_t> shares;  // of smoothed labels; one element until `add_shares`
};
LabelBricks no_labels(Queue& queue);
LabelBricks label_bricks_of(const Image<std::uint16_t>& labels, const Bricks& volume, Queue& queue);
// Other labels in a box of the grid; the shares around it are computed again where they exist.
// `visible`: as below.
void update_label_bricks(LabelBricks& labels, const Image<std::uint16_t>& part, const VoxelBox& box,
                         std::uint32_t visible, const Bricks& volume, Queue& queue);
// Computes the shares, from which surfaces of labels are made, unless they exist; numbers from 1
// to `visible` are shown.
void add_shares(LabelBricks& labels, std::uint32_t visible, const Bricks& volume, Queue& queue);

constexpr int label_bytes_per_voxel = 6;  // with shares
std::int64_t bricks_bytes(const Shape& shape, int bytes_per_voxel);

}  // namespace tesela::rendering
