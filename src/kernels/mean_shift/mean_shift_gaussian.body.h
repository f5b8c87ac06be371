// One channel count's kernel; mean_shift_gaussian.kernel.h sets MEAN_SHIFT_CHANNELS.
#define MEAN_SHIFT_OF(name) T_JOIN(T_JOIN(name, _), MEAN_SHIFT_CHANNELS)

// Adds samples x_first..x_last of a row to `sums`: their weighted steps from x_origin, then their
// weighted differences from the features of `point`. The row is `aside2` away from the point along
// y and z, squared, and `time_share` bandwidths along t, squared. Returns the sum of the weights.
T_FUNCTION i64 MEAN_SHIFT_OF(ms_gaussian_add_row)(const mean_shift_gaussian_window* g,
                                                  T_GLOBAL_PTR(const i32) row, const i32* point,
                                                  f32 aside2, f32 time_share, i32 x_origin,
                                                  i32 x_first, i32 x_last, i64* sums) {
    const i32 px = point[0];
    const i32 p0 = point[4];
    i64 sum = 0;
    i64 sum_x = 0;
    i64 sum_0 = 0;
#if MEAN_SHIFT_CHANNELS == 3
    T_GLOBAL_PTR(const i32) second = row + g->points;
    T_GLOBAL_PTR(const i32) third = second + g->points;
    const i32 p1 = point[5];
    const i32 p2 = point[6];
    i64 sum_1 = 0;
    i64 sum_2 = 0;
#endif
    T_SIMD_FOR(x, x_first, x_last + 1) {
        const f32 dx = (f32)(x * g->step[0] - px);
        const f32 spatial2 = dx * dx + aside2;
        const i32 d0 = row[x] - p0;
        f32 range2 = (f32)d0 * (f32)d0;
#if MEAN_SHIFT_CHANNELS == 3
        const i32 d1 = second[x] - p1;
        const i32 d2 = third[x] - p2;
        range2 = range2 + (f32)d1 * (f32)d1;
        range2 = range2 + (f32)d2 * (f32)d2;
#endif
        const i32 inside = (spatial2 < g->spatial_limit2) & (range2 < g->range_limit2);
        const f32 space_and_time = spatial2 * g->inverse_spatial2 + time_share;
        const f32 u = space_and_time + range2 * g->inverse_range2;
        const f32 weight_there = t_exp_of_minus(0.5f * T_MIN(u, 64.0f)) * g->heaviest;
        const i32 weight = (i32)(weight_there + 0.5f) & -inside;  // no branch: it vectorizes
        sum += weight;
        sum_x += (i64)weight * (x - x_origin);
        sum_0 += (i64)weight * d0;
#if MEAN_SHIFT_CHANNELS == 3
        sum_1 += (i64)weight * d1;
        sum_2 += (i64)weight * d2;
#endif
    }
    sums[0] += sum_x;
    sums[4] += sum_0;
#if MEAN_SHIFT_CHANNELS == 3
    sums[5] += sum_1;
    sums[6] += sum_2;
#endif
    return sum;
}

// Sums the samples of the window around `point`: steps from `origin` along x, y, z and t, then
// differences of features. Returns the sum of the weights.
T_FUNCTION i64 MEAN_SHIFT_OF(ms_gaussian_sum_window)(const mean_shift_gaussian_window* g,
                                                     T_GLOBAL_PTR(const i32) features,
                                                     const i32* point, i32* origin, i64* sums) {
    i32 last[4];
    i64 weight = 0;
    T_UNROLL for (i32 a = 0; a < 4; ++a) {
        ms_gaussian_reach(point[a], g->step[a], g->n[a], a < 3 ? g->spatial_limit2 : g->time_limit2,
                          origin + a, last + a);
    }
    T_UNROLL for (i32 a = 0; a < 4 + MEAN_SHIFT_CHANNELS; ++a) { sums[a] = 0; }
    for (i32 t = origin[3]; t <= last[3]; ++t) {
        const f32 time2 = ms_gaussian_square(t * g->step[3] - point[3]);
        if (!(time2 < g->time_limit2)) continue;
        for (i32 z = origin[2]; z <= last[2]; ++z)
            for (i32 y = origin[1]; y <= last[1]; ++y) {
                const f32 aside2 = ms_gaussian_square(y * g->step[1] - point[1]) +
                                   ms_gaussian_square(z * g->step[2] - point[2]);
                if (!(aside2 < g->spatial_limit2)) continue;
                i32 x_first, x_last;
                ms_gaussian_reach(point[0], g->step[0], g->n[0], g->spatial_limit2 - aside2,
                                  &x_first, &x_last);
                T_GLOBAL_PTR(const i32)
                row = features + (((i64)t * g->n[2] + z) * g->n[1] + y) * g->n[0];
                const i64 row_weight = MEAN_SHIFT_OF(ms_gaussian_add_row)(
                    g, row, point, aside2, time2 * g->inverse_time2, origin[0], x_first, x_last,
                    sums);
                weight += row_weight;
                sums[1] += row_weight * (y - origin[1]);
                sums[2] += row_weight * (z - origin[2]);
                sums[3] += row_weight * (t - origin[3]);
            }
    }
    return weight;
}

// Moves the point to the weighted mean of its window. Returns the square of the shift in
// bandwidths, zero where the window is empty and the point stays.
T_FUNCTION f32 MEAN_SHIFT_OF(ms_gaussian_move)(const mean_shift_gaussian_window* g,
                                               T_GLOBAL_PTR(const i32) features, i32* point) {
    i32 origin[4];
    i64 sums[4 + MEAN_SHIFT_CHANNELS];
    const i64 weight = MEAN_SHIFT_OF(ms_gaussian_sum_window)(g, features, point, origin, sums);
    if (weight == 0) return 0.0f;
    f32 spatial2 = 0.0f;
    f32 range2 = 0.0f;
    i32 shift = 0;
    T_UNROLL for (i32 a = 0; a < 4; ++a) {
        shift = ms_gaussian_mean_position(origin[a], sums[a], weight, g->step[a]) - point[a];
        point[a] += shift;
        if (a < 3) spatial2 = spatial2 + ms_gaussian_square(shift);
    }
    const f32 time2 = ms_gaussian_square(shift);
    T_UNROLL for (i32 c = 4; c < 4 + MEAN_SHIFT_CHANNELS; ++c) {
        shift = ms_rounded_mean(sums[c], weight);
        point[c] += shift;
        range2 = range2 + ms_gaussian_square(shift);
    }
    const f32 space_and_time = spatial2 * g->inverse_spatial2 + time2 * g->inverse_time2;
    return space_and_time + range2 * g->inverse_range2;
}

// Up to `rounds` rounds of the points active[first...]: each moves to the weighted mean of its
// window until its shift is below the stop. `mode` and `position` hold where each point is;
// moving[first + k] says whether it still moves, iterations[k % 16] counts rounds.
T_KERNEL(MEAN_SHIFT_OF(mean_shift_gaussian_seek_modes),
         (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_IN(u32) active,
          T_OUT(u8) moving, T_OUT(u32) iterations, mean_shift_gaussian_window g, i32 first,
          i32 rounds)) {
    T_INDEX1(k);
    const i32 i = (i32)active[first + k];
    i32 point[4 + MEAN_SHIFT_CHANNELS];
    T_UNROLL for (i32 a = 0; a < 4; ++a) { point[a] = position[a * g.points + i]; }
    T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
        point[4 + c] = mode[c * g.points + i];
    }
    i32 moves = 1;
    i32 round = 0;
    for (; round < rounds && moves; ++round)
        moves = !(MEAN_SHIFT_OF(ms_gaussian_move)(&g, features, point) < g.epsilon2);
    T_UNROLL for (i32 a = 0; a < 4; ++a) { position[a * g.points + i] = point[a]; }
    T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
        mode[c * g.points + i] = point[4 + c];
    }
    moving[first + k] = (u8)moves;
    T_ATOMIC_ADD(iterations + (k & 15), (u32)round);
}

#undef MEAN_SHIFT_OF
