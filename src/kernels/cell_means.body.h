// The samples of a brick and their climb; cell_means.kernel.h sets T_AXES (2: x and y; 4: z and t,
// too) and T_CHANNELS.
#define T_VARIANT(name) T_JOIN(T_JOIN(T_JOIN(T_JOIN(name, _), T_AXES), _), T_CHANNELS)
#define T_BY_CHANNELS(name) T_JOIN(T_JOIN(name, _), T_CHANNELS)

// One group makes the samples of one brick: pixels in one cell follow the first of them. Each pixel
// gets the number of its sample in the brick.
T_GROUP_KERNEL(T_VARIANT(cell_means_gather), T_BRICK_ITEMS, 1, 1,
               (T_IN(i32) features, T_IN(u32) starts, T_OUT(u8) sample_of, T_OUT(i32) means,
                T_OUT(i32) weights, i64 points, i32 nx, i32 ny, i32 nz, i32 nt, i32 brick_x,
                i32 brick_y, i32 brick_z, i32 brick_t, i32 bricks_z, i32 cell, i32 pixel_units,
                i32 color_unit)) {
    T_LOCAL(u32, level, T_CHANNELS * T_BRICK_PIXELS);  // the cell of each pixel
    T_LOCAL(u32, leader, T_BRICK_PIXELS);              // the first pixel of its cell
    T_LOCAL(u32, leads, T_BRICK_PIXELS / 32);          // a bit for each pixel that is the first
    T_LOCAL(u32, weight, T_BRICK_PIXELS);              // sums, at the first pixels
    T_LOCAL(u32, place, T_AXES * T_BRICK_PIXELS);
    T_LOCAL(u32, color, T_CHANNELS * T_BRICK_PIXELS);
    const t_brick b =
        t_brick_from(T_GX * brick_x, T_GY * brick_y, T_GZ % bricks_z * brick_z,
                     T_GZ / bricks_z * brick_t, brick_x, brick_y, brick_z, brick_t, nx, ny, nz, nt);
    const i32 pixels = t_pixels(&b);

    T_PHASE {
        i32 offset[4];
        for (i32 k = T_LX; k < pixels; k += T_BRICK_ITEMS) {
            T_BY_CHANNELS(t_note_cell)(features, points, cell, k, t_pixel(&b, k, offset), level);
            weight[k] = 0u;
            for (i32 a = 0; a < T_AXES; ++a) place[a * T_BRICK_PIXELS + k] = 0u;
            for (i32 c = 0; c < T_CHANNELS; ++c) color[c * T_BRICK_PIXELS + k] = 0u;
        }
        if (T_LX < T_BRICK_PIXELS / 32) leads[T_LX] = 0u;
    }
    T_PHASE {
        i32 offset[4];
        for (i32 k = T_LX; k < pixels; k += T_BRICK_ITEMS) {
            const i32 i = t_pixel(&b, k, offset);
            const i32 first = T_BY_CHANNELS(t_leader)(level, k);
            leader[k] = (u32)first;
            if (first == k) T_ATOMIC_OR(leads + k / 32, 1u << (k & 31));
            T_ATOMIC_ADD(weight + first, 1u);
            for (i32 a = 0; a < T_AXES; ++a)
                T_ATOMIC_ADD(place + a * T_BRICK_PIXELS + first, (u32)offset[a]);
            for (i32 c = 0; c < T_CHANNELS; ++c)
                T_ATOMIC_ADD(color + c * T_BRICK_PIXELS + first,
                             (u32)(features[c * points + i] + T_RANGE_BIAS) -
                                 level[c * T_BRICK_PIXELS + k] * (u32)cell);
        }
    }
    T_PHASE {
        i32 offset[4];
        const i64 base = starts[((i64)T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX];
        for (i32 k = T_LX; k < pixels; k += T_BRICK_ITEMS) {
            const i32 first = (i32)leader[k];
            const i32 rank = t_bits_before(leads, first);
            sample_of[t_pixel(&b, k, offset)] = (u8)rank;
            if (first == k) {
                const i64 count = weight[k];
                const i64 at = base + rank;
                weights[at] = (i32)count;
                for (i32 a = 0; a < T_AXES; ++a)
                    means[a * points + at] =
                        b.first[a] * pixel_units +
                        t_rounded_mean((i64)place[a * T_BRICK_PIXELS + k] * pixel_units, count);
                for (i32 c = 0; c < T_CHANNELS; ++c) {
                    const i64 sum = (i64)level[c * T_BRICK_PIXELS + k] * cell * count +
                                    color[c * T_BRICK_PIXELS + k];
                    means[(T_AXES + c) * points + at] =
                        t_rounded_mean(sum, count * color_unit) - T_RANGE_BIAS / color_unit;
                }
            }
        }
    }
}

// Adds those of the samples first <= j < end that are in the window around `point` to `sums`: their
// weights, then their weighted differences from the point. At most T_SEGMENT samples.
T_FUNCTION void T_VARIANT(t_add_samples)(const t_cells* g, T_GLOBAL_PTR(const i32) means,
                                         T_GLOBAL_PTR(const i32) weights, i32 first, i32 end,
                                         const i32* point, i64* sums) {
    T_GLOBAL_PTR(const i32) color0 = means + T_AXES * g->points;
    i32 weight_sum = 0;
    i32 sum_x = 0;
    i32 sum_y = 0;
    i32 sum_0 = 0;
#if T_AXES == 4
    i32 sum_z = 0;
    i32 sum_t = 0;
#endif
#if T_CHANNELS == 3
    i32 sum_1 = 0;
    i32 sum_2 = 0;
#endif
    T_SIMD_FOR(j, first, end) {
        const i32 dx = means[j] - point[0];
        const i32 dy = means[g->points + j] - point[1];
        const i32 d0 = color0[j] - point[T_AXES];
        f32 spatial2 = t_square(g, 0, dx);
        spatial2 = spatial2 + t_square(g, 1, dy);
        f32 range2 = (f32)d0 * (f32)d0;
#if T_CHANNELS == 3
        const i32 d1 = color0[g->points + j] - point[T_AXES + 1];
        const i32 d2 = color0[2 * g->points + j] - point[T_AXES + 2];
        range2 = range2 + (f32)d1 * (f32)d1;
        range2 = range2 + (f32)d2 * (f32)d2;
#endif
#if T_AXES == 4
        const i32 dz = means[2 * g->points + j] - point[2];
        const i32 dt = means[3 * g->points + j] - point[3];
        spatial2 = spatial2 + t_square(g, 2, dz);
        const i32 inside = (range2 < g->range_limit2) & (spatial2 < g->spatial_limit2) &
                           (t_square(g, 3, dt) < g->time_limit2);
#else
        const i32 inside = (range2 < g->range_limit2) & (spatial2 < g->spatial_limit2);
#endif
        const i32 weight = inside ? weights[j] : 0;
        weight_sum += weight;
        sum_x += weight * dx;
        sum_y += weight * dy;
        sum_0 += weight * d0;
#if T_AXES == 4
        sum_z += weight * dz;
        sum_t += weight * dt;
#endif
#if T_CHANNELS == 3
        sum_1 += weight * d1;
        sum_2 += weight * d2;
#endif
    }
    sums[0] += weight_sum;
    sums[1] += sum_x;
    sums[2] += sum_y;
#if T_AXES == 4
    sums[3] += sum_z;
    sums[4] += sum_t;
#endif
    sums[T_AXES + 1] += sum_0;
#if T_CHANNELS == 3
    sums[T_AXES + 2] += sum_1;
    sums[T_AXES + 3] += sum_2;
#endif
}

// Adds the samples of the window around `point`.
T_FUNCTION void T_VARIANT(t_add_window)(const t_cells* g, T_GLOBAL_PTR(const i32) means,
                                        T_GLOBAL_PTR(const i32) weights,
                                        T_GLOBAL_PTR(const u32) starts, const i32* point,
                                        i64* sums) {
    i32 y_first, y_last, x_first, x_last;
    i32 z_first = 0;
    i32 z_last = 0;
    i32 t_first = 0;
    i32 t_last = 0;
    t_reach(g, 1, point[1], g->spatial_limit2, &y_first, &y_last);
#if T_AXES == 4
    t_reach(g, 2, point[2], g->spatial_limit2, &z_first, &z_last);
    t_reach(g, 3, point[3], g->time_limit2, &t_first, &t_last);
#endif
    for (i32 t = t_first; t <= t_last; ++t)
        for (i32 z = z_first; z <= z_last; ++z)
            for (i32 y = y_first; y <= y_last; ++y) {
                f32 apart2 = t_apart2(g, 1, y, point[1]);
#if T_AXES == 4
                apart2 = apart2 + t_apart2(g, 2, z, point[2]);
#endif
                if (apart2 >= g->spatial_limit2) continue;
                t_reach(g, 0, point[0], g->spatial_limit2 - apart2, &x_first, &x_last);
                const i64 row = (((i64)t * g->bricks[2] + z) * g->bricks[1] + y) * g->bricks[0];
                const i32 end = (i32)starts[row + x_last + 1];
                for (i32 j = (i32)starts[row + x_first]; j < end; j += T_SEGMENT)
                    T_VARIANT(t_add_samples)
                (g, means, weights, j, T_MIN(j + T_SEGMENT, end), point, sums);
            }
}

// Moves the point to the weighted mean of its window. Gives the square of the shift in bandwidths,
// zero where the window is empty and the point stays (spec 000, A6).
T_FUNCTION f32 T_VARIANT(t_move)(const t_cells* g, f32 inverse_spatial2, f32 inverse_time2,
                                 f32 inverse_range2, const i64* sums, i32* point) {
    if (sums[0] == 0) return 0.0f;
    f32 spatial2 = 0.0f;
    f32 time2 = 0.0f;
    f32 range2 = 0.0f;
    T_UNROLL for (i32 a = 0; a < T_AXES; ++a) {
        const i32 shift = t_rounded_mean(sums[a + 1], sums[0]);
        point[a] += shift;
        if (a == 3)
            time2 = t_square(g, a, shift);
        else
            spatial2 = spatial2 + t_square(g, a, shift);
    }
    T_UNROLL for (i32 c = 0; c < T_CHANNELS; ++c) {
        const i32 shift = t_rounded_mean(sums[T_AXES + c + 1], sums[0]);
        point[T_AXES + c] += shift;
        range2 = range2 + (f32)shift * (f32)shift;
    }
    const f32 joint2 = spatial2 * inverse_spatial2 + range2 * inverse_range2;
    return joint2 + time2 * inverse_time2;
}

// Samples first, first + 1, ... climb: each moves to the weighted mean of the samples in its window
// until its shift is below the stop, at most `rounds` times. counters: the rounds taken in [0..6],
// their upper words in [7..13]; [14] samples stopped by the cap.
T_KERNEL(T_VARIANT(cell_means_climb),
         (T_IN(i32) means, T_IN(i32) weights, T_IN(u32) starts, T_OUT(i32) modes,
          T_OUT(u32) counters, i64 points, i32 first, i32 bricks_x, i32 bricks_y, i32 bricks_z,
          i32 bricks_t, i32 brick_x, i32 brick_y, i32 brick_z, i32 brick_t, i32 pixel_units,
          f32 scale_x, f32 scale_y, f32 scale_z, f32 spatial_limit2, f32 time_limit2,
          f32 range_limit2, f32 inverse_spatial2, f32 inverse_time2, f32 inverse_range2,
          f32 epsilon2, i32 rounds)) {
    T_INDEX1(k);
    const i64 own = (i64)first + k;
    if (own >= starts[(i64)bricks_x * bricks_y * bricks_z * bricks_t]) return;
    const t_cells g = {points,
                       {brick_x * pixel_units, brick_y * pixel_units, brick_z * pixel_units,
                        brick_t * pixel_units},
                       {bricks_x, bricks_y, bricks_z, bricks_t},
                       {(brick_x - 1) * pixel_units, (brick_y - 1) * pixel_units,
                        (brick_z - 1) * pixel_units, (brick_t - 1) * pixel_units},
                       {scale_x, scale_y, scale_z, 1.0f},
                       spatial_limit2,
                       time_limit2,
                       range_limit2};
    i32 point[T_AXES + T_CHANNELS];
    T_UNROLL for (i32 a = 0; a < T_AXES + T_CHANNELS; ++a) { point[a] = means[a * points + own]; }
    i32 moves = 1;
    i32 round = 0;
    for (; round < rounds && moves; ++round) {
        i64 sums[T_AXES + T_CHANNELS + 1];
        T_UNROLL for (i32 a = 0; a < T_AXES + T_CHANNELS + 1; ++a) { sums[a] = 0; }
        T_VARIANT(t_add_window)(&g, means, weights, starts, point, sums);
        moves = !(T_VARIANT(t_move)(&g, inverse_spatial2, inverse_time2, inverse_range2, sums,
                                    point) < epsilon2);
    }
    T_UNROLL for (i32 c = 0; c < T_CHANNELS; ++c) { modes[c * points + own] = point[T_AXES + c]; }
    T_GLOBAL_PTR(u32) taken = counters + k % 7;
    const u32 before = T_ATOMIC_ADD(taken, (u32)round);
    if (before + (u32)round < before) T_ATOMIC_ADD(taken + 7, 1u);
    if (moves) T_ATOMIC_ADD(counters + 14, 1u);
}

#undef T_BY_CHANNELS
#undef T_VARIANT
