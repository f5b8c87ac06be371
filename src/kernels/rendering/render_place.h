// Places within a brick.
#ifndef TESELA_KERNELS_RENDER_PLACE_H
#define TESELA_KERNELS_RENDER_PLACE_H

#include "kernels/rendering/render_types.h"

// The voxel nearest to p, in voxels from the corner of the brick with its border.
T_FUNCTION i32 render_nearest(const f32* p) {
    const i32 x = (i32)(p[0] + 0.5f);
    const i32 y = (i32)(p[1] + 0.5f);
    const i32 z = (i32)(p[2] + 0.5f);
    const i32 last = render_brick_side;
    return T_CLAMP(z, 1, last) * render_brick_plane + T_CLAMP(y, 1, last) * render_brick_row +
           T_CLAMP(x, 1, last);
}

// Color between eight voxels, each as a number of red, green and blue in its lower bytes.
T_FUNCTION void render_own_color(T_GLOBAL_PTR(const u32) brick, const f32 x, const f32 y,
                                 const f32 z, f32* color) {
    const i32 ix = (i32)x;
    const i32 iy = (i32)y;
    const i32 iz = (i32)z;
    const f32 w[3] = {x - (f32)ix, y - (f32)iy, z - (f32)iz};
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) color[c] = 0.0f;
    for (i32 corner = 0; corner < 8; ++corner) {
        const i32 dx = corner & 1;
        const i32 dy = (corner >> 1) & 1;
        const i32 dz = corner >> 2;
        const f32 weight = (dx ? w[0] : 1.0f - w[0]) * (dy ? w[1] : 1.0f - w[1]) *
                           (dz ? w[2] : 1.0f - w[2]) * (1.0f / 255.0f);
        const u32 voxel =
            brick[(iz + dz) * render_brick_plane + (iy + dy) * render_brick_row + ix + dx];
        T_UNROLL
        for (i32 c = 0; c < 3; ++c) color[c] += weight * (f32)((voxel >> (8 * c)) & 255u);
    }
}

#endif
