// One pixel type's kernel; fixed_values.kernel.h sets FIXED_PIXEL. Pixels are interleaved, `stride`
// values a point, of which the first `channels` are taken.
T_KERNEL(T_JOIN(fixed_values_, FIXED_PIXEL),
         (T_IN(FIXED_PIXEL) pixels, T_OUT(u16) values, const i64 points, const i32 stride,
          const i32 channels, const f32 offset, const f32 scale)) {
    T_INDEX1(i);
    for (i32 c = 0; c < channels; ++c) {
        const f32 pixel = (f32)pixels[(i64)i * stride + c];
        const f32 value = (pixel - offset) * scale;
        values[c * points + i] =
            (u16)(pixel - pixel == 0.0f ? (u32)T_ROUND(T_CLAMP(value, 0.0f, (f32)fixed_highest))
                                        : fixed_no_value);
    }
}

#undef FIXED_PIXEL
