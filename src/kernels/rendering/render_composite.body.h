// Volumes of RENDER_VALUE composited front to back: part of render_composite.kernel.h.
#include "kernels/rendering/render_value.body.h"

// Adds the sample at a place, of the brick of `origin`.
T_FUNCTION void RENDER_OF(render_sample)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                         T_GLOBAL_PTR(const u16) labels,
                                         T_GLOBAL_PTR(const f32) table,
                                         T_GLOBAL_PTR(const f32) beside,
                                         T_GLOBAL_PTR(const f32) looks, const render_view* view,
                                         const render_style* style, const render_ray* ray,
                                         const i64 origin, const f32 t, render_gathered* gathered) {
    f32 place[3];
    render_place_on(ray, t, place);
    const f32 value = RENDER_OF(render_value)(pool, origin, place);
    const f32 in_table = T_FMA(value, style->table_scale, style->table_offset);
    if (!(in_table > style->unseen)) return;  // NaN, too
    const render_nodes nodes = render_nodes_at(table, in_table);
    f32 look[4];
    look[3] = render_between(&nodes, 3);
    if (!(look[3] > 0.0f)) return;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) look[c] = render_between(&nodes, c);
    RENDER_OWN_COLOR(pool, origin, place, look);
    if (style->flags & render_has_labels) {
        const u32 label = labels[origin + render_nearest(place)];
        if (label != 0) {
            look[3] *= looks[4 * label + 3];
            T_UNROLL
            for (i32 c = 0; c < 3; ++c) look[c] = looks[4 * label + c];
        }
    }
    if (style->flags & (render_shaded | render_has_gradient_opacity)) {
        f32 gradient[3];
        RENDER_OF(render_gradient)(pool, origin, place, gradient);
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

// `away` has for each block how many blocks away the nearest is that is seen. With skipping, a ray
// leaps over those that are nearer than that.
T_FUNCTION render_gathered RENDER_OF(render_composite_ray)(
    T_GLOBAL_PTR(const RENDER_VALUE) pool, T_GLOBAL_PTR(const i32) slots,
    T_GLOBAL_PTR(const u8) away, T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const f32) table,
    T_GLOBAL_PTR(const f32) beside, T_GLOBAL_PTR(const f32) looks, const render_view* view,
    const render_grid* grid, const render_style* style, const i32 x, const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_gathered gathered = render_nothing();
    const i32 skips = style->flags & render_skips;
    for (f32 k = ray.first; k < ray.end;) {
        const render_block block = render_block_at(&ray, grid, k);
        const i32 leap = skips ? away[render_block_number(grid, &block)] : 0;
        const f32 end = skips ? render_behind_blocks(&ray, &block, (f32)T_MAX(leap, 1), k)
                              : render_behind_brick(&ray, &block, k);
        if (leap == 0) {
            const i64 origin = render_origin_of(slots, grid, &block);
            for (; k < end; k += 1.0f) {
                RENDER_OF(render_sample)
                (pool, labels, table, beside, looks, view, style, &ray, origin,
                 render_distance(&ray, view->step, k), &gathered);
                if (gathered.passes < RENDER_OPAQUE) return gathered;
            }
        }
        k = end;
    }
    return gathered;
}

T_GROUP_KERNEL(RENDER_OF(render_composite), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u8) away, T_IN(u16) labels,
                T_IN(f32) table, T_IN(f32) beside, T_IN(f32) looks, T_OUT(f32) pixels,
                T_OUT(f32) depth, const render_view view, const render_grid grid,
                const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_gathered gathered = RENDER_OF(render_composite_ray)(
                pool, slots, away, labels, table, beside, looks, &view, &grid, &style, x, y);
            render_write(&gathered, (i64)y * view.width + x, pixels, depth);
        }
    }
}
