// Maximum and mean intensity projection of RENDER_VALUE: part of render_projection.kernel.h.
#include "kernels/rendering/render_value.body.h"

// The value of a ray's sample, and its color.
T_FUNCTION f32 RENDER_OF(render_value_on_ray)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                              const render_line* line, const f32 t, f32* color) {
    f32 position[3];
    render_position_on_line(line, t, position);
    RENDER_VOXEL_COLOR(pool, line->origin, position, color);
    return RENDER_OF(render_value)(pool, line->origin, position);
}

// The highest value, the first of equal ones. Skips blocks that have no higher value.
T_FUNCTION void RENDER_OF(render_highest)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                          T_GLOBAL_PTR(const i32) page_table,
                                          T_GLOBAL_PTR(const f32) ranges, const render_view* view,
                                          const render_grid* grid, const i32 skips,
                                          const render_ray* ray, render_projected* found) {
    for (f32 sample = ray->first; sample < ray->end;) {
        const render_block block = render_block_at(ray, grid, sample);
        const f32 end = skips ? render_past_blocks(ray, &block, 1.0f, sample)
                              : render_past_brick(ray, grid, &block, sample);
        const f32 highest = ranges[2 * render_block_number(grid, &block) + 1];
        if (!skips || !found->samples || highest > found->value) {
            const render_line line = render_line_in(ray, page_table, grid, &block);
            for (; sample < end; sample += 1.0f) {
                const f32 t = render_distance(ray, view->step, sample);
                f32 color[3] = {0.0f, 0.0f, 0.0f};
                const f32 value = RENDER_OF(render_value_on_ray)(pool, &line, t, color);
                if (value == value && (!found->samples || value > found->value)) {
                    found->value = value;
                    found->t = t;
                    found->samples = 1;
                    T_UNROLL
                    for (i32 c = 0; c < 3; ++c) found->color[c] = color[c];
                }
            }
        }
        sample = end;
    }
}

T_FUNCTION void RENDER_OF(render_mean)(T_GLOBAL_PTR(const RENDER_VALUE) pool,
                                       T_GLOBAL_PTR(const i32) page_table, const render_view* view,
                                       const render_grid* grid, const render_ray* ray,
                                       render_projected* found) {
    f32 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (f32 sample = ray->first; sample < ray->end;) {
        const render_block block = render_block_at(ray, grid, sample);
        const render_line line = render_line_in(ray, page_table, grid, &block);
        const f32 end = render_past_brick(ray, grid, &block, sample);
        for (; sample < end; sample += 1.0f) {
            const f32 t = render_distance(ray, view->step, sample);
            f32 color[3] = {0.0f, 0.0f, 0.0f};
            const f32 value = RENDER_OF(render_value_on_ray)(pool, &line, t, color);
            if (value == value) {
                T_UNROLL
                for (i32 c = 0; c < 3; ++c) sum[c] += color[c];
                sum[3] += value;
                if (found->samples == 0) found->t = t;
                found->samples += 1;
            }
        }
        sample = end;
    }
    if (found->samples == 0) return;
    const f32 samples = (f32)found->samples;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) found->color[c] = sum[c] / samples;
    found->value = sum[3] / samples;
}

T_GROUP_KERNEL(RENDER_OF(render_projection), 8, 8, 1,
               (T_IN(RENDER_VALUE) pool, T_IN(i32) page_table, T_IN(f32) ranges, T_IN(f32) table,
                const i32 takes_mean, T_OUT(f32) pixels, T_OUT(f32) depth, const render_view view,
                const render_grid grid, const render_style style)) {
    T_PHASE {
        const i32 x = T_GX * 8 + T_LX + view.first_column;
        const i32 y = T_GY * 8 + T_LY + view.first_row;
        if (x < view.width && y < view.height) {
            const render_ray ray = render_ray_of(&view, &grid, x, y);
            render_projected found = {0.0f, -1.0f, {0.0f, 0.0f, 0.0f}, 0};
            if (takes_mean)
                RENDER_OF(render_mean)(pool, page_table, &view, &grid, &ray, &found);
            else
                RENDER_OF(render_highest)
            (pool, page_table, ranges, &view, &grid, style.flags & render_skips, &ray, &found);
            f32 rgba[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            if (found.samples) {
                const render_nodes nodes = render_nodes_at(
                    table, T_FMA(found.value, style.table_scale, style.table_offset));
                T_UNROLL
                for (i32 c = 0; c < 3; ++c)
                    rgba[c] = RENDER_IS_RGB ? found.color[c] : render_interpolate(&nodes, c);
                rgba[3] = render_interpolate(&nodes, 3);
            }
            render_accumulated accumulated = render_nothing_yet();
            render_accumulate(&accumulated, rgba, rgba[3], found.t);
            accumulated.depth = found.t;
            render_write(&accumulated, (i64)y * view.width + x, pixels, depth);
        }
    }
}
