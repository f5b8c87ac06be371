// Isosurfaces, and smooth surfaces of labels.
#define T_FILE render_surface
#include "kernels/begin.h"
#include "kernels/rendering/render_light.h"
#include "kernels/rendering/render_ray.h"

T_FUNCTION void render_add_surface(const render_view* view, const render_style* style,
                                   const render_ray* ray, const f32* gradient, const f32* look,
                                   const f32 t, render_gathered* gathered) {
    f32 color[3] = {look[0], look[1], look[2]};
    if (style->flags & render_shaded)
        render_lit(style, render_slope_of(gradient, view->to_voxel, ray->direction).along, color);
    render_add(gathered, color, look[3], t);
}

// The share of a label at a place, of the brick of `origin`: 1 within it, 0 outside, and linear in
// between.
T_FUNCTION f32 render_share(T_GLOBAL_PTR(const u16) labels, const i64 origin, const u32 label,
                            const f32* place) {
    const render_cell cell = render_cell_of(place);
    f32 share = 0.0f;
    for (i32 corner = 0; corner < 8; ++corner)
        if (labels[origin + render_corner(&cell, corner)] == label)
            share += render_corner_weight(&cell, corner);
    return share;
}

// The visible label that has at least half of a place, or 0.
T_FUNCTION u32 render_label_at(T_GLOBAL_PTR(const u16) labels, const i64 origin,
                               T_GLOBAL_PTR(const f32) looks, const f32* place) {
    // What has half of a place has the nearest voxel or one beside it.
    const render_cell cell = render_cell_of(place);
    u32 tried = 0;
    for (i32 corner = 0; corner < 8; ++corner) {
        const u32 label = labels[origin + render_corner(&cell, corner)];
        if (label == 0 || label == tried || !(looks[4 * label + 3] > 0.0f)) continue;
        if (render_share(labels, origin, label, place) >= 0.5f) return label;
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
    f32 place[3];
    for (i32 i = 0; i < render_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_place_on(ray, middle, place);
        const i64 origin = render_origin_at(slots, grid, place);
        const i32 within = render_share(labels, origin, label, place) >= 0.5f ? 1 : 0;
        if (within == leaves)
            near = middle;
        else
            far = middle;
    }
    const f32 t = 0.5f * (near + far);
    render_place_on(ray, t, place);
    const i64 origin = render_origin_at(slots, grid, place);
    f32 gradient[3];
    for (i32 a = 0; a < 3; ++a) {
        f32 ahead[3] = {place[0], place[1], place[2]}, behind[3] = {place[0], place[1], place[2]};
        behind[a] = place[a] - 1.0f;
        ahead[a] = place[a] + 1.0f;
        gradient[a] = render_share(labels, origin, label, ahead) -
                      render_share(labels, origin, label, behind);
    }
    const f32 look[4] = {looks[4 * label], looks[4 * label + 1], looks[4 * label + 2],
                         looks[4 * label + 3]};
    render_add_surface(view, style, ray, gradient, look, t, gathered);
}

#define RENDER_BODY "kernels/rendering/render_surface.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
