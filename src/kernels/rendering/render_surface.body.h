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

// What a ray goes through.
typedef struct {
    T_GLOBAL_PTR(const RENDER_VALUE) pool;
    T_GLOBAL_PTR(const i32) page_table;
    T_GLOBAL_PTR(const u8) distance_map;
    const render_labels* labels;
    const render_view* view;
    const render_grid* grid;
    const render_style* style;
    const render_ray* ray;
} RENDER_OF(render_surroundings);

// The point at distance t. `is_uniform` tells that no border between labels runs through its block.
T_FUNCTION render_point RENDER_OF(render_look)(const RENDER_OF(render_surroundings) * around,
                                               const f32 t, const i32 is_uniform) {
    render_point point;
    f32 position[3], no_gradient[3];
    render_position_on(around->ray, t, position);
    point.t = t;
    point.value = 0.0f;
    point.label = 0;
    if (around->style->surfaces > 0)
        point.value = RENDER_OF(render_value_at)(around->pool, around->page_table, around->grid,
                                                 position, 0, no_gradient);
    if (around->style->flags & render_has_labels)
        point.label = is_uniform ? render_uniform_label(around->labels, around->grid, position)
                                 : render_label_at(around->labels, around->grid, position);
    return point;
}

// Accumulates the surface of an isovalue between two distances; `inside` tells whether the nearer
// one is at or above it.
T_FUNCTION void RENDER_OF(render_add_isosurface)(const RENDER_OF(render_surroundings) * around,
                                                 const i32 surface, const i32 inside, f32 near,
                                                 f32 far, render_accumulated* accumulated) {
    const f32 isovalue = around->style->isovalue[surface];
    f32 position[3], gradient[3];
    for (i32 i = 0; i < render_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_position_on(around->ray, middle, position);
        const f32 value = RENDER_OF(render_value_at)(around->pool, around->page_table, around->grid,
                                                     position, 0, gradient);
        if ((value >= isovalue ? 1 : 0) == inside)
            near = middle;
        else
            far = middle;
    }
    const f32 t = 0.5f * (near + far);
    render_position_on(around->ray, t, position);
    RENDER_OF(render_value_at)
    (around->pool, around->page_table, around->grid, position, 1, gradient);
    render_add_surface(around->view, around->style, around->ray, gradient,
                       around->style->surface_color + 4 * surface, t, accumulated);
}

// The surfaces between two points: isovalues that are crossed, nearest first, as they are sorted,
// and the border between labels.
T_FUNCTION void RENDER_OF(render_add_surfaces)(const RENDER_OF(render_surroundings) * around,
                                               const render_point* from, const render_point* to,
                                               render_accumulated* accumulated) {
    const render_style* style = around->style;
    for (i32 i = 0; i < style->surfaces; ++i) {
        const i32 surface = from->value < to->value ? i : style->surfaces - 1 - i;
        const i32 was_inside = from->value >= style->isovalue[surface] ? 1 : 0;
        const i32 is_inside = to->value >= style->isovalue[surface] ? 1 : 0;
        if (was_inside != is_inside) RENDER_OF(render_add_isosurface)
        (around, surface, was_inside, from->t, to->t, accumulated);
    }
    const render_sides sides = {from->label, to->label};
    if (from->label != to->label)
        render_add_label(around->labels, around->view, around->grid, style, around->ray, &sides,
                         from->t, to->t, accumulated);
}

// Compares each sample with the one before it. Where blocks are skipped, their first sample is
// taken, and after them the last one before the next block, so that the same surfaces are found as
// without skipping. Labels are closed where the ray enters and leaves what is kept: these two
// points are samples as well, at the numbers before the first and behind the last one.
T_FUNCTION render_accumulated RENDER_OF(render_surface_ray)(const RENDER_OF(render_surroundings) *
                                                            around) {
    const render_ray* ray = around->ray;
    const f32 step = around->view->step;
    const f32 enters = ray->enters / step - ray->jitter, leaves = ray->leaves / step - ray->jitter;
    const i32 skips = around->style->flags & render_skips;
    const i32 has_cuts =
        around->style->flags & render_has_labels && ray->enters <= ray->leaves ? 1 : 0;
    const f32 begin = ray->first - (f32)has_cuts;
    render_accumulated accumulated = render_nothing_yet();
    render_point last = {0.0f, 0.0f, 0};
    i32 has_last = 0;
    for (f32 sample = begin; sample < ray->end + (f32)has_cuts;) {
        const render_block block =
            render_block_at(ray, around->grid, T_CLAMP(sample, enters, leaves));
        const i32 distance =
            skips ? around->distance_map[render_block_number(around->grid, &block)] : 0;
        const f32 past = skips ? render_past_blocks(ray, &block, (f32)T_MAX(distance, 1), sample)
                               : render_past_brick(ray, around->grid, &block, sample);
        const i32 is_cut = has_cuts && (sample == begin || sample == ray->end) ? 1 : 0;
        const f32 first = distance > 0 || has_last || sample == begin ? sample : sample - 1.0f;
        const f32 end = distance == 0 ? past : has_last || is_cut ? sample + 1.0f : sample;
        for (f32 j = first; j < end && accumulated.transmittance >= RENDER_OPAQUE; j += 1.0f) {
            const f32 t = render_distance(ray, step, j);
            const render_point here = RENDER_OF(render_look)(
                around, T_CLAMP(t, ray->enters, ray->leaves), distance > 0 ? 1 : 0);
            if (has_last) RENDER_OF(render_add_surfaces)(around, &last, &here, &accumulated);
            // At 0 the eye is inside, and nothing is cut.
            if (is_cut && j == sample && here.label != 0 && here.t > 0.0f)
                render_add_cap(around->labels, around->view, around->grid, around->style, ray,
                               here.label, here.t, &accumulated);
            last = here;
            has_last = 1;
        }
        if (distance > 0) has_last = 0;
        sample = accumulated.transmittance < RENDER_OPAQUE ? ray->end + 1.0f : past;
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
            const render_ray ray = render_ray_of(&view, &grid, x, y);
            const RENDER_OF(render_surroundings)
                around = {pool, page_table, distance_map, &label_pool, &view, &grid, &style, &ray};
            const render_accumulated accumulated = RENDER_OF(render_surface_ray)(&around);
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
