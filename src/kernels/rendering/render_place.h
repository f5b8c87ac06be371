// Places in the pool of bricks.
#ifndef TESELA_KERNELS_RENDER_PLACE_H
#define TESELA_KERNELS_RENDER_PLACE_H

#include "kernels/rendering/render_types.h"

T_FUNCTION i32 render_offset(const i32 x, const i32 y, const i32 z) {
    return z * render_brick_plane + y * render_brick_row + x;
}

// Where voxel (0, 0, 0) of the volume would lie in the pool, if it were in this brick.
T_FUNCTION i64 render_origin(T_GLOBAL_PTR(const i32) slots, const render_grid* grid,
                             const i32* brick) {
    const i32 slot = slots[(brick[2] * grid->bricks[1] + brick[1]) * grid->bricks[0] + brick[0]];
    i32 first[3];  // voxel of the brick
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) first[a] = brick[a] * render_brick_side - render_brick_border;
    return (i64)slot * render_brick_voxels - render_offset(first[0], first[1], first[2]);
}

// The same for the brick of a place.
T_FUNCTION i64 render_origin_at(T_GLOBAL_PTR(const i32) slots, const render_grid* grid,
                                const f32* place) {
    i32 brick[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const i32 here = (i32)T_FLOOR((place[a] + RENDER_MARGIN) * (1.0f / (f32)render_brick_side));
        brick[a] = T_CLAMP(here, 0, grid->bricks[a] - 1);
    }
    return render_origin(slots, grid, brick);
}

// The offset of the voxel nearest to a place.
T_FUNCTION i32 render_nearest(const f32* place) {
    return render_offset((i32)T_FLOOR(place[0] + 0.5f), (i32)T_FLOOR(place[1] + 0.5f),
                         (i32)T_FLOOR(place[2] + 0.5f));
}

// The eight voxels around a place: the offset of the first, and how much each counts.
typedef struct {
    i32 first;
    f32 weight[3];
} render_cell;

T_FUNCTION render_cell render_cell_of(const f32* place) {
    const f32 whole[3] = {T_FLOOR(place[0]), T_FLOOR(place[1]), T_FLOOR(place[2])};
    render_cell cell;
    cell.first = render_offset((i32)whole[0], (i32)whole[1], (i32)whole[2]);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) cell.weight[a] = place[a] - whole[a];
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

// Color between eight voxels, each as a number of red, green and blue in its lower bytes.
T_FUNCTION void render_own_color(T_GLOBAL_PTR(const u32) pool, const i64 origin, const f32* place,
                                 f32* color) {
    const render_cell cell = render_cell_of(place);
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
