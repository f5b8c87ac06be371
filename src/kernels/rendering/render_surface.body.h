// Surfaces where values of RENDER_VALUE cross isovalues: part of render_surface.kernel.h.
#include "kernels/rendering/render_value.body.h"

// The value at a place in voxels, with its gradient where that is asked for.
T_FUNCTION f32 RENDER_OF(render_value_at)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                          T_GLOBAL_PTR(const i32) slots, const render_grid* grid,
                                          const f32* place, const i32 asks_gradient,
                                          f32* gradient) {
    const i64 origin = render_origin_at(slots, grid, place);
    if (asks_gradient) RENDER_OF(render_gradient)(pool, origin, place, gradient);
    return RENDER_OF(render_value)(pool, origin, place);
}

// Adds the surface of an isovalue between two samples, of which `inside` tells whether the nearer
// one is at or above it.
T_FUNCTION void RENDER_OF(render_add_isosurface)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                                 T_GLOBAL_PTR(const i32) slots,
                                                 const render_view* view, const render_grid* grid,
                                                 const render_style* style, const render_ray* ray,
                                                 const i32 surface, const i32 inside, f32 near,
                                                 f32 far, render_gathered* gathered) {
    const f32 isovalue = style->isovalue[surface];
    f32 place[3], gradient[3];
    for (i32 i = 0; i < render_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_place_on(ray, middle, place);
        const f32 value = RENDER_OF(render_value_at)(pool, slots, grid, place, 0, gradient);
        if ((value >= isovalue ? 1 : 0) == inside)
            near = middle;
        else
            far = middle;
    }
    const f32 t = 0.5f * (near + far);
    render_place_on(ray, t, place);
    RENDER_OF(render_value_at)(pool, slots, grid, place, 1, gradient);
    render_add_surface(view, style, ray, gradient, style->surface_color + 4 * surface, t, gathered);
}

// Isovalues that are crossed between two samples, the nearest first: they go up.
T_FUNCTION void RENDER_OF(render_add_isosurfaces)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                                  T_GLOBAL_PTR(const i32) slots,
                                                  const render_view* view, const render_grid* grid,
                                                  const render_style* style, const render_ray* ray,
                                                  const f32 last, const f32 value, const f32 near,
                                                  const f32 far, render_gathered* gathered) {
    for (i32 i = 0; i < style->surfaces; ++i) {
        const i32 surface = last < value ? i : style->surfaces - 1 - i;
        const i32 was_inside = last >= style->isovalue[surface] ? 1 : 0;
        const i32 is_inside = value >= style->isovalue[surface] ? 1 : 0;
        if (was_inside != is_inside) RENDER_OF(render_add_isosurface)
        (pool, slots, view, grid, style, ray, surface, was_inside, near, far, gathered);
    }
}

// Samples are compared with those before them. Behind blocks that are leapt over the last sample is
// taken again, and the first one within them is looked at, so that the surfaces found are the same
// as if all blocks were visited.
T_FUNCTION render_gathered RENDER_OF(render_surface_ray)(
    T_GLOBAL_PTR(const RENDER_VALUE) pool, T_GLOBAL_PTR(const i32) slots,
    T_GLOBAL_PTR(const u8) away, const render_labels* labels, const render_view* view,
    const render_grid* grid, const render_style* style, const i32 x, const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_gathered gathered = render_nothing();
    f32 last = 0.0f, place[3], no_gradient[3];
    u32 last_label = 0;
    i32 has_last = 0;
    const i32 skips = style->flags & render_skips;
    for (f32 k = ray.first; k < ray.end;) {
        const render_block block = render_block_at(&ray, grid, k);
        const i32 leap = skips ? away[render_block_number(grid, &block)] : 0;
        const f32 behind = skips ? render_behind_blocks(&ray, &block, (f32)T_MAX(leap, 1), k)
                                 : render_behind_brick(&ray, &block, k);
        const f32 first = leap > 0 || has_last || k == ray.first ? k : k - 1.0f;
        const f32 end = leap == 0 ? behind : has_last ? k + 1.0f : k;
        for (f32 j = first; j < end && gathered.passes >= RENDER_OPAQUE; j += 1.0f) {
            const f32 far = render_distance(&ray, view->step, j);
            const f32 near = render_distance(&ray, view->step, j - 1.0f);
            render_place_on(&ray, far, place);
            f32 value = 0.0f;
            if (style->surfaces > 0)
                value = RENDER_OF(render_value_at)(pool, slots, grid, place, 0, no_gradient);
            const u32 label =
                style->flags & render_has_labels ? render_label_at(labels, grid, place) : 0;
            if (has_last) {
                RENDER_OF(render_add_isosurfaces)
                (pool, slots, view, grid, style, &ray, last, value, near, far, &gathered);
                const render_sides sides = {last_label, label};
                if (label != last_label)
                    render_add_label(labels, view, grid, style, &ray, &sides, near, far, &gathered);
            }
            last = value;
            last_label = label;
            has_last = 1;
        }
        if (leap > 0) has_last = 0;
        k = gathered.passes < RENDER_OPAQUE ? ray.end : behind;
    }
    return gathered;
}

T_GROUP_KERNEL(RENDER_OF(render_surface), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u8) away, T_IN(u16) labels,
                T_IN(u32) shares, T_IN(f32) looks, T_OUT(f32) pixels, T_OUT(f32) depth,
                const render_view view, const render_grid grid, const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_labels label_pool = {labels, shares, looks, slots, style.visible_labels};
            const render_gathered gathered = RENDER_OF(render_surface_ray)(
                pool, slots, away, &label_pool, &view, &grid, &style, x, y);
            render_write(&gathered, (i64)y * view.width + x, pixels, depth);
        }
    }
}

// The value at a place, or at the border beside it, and the number of the label that is shown
// there.
T_KERNEL(RENDER_OF(render_probe),
         (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u16) labels, T_IN(u32) shares,
          T_IN(f32) looks, const i32 shown_as, const render_grid grid, const render_style style,
          const f32 px, const f32 py, const f32 pz, T_OUT(f32) found)) {
    T_INDEX1(i);
    const f32 given[3] = {px, py, pz};
    f32 place[3], no_gradient[3];
    for (i32 a = 0; a < 3; ++a) place[a] = T_CLAMP(given[a], -0.5f, (f32)grid.size[a] - 0.5f);
    found[2 * i] = RENDER_OF(render_value_at)(pool, slots, &grid, place, 0, no_gradient);
    const i64 origin = render_origin_at(slots, &grid, place);
    const render_labels label_pool = {labels, shares, looks, slots, style.visible_labels};
    u32 label = 0;
    if (shown_as == render_tints) label = labels[origin + render_nearest(place)];
    if (shown_as == render_surfaces) label = render_strongest(&label_pool, &grid, place);
    found[2 * i + 1] = (f32)label;
}
