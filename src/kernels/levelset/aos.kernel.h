// A sub-voxel surface, the zero level of u, that evolves by additive operator splitting: kernels
// that compute point by point. u is negative inside. Lines: aos_lines.kernel.h.
#define T_FILE aos
#include "kernels/begin.h"
#include "kernels/levelset/aos_gradient.h"
#include "kernels/levelset/ftc_grid.h"

// The box of an image that is computed.
typedef struct {
    i64 first, slice;  // its first point; points of a slice of the image
    i32 nx, ny, nz;    // its points
    i32 row;           // points of a row of the image
    f32 inverse[3];    // 1 / spacing
    f32 far;           // the largest distance
} aos_grid;

T_FUNCTION i64 aos_place(const i32 x, const i32 y, const i32 z, const aos_grid grid) {
    return grid.first + z * grid.slice + (i64)y * grid.row + x;
}

// The gradients that the lines of a step need: `steep` is |grad u| / b, and `right` the right-hand
// side u + tau k g |grad u| (Weickert and Kuehne 2003, tesela/level_set_aos.h). `push` is tau times
// the balloon force; `force` is in 1/127.
T_KERNEL(aos_prepare,
         (T_IN(f32) u, T_IN(f32) g, T_IN(i8) force, T_OUT(f32) steep, T_OUT(f32) right,
          const f32 push, const i32 is_geodesic, const i32 stops, const aos_grid grid)) {
    T_INDEX3(x, y, z);
    const i64 i = aos_place(x, y, z, grid);
    const f32 stop = g[i];
    const f32 k = -push * (f32)force[i] * (stops ? stop : 1.0f);
    f32 still = 0;
    f32 moving = 0;
    f32 backward;
    f32 forward;
    aos_differences(u + i, 1, x, grid.nx, grid.inverse[0], &backward, &forward);
    aos_add_squares(backward, forward, k, &still, &moving);
    aos_differences(u + i, grid.row, y, grid.ny, grid.inverse[1], &backward, &forward);
    aos_add_squares(backward, forward, k, &still, &moving);
    aos_differences(u + i, grid.slice, z, grid.nz, grid.inverse[2], &backward, &forward);
    aos_add_squares(backward, forward, k, &still, &moving);
    const f32 length = T_MAX(T_SQRT(still), AOS_FLATTEST);
    steep[i] = is_geodesic ? length / stop : length;
    right[i] = u[i] + k * T_SQRT(moving);
}

// The balloon force from the speeds of object 1, in 1/127: saturates at `full`.
T_KERNEL(aos_force, (T_IN(u16) levels, T_IN(i32) speeds, T_OUT(i8) force, const i32 full)) {
    T_INDEX1(i);
    const i32 speed = T_CLAMP(speeds[ftc_levels + (levels[i] & ftc_level_bits)], -full, full);
    force[i] = (i8)(speed * 127 / full);
}

// The stop function of squared gradients, with a lower bound so that 1 / g fits single precision.
T_SIMD_KERNEL(aos_stop, (T_OUT(f32) g, const f32 inverse_squared_contrast)) {
    T_INDEX1(i);
    const f32 stop = 1.0f / (1.0f + g[i] * inverse_squared_contrast);
    g[i] = T_MAX(stop, 1.0e-4f);
}

T_SIMD_KERNEL(aos_scale, (T_OUT(f32) u, const f32 scale)) {
    T_INDEX1(i);
    u[i] *= scale;
}

// The object: points inside that are not masked.
T_SIMD_KERNEL(aos_keep, (T_IN(u8) inside, T_IN(u16) levels, T_OUT(u8) object)) {
    T_INDEX1(i);
    object[i] =
        (u8)((inside[i] != 0 ? 1 : 0) & ((levels[i] & ftc_level_bits) != ftc_outside ? 1 : 0));
}

// The front runs between centers on either side of the border.
T_SIMD_KERNEL(aos_between, (T_OUT(f32) u, const f32 inset)) {
    T_INDEX1(i);
    const f32 away = u[i];
    u[i] = away < 0 ? away + inset : away - inset;
}

typedef struct {
    f32 center[3], step[3];  // in points; a point's length along each axis
    f32 radius, scale;       // in the unit of `step`; of that unit
} aos_ball;

T_KERNEL(aos_add_ball, (T_OUT(f32) u, const i32 nx, const i32 ny, const aos_ball ball)) {
    T_INDEX3(x, y, z);
    const f32 dx = ((f32)x - ball.center[0]) * ball.step[0];
    const f32 dy = ((f32)y - ball.center[1]) * ball.step[1];
    const f32 dz = ((f32)z - ball.center[2]) * ball.step[2];
    const f32 away = (T_SQRT(dx * dx + dy * dy + dz * dz) - ball.radius) * ball.scale;
    const i64 i = ((i64)z * ny + y) * nx + x;
    u[i] = T_MIN(u[i], away);
}

T_FUNCTION f32 aos_steepest(const f32 backward, const f32 forward) {
    const f32 low = T_ABS(backward);
    const f32 high = T_ABS(forward);
    return T_MAX(low, high);
}

// Whether a neighbor along an axis is on the other side of the front.
T_FUNCTION i32 aos_crosses(T_GLOBAL_PTR(const f32) here, const i64 step, const i32 at,
                           const i32 length) {
    const i32 inside = here[0] < 0;
    const i32 before = at > 0 ? here[-step] < 0 : inside;
    const i32 behind = at + 1 < length ? here[step] < 0 : inside;
    return (before != inside) | (behind != inside);
}

T_FUNCTION i32 aos_at_front(T_GLOBAL_PTR(const f32) here, const i32 x, const i32 y, const i32 z,
                            const aos_grid grid) {
    return aos_crosses(here, 1, x, grid.nx) | aos_crosses(here, grid.row, y, grid.ny) |
           aos_crosses(here, grid.slice, z, grid.nz);
}

// Distances of the points next to the front, which does not move: u / |grad u|, with the larger one
// of central and one-sided differences (G. Russo, P. Smereka, "A remark on computing distance
// functions", J. Comput. Phys. 163, 2000). Other points become `far`.
T_KERNEL(aos_near, (T_IN(f32) u, T_OUT(f32) distance, const aos_grid grid)) {
    T_INDEX3(x, y, z);
    const i64 i = aos_place(x, y, z, grid);
    const f32 own = u[i];
    distance[i] = own < 0 ? -grid.far : grid.far;
    if (aos_at_front(u + i, x, y, z, grid) == 0) return;
    f32 central = 0;
    f32 steepest = AOS_FLATTEST;
    f32 backward;
    f32 forward;
    aos_differences(u + i, 1, x, grid.nx, grid.inverse[0], &backward, &forward);
    central += aos_square(backward + forward);
    steepest = T_MAX(steepest, aos_steepest(backward, forward));
    aos_differences(u + i, grid.row, y, grid.ny, grid.inverse[1], &backward, &forward);
    central += aos_square(backward + forward);
    steepest = T_MAX(steepest, aos_steepest(backward, forward));
    aos_differences(u + i, grid.slice, z, grid.nz, grid.inverse[2], &backward, &forward);
    central += aos_square(backward + forward);
    steepest = T_MAX(steepest, aos_steepest(backward, forward));
    const f32 mean = 0.5f * T_SQRT(central);
    const f32 away = own / T_MAX(mean, steepest);
    distance[i] = T_CLAMP(away, -grid.far, grid.far);
}

// The lower distance of the two neighbors along an axis; `far` along an axis of one point.
T_FUNCTION f32 aos_lower(T_GLOBAL_PTR(const f32) here, const i64 step, const i32 at,
                         const i32 length, const f32 far) {
    const f32 before = at > 0 ? T_ABS(here[-step]) : far;
    const f32 behind = at + 1 < length ? T_ABS(here[step]) : far;
    return T_MIN(before, behind);
}

// The Eikonal update: solves sum_axes max((v - lower) / spacing, 0)^2 = 1, first with all axes,
// then without those of the highest distances while v is below these.
T_FUNCTION f32 aos_eikonal(const f32* lower, const f32* inverse) {
    f32 best = 1.0e30f;
    for (i32 k = 0; k < 3; ++k) {
        // Axes whose lower distance is at most that of axis k.
        f32 a = 0;
        f32 b = 0;
        f32 c = -1.0f;
        for (i32 axis = 0; axis < 3; ++axis) {
            const f32 weight = lower[axis] <= lower[k] ? aos_square(inverse[axis]) : 0.0f;
            a += weight;
            b += weight * lower[axis];
            c += weight * lower[axis] * lower[axis];
        }
        const f32 root = b * b - a * c;
        const f32 v = a > 0 && root >= 0 ? (b + T_SQRT(root)) / a : 1.0e30f;
        best = v >= lower[k] && v < best ? v : best;
    }
    return best;
}

// Extends the distances by one voxel from the front.
T_KERNEL(aos_farther, (T_IN(f32) distance, T_OUT(f32) next, const aos_grid grid)) {
    T_INDEX3(x, y, z);
    const i64 i = aos_place(x, y, z, grid);
    const f32 own = distance[i];
    next[i] = own;
    f32 lower[3];
    lower[0] = aos_lower(distance + i, 1, x, grid.nx, grid.far);
    lower[1] = aos_lower(distance + i, grid.row, y, grid.ny, grid.far);
    lower[2] = aos_lower(distance + i, grid.slice, z, grid.nz, grid.far);
    const f32 lowest = T_MIN(lower[0], T_MIN(lower[1], lower[2]));
    if (lowest >= grid.far || aos_at_front(distance + i, x, y, z, grid) != 0) return;
    const f32 away = T_MIN(aos_eikonal(lower, grid.inverse), grid.far);
    next[i] = own < 0 ? -away : away;
}

enum {
    aos_items = 256,
    aos_points = 16,

    // Counts: points inside, those next to the front, and those that changed side since the last
    // count; then, along each axis of the box, length - 1 - lowest and highest index inside.
    aos_within = 0,
    aos_front = 1,
    aos_changed = 2,
    aos_extent = 3,
    aos_counts = 9
};

T_GROUP_KERNEL(aos_count, 256, 1, 1,
               (T_IN(f32) u, T_OUT(u8) inside, T_OUT(u32) counts, const i64 points,
                const aos_grid grid)) {
    T_LOCAL(u32, sums, aos_counts);
    T_PHASE {
        if (T_LX < aos_counts) sums[T_LX] = 0;
    }
    T_PHASE {
        u32 own[aos_counts];
        for (i32 k = 0; k < aos_counts; ++k) own[k] = 0;
        for (i32 k = 0; k < aos_points; ++k) {
            const i64 number = ((i64)T_GX * aos_points + k) * aos_items + T_LX;
            if (number < points) {
                const i64 row = number / grid.nx;
                const i32 x = (i32)(number - row * grid.nx);
                const i32 y = (i32)(row % grid.ny);
                const i32 z = (i32)(row / grid.ny);
                const i64 i = aos_place(x, y, z, grid);
                const u32 is_inside = u[i] < 0 ? 1u : 0u;
                own[aos_within] += is_inside;
                own[aos_front] += (u32)aos_at_front(u + i, x, y, z, grid);
                own[aos_changed] += is_inside != inside[i] ? 1u : 0u;
                inside[i] = (u8)is_inside;
                if (is_inside != 0) {
                    own[aos_extent] = T_MAX(own[aos_extent], (u32)(grid.nx - 1 - x));
                    own[aos_extent + 1] = T_MAX(own[aos_extent + 1], (u32)x);
                    own[aos_extent + 2] = T_MAX(own[aos_extent + 2], (u32)(grid.ny - 1 - y));
                    own[aos_extent + 3] = T_MAX(own[aos_extent + 3], (u32)y);
                    own[aos_extent + 4] = T_MAX(own[aos_extent + 4], (u32)(grid.nz - 1 - z));
                    own[aos_extent + 5] = T_MAX(own[aos_extent + 5], (u32)z);
                }
            }
        }
        for (i32 k = 0; k < aos_extent; ++k)
            if (own[k] != 0) T_ATOMIC_ADD(sums + k, own[k]);
        for (i32 k = aos_extent; k < aos_counts; ++k)
            if (own[k] != 0) T_ATOMIC_MAX(sums + k, own[k]);
    }
    T_PHASE {
        if (T_LX < aos_extent && sums[T_LX] != 0) T_ATOMIC_ADD(counts + T_LX, sums[T_LX]);
        if (T_LX >= aos_extent && T_LX < aos_counts && sums[T_LX] != 0)
            T_ATOMIC_MAX(counts + T_LX, sums[T_LX]);
    }
}

#include "kernels/end.h"
