// One channel count's kernel; mean_shift.kernel.h sets T_CHANNELS.

// Up to `rounds` rounds of the points active[first...]: each moves to the mean of the samples in
// its window until its shift is below the stop (spec 000, eq. 4.2 to 4.4). `mode` and `position`
// hold where each point is; moving[first + k] says whether it still moves, iterations[k % 16]
// counts rounds.
T_KERNEL(T_JOIN(mean_shift_climb_, T_CHANNELS),
         (T_IN(i32) features, T_OUT(i32) mode, T_OUT(i32) position, T_IN(u32) active,
          T_OUT(u8) moving, T_OUT(u32) iterations, i64 points, i32 first, i32 nx, i32 ny, i32 nz,
          i32 step_x, i32 step_y, i32 step_z, i64 spatial_limit2, f32 range_limit2,
          f32 inverse_spatial2, f32 inverse_range2, f32 epsilon2, i32 rounds)) {
    T_INDEX1(k);
    const i32 i = (i32)active[first + k];
    const f32 inverse_x = 1.0f / (f32)step_x;
    const f32 inverse_y = 1.0f / (f32)step_y;
    const f32 inverse_z = 1.0f / (f32)step_z;
    i32 px = position[i];
    i32 py = position[points + i];
    i32 pz = position[2 * points + i];
    i32 y0 = mode[i];
#if T_CHANNELS == 3
    i32 y1 = mode[points + i];
    i32 y2 = mode[2 * points + i];
#endif
    i32 moves = 1;
    i32 round = 0;
    for (; round < rounds && moves; ++round) {
        i64 count = 0;
        i64 sum_x = 0;
        i64 sum_y = 0;
        i64 sum_z = 0;
        i64 sum_0 = 0;
#if T_CHANNELS == 3
        i64 sum_1 = 0;
        i64 sum_2 = 0;
#endif
        const i32 z_first = t_first_inside(pz, step_z, inverse_z, nz, spatial_limit2);
        const i32 z_last = t_last_inside(pz, step_z, inverse_z, nz, spatial_limit2);
        for (i32 z = z_first; z <= z_last; ++z) {
            const i64 plane_limit2 = spatial_limit2 - t_square(z * step_z - pz);
            const i32 y_first = t_first_inside(py, step_y, inverse_y, ny, plane_limit2);
            const i32 y_last = t_last_inside(py, step_y, inverse_y, ny, plane_limit2);
            for (i32 y = y_first; y <= y_last; ++y) {
                const i64 row_limit2 = plane_limit2 - t_square(y * step_y - py);
                const i32 x_first = t_first_inside(px, step_x, inverse_x, nx, row_limit2);
                const i32 x_end = t_last_inside(px, step_x, inverse_x, nx, row_limit2) + 1;
                T_GLOBAL_PTR(const i32) row = features + ((i64)z * ny + y) * nx;
                i32 row_count = 0;
                u32 row_x = 0;
                i32 row_0 = 0;
#if T_CHANNELS == 3
                T_GLOBAL_PTR(const i32) row1 = row + points;
                T_GLOBAL_PTR(const i32) row2 = row1 + points;
                i32 row_1 = 0;
                i32 row_2 = 0;
#endif
                T_SIMD_FOR(x, x_first, x_end) {
                    const i32 d0 = row[x] - y0;
                    f32 distance2 = (f32)d0 * (f32)d0;
#if T_CHANNELS == 3
                    const i32 d1 = row1[x] - y1;
                    const i32 d2 = row2[x] - y2;
                    distance2 = distance2 + (f32)d1 * (f32)d1;
                    distance2 = distance2 + (f32)d2 * (f32)d2;
                    row_1 += distance2 < range_limit2 ? d1 : 0;
                    row_2 += distance2 < range_limit2 ? d2 : 0;
#endif
                    row_count += distance2 < range_limit2 ? 1 : 0;
                    row_x += distance2 < range_limit2 ? (u32)(x - x_first) : 0u;
                    row_0 += distance2 < range_limit2 ? d0 : 0;
                }
                count += row_count;
                sum_x += (i64)row_x + (i64)x_first * row_count;
                sum_y += (i64)y * row_count;
                sum_z += (i64)z * row_count;
                sum_0 += row_0;
#if T_CHANNELS == 3
                sum_1 += row_1;
                sum_2 += row_2;
#endif
            }
        }
        // An empty window can follow from a product of flat windows (spec 000, A6): the point
        // stays.
        moves = count > 0;
        if (moves) {
            const i32 shift_x = t_mean(sum_x * step_x, count) - px;
            const i32 shift_y = t_mean(sum_y * step_y, count) - py;
            const i32 shift_z = t_mean(sum_z * step_z, count) - pz;
            const i32 shift_0 = t_mean(sum_0, count);
            px += shift_x;
            py += shift_y;
            pz += shift_z;
            y0 += shift_0;
            f32 range2 = t_square_f32(shift_0);
#if T_CHANNELS == 3
            const i32 shift_1 = t_mean(sum_1, count);
            const i32 shift_2 = t_mean(sum_2, count);
            y1 += shift_1;
            y2 += shift_2;
            range2 = range2 + t_square_f32(shift_1);
            range2 = range2 + t_square_f32(shift_2);
#endif
            f32 spatial2 = t_square_f32(shift_x);
            spatial2 = spatial2 + t_square_f32(shift_y);
            spatial2 = spatial2 + t_square_f32(shift_z);
            moves = !(spatial2 * inverse_spatial2 + range2 * inverse_range2 < epsilon2);
        }
    }
    position[i] = px;
    position[points + i] = py;
    position[2 * points + i] = pz;
    mode[i] = y0;
#if T_CHANNELS == 3
    mode[points + i] = y1;
    mode[2 * points + i] = y2;
#endif
    moving[first + k] = (u8)moves;
    T_ATOMIC_ADD(iterations + (k & 15), (u32)round);
}
