// Part of region_predicate.kernel.h, once for each REGION_PIXEL, with REGION_LIMIT, the type in
// which its values are compared. Limits are inclusive; NaN is within none.
#define REGION_OF(name) T_JOIN(T_JOIN(name, _), REGION_PIXEL)

T_SIMD_KERNEL(REGION_OF(region_gray_within), (T_IN(REGION_PIXEL) pixels, const REGION_LIMIT lower,
                                              const REGION_LIMIT upper, T_OUT(u8) mask)) {
    T_INDEX1(i);
    const REGION_LIMIT value = pixels[i];
    mask[i] = T_CLAMP(value, lower, upper) == value ? 1 : 0;
}

// Of pixels of `stride` values the first `channels`, which are 1 or 3.
T_KERNEL(REGION_OF(region_color_within),
         (T_IN(REGION_PIXEL) pixels, const u32 points, const i32 stride, const i32 channels,
          const REGION_LIMIT lower0, const REGION_LIMIT upper0, const REGION_LIMIT lower1,
          const REGION_LIMIT upper1, const REGION_LIMIT lower2, const REGION_LIMIT upper2,
          T_OUT(u8) mask)) {
    T_INDEX1(item);
    const u32 first = t_item_first(item);
    const i32 second_channel = channels == 3 ? 1 : 0;
    const i32 third_channel = channels == 3 ? 2 : 0;
    REGION_LIMIT values[3 * t_item_points];
    T_UNROLL
    for (i32 k = 0; k < t_item_points; ++k) {
        const u32 i = T_MIN(first + (u32)k * t_item_step(), points - 1u);
        T_GLOBAL_PTR(const REGION_PIXEL) pixel = pixels + (i64)i * stride;
        values[3 * k] = (REGION_LIMIT)pixel[0];
        values[3 * k + 1] = (REGION_LIMIT)pixel[second_channel];
        values[3 * k + 2] = (REGION_LIMIT)pixel[third_channel];
    }
    T_UNROLL
    for (i32 k = 0; k < t_item_points; ++k) {
        const REGION_LIMIT a = values[3 * k];
        const REGION_LIMIT b = values[3 * k + 1];
        const REGION_LIMIT c = values[3 * k + 2];
        const i32 is_within =
            T_CLAMP(a, lower0, upper0) == a &&
            (channels != 3 || (T_CLAMP(b, lower1, upper1) == b && T_CLAMP(c, lower2, upper2) == c));
        const u32 i = first + (u32)k * t_item_step();
        if (i < points) mask[i] = is_within ? 1 : 0;
    }
}

#undef REGION_OF
#undef REGION_PIXEL
#undef REGION_LIMIT
