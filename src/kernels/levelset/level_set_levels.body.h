// Levels of pixels of LEVEL_SET_VALUE: part of level_set_levels.kernel.h. LEVEL_SET_OF(name)
// appends the type to a name.

// 1 within the limits, 0 elsewhere and for NaN.
T_SIMD_KERNEL(LEVEL_SET_OF(level_set_within),
              (T_IN(LEVEL_SET_VALUE) pixels, const f32 lower, const f32 upper, T_OUT(u16) levels)) {
    T_INDEX1(i);
    const f32 value = (f32)pixels[i];
    levels[i] = (u16)((value >= lower ? 1 : 0) & (value <= upper ? 1 : 0));
}

// Steps of 1 / scale from the offset on.
T_SIMD_KERNEL(LEVEL_SET_OF(level_set_quantize), (T_IN(LEVEL_SET_VALUE) pixels, const f32 offset,
                                                 const f32 scale, T_OUT(u16) levels)) {
    T_INDEX1(i);
    const f32 steps = ((f32)pixels[i] - offset) * scale;
    const f32 highest = (f32)(ftc_outside - 1);
    const f32 clamped = T_CLAMP(steps, 0.0f, highest);
    levels[i] = (u16)(steps == steps ? (i32)clamped : (i32)ftc_outside);
}

// The values of some points.
T_KERNEL(LEVEL_SET_OF(level_set_values),
         (T_IN(LEVEL_SET_VALUE) pixels, T_IN(u32) points, T_OUT(f32) values)) {
    T_INDEX1(i);
    values[i] = (f32)pixels[points[i]];
}
