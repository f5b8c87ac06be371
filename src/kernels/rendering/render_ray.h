// Rays through a volume.
#ifndef TESELA_KERNELS_RENDER_RAY_H
#define TESELA_KERNELS_RENDER_RAY_H

#include "kernels/rendering/render_types.h"

typedef struct {
    f32 direction[3];               // of length 1, in mm
    f32 voxel[3], voxel_toward[3];  // in voxels: origin, and what a mm adds
    f32 jitter;                     // of this pixel's samples, in steps
    i32 first, end;                 // samples within the box and the planes
} render_ray;

// Samples cover at most so many steps, that an i32 and its f32 hold.
#define RENDER_MOST_SAMPLES 16777215.0f

// A number from 0 to below 1 for each pixel: the finalizer of MurmurHash3 (A. Appleby, 2011).
T_FUNCTION f32 render_jitter(const i32 x, const i32 y) {
    u32 hash = (u32)x * 0x9e3779b1u + (u32)y * 0x85ebca77u;
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    hash ^= hash >> 16;
    return (f32)(hash >> 8) * (1.0f / 16777216.0f);
}

// The lowest sample at or behind `t`.
T_FUNCTION i32 render_sample_from(const f32 t, const f32 step, const f32 jitter) {
    const f32 place = t / step - jitter;
    const f32 within = T_CLAMP(place, 0.0f, RENDER_MOST_SAMPLES);
    const i32 whole = (i32)within;
    return (f32)whole < within ? whole + 1 : whole;
}

// Where a ray is within lowest <= p <= highest along an axis: narrows first..last.
T_FUNCTION void render_clip_axis(const f32 origin, const f32 toward, const f32 lowest,
                                 const f32 highest, f32* first, f32* last) {
    if (T_ABS(toward) < 1e-12f) {
        if (origin < lowest || origin > highest) *last = -1.0f;
        return;
    }
    const f32 a = (lowest - origin) / toward;
    const f32 b = (highest - origin) / toward;
    *first = T_MAX(*first, T_MIN(a, b));
    *last = T_MIN(*last, T_MAX(a, b));
}

T_FUNCTION void render_clip_plane(const render_ray* ray, const f32* plane, f32* first, f32* last) {
    const f32 at =
        plane[0] * ray->voxel[0] + plane[1] * ray->voxel[1] + plane[2] * ray->voxel[2] + plane[3];
    const f32 toward = plane[0] * ray->voxel_toward[0] + plane[1] * ray->voxel_toward[1] +
                       plane[2] * ray->voxel_toward[2];
    if (T_ABS(toward) < 1e-12f) {
        if (at < 0.0f) *last = -1.0f;
    } else if (toward > 0.0f) {
        *first = T_MAX(*first, -at / toward);
    } else {
        *last = T_MIN(*last, -at / toward);
    }
}

T_FUNCTION render_ray render_ray_of(const render_view* view, const render_grid* grid, const i32 x,
                                    const i32 y) {
    render_ray ray;
    f32 origin[3], toward[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        origin[a] = view->origin[a] + (f32)x * view->origin_x[a] + (f32)y * view->origin_y[a];
        toward[a] = view->toward[a] + (f32)x * view->toward_x[a] + (f32)y * view->toward_y[a];
    }
    const f32 length =
        T_SQRT(toward[0] * toward[0] + toward[1] * toward[1] + toward[2] * toward[2]);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) ray.direction[a] = toward[a] / length;
    f32 first = 0.0f, last = 1e30f;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32* row = view->to_voxel + 3 * a;
        ray.voxel[a] =
            row[0] * origin[0] + row[1] * origin[1] + row[2] * origin[2] + view->voxel_offset[a];
        ray.voxel_toward[a] =
            row[0] * ray.direction[0] + row[1] * ray.direction[1] + row[2] * ray.direction[2];
        render_clip_axis(ray.voxel[a], ray.voxel_toward[a], grid->lowest[a], grid->highest[a],
                         &first, &last);
    }
    for (i32 i = 0; i < grid->planes; ++i)
        render_clip_plane(&ray, grid->plane + 4 * i, &first, &last);
    ray.jitter = render_jitter(x, y);
    ray.first = render_sample_from(first, view->step, ray.jitter);
    ray.end = last < first ? ray.first : render_sample_from(last, view->step, ray.jitter);
    return ray;
}

// The distance of sample k in mm.
T_FUNCTION f32 render_distance(const render_ray* ray, const f32 step, const i32 k) {
    return ((f32)k + ray->jitter) * step;
}

// The block of a ray's sample, and its samples from there on up to the block's far side.
typedef struct {
    i32 block;      // number
    i32 brick;      // number of its brick
    f32 corner[3];  // of the brick with its border, in voxels
    i32 end;        // the first sample behind the block
} render_segment;

T_FUNCTION render_segment render_segment_at(const render_ray* ray, const render_grid* grid,
                                            const f32 step, const i32 k) {
    render_segment segment;
    const f32 t = render_distance(ray, step, k);
    f32 leaves = 1e30f;
    i32 block[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 at = T_FMA(t, ray->voxel_toward[a], ray->voxel[a]) + 0.5f;
        const i32 here = (i32)T_FLOOR(at * (1.0f / (f32)render_block_side));
        block[a] = T_CLAMP(here, 0, grid->blocks[a] - 1);
        const i32 side = ray->voxel_toward[a] > 0.0f ? block[a] + 1 : block[a];
        const f32 to = (f32)(side * render_block_side) - 0.5f - ray->voxel[a];
        if (T_ABS(ray->voxel_toward[a]) >= 1e-12f)
            leaves = T_MIN(leaves, to / ray->voxel_toward[a]);
        segment.corner[a] = (f32)((block[a] / 4) * render_brick_side - 1);
    }
    segment.block = (block[2] * grid->blocks[1] + block[1]) * grid->blocks[0] + block[0];
    segment.brick =
        ((block[2] / 4) * grid->bricks[1] + block[1] / 4) * grid->bricks[0] + block[0] / 4;
    // At least this sample, whatever rounding says of a corner that is touched.
    segment.end = T_MIN(ray->end, T_MAX(k + 1, render_sample_from(leaves, step, ray->jitter)));
    return segment;
}

#endif
