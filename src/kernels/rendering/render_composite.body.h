// Volumes of RENDER_VALUE composited front to back: part of render_composite.kernel.h.
#include "kernels/rendering/render_value.body.h"

// What is composited. `labels` are those of the voxels of `pool`.
typedef struct {
    T_GLOBAL_PTR(const RENDER_VALUE) pool;  // of bricks
    T_GLOBAL_PTR(const i32) page_table;     // of bricks in the pool
    T_GLOBAL_PTR(const u8) distance_map;    // of blocks
    T_GLOBAL_PTR(const u16) labels;
    T_GLOBAL_PTR(const f32) table;  // of colors and opacities
    T_GLOBAL_PTR(const f32) opacity_tables;
    T_GLOBAL_PTR(const f32) label_colors;
} RENDER_OF(render_volume);

// Accumulates the sample at distance t on a line.
T_FUNCTION void RENDER_OF(render_sample)(const RENDER_OF(render_volume) * volume,
                                         const render_view* view, const render_style* style,
                                         const render_ray* ray, const render_line* line,
                                         const f32 t, render_accumulated* accumulated) {
    f32 position[3];
    render_position_on_line(line, t, position);
    const i64 origin = line->origin;
    const f32 value = RENDER_OF(render_value)(volume->pool, origin, position);
    const f32 in_table = T_FMA(value, style->table_scale, style->table_offset);
    if (!(in_table > style->visible_above)) return;  // also NaN
    const render_nodes nodes = render_nodes_at(volume->table, in_table);
    f32 rgba[4];
    rgba[3] = render_interpolate(&nodes, 3);
    if (!(rgba[3] > 0.0f)) return;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) rgba[c] = render_interpolate(&nodes, c);
    RENDER_VOXEL_COLOR(volume->pool, origin, position, rgba);
    if (style->flags & render_has_labels) {
        const u32 label = volume->labels[origin + render_nearest(position)];
        if (label != 0) {
            rgba[3] *= volume->label_colors[4 * label + 3];
            T_UNROLL
            for (i32 c = 0; c < 3; ++c) rgba[c] = volume->label_colors[4 * label + c];
        }
    }
    if (style->flags & (render_shaded | render_has_gradient_opacity)) {
        f32 gradient[3];
        RENDER_OF(render_gradient)(volume->pool, origin, position, gradient);
        T_UNROLL
        for (i32 a = 0; a < 3; ++a) gradient[a] *= line->scale;
        const render_slope slope = render_slope_of(gradient, view->to_voxel, ray->direction);
        if (style->flags & render_has_gradient_opacity)
            rgba[3] *= render_opacity_at(
                volume->opacity_tables, render_gradient_opacity,
                T_FMA(slope.length, style->gradient_scale, style->gradient_offset));
        if (style->flags & render_shaded) render_shade(style, slope.cosine, rgba);
    }
    // From the opacity of the reference length to that of a step. Without these factors the table
    // has the latter already.
    if (style->flags & (render_has_labels | render_has_gradient_opacity))
        rgba[3] = render_opacity_at(volume->opacity_tables, render_opacity_correction,
                                    rgba[3] * (f32)render_table_nodes);
    render_accumulate(accumulated, rgba, rgba[3], t);
}

// Alternates between skipping invisible blocks and accumulating the samples of one block, or,
// without the distance map, of one brick. From a block that is `skip_distance` from the nearest
// visible one the ray skips all blocks that are nearer to it (space leaping; D. Cohen, Z. Sheffer,
// "Proximity clouds", The Visual Computer 11, 1994). That moves no sample.
T_FUNCTION render_accumulated RENDER_OF(render_composite_ray)(
    const RENDER_OF(render_volume) * volume, const render_view* view, const render_grid* grid,
    const render_style* style, const i32 x, const i32 y) {
    const render_ray ray = render_ray_of(view, grid, x, y);
    render_accumulated accumulated = render_nothing_yet();
    const i32 skips = style->flags & render_skips;
    for (f32 sample = ray.first; sample < ray.end;) {
        const render_block block = render_block_at(&ray, grid, sample);
        const i32 skip_distance =
            skips ? volume->distance_map[render_block_number(grid, &block)] : 0;
        const f32 end = skips
                            ? render_past_blocks(&ray, &block, (f32)T_MAX(skip_distance, 1), sample)
                            : render_past_brick(&ray, grid, &block, sample);
        if (skip_distance == 0) {
            const render_line line = render_line_in(&ray, volume->page_table, grid, &block);
            for (; sample < end; sample += 1.0f) {
                RENDER_OF(render_sample)
                (volume, view, style, &ray, &line, render_distance(&ray, view->step, sample),
                 &accumulated);
                if (accumulated.transmittance < RENDER_OPAQUE) return accumulated;
            }
        }
        sample = end;
    }
    return accumulated;
}

T_GROUP_KERNEL(RENDER_OF(render_composite), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) page_table, T_IN(u8) distance_map,
                T_IN(u16) labels, T_IN(f32) table, T_IN(f32) opacity_tables, T_IN(f32) label_colors,
                T_OUT(f32) pixels, T_OUT(f32) depth, const render_view view, const render_grid grid,
                const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX + view.first_column;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const RENDER_OF(render_volume) volume = {pool,  page_table,     distance_map, labels,
                                                     table, opacity_tables, label_colors};
            const render_accumulated accumulated =
                RENDER_OF(render_composite_ray)(&volume, &view, &grid, &style, x, y);
            render_write(&accumulated, (i64)y * view.width + x, pixels, depth);
        }
    }
}
