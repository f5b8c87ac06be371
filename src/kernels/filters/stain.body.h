// Part of stain.kernel.h, once for each STAIN_PIXEL: `STAIN_LEVELS` values. Pixels have `stride` of
// them.
T_FUNCTION stain_density T_JOIN(stain_density_of_, STAIN_PIXEL)(T_GLOBAL_PTR(const STAIN_PIXEL)
                                                                    pixel,
                                                                T_GLOBAL_PTR(const f32) table) {
    const stain_density density = {table[pixel[0]], table[STAIN_LEVELS + pixel[1]],
                                   table[2 * STAIN_LEVELS + pixel[2]]};
    return density;
}

T_KERNEL(T_JOIN(stain_amounts_, STAIN_PIXEL),
         (T_IN(STAIN_PIXEL) pixels, T_IN(f32) table, T_OUT(f32) amounts, const i32 stride,
          const stain_weights weights)) {
    T_INDEX1(i);
    const stain_density density =
        T_JOIN(stain_density_of_, STAIN_PIXEL)(pixels + (i64)i * stride, table);
    for (i32 c = 0; c < 3; ++c) amounts[3 * (i64)i + c] = stain_weighted(density, weights, c);
}

T_KERNEL(T_JOIN(stain_recolor_, STAIN_PIXEL),
         (T_IN(STAIN_PIXEL) pixels, T_IN(f32) table, T_OUT(STAIN_PIXEL) recolored, const i32 stride,
          const stain_weights weights)) {
    T_INDEX1(i);
    const i64 first = (i64)i * stride;
    const stain_density density = T_JOIN(stain_density_of_, STAIN_PIXEL)(pixels + first, table);
    for (i32 c = 0; c < 3; ++c) {
        const f32 below_full =
            T_CLAMP(stain_weighted(density, weights, c) + weights.white[c], 0.0f, 30.0f);
        // v + 1 to the nearest, which is never below 0.
        const f32 value = (f32)STAIN_LEVELS * t_exp_of_minus(2.30258509f * below_full) - 0.5f;
        recolored[first + c] = (STAIN_PIXEL)T_CLAMP((i32)value, 0, STAIN_LEVELS - 1);
    }
    if (stride == 4) recolored[first + 3] = pixels[first + 3];
}

#undef STAIN_LEVELS
#undef STAIN_PIXEL
