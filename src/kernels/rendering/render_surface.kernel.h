// Isosurfaces, and smooth surfaces of labels.
#define T_FILE render_surface
#include "kernels/begin.h"
#include "kernels/rendering/render_light.h"
#include "kernels/rendering/render_place.h"
#include "kernels/rendering/render_ray.h"

T_FUNCTION void render_place_on(const render_ray* ray, const f32 t, f32* place) {
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) place[a] = T_FMA(t, ray->voxel_toward[a], ray->voxel[a]);
}

// Where the brick of a place begins in the pool, and the place from the corner of its border.
T_FUNCTION i64 render_brick_at(T_GLOBAL_PTR(const i32) slots, const render_grid* grid,
                               const f32* place, f32* p) {
    i32 brick[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const i32 here = (i32)T_FLOOR((place[a] + 0.5f) * (1.0f / (f32)render_brick_side));
        brick[a] = T_CLAMP(here, 0, grid->bricks[a] - 1);
        const f32 from_corner = place[a] - (f32)(brick[a] * render_brick_side - 1);
        p[a] = T_CLAMP(from_corner, 0.5f, (f32)render_brick_side + 0.5f);
    }
    return (i64)slots[(brick[2] * grid->bricks[1] + brick[1]) * grid->bricks[0] + brick[0]] *
           render_brick_voxels;
}

T_FUNCTION void render_add_surface(const render_view* view, const render_style* style,
                                   const render_ray* ray, const f32* gradient, const f32* look,
                                   const f32 t, render_gathered* gathered) {
    f32 color[3] = {look[0], look[1], look[2]};
    if (style->flags & render_shaded)
        render_lit(style, render_slope_of(gradient, view->to_voxel, ray->direction).along, color);
    render_add(gathered, color, look[3], t);
}

// The share of a label at p, of a brick: 1 within it, 0 outside, and linear in between.
T_FUNCTION f32 render_share(T_GLOBAL_PTR(const u16) brick, const u32 label, const f32 x,
                            const f32 y, const f32 z) {
    const i32 ix = (i32)x;
    const i32 iy = (i32)y;
    const i32 iz = (i32)z;
    const f32 w[3] = {x - (f32)ix, y - (f32)iy, z - (f32)iz};
    f32 share = 0.0f;
    for (i32 corner = 0; corner < 8; ++corner) {
        const i32 dx = corner & 1;
        const i32 dy = (corner >> 1) & 1;
        const i32 dz = corner >> 2;
        const f32 weight =
            (dx ? w[0] : 1.0f - w[0]) * (dy ? w[1] : 1.0f - w[1]) * (dz ? w[2] : 1.0f - w[2]);
        if (brick[(iz + dz) * render_brick_plane + (iy + dy) * render_brick_row + ix + dx] == label)
            share += weight;
    }
    return share;
}

// The visible label that has at least half of a place, or 0.
T_FUNCTION u32 render_label_at(T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const i32) slots,
                               T_GLOBAL_PTR(const f32) looks, const render_grid* grid,
                               const f32* place) {
    f32 p[3];
    T_GLOBAL_PTR(const u16) brick = labels + render_brick_at(slots, grid, place, p);
    // What has half of a place has the nearest voxel or one beside it.
    const i32 first = (i32)p[2] * render_brick_plane + (i32)p[1] * render_brick_row + (i32)p[0];
    u32 tried = 0;
    for (i32 corner = 0; corner < 8; ++corner) {
        const u32 label = brick[first + (corner >> 2) * render_brick_plane +
                                ((corner >> 1) & 1) * render_brick_row + (corner & 1)];
        if (label == 0 || label == tried || !(looks[4 * label + 3] > 0.0f)) continue;
        if (render_share(brick, label, p[0], p[1], p[2]) >= 0.5f) return label;
        tried = label;
    }
    return 0;
}

// Adds the surface of a label between two samples, where its share crosses a half.
T_FUNCTION void render_add_label(T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const i32) slots,
                                 T_GLOBAL_PTR(const f32) looks, const render_view* view,
                                 const render_grid* grid, const render_style* style,
                                 const render_ray* ray, const u32 label, const i32 leaves, f32 near,
                                 f32 far, render_gathered* gathered) {
    f32 place[3], p[3];
    for (i32 i = 0; i < render_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_place_on(ray, middle, place);
        const i64 first = render_brick_at(slots, grid, place, p);
        const i32 within = render_share(labels + first, label, p[0], p[1], p[2]) >= 0.5f ? 1 : 0;
        if (within == leaves)
            near = middle;
        else
            far = middle;
    }
    const f32 t = 0.5f * (near + far);
    render_place_on(ray, t, place);
    T_GLOBAL_PTR(const u16) brick = labels + render_brick_at(slots, grid, place, p);
    f32 gradient[3];
    for (i32 a = 0; a < 3; ++a) {
        f32 ahead[3] = {p[0], p[1], p[2]}, behind[3] = {p[0], p[1], p[2]};
        behind[a] = T_CLAMP(p[a] - 0.5f, 0.0f, (f32)render_brick_side - 0.001f);
        ahead[a] = behind[a] + 1.0f;
        gradient[a] = render_share(brick, label, ahead[0], ahead[1], ahead[2]) -
                      render_share(brick, label, behind[0], behind[1], behind[2]);
    }
    const f32 look[4] = {looks[4 * label], looks[4 * label + 1], looks[4 * label + 2],
                         looks[4 * label + 3]};
    render_add_surface(view, style, ray, gradient, look, t, gathered);
}

#define RENDER_BODY "kernels/rendering/render_surface.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
