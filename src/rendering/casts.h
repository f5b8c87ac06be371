// Rays cast through bricks, each mode by the kernel for the type of the voxels.
#pragma once

#include "rendering/bricks.h"

namespace tesela::rendering {

struct Cast {
    Queue& queue;
    const Bricks& bricks;
    const Buffer<std::uint8_t>& away;  // of blocks, how far away what is seen is
    const LabelBricks& labels;
    const Buffer<float>& looks;  // of labels
    const Buffer<float>& table;
    const Buffer<float>& beside;
    Buffer<float>& pixels;
    Buffer<float>& depth;
    const kernels::render_view& view;
    const kernels::render_grid& grid;
    const kernels::render_style& style;
};

void cast_composite(const Cast& cast, const Groups& groups);
void cast_projection(const Cast& cast, const Groups& groups, bool takes_mean);
void cast_surfaces(const Cast& cast, const Groups& groups);
// The value at a place in voxels, and the number of the label that is shown there.
void probe(const Cast& cast, std::int32_t shown_as, const std::array<float, 3>& place,
           Buffer<float>& found);

}  // namespace tesela::rendering
