// Rays through a volume.
#ifndef TESELA_KERNELS_RENDER_RAY_H
#define TESELA_KERNELS_RENDER_RAY_H

#include "kernels/rendering/render_position.h"

typedef struct {
    f32 direction[3];                  // of length 1, in mm
    f32 voxel[3], voxel_direction[3];  // in voxels: the origin, and the way of a mm
    f32 block[3], block_step[3];       // in blocks: the place of sample 0, and the way of a step
    f32 steps_per_block[3];            // signed; huge along an axis that the ray is orthogonal to
    f32 jitter;                        // of this pixel's samples, in steps
    f32 first, end;                    // samples within the clip box and the clip planes
    f32 enters, leaves;                // the same in mm; where it misses them, it leaves first
} render_ray;

// Samples are numbered in f32, which holds integers exactly up to here.
#define RENDER_MAX_SAMPLES 16777215.0f

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

// The first sample at or past a distance in steps.
T_FUNCTION f32 render_sample_from(const f32 steps, const f32 jitter) {
    const f32 sample = -T_FLOOR(jitter - steps);
    return T_CLAMP(sample, 0.0f, RENDER_MAX_SAMPLES);
}

// Narrows first..last to where a ray is within lowest <= p <= highest along an axis.
T_FUNCTION void render_clip_axis(const f32 origin, const f32 direction, const f32 lowest,
                                 const f32 highest, f32* first, f32* last) {
    if (T_ABS(direction) < 1e-12f) {
        if (origin < lowest || origin > highest) *last = -1.0f;
        return;
    }
    const f32 a = (lowest - origin) / direction;
    const f32 b = (highest - origin) / direction;
    *first = T_MAX(*first, T_MIN(a, b));
    *last = T_MIN(*last, T_MAX(a, b));
}

// Narrows first..last to where a ray is on the kept side of a plane: its normal and its offset.
T_FUNCTION void render_clip_plane(const render_ray* ray, const f32* plane, f32* first, f32* last) {
    const f32 at =
        plane[0] * ray->voxel[0] + plane[1] * ray->voxel[1] + plane[2] * ray->voxel[2] + plane[3];
    const f32 direction = plane[0] * ray->voxel_direction[0] + plane[1] * ray->voxel_direction[1] +
                          plane[2] * ray->voxel_direction[2];
    if (T_ABS(direction) < 1e-12f) {
        if (at < 0.0f) *last = -1.0f;
    } else if (direction > 0.0f) {
        *first = T_MAX(*first, -at / direction);
    } else {
        *last = T_MIN(*last, -at / direction);
    }
}

// The ray of pixel (x, y): its samples within the clip box and the clip planes, in mm, in voxels
// and in blocks.
T_FUNCTION render_ray render_ray_of(const render_view* view, const render_grid* grid, const i32 x,
                                    const i32 y) {
    render_ray ray;
    f32 origin[3], direction[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        origin[a] = view->origin[a] + (f32)x * view->origin_x[a] + (f32)y * view->origin_y[a];
        direction[a] =
            view->direction[a] + (f32)x * view->direction_x[a] + (f32)y * view->direction_y[a];
    }
    const f32 length = T_SQRT(direction[0] * direction[0] + direction[1] * direction[1] +
                              direction[2] * direction[2]);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) ray.direction[a] = direction[a] / length;
    f32 first = 0.0f, last = 1e30f;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32* row = view->to_voxel + 3 * a;
        ray.voxel[a] =
            row[0] * origin[0] + row[1] * origin[1] + row[2] * origin[2] + view->voxel_offset[a];
        ray.voxel_direction[a] =
            row[0] * ray.direction[0] + row[1] * ray.direction[1] + row[2] * ray.direction[2];
        render_clip_axis(ray.voxel[a], ray.voxel_direction[a], grid->lowest[a], grid->highest[a],
                         &first, &last);
    }
    for (i32 i = 0; i < grid->planes; ++i)
        render_clip_plane(&ray, grid->plane + 4 * i, &first, &last);
    ray.enters = first;
    ray.leaves = last;
    ray.jitter = render_jitter(x, y);
    ray.first = render_sample_from(first / view->step, ray.jitter);
    ray.end = last < first ? ray.first : render_sample_from(last / view->step, ray.jitter);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 per_voxel = 1.0f / (f32)grid->block_side;
        ray.block_step[a] = ray.voxel_direction[a] * view->step * per_voxel;
        ray.block[a] = (ray.voxel[a] + RENDER_MARGIN) * per_voxel + ray.jitter * ray.block_step[a];
        ray.steps_per_block[a] =
            T_ABS(ray.block_step[a]) < 1e-12f ? 1e30f : 1.0f / ray.block_step[a];
    }
    return ray;
}

// The distance of a sample from the ray's origin in mm.
T_FUNCTION f32 render_distance(const render_ray* ray, const f32 step, const f32 sample) {
    return (sample + ray->jitter) * step;
}

T_FUNCTION void render_position_on(const render_ray* ray, const f32 t, f32* position) {
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) position[a] = T_FMA(t, ray->voxel_direction[a], ray->voxel[a]);
}

// The block of a sample: whole numbers along each axis.
typedef struct {
    f32 at[3];
} render_block;

T_FUNCTION render_block render_block_at(const render_ray* ray, const render_grid* grid,
                                        const f32 sample) {
    render_block block;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 here = T_FLOOR(T_FMA(sample, ray->block_step[a], ray->block[a]));
        block.at[a] = T_MAX(T_MIN(here, (f32)(grid->blocks[a] - 1)), 0.0f);
    }
    return block;
}
T_FUNCTION i32 render_block_number(const render_grid* grid, const render_block* block) {
    return (i32)block->at[2] * (grid->blocks[0] * grid->blocks[1]) +
           (i32)block->at[1] * grid->blocks[0] + (i32)block->at[0];
}

// The first sample past the blocks that are less than `distance` from that of `sample` along all
// axes. Along each axis the ray entered the block at its face `side`, after `enters` steps, and
// leaves those blocks |steps_per_block| * distance steps later; the axis where it does so first
// counts. At least the next sample, even where rounding disagrees at a corner that the ray touches.
T_FUNCTION f32 render_past_blocks(const render_ray* ray, const render_block* block,
                                  const f32 distance, const f32 sample) {
    f32 leaves = ray->end;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 steps = ray->steps_per_block[a];
        const f32 side = steps > 0.0f ? block->at[a] : block->at[a] + 1.0f;
        const f32 enters = (side - ray->block[a]) * steps;
        leaves = T_MIN(leaves, T_FMA(distance, T_ABS(steps), enters));
    }
    const f32 past = -T_FLOOR(-leaves);
    return T_MAX(sample + 1.0f, past);
}

// Likewise, the first sample past the brick of `sample`.
T_FUNCTION f32 render_past_brick(const render_ray* ray, const render_grid* grid,
                                 const render_block* block, const f32 sample) {
    render_block nearest;
    const f32 side = (f32)(1 << grid->brick_shift);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        const f32 first = T_FLOOR(block->at[a] * (1.0f / side)) * side;
        nearest.at[a] = ray->steps_per_block[a] > 0.0f ? first : first + side - 1.0f;
    }
    return render_past_blocks(ray, &nearest, side, sample);
}

// A ray through the voxels of a page.
typedef struct {
    i64 origin;                        // as of render_place
    f32 voxel[3], voxel_direction[3];  // as of render_ray, in voxels of the page's level
    f32 scale;                         // of differences between them to those of the grid
} render_line;

// Through the page of a block's brick. Where that is of the level of the grid, the line has the
// numbers of the ray to the bit.
T_FUNCTION render_line render_line_in(const render_ray* ray, T_GLOBAL_PTR(const i32) page_table,
                                      const render_grid* grid, const render_block* block) {
    const i32 brick[3] = {(i32)block->at[0] >> grid->brick_shift,
                          (i32)block->at[1] >> grid->brick_shift,
                          (i32)block->at[2] >> grid->brick_shift};
    const render_place place = render_place_of(page_table, grid, brick);
    render_line line;
    line.origin = place.origin;
    line.scale = place.scale;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        line.voxel[a] = T_FMA(ray->voxel[a], place.scale, place.shift);
        line.voxel_direction[a] = ray->voxel_direction[a] * place.scale;
    }
    return line;
}
T_FUNCTION void render_position_on_line(const render_line* line, const f32 t, f32* position) {
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) position[a] = T_FMA(t, line->voxel_direction[a], line->voxel[a]);
}

#endif
