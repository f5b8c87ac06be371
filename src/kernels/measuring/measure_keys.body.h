// Part of measure_intensities.kernel.h, once for each MEASURE_PIXEL: one channel as keys, whose
// order is that of the values.
T_KERNEL(T_JOIN(measure_keys_, MEASURE_PIXEL),
         (T_IN(MEASURE_PIXEL) pixels, const i32 channels, const i32 channel, T_OUT(u32) keys)) {
    T_INDEX1(i);
    keys[i] = MEASURE_KEY(pixels[(i64)i * channels + channel]);
}

#undef MEASURE_PIXEL
#undef MEASURE_KEY
