// Part of thin_bands.kernel.h, once for each THIN_LEVEL, the type of levels. They have up to 16
// bits, and weights along rows make 16 of fewer.

// A row of levels; beyond the image its outermost ones.
T_FUNCTION void T_JOIN(thin_read_, THIN_LEVEL)(T_GLOBAL_PTR(const THIN_LEVEL) row,
                                               T_LOCAL_PTR(u16) line, const i32 first,
                                               const i32 nx) {
    const i32 begin = T_MAX(-first, 0), end = T_MIN(nx - first, (i32)thin_line);
    T_GLOBAL_PTR(const THIN_LEVEL) from = row + first;
    for (i32 x = 0; x < begin; ++x) line[x] = (u16)row[0];
    T_SIMD_FOR(x, begin, end) { line[x] = (u16)from[x]; }
    for (i32 x = end; x < thin_line; ++x) line[x] = (u16)row[nx - 1];
}

T_GROUP_KERNEL(T_JOIN(thin_bands_, THIN_LEVEL), 1, 1, 1,
               (T_IN(THIN_LEVEL) levels, T_OUT(u32) edges, T_OUT(u32) strong, const thin_job job)) {
    T_LOCAL(u16, line, thin_line);
    T_LOCAL(u16, rows, thin_rows * thin_smoothed);
    T_LOCAL(u16, smoothed, thin_few_rows * thin_smoothed);
    T_LOCAL(i64, squares, thin_few_rows * thin_squared);
    T_PHASE {
        const i32 left = T_GX * thin_strip, top = T_GY * job.band;
        const i32 columns = T_MIN(job.nx - left, (i32)thin_strip);
        const i32 bottom = T_MIN(job.ny - top, job.band) + top;
        const i64 slice = (i64)T_GZ * job.ny * job.nx;
        for (i32 y = top - 2 - job.radius; y < bottom + 2 + job.radius; ++y) {
            if (y >= 0 && y < job.ny) {
                T_LOCAL_PTR(u16) row = rows + (y & (thin_rows - 1)) * thin_smoothed;
                T_JOIN(thin_read_, THIN_LEVEL)
                (levels + slice + (i64)y * job.nx, line, left - thin_beside - thin_taps, job.nx);
                if (job.radius <= 3)
                    thin_smooth_row(line, row, job, 3);
                else
                    thin_smooth_row(line, row, job, thin_taps);
            }
            const i32 s = y - job.radius;
            if (s >= T_MAX(top - 2, 0) && s < job.ny) {
                T_LOCAL_PTR(u16) row = smoothed + (s & (thin_few_rows - 1)) * thin_smoothed;
                if (job.radius <= 3)
                    thin_smooth_columns(rows, row, job, s, 3);
                else
                    thin_smooth_columns(rows, row, job, s, thin_taps);
                if (left == 0) row[0] = row[1] = row[thin_beside];
                for (i32 x = job.nx - left + thin_beside; x < thin_smoothed; ++x)
                    row[x] = row[x - 1];
            }
            const i32 g = s - 1;
            if (g >= top - 1 && g <= bottom) {
                T_LOCAL_PTR(i64) row = squares + (g & (thin_few_rows - 1)) * thin_squared;
                if (g < 0 || g >= job.ny) {
                    for (i32 x = 0; x < thin_squared; ++x) row[x] = 0;
                } else {
                    const i32 above = border_repeated(g - 1, job.ny) & (thin_few_rows - 1);
                    const i32 below = border_repeated(g + 1, job.ny) & (thin_few_rows - 1);
                    thin_square_row(smoothed + above * thin_smoothed,
                                    smoothed + (g & (thin_few_rows - 1)) * thin_smoothed,
                                    smoothed + below * thin_smoothed, row);
                    if (left == 0) row[0] = 0;
                    if (left + thin_strip >= job.nx) row[job.nx - left + 1] = 0;
                }
            }
            const i32 t = g - 1;
            if (t >= top && t < bottom) {
                T_LOCAL_PTR(i64) kinds = squares + ((t + 2) & (thin_few_rows - 1)) * thin_squared;
                thin_kinds(squares + ((t - 1) & (thin_few_rows - 1)) * thin_squared,
                           squares + (t & (thin_few_rows - 1)) * thin_squared,
                           squares + ((t + 1) & (thin_few_rows - 1)) * thin_squared, kinds,
                           4 * job.low, 4 * job.high);
                const i64 word = ((i64)T_GZ * job.ny + t) * ((job.nx + 31) / 32) + left / 32;
                thin_bits(kinds, edges + word, edges_weak, columns);
                thin_bits(kinds, strong + word, edges_strong, columns);
            }
        }
    }
}

#undef THIN_LEVEL
