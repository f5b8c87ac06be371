// From SMOOTH_SOURCE to SMOOTH_TARGET; SMOOTH_OF(name) appends the types to a name. Part of
// smooth_gaussian.kernel.h.

T_KERNEL(SMOOTH_OF(gaussian_points),
         (T_IN(SMOOTH_SOURCE) image, T_IN(f32) weights, T_OUT(SMOOTH_TARGET) smoothed,
          const i64 step, const i32 n, const i32 radius, const i32 inside)) {
    T_INDEX3(e, k, outer);
    const i32 at = border_point(k, radius, inside);
    const i64 begin = (i64)outer * n * step + e;
    T_GLOBAL_PTR(const SMOOTH_SOURCE) line = image + begin;
    f32 sum = weights[0] * (f32)line[at * step];
    for (i32 d = 1; d <= radius; ++d) {
        const f32 before = (f32)line[border_repeated(at - d, n) * step];
        const f32 behind = (f32)line[border_repeated(at + d, n) * step];
        sum += weights[d] * (before + behind);
    }
    smoothed[begin + at * step] = SMOOTH_STORED(sum);
}

// ---- On a processor: an item takes a strip of values, by vectors ----

typedef T_GLOBAL_PTR(const SMOOTH_SOURCE) SMOOTH_OF(gaussian_values);

T_FUNCTION void SMOOTH_OF(gaussian_begin)(f32* sum, const f32 weight,
                                          const SMOOTH_OF(gaussian_values) here, const i32 n) {
    T_SIMD_FOR(i, 0, n) sum[i] = weight * (f32)here[i];
}
T_FUNCTION void SMOOTH_OF(gaussian_add)(f32* sum, const f32 weight,
                                        const SMOOTH_OF(gaussian_values) before,
                                        const SMOOTH_OF(gaussian_values) behind, const i32 n) {
    T_SIMD_FOR(i, 0, n) sum[i] += weight * ((f32)before[i] + (f32)behind[i]);
}
T_FUNCTION void SMOOTH_OF(gaussian_store)(const f32* sum, T_GLOBAL_PTR(SMOOTH_TARGET) smoothed,
                                          const i32 n) {
    T_SIMD_FOR(i, 0, n) smoothed[i] = SMOOTH_STORED(sum[i]);
}

// Of those inside of lines along rows, whose neighbors are `step` away.
T_KERNEL(SMOOTH_OF(gaussian_inside_rows),
         (T_IN(SMOOTH_SOURCE) image, T_IN(f32) weights, T_OUT(SMOOTH_TARGET) smoothed,
          const i64 step, const i32 n, const i32 radius, const i32 inside)) {
    T_INDEX2(strip, row);
    const i32 from = strip * gaussian_strip;
    const i32 count = (i32)T_MIN((i64)gaussian_strip, inside * step - from);
    const i64 begin = (i64)row * n * step + radius * step + from;
    const SMOOTH_OF(gaussian_values) here = image + begin;
    f32 sum[gaussian_strip];
    SMOOTH_OF(gaussian_begin)(sum, weights[0], here, count);
    for (i32 d = 1; d <= radius; ++d) SMOOTH_OF(gaussian_add)
    (sum, weights[d], here - d * step, here + d * step, count);
    SMOOTH_OF(gaussian_store)(sum, smoothed + begin, count);
}

// Of lines that are beside each other.
T_KERNEL(SMOOTH_OF(gaussian_across),
         (T_IN(SMOOTH_SOURCE) image, T_IN(f32) weights, T_OUT(SMOOTH_TARGET) smoothed,
          const i64 step, const i32 n, const i32 radius)) {
    T_INDEX3(strip, at, outer);
    const i32 from = strip * gaussian_strip;
    const i32 count = (i32)T_MIN((i64)gaussian_strip, step - from);
    const i64 begin = (i64)outer * n * step + from;
    const SMOOTH_OF(gaussian_values) line = image + begin;
    f32 sum[gaussian_strip];
    SMOOTH_OF(gaussian_begin)(sum, weights[0], line + at * step, count);
    for (i32 d = 1; d <= radius; ++d) SMOOTH_OF(gaussian_add)
    (sum, weights[d], line + border_repeated(at - d, n) * step,
     line + border_repeated(at + d, n) * step, count);
    SMOOTH_OF(gaussian_store)(sum, smoothed + begin + at * step, count);
}

#undef SMOOTH_STORED
#undef SMOOTH_OF
#undef SMOOTH_TARGET
#undef SMOOTH_SOURCE
