// Isosurfaces, and smooth surfaces of labels.
#define T_FILE render_surface
#include "kernels/begin.h"
#include "kernels/rendering/render_labels.h"
#include "kernels/rendering/render_light.h"
#include "kernels/rendering/render_ray.h"

T_FUNCTION void render_add_surface(const render_view* view, const render_style* style,
                                   const render_ray* ray, const f32* gradient, const f32* rgba,
                                   const f32 t, render_accumulated* accumulated) {
    f32 color[3] = {rgba[0], rgba[1], rgba[2]};
    if (style->flags & render_shaded)
        render_shade(style, render_slope_of(gradient, view->to_voxel, ray->direction).cosine,
                     color);
    render_accumulate(accumulated, color, rgba[3], t);
}

// Accumulates the surface between two samples with different labels.
T_FUNCTION void render_add_label(const render_labels* pool, const render_view* view,
                                 const render_grid* grid, const render_style* style,
                                 const render_ray* ray, const render_sides* sides, f32 near,
                                 f32 far, render_accumulated* accumulated) {
    f32 position[3];
    const i32 enters = sides->to != 0 ? 1 : 0;
    for (i32 i = 0; i < render_label_bisections; ++i) {
        const f32 middle = 0.5f * (near + far);
        render_position_on(ray, middle, position);
        const i32 is_there = render_excess(pool, grid, sides, position) >= 0.0f ? 1 : 0;
        if (is_there == enters)
            far = middle;
        else
            near = middle;
    }
    const f32 t = 0.5f * (near + far);
    f32 gradient[3];
    for (i32 a = 0; a < 3; ++a) {
        render_position_on(ray, t, position);
        position[a] += 1.0f;
        gradient[a] = render_excess(pool, grid, sides, position);
        position[a] -= 2.0f;
        gradient[a] -= render_excess(pool, grid, sides, position);
    }
    render_position_on(ray, t, position);
    const u32 label = sides->from == 0 || sides->to == 0
                          ? render_dominant_label(pool, grid, position)
                          : sides->to;
    f32 rgba[4];
    T_READ_FOUR(rgba, pool->label_colors + 4 * label);
    render_add_surface(view, style, ray, gradient, rgba, t, accumulated);
}

// A point on a ray: its distance, its value, where there are isovalues, and its label.
typedef struct {
    f32 t, value;
    u32 label;
} render_point;

// The gradient, in values per voxel, of what ends at distance t on a ray: a face of the clip box or
// a clip plane, whichever is nearest.
T_FUNCTION void render_cut_gradient(const render_grid* grid, const render_ray* ray, const f32 t,
                                    f32* gradient) {
    f32 position[3];
    render_position_on(ray, t, position);
    f32 nearest = 1e30f;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 distance =
            T_MIN(T_ABS(position[a] - grid->lowest[a]), T_ABS(position[a] - grid->highest[a]));
        if (distance < nearest) {
            nearest = distance;
            T_UNROLL
            for (i32 b = 0; b < 3; ++b) gradient[b] = a == b ? 1.0f : 0.0f;
        }
    }
    for (i32 i = 0; i < grid->planes; ++i) {
        const f32* plane = grid->plane + 4 * i;
        const f32 squared = plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2];
        const f32 value =
            plane[0] * position[0] + plane[1] * position[1] + plane[2] * position[2] + plane[3];
        const f32 distance = T_ABS(value) / T_SQRT(squared);
        if (distance < nearest) {
            nearest = distance;
            T_UNROLL
            for (i32 b = 0; b < 3; ++b) gradient[b] = plane[b];
        }
    }
}

// Accumulates the cut face of a label at distance t, where the ray enters or leaves what is kept.
T_FUNCTION void render_add_cap(const render_labels* pool, const render_view* view,
                               const render_grid* grid, const render_style* style,
                               const render_ray* ray, const u32 label, const f32 t,
                               render_accumulated* accumulated) {
    f32 gradient[3], rgba[4];
    render_cut_gradient(grid, ray, t, gradient);
    T_READ_FOUR(rgba, pool->label_colors + 4 * label);
    render_add_surface(view, style, ray, gradient, rgba, t, accumulated);
}

#define RENDER_BODY "kernels/rendering/render_surface.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

#include "kernels/end.h"
