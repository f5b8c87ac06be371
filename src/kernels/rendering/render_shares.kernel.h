// Shares of labels in voxels, from which smooth surfaces are drawn.
//
// A voxel has a label or not, so that a surface between the two shows the steps of voxels. The
// share of a label in a voxel is its mean over the 27 voxels around it.
#define T_FILE render_shares
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/rendering/render_labels.h"
#include "kernels/rendering/render_ray.h"

// Where a voxel of the volume lies in the pool, within its own brick.
T_FUNCTION i64 render_voxel(T_GLOBAL_PTR(const i32) page_table, const render_grid* grid,
                            const i32* voxel) {
    i32 brick[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) brick[a] = voxel[a] / render_brick_side;
    return render_origin(page_table, grid, brick) + render_offset(voxel[0], voxel[1], voxel[2]);
}

// The offset of a neighbor, i from 0 to 26; 13 is the voxel itself.
T_FUNCTION i32 render_neighbor(const i32 i) {
    return render_offset(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
}

// The label shown in a voxel; 0 is all hidden ones.
T_FUNCTION u32 render_shown(T_GLOBAL_PTR(const u16) labels, const i64 voxel, const u32 visible) {
    const u32 label = labels[voxel];
    return label <= visible ? label : 0u;
}

// The labels shown in the 27 voxels around one.
typedef struct {
    u32 label[27];
} render_neighborhood;

T_FUNCTION render_neighborhood render_neighborhood_of(T_GLOBAL_PTR(const u16) labels,
                                                      const i64 voxel, const u32 visible) {
    render_neighborhood neighborhood;
    T_UNROLL
    for (i32 i = 0; i < 27; ++i)
        neighborhood.label[i] = render_shown(labels, voxel + render_neighbor(i), visible);
    return neighborhood;
}
T_FUNCTION u32 render_count(const render_neighborhood* neighborhood, const u32 label) {
    u32 count = 0;
    T_UNROLL
    for (i32 i = 0; i < 27; ++i) count += neighborhood->label[i] == label ? 1u : 0u;
    return count;
}

// Whether the label of a voxel keeps half of it, or of one of its neighbors. If not, it is thinner
// than the smoothing, which would make it vanish.
T_FUNCTION i32 render_keeps_half(T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const i32) page_table,
                                 const render_grid* grid, const i32* voxel, const u32 visible) {
    const u32 own = render_shown(labels, render_voxel(page_table, grid, voxel), visible);
    for (i32 i = 0; i < 27; ++i) {
        const i32 neighbor[3] = {border_repeated(voxel[0] + i % 3 - 1, grid->size[0]),
                                 border_repeated(voxel[1] + i / 3 % 3 - 1, grid->size[1]),
                                 border_repeated(voxel[2] + i / 9 - 1, grid->size[2])};
        const i64 at = render_voxel(page_table, grid, neighbor);
        const render_neighborhood neighborhood = render_neighborhood_of(labels, at, visible);
        if (neighborhood.label[13] == own &&
            2 * render_count(&neighborhood, own) >= render_whole_share)
            return 1;
    }
    return 0;
}

// The shares of a voxel; the other label is the visible one with the largest share besides its own.
T_FUNCTION u32 render_shares_of(const render_neighborhood* neighborhood) {
    const u32 own = neighborhood->label[13];
    const u32 hidden = render_count(neighborhood, 0u);
    const u32 share = own == 0 ? hidden : render_count(neighborhood, own);
    const u32 known = own == 0 ? hidden : hidden + share;
    u32 other = 0, most = 0;
    for (i32 i = 0; i < 27 && known + 2 * most < render_whole_share; ++i) {
        const u32 label = neighborhood->label[i];
        if (label == 0 || label == own || label == other) continue;
        const u32 count = render_count(neighborhood, label);
        if (count > most) {
            most = count;
            other = label;
        }
    }
    return render_packed_shares(share, most, hidden, other);
}

// The shares in all voxels of the pool. Where a block and two voxels around it have only one label,
// no other has a share in it. `first` is the number of the brick that the launch begins with.
T_KERNEL(render_shares,
         (T_IN(u16) labels, T_IN(i32) page_table, T_IN(f32) ranges, const render_grid grid,
          const u32 visible, const i32 first, T_OUT(u32) shares)) {
    T_INDEX3(column, row, index);
    const i32 brick = first + index;
    const i32 bricks[3] = {brick % grid.bricks[0], brick / grid.bricks[0] % grid.bricks[1],
                           brick / grid.bricks[0] / grid.bricks[1]};
    const i32 within[3] = {column, row % render_brick_row, row / render_brick_row};
    i32 voxel[3];
    render_block block;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const i32 at = bricks[a] * render_brick_side + within[a] - render_brick_border;
        voxel[a] = border_repeated(at, grid.size[a]);
        block.at[a] = (f32)(voxel[a] / render_block_side);
    }
    const i32 number = render_block_number(&grid, &block);
    const i64 here = render_voxel(page_table, &grid, voxel);
    const u32 own = render_shown(labels, here, visible);
    const u32 whole =
        render_packed_shares(render_whole_share, 0u, own == 0 ? (u32)render_whole_share : 0u, 0u);
    u32 found = whole;
    if (ranges[2 * number] < ranges[2 * number + 1]) {
        const render_neighborhood neighborhood = render_neighborhood_of(labels, here, visible);
        found = render_shares_of(&neighborhood);
        if (2 * render_own_share(found) < render_whole_share &&
            !render_keeps_half(labels, page_table, &grid, voxel, visible))
            found = whole;
    }
    shares[(i64)page_table[brick] * render_brick_voxels + row * render_brick_row + column] = found;
}

#include "kernels/end.h"
