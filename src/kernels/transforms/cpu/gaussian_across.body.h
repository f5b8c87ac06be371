// Lines of single precision that are beside each other, to SMOOTH_TARGET. Part of
// smooth_gaussian.kernel.h.

T_FUNCTION void T_JOIN(gaussian_line_,
                       SMOOTH_TARGET)(T_GLOBAL_PTR(SMOOTH_TARGET) smoothed,
                                      const gaussian_values lines, const gaussian_values weights,
                                      const gaussian_axis axis, const i32 at, const i32 count) {
    f32 sum[gaussian_strip];
    gaussian_sums(sum, lines, weights, axis, at, count);
    T_SIMD_FOR(i, 0, count) smoothed[i] = SMOOTH_STORED(sum[i]);
}

// An item takes `band` values of each line of a strip, one after the other, so that it finds those
// around the next one in its cache.
T_KERNEL(T_JOIN(gaussian_across_, SMOOTH_TARGET),
         (T_IN(f32) image, T_IN(f32) weights, T_OUT(SMOOTH_TARGET) smoothed,
          const gaussian_axis axis, const i32 band)) {
    T_INDEX3(part, strip, outer);
    const i64 from = (i64)strip * gaussian_strip;
    const i32 count = (i32)T_MIN((i64)gaussian_strip, axis.step - from);
    const i64 begin = (i64)outer * axis.n * axis.step + from;
    const i32 last = T_MIN((part + 1) * band, axis.n);
    for (i32 at = part * band; at < last; ++at) T_JOIN(gaussian_line_, SMOOTH_TARGET)
    (smoothed + begin + at * axis.step, image + begin, weights, axis, at, count);
}
