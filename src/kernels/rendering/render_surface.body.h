// Surfaces where values of RENDER_VALUE cross isovalues: part of render_surface.kernel.h.
#include "kernels/rendering/render_value.body.h"

// The value at a position in voxels, and its gradient where that is asked for.
T_FUNCTION f32 RENDER_OF(render_value_at)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                          T_GLOBAL_PTR(const i32) page_table,
                                          const render_grid* grid, const f32* position,
                                          const i32 asks_gradient, f32* gradient) {
    i32 brick[3];
    render_brick_at(grid, position, brick);
    const render_place place = render_place_of(page_table, grid, brick);
    f32 in_page[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) in_page[a] = T_FMA(position[a], place.scale, place.shift);
    if (asks_gradient) {
        RENDER_OF(render_gradient)(pool, place.origin, in_page, gradient);
        T_UNROLL
        for (i32 a = 0; a < 3; ++a) gradient[a] *= place.scale;
    }
    return RENDER_OF(render_value)(pool, place.origin, in_page);
}

// Accumulates the surface of an isovalue between two samples; `inside` tells whether the nearer one
// is at or above it.
T_FUNCTION void RENDER_OF(render_add_isosurface)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                                 T_GLOBAL_PTR(const i32) page_table,
                                                 const render_view* view, const render_grid* grid,
                                                 const render_style* style, const render_ray* ray,
                                                 const i32 surface, const i32 inside, f32 near,
                                                 f32 far, render_accumulated* accumulated) {
    const f32 isovalue = style->isovalue[surface];
    f32 position[3], gradient[3];
    for (i32 i = 0; i < render_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_position_on(ray, middle, position);
        const f32 value = RENDER_OF(render_value_at)(pool, page_table, grid, position, 0, gradient);
        if ((value >= isovalue ? 1 : 0) == inside)
            near = middle;
        else
            far = middle;
    }
    const f32 t = 0.5f * (near + far);
    render_position_on(ray, t, position);
    RENDER_OF(render_value_at)(pool, page_table, grid, position, 1, gradient);
    render_add_surface(view, style, ray, gradient, style->surface_color + 4 * surface, t,
                       accumulated);
}

// The isovalues crossed between two samples, nearest first; isovalues are sorted.
T_FUNCTION void RENDER_OF(render_add_isosurfaces)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                                  T_GLOBAL_PTR(const i32) page_table,
                                                  const render_view* view, const render_grid* grid,
                                                  const render_style* style, const render_ray* ray,
                                                  const f32 last, const f32 value, const f32 near,
                                                  const f32 far, render_accumulated* accumulated) {
    for (i32 i = 0; i < style->surfaces; ++i) {
        const i32 surface = last < value ? i : style->surfaces - 1 - i;
        const i32 was_inside = last >= style->isovalue[surface] ? 1 : 0;
        const i32 is_inside = value >= style->isovalue[surface] ? 1 : 0;
        if (was_inside != is_inside) RENDER_OF(render_add_isosurface)
        (pool, page_table, view, grid, style, ray, surface, was_inside, near, far, accumulated);
    }
}

// Compares each sample with the one before it. Where blocks are skipped, their first sample is
// taken, and after them the last one before the next block, so that the same surfaces are found as
// without skipping.
T_FUNCTION render_accumulated RENDER_OF(render_surface_ray)(
    T_GLOBAL_PTR(const RENDER_VALUE) pool, T_GLOBAL_PTR(const i32) page_table,
    T_GLOBAL_PTR(const u8) distance_map, const render_labels* labels, const render_view* view,
    const render_grid* grid, const render_style* style, const i32 x, const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_accumulated accumulated = render_nothing_yet();
    f32 last = 0.0f, position[3], no_gradient[3];
    u32 last_label = 0;
    i32 has_last = 0;
    const i32 skips = style->flags & render_skips;
    for (f32 sample = ray.first; sample < ray.end;) {
        const render_block block = render_block_at(&ray, grid, sample);
        const i32 skip_distance = skips ? distance_map[render_block_number(grid, &block)] : 0;
        const f32 past =
            skips ? render_past_blocks(&ray, &block, (f32)T_MAX(skip_distance, 1), sample)
                  : render_past_brick(&ray, grid, &block, sample);
        const f32 first =
            skip_distance > 0 || has_last || sample == ray.first ? sample : sample - 1.0f;
        const f32 end = skip_distance == 0 ? past : has_last ? sample + 1.0f : sample;
        for (f32 j = first; j < end && accumulated.transmittance >= RENDER_OPAQUE; j += 1.0f) {
            const f32 far = render_distance(&ray, view->step, j);
            const f32 near = render_distance(&ray, view->step, j - 1.0f);
            render_position_on(&ray, far, position);
            f32 value = 0.0f;
            if (style->surfaces > 0)
                value =
                    RENDER_OF(render_value_at)(pool, page_table, grid, position, 0, no_gradient);
            const u32 label =
                style->flags & render_has_labels ? render_label_at(labels, grid, position) : 0;
            if (has_last) {
                RENDER_OF(render_add_isosurfaces)
                (pool, page_table, view, grid, style, &ray, last, value, near, far, &accumulated);
                const render_sides sides = {last_label, label};
                if (label != last_label)
                    render_add_label(labels, view, grid, style, &ray, &sides, near, far,
                                     &accumulated);
            }
            last = value;
            last_label = label;
            has_last = 1;
        }
        if (skip_distance > 0) has_last = 0;
        sample = accumulated.transmittance < RENDER_OPAQUE ? ray.end : past;
    }
    return accumulated;
}

T_GROUP_KERNEL(RENDER_OF(render_surface), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) page_table, T_IN(u8) distance_map,
                T_IN(u16) labels, T_IN(u32) shares, T_IN(f32) label_colors, T_OUT(f32) pixels,
                T_OUT(f32) depth, const render_view view, const render_grid grid,
                const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX + view.first_column;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_labels label_pool = {labels, shares, label_colors, page_table,
                                              style.visible_labels};
            const render_accumulated accumulated = RENDER_OF(render_surface_ray)(
                pool, page_table, distance_map, &label_pool, &view, &grid, &style, x, y);
            render_write(&accumulated, (i64)y * view.width + x, pixels, depth);
        }
    }
}

// The value at a position, or at the nearest point of the volume, and the number of the label shown
// there.
T_KERNEL(RENDER_OF(render_probe),
         (T_IN(RENDER_VALUE) pool, T_IN(i32) page_table, T_IN(u16) labels, T_IN(u32) shares,
          T_IN(f32) label_colors, const i32 shown_as, const render_grid grid,
          const render_style style, const f32 px, const f32 py, const f32 pz, T_OUT(f32) found)) {
    T_INDEX1(i);
    const f32 given[3] = {px, py, pz};
    f32 position[3], no_gradient[3];
    for (i32 a = 0; a < 3; ++a) position[a] = T_CLAMP(given[a], -0.5f, (f32)grid.size[a] - 0.5f);
    found[2 * i] = RENDER_OF(render_value_at)(pool, page_table, &grid, position, 0, no_gradient);
    const i64 origin = render_origin_at(page_table, &grid, position);
    const render_labels label_pool = {labels, shares, label_colors, page_table,
                                      style.visible_labels};
    u32 label = 0;
    if (shown_as == render_tints) label = labels[origin + render_nearest(position)];
    if (shown_as == render_surfaces) label = render_dominant_label(&label_pool, &grid, position);
    found[2 * i + 1] = (f32)label;
}
