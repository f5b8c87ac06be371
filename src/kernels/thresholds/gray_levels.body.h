// Part of gray_levels.kernel.h, once for each GRAY_PIXEL: GRAY_LEVEL(v, lowest, scale) is the level
// of a value. Pixels have `stride` values. Luma is 0.299 R + 0.587 G + 0.114 B by ITU-R BT.601, in
// 1/65536.
T_KERNEL(T_JOIN(levels_of_, GRAY_PIXEL),
         (T_IN(GRAY_PIXEL) pixels, T_OUT(u32) levels, const i64 points, const i32 stride,
          const i32 channel, const f32 lowest, const f32 scale)) {
    T_INDEX1(i);
    (void)lowest;
    (void)scale;
    levels[channel * points + i] = GRAY_LEVEL(pixels[(i64)i * stride + channel], lowest, scale);
}
T_KERNEL(T_JOIN(luma_of_, GRAY_PIXEL), (T_IN(GRAY_PIXEL) pixels, T_OUT(u32) levels,
                                        const i32 stride, const f32 lowest, const f32 scale)) {
    T_INDEX1(i);
    (void)lowest;
    (void)scale;
    const u32 r = GRAY_LEVEL(pixels[(i64)i * stride], lowest, scale);
    const u32 g = GRAY_LEVEL(pixels[(i64)i * stride + 1], lowest, scale);
    const u32 b = GRAY_LEVEL(pixels[(i64)i * stride + 2], lowest, scale);
    levels[i] = (r * 19595u + g * 38470u + b * 7471u + 32768u) >> 16;
}

#undef GRAY_LEVEL
#undef GRAY_PIXEL
