// Weighted means along rows or columns, of GAUSSIAN_VALUE (u16 or u32), in integers: part of
// gaussian.kernel.h. GAUSSIAN_OF(name) appends the type to a name. `weights` of distances
// 0..radius sum up, both sides taken, to what makes 16 bits and 16 more of the values; the upper 16
// remain. Borders are replicated. A column may also be one of slices: of rows
// of nx * ny.

// Of points whose neighbors within the radius all exist. They begin at (first_x, first_y); `step`
// leads from one to the next. There are gaussian_taps weights besides the first, some of them 0.
T_SIMD_KERNEL(GAUSSIAN_OF(gaussian_inside),
              (T_IN(GAUSSIAN_VALUE) values, T_IN(u32) weights, T_OUT(GAUSSIAN_VALUE) smoothed,
               const i32 radius, const i32 step, const i32 first_x, const i32 first_y, const i32 nx,
               const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + first_y + y) * nx + first_x + x;
    T_GLOBAL_PTR(const GAUSSIAN_VALUE) here = values + i;
    u32 sum = gaussian_half + weights[0] * here[0];
    T_UNROLL for (i32 k = 1; k <= gaussian_taps; ++k) {
        const i64 away = (i64)T_MIN(k, radius) * step;
        sum += weights[k] * ((u32)here[away] + (u32)here[-away]);
    }
    smoothed[i] = (GAUSSIAN_VALUE)(sum >> gaussian_bits);
}

// Of the others: `inside` points along the axis are left out.
T_KERNEL(GAUSSIAN_OF(gaussian_ends),
         (T_IN(GAUSSIAN_VALUE) values, T_IN(u32) weights, T_OUT(GAUSSIAN_VALUE) smoothed,
          const i32 radius, const i32 is_column, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(kx, ky, z);
    const i32 x = is_column ? kx : border_point(kx, radius, inside);
    const i32 y = is_column ? border_point(ky, radius, inside) : ky;
    const i64 i = ((i64)z * ny + y) * nx + x;
    const i32 at = is_column ? y : x;
    const i32 length = is_column ? ny : nx;
    const i64 step = is_column ? nx : 1;
    T_GLOBAL_PTR(const GAUSSIAN_VALUE) line = values + i - at * step;
    u32 sum = gaussian_half + weights[0] * values[i];
    for (i32 k = 1; k <= radius; ++k) {
        const u32 before = line[border_repeated(at - k, length) * step];
        const u32 behind = line[border_repeated(at + k, length) * step];
        sum += weights[k] * (before + behind);
    }
    smoothed[i] = (GAUSSIAN_VALUE)(sum >> gaussian_bits);
}
