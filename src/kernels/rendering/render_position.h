// Positions in the pool of bricks, where a page table tells the page of each brick.
#ifndef TESELA_KERNELS_RENDER_POSITION_H
#define TESELA_KERNELS_RENDER_POSITION_H

#include "kernels/rendering/render_types.h"

T_FUNCTION i32 render_offset(const i32 x, const i32 y, const i32 z) {
    return z * render_brick_plane + y * render_brick_row + x;
}

// Where a page has the voxels of a brick: where voxel (0, 0, 0) of its level would be in the pool,
// if it were in this page, and the way from positions in voxels of the grid to those of its level.
typedef struct {
    i64 origin;
    f32 scale, shift;
} render_place;

T_FUNCTION render_place render_place_of(T_GLOBAL_PTR(const i32) page_table, const render_grid* grid,
                                        const i32* brick) {
    const i32 entry =
        page_table[(brick[2] * grid->bricks[1] + brick[1]) * grid->bricks[0] + brick[0]];
    const i32 level = entry >> render_level_shift;
    const i32 page = entry & ((1 << render_level_shift) - 1);
    i32 first[3];  // voxel of the page
    T_UNROLL
    for (i32 a = 0; a < 3; ++a)
        first[a] = (brick[a] >> level) * render_brick_side - render_brick_border;
    render_place place;
    place.origin = (i64)page * render_brick_voxels - render_offset(first[0], first[1], first[2]);
    place.scale = 1.0f / (f32)(1 << level);
    place.shift = 0.5f * place.scale - 0.5f;
    return place;
}
// The origin alone, of a volume that is kept as a whole.
T_FUNCTION i64 render_origin(T_GLOBAL_PTR(const i32) page_table, const render_grid* grid,
                             const i32* brick) {
    return render_place_of(page_table, grid, brick).origin;
}

// The brick of a position.
T_FUNCTION void render_brick_at(const render_grid* grid, const f32* position, i32* brick) {
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const i32 here =
            (i32)T_FLOOR((position[a] + RENDER_MARGIN) * (1.0f / (f32)render_brick_side));
        brick[a] = T_CLAMP(here, 0, grid->bricks[a] - 1);
    }
}
T_FUNCTION i64 render_origin_at(T_GLOBAL_PTR(const i32) page_table, const render_grid* grid,
                                const f32* position) {
    i32 brick[3];
    render_brick_at(grid, position, brick);
    return render_origin(page_table, grid, brick);
}

// The offset of the voxel nearest to a position.
T_FUNCTION i32 render_nearest(const f32* position) {
    return render_offset((i32)T_FLOOR(position[0] + 0.5f), (i32)T_FLOOR(position[1] + 0.5f),
                         (i32)T_FLOOR(position[2] + 0.5f));
}

// The eight voxels around a position: the offset of the first, and the weights of interpolation.
typedef struct {
    i32 first;
    f32 weight[3];
} render_cell;

T_FUNCTION render_cell render_cell_of(const f32* position) {
    const f32 whole[3] = {T_FLOOR(position[0]), T_FLOOR(position[1]), T_FLOOR(position[2])};
    render_cell cell;
    cell.first = render_offset((i32)whole[0], (i32)whole[1], (i32)whole[2]);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) cell.weight[a] = position[a] - whole[a];
    return cell;
}
T_FUNCTION f32 render_corner_weight(const render_cell* cell, const i32 corner) {
    const f32* w = cell->weight;
    return (corner & 1 ? w[0] : 1.0f - w[0]) * (corner & 2 ? w[1] : 1.0f - w[1]) *
           (corner & 4 ? w[2] : 1.0f - w[2]);
}
T_FUNCTION i32 render_corner(const render_cell* cell, const i32 corner) {
    return cell->first + render_offset(corner & 1, (corner >> 1) & 1, corner >> 2);
}

// Color interpolated between eight voxels, each with red, green and blue in its lower bytes.
T_FUNCTION void render_voxel_color(T_GLOBAL_PTR(const u32) pool, const i64 origin,
                                   const f32* position, f32* color) {
    const render_cell cell = render_cell_of(position);
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) color[c] = 0.0f;
    for (i32 corner = 0; corner < 8; ++corner) {
        const f32 weight = render_corner_weight(&cell, corner) * (1.0f / 255.0f);
        const u32 voxel = pool[origin + render_corner(&cell, corner)];
        T_UNROLL
        for (i32 c = 0; c < 3; ++c) color[c] += weight * (f32)((voxel >> (8 * c)) & 255u);
    }
}

#endif
