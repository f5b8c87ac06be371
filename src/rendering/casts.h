// Rays cast through bricks, each mode by the kernel for the type of the voxels.
#pragma once

#include "rendering/bricks.h"

namespace tesela::rendering {

struct Cast {
    Queue& queue;
    const Bricks& bricks;
    const Buffer<std::uint8_t>& distance_map;  // of blocks, to the nearest visible one
    const LabelBricks& labels;
    const Buffer<float>& label_colors;
    const Buffer<float>& table;
    const Buffer<float>& opacity_tables;  // opacity correction, gradient opacity
    Buffer<float>& pixels;
    Buffer<float>& depth;
    const kernels::render_view& view;
    const kernels::render_grid& grid;
    const kernels::render_style& style;
};

void cast_composite(const Cast& cast, const Groups& groups);
void cast_projection(const Cast& cast, const Groups& groups, bool takes_mean);
void cast_surfaces(const Cast& cast, const Groups& groups);
// The value at a position in voxels, and the number of the label that is shown there.
void probe(const Cast& cast, std::int32_t shown_as, const std::array<float, 3>& position,
           Buffer<float>& found);

}  // namespace tesela::rendering
