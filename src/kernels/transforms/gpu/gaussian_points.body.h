// Along one axis, an item a value: SMOOTH_SOURCE to SMOOTH_TARGET. Part of
// smooth_gaussian.kernel.h.

// Of lines of `n` values that are `step` apart; `step` lines are beside each other. A row of items
// takes `along` values of each: all along rows, one along the other axes. `weights` are those at
// distances 0 to `radius`.
T_KERNEL(SMOOTH_OF(gaussian_points),
         (T_IN(SMOOTH_SOURCE) image, T_IN(f32) weights, T_OUT(SMOOTH_TARGET) smoothed,
          const i32 step, const i32 n, const i32 radius, const i32 along)) {
    T_INDEX2(e, row);
    const i64 place = (i64)row * along + e / step;
    const i32 at = (i32)(place % n);
    const i64 begin = (place - at) * step + e % step;
    T_GLOBAL_PTR(const SMOOTH_SOURCE) line = image + begin;
    f32 sum = weights[0] * (f32)line[(i64)at * step];
    for (i32 d = 1; d <= radius; ++d) {
        const f32 before = (f32)line[(i64)border_repeated(at - d, n) * step];
        const f32 behind = (f32)line[(i64)border_repeated(at + d, n) * step];
        sum += weights[d] * (before + behind);
    }
    smoothed[begin + (i64)at * step] = SMOOTH_STORED(sum);
}
