// Surfaces where values of RENDER_VALUE cross isovalues: part of render_surface.kernel.h.
#include "kernels/rendering/render_value.body.h"

// The value at a place in voxels, with its gradient where that is asked for.
T_FUNCTION f32 RENDER_OF(render_value_at)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                          T_GLOBAL_PTR(const i32) slots, const render_grid* grid,
                                          const f32* place, const i32 asks_gradient,
                                          f32* gradient) {
    f32 p[3];
    const i64 first = render_brick_at(slots, grid, place, p);
    if (asks_gradient) RENDER_OF(render_gradient)(pool + first, p[0], p[1], p[2], gradient);
    return RENDER_OF(render_value)(pool + first, p[0], p[1], p[2]);
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

// Samples are compared with those before them. Behind a block that is left out the last sample is
// taken again, and the first one within such a block is looked at, so that the surfaces found are
// the same as if all blocks were visited.
T_FUNCTION render_gathered RENDER_OF(render_surface_ray)(
    T_GLOBAL_PTR(const RENDER_VALUE) pool, T_GLOBAL_PTR(const i32) slots,
    T_GLOBAL_PTR(const u8) hidden, T_GLOBAL_PTR(const u16) labels, T_GLOBAL_PTR(const f32) looks,
    const render_view* view, const render_grid* grid, const render_style* style, const i32 x,
    const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_gathered gathered = render_nothing();
    f32 last = 0.0f, place[3], no_gradient[3];
    u32 last_label = 0;
    i32 has_last = 0;
    for (i32 k = ray.first; k < ray.end;) {
        const render_segment segment = render_segment_at(&ray, grid, view->step, k);
        const i32 is_hidden = (style->flags & render_skips) && hidden[segment.block] ? 1 : 0;
        const i32 first = is_hidden || has_last || k == ray.first ? k : k - 1;
        const i32 end = !is_hidden ? segment.end : has_last ? k + 1 : k;
        for (i32 j = first; j < end && gathered.passes >= RENDER_OPAQUE; ++j) {
            const f32 far = render_distance(&ray, view->step, j);
            const f32 near = render_distance(&ray, view->step, j - 1);
            render_place_on(&ray, far, place);
            const f32 value = RENDER_OF(render_value_at)(pool, slots, grid, place, 0, no_gradient);
            const u32 label = style->flags & render_has_labels
                                  ? render_label_at(labels, slots, looks, grid, place)
                                  : 0;
            if (has_last) {
                RENDER_OF(render_add_isosurfaces)
                (pool, slots, view, grid, style, &ray, last, value, near, far, &gathered);
                if (label != last_label)
                    render_add_label(labels, slots, looks, view, grid, style, &ray,
                                     label != 0 ? label : last_label, label == 0, near, far,
                                     &gathered);
            }
            last = value;
            last_label = label;
            has_last = 1;
        }
        if (is_hidden) has_last = 0;
        k = gathered.passes < RENDER_OPAQUE ? ray.end : segment.end;
    }
    return gathered;
}

T_GROUP_KERNEL(RENDER_OF(render_surface), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u8) hidden, T_IN(u16) labels,
                T_IN(f32) looks, T_OUT(f32) pixels, T_OUT(f32) depth, const render_view view,
                const render_grid grid, const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_gathered gathered = RENDER_OF(render_surface_ray)(
                pool, slots, hidden, labels, looks, &view, &grid, &style, x, y);
            const i64 at = (i64)y * view.width + x;
            render_write(&gathered, pixels + 4 * at);
            depth[at] = gathered.depth;
        }
    }
}

// The value at a place, and the number of the label of the nearest voxel.
T_KERNEL(RENDER_OF(render_probe),
         (T_IN(RENDER_VALUE) pool, T_IN(i32) slots, T_IN(u16) labels, const i32 has_labels,
          const render_grid grid, const f32 px, const f32 py, const f32 pz, T_OUT(f32) found)) {
    T_INDEX1(i);
    const f32 place[3] = {px, py, pz};
    f32 p[3], no_gradient[3];
    found[2 * i] = RENDER_OF(render_value_at)(pool, slots, &grid, place, 0, no_gradient);
    const i64 first = render_brick_at(slots, &grid, place, p);
    found[2 * i + 1] = has_labels ? (f32)labels[first + render_nearest(p)] : 0.0f;
}
