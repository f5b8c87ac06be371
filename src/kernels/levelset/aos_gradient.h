// Gradients of a surface between voxels, which the ways of additive operator splitting share.
#ifndef TESELA_KERNELS_AOS_GRADIENT_H
#define TESELA_KERNELS_AOS_GRADIENT_H

#define AOS_FLATTEST 1.0e-6f

// One-sided differences along an axis. At the ends, where there is only one, both are equal; along
// an axis of one point they are 0.
T_FUNCTION void aos_differences(T_GLOBAL_PTR(const f32) here, const i64 step, const i32 at,
                                const i32 length, const f32 inverse, f32* backward, f32* forward) {
    const i64 before = at > 0 ? step : 0;
    const i64 behind = at + 1 < length ? step : 0;
    const f32 low = (here[0] - here[-before]) * inverse;
    const f32 high = (here[behind] - here[0]) * inverse;
    *backward = at > 0 ? low : high;
    *forward = at + 1 < length ? high : low;
}

T_FUNCTION f32 aos_square(const f32 v) { return v * v; }

// Adds the squares of an axis to those of two gradients: the central one, and the upwind one for
// the speed `k` (S. Osher, J. A. Sethian, J. Comput. Phys. 79, 1988).
T_FUNCTION void aos_add_squares(const f32 backward, const f32 forward, const f32 k, f32* still,
                                f32* moving) {
    *still += 0.5f * (backward * backward + forward * forward);
    const f32 upper = k < 0 ? backward : forward;
    const f32 lower = k < 0 ? forward : backward;
    *moving += aos_square(T_MAX(upper, 0.0f)) + aos_square(T_MIN(lower, 0.0f));
}

#endif
