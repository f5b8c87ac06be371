// Uniform cubic B-splines along an axis.
#ifndef TESELA_KERNELS_REGISTRATION_SPLINE_WEIGHTS_H
#define TESELA_KERNELS_REGISTRATION_SPLINE_WEIGHTS_H

// The first of the four nodes around a position on an axis, and their weights. Beyond the nodes the
// spline continues with its value at the border.
T_FUNCTION i32 spline_weights(const f32 position, const i32 size, f32* weight) {
    if (size == 1) {
        weight[0] = 1;
        weight[1] = weight[2] = weight[3] = 0;
        return 0;
    }
    const f32 inside = T_CLAMP(position, 1.0f, (f32)(size - 2));
    const i32 cell = T_MIN((i32)inside, size - 3);
    const f32 t = inside - (f32)cell, s = 1.0f - t, sixth = 1.0f / 6.0f;
    weight[0] = s * s * s * sixth;
    weight[1] = ((3.0f * t - 6.0f) * t * t + 4.0f) * sixth;
    weight[2] = (((-3.0f * t + 3.0f) * t + 3.0f) * t + 1.0f) * sixth;
    weight[3] = t * t * t * sixth;
    return cell - 1;
}

// Their derivatives by the position.
T_FUNCTION void spline_slopes(const f32 position, const i32 first, f32* slope) {
    const f32 t = position - (f32)(first + 1), s = 1.0f - t;
    slope[0] = -0.5f * s * s;
    slope[1] = (1.5f * t - 2.0f) * t;
    slope[2] = (0.5f + t) - 1.5f * t * t;
    slope[3] = 0.5f * t * t;
}

#endif
