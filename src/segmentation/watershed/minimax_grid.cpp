#include "segmentation/watershed/minimax_grid.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "kernels/watershed/minimax.kernel.h"
#include "kernels/watershed/minimax_weights.kernel.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u16;
using kernels::u32;

i32 narrow(std::int64_t value) { return static_cast<i32>(value); }

// `launch(box, offset, first, x0, y0, weights)` launches the kernel that weighs the steps of a
// direction.
Buffer<u16> weigh(Queue& queue, const MinimaxGrid& grid, const auto& launch) {
    const Shape& s = grid.shape;
    auto weights =
        queue.allocate<u16>(grid.directions * grid.pitch() + grid.pad(), "weights of steps");
    for (int k = 0; k < grid.directions; ++k) {
        const int direction = grid.first_direction + k;
        const int dx = kernels::minimax_dx[direction];
        const int dy = kernels::minimax_dy[direction];
        const int dz = kernels::minimax_dz[direction];
        const std::int64_t first = k * grid.pitch() + grid.pad();
        const Range box{s.x - std::abs(dx), s.y - std::abs(dy), s.z - dz};
        launch(box, (dz * s.y + dy) * s.x + dx, first, std::max(-dx, 0), std::max(-dy, 0), weights);
        queue.launch(kernels::minimax_block_edges, Range{s.y * s.z}, s.points(), first, grid.pad(),
                     dx, dy, dz, narrow(s.x), narrow(s.y), narrow(s.z), weights);
    }
    return weights;
}

}  // namespace

MinimaxGrid::MinimaxGrid(const Shape& image, int axes_of_neighbors)
    : shape{image.x, image.y, image.z}, axes(axes_of_neighbors) {
    if (image.t > 1)
        throw UnsupportedFormat("growth by steps takes pictures and volumes; this image has " +
                                std::to_string(image.t) + " frames: give them one by one");
    if (points() + 2 * pad() > std::numeric_limits<i32>::max())
        throw InvalidArgument("the image has " + std::to_string(points()) +
                              " points; with a border it may have 2147483647: give parts of it");
    first_direction = shape.z > 1 ? 0 : 1;
    const std::array<int, 3> of_volumes{3, 9, 13}, of_pictures{2, 4, 4};
    directions = (shape.z > 1 ? of_volumes : of_pictures)[static_cast<std::size_t>(axes - 1)];
}

int MinimaxGrid::neighbors() const { return 2 * directions; }

std::int64_t MinimaxGrid::pad() const {
    return (shape.z > 1 ? shape.x * shape.y : 0) + shape.x + 1;
}

Buffer<u16> minimax_weights(Queue& queue, const MinimaxGrid& grid, int channels,
                            const Buffer<u16>& values, u32 limit) {
    if (channels != 1 && channels != 3)
        throw InvalidArgument("steps are weighed by values of 1 or 3 channels, not of " +
                              std::to_string(channels));
    return weigh(queue, grid,
                 [&](const Range& box, std::int64_t offset, std::int64_t first, i32 x0, i32 y0,
                     Buffer<u16>& weights) {
                     const i32 nx = narrow(grid.shape.x), ny = narrow(grid.shape.y);
                     if (channels == 1)
                         queue.launch(kernels::minimax_weights_1, box, values, limit, offset, first,
                                      x0, y0, nx, ny, weights);
                     else
                         queue.launch(kernels::minimax_weights_3, box, values, grid.points(), limit,
                                      offset, first, x0, y0, nx, ny, weights);
                 });
}

Buffer<u16> minimax_weights(Queue& queue, const MinimaxGrid& grid, const Buffer<u16>& relief,
                            const Buffer<u32>& seeds, u32 limit) {
    return weigh(queue, grid,
                 [&](const Range& box, std::int64_t offset, std::int64_t first, i32 x0, i32 y0,
                     Buffer<u16>& weights) {
                     queue.launch(kernels::minimax_weights_relief, box, relief, seeds, limit,
                                  offset, first, x0, y0, narrow(grid.shape.x), narrow(grid.shape.y),
                                  weights);
                 });
}

std::int64_t minimax_weights_bytes(const MinimaxGrid& grid) {
    return 2 * (grid.directions * grid.pitch() + grid.pad());
}

}  // namespace tesela
