#include <algorithm>

#include "rendering/bricks.h"
#include "rendering/levels.h"
#include "tesela/render.h"

namespace tesela {

using namespace rendering;

std::int64_t render_device_bytes(const AnyImageView& volume, bool has_labels, std::int64_t pixels,
                                 int level) {
    Shape shape = volume.shape();
    for (int i = 0; i < level; ++i) shape = half_of(shape);
    const int bytes = shape.channels == 3 ? 4 : std::min(pixel_type_bytes(volume.pixel_type()), 4);
    constexpr std::int64_t tables = (kernels::render_table_nodes + 2) * 28;
    return bricks_bytes(shape, bytes) +
           (has_labels ? bricks_bytes(shape, label_bytes_per_voxel) : 0) + 24 * pixels + tables;
}

std::int64_t render_bricks_bytes(const BrickSource& volume, std::int64_t pixels,
                                 std::optional<int> level) {
    const std::int64_t length = kernels::render_paged_block_side;
    const Shape& shape =
        volume.facts().levels[static_cast<std::size_t>(level.value_or(coarsest_level))];
    std::int64_t blocks = 1;
    for (const std::int64_t side : {shape.x, shape.y, shape.z})
        blocks *= (side + length - 1) / length;
    constexpr std::int64_t least_pool = 8 << 20, tables = (kernels::render_table_nodes + 2) * 28;
    return least_pool + 20 * blocks + 24 * pixels + tables;
}

}  // namespace tesela
