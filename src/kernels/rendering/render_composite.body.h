// Volumes of RENDER_VALUE composited front to back: part of render_composite.kernel.h.
#include "kernels/rendering/render_value.body.h"

// Adds the sample at p, of a brick. `nearest` is the voxel that its label is of.
T_FUNCTION void RENDER_OF(render_sample)(T_GLOBAL_PTR(const RENDER_VALUE) brick,
                                         T_GLOBAL_PTR(const u16) label_brick,
                                         T_GLOBAL_PTR(const f32) table,
                                         T_GLOBAL_PTR(const f32) beside,
                                         T_GLOBAL_PTR(const f32) looks, const render_view* view,
                                         const render_style* style, const render_ray* ray,
                                         const f32* p, const f32 t, render_gathered* gathered) {
    const f32 value = RENDER_OF(render_value)(brick, p[0], p[1], p[2]);
    if (!(value == value)) return;  // NaN
    f32 look[4];
    render_look_up(table, T_FMA(value, style->table_scale, style->table_offset), look);
    if (!(look[3] > 0.0f)) return;
    RENDER_OWN_COLOR(brick, p, look);
    if (style->flags & render_has_labels) {
        const u32 label = label_brick[render_nearest(p)];
        if (label != 0) {
            look[3] *= looks[4 * label + 3];
            T_UNROLL
            for (i32 c = 0; c < 3; ++c) look[c] = looks[4 * label + c];
        }
    }
    if (style->flags & (render_shaded | render_has_gradient_opacity)) {
        f32 gradient[3];
        RENDER_OF(render_gradient)(brick, p[0], p[1], p[2], gradient);
        const render_slope slope = render_slope_of(gradient, view->to_voxel, ray->direction);
        if (style->flags & render_has_gradient_opacity)
            look[3] *= render_look_up_beside(
                beside, 1, T_FMA(slope.length, style->gradient_scale, style->gradient_offset));
        if (style->flags & render_shaded) render_lit(style, slope.along, look);
    }
    if (style->flags & (render_has_labels | render_has_gradient_opacity))
        look[3] = render_look_up_beside(beside, 0, look[3] * (f32)render_table_nodes);
    render_add(gathered, look, look[3], t);
}

T_FUNCTION render_gathered RENDER_OF(render_composite_ray)(
    T_GLOBAL_PTR(const RENDER_VALUE) pool, T_GLOBAL_PTR(const i32) slots,
    T_GLOBAL_PTR(const u8) hidden, T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const f32) table,
    T_GLOBAL_PTR(const f32) beside, T_GLOBAL_PTR(const f32) looks, const render_view* view,
    const render_grid* grid, const render_style* style, const i32 x, const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_gathered gathered = render_nothing();
    for (i32 k = ray.first; k < ray.end;) {
        const render_segment segment = render_segment_at(&ray, grid, view->step, k);
        i32 end = segment.end;
        if (!((style->flags & render_skips) && hidden[segment.block])) {
            const i64 first = (i64)slots[segment.brick] * render_brick_voxels;
            for (i32 j = k; j < segment.end; ++j) {
                const f32 t = render_distance(&ray, view->step, j);
                f32 p[3];
                T_UNROLL
                for (i32 a = 0; a < 3; ++a)
                    p[a] = T_FMA(t, ray.voxel_toward[a], ray.voxel[a] - segment.corner[a]);
                RENDER_OF(render_sample)
                (pool + first, labels + (style->flags & render_has_labels ? first : 0), table,
                 beside, looks, view, style, &ray, p, t, &gathered);
                if (gathered.passes < RENDER_OPAQUE) {
                    end = ray.end;
                    break;
                }
            }
        }
        k = end;
    }
    return gathered;
}

T_GROUP_KERNEL(RENDER_OF(render_composite), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u8) hidden, T_IN(u16) labels,
                T_IN(f32) table, T_IN(f32) beside, T_IN(f32) looks, T_OUT(f32) pixels,
                T_OUT(f32) depth, const render_view view, const render_grid grid,
                const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_gathered gathered = RENDER_OF(render_composite_ray)(
                pool, slots, hidden, labels, table, beside, looks, &view, &grid, &style, x, y);
            const i64 at = (i64)y * view.width + x;
            render_write(&gathered, pixels + 4 * at);
            depth[at] = gathered.depth;
        }
    }
}
