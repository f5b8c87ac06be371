// Lucas-Kanade of one scale in FLOW_REAL (f32 or f64): B. Lucas, T. Kanade, "An iterative image
// registration technique with an application to stereo vision", IJCAI 1981; sums of all weights 1
// and zeros beyond the image as in the thesis (Diaz Morgado and Gomez Blanco 2016, sections 3.2
// and 4.2).
//
// FLOW_OF(name) is the name for FLOW_REAL. Frames and derivatives have margins of zeros at both
// sides of each row, as wide as filters and windows reach: no load asks where it is, and the loop
// over x vectorizes.

enum { FLOW_OF(lucas_kanade_taps) = 6 };  // of the longest filter, at one side of its middle

// planes = frames, with margins; from plane `first` on. The range is pitch x height x frames.
T_SIMD_KERNEL(FLOW_OF(lucas_kanade_place),
              (T_IN(f32) frames, T_OUT(FLOW_REAL) planes, const i32 first, const i32 width,
               const i32 height, const i32 margin, const i32 pitch)) {
    T_INDEX3(x, y, z);
    T_GLOBAL_PTR(const f32) row = frames + ((i64)z * height + y) * width - margin;
    const i32 inside = (x >= margin) & (x < margin + width);
    planes[((i64)(first + z) * height + y) * pitch + x] = inside ? (FLOW_REAL)row[x] : 0;
}

// Derivatives along x and y of the first frame of each pair, and the change to the second. The
// filter is antisymmetric, has its middle at lucas_kanade_taps and is filled up with zeros. The
// range is pitch x height x pairs.
T_SIMD_KERNEL(FLOW_OF(lucas_kanade_gradients),
              (T_IN(FLOW_REAL) frames, T_IN(FLOW_REAL) filter, T_OUT(FLOW_REAL) ix,
               T_OUT(FLOW_REAL) iy, T_OUT(FLOW_REAL) it, const i32 frame_pitch, const i32 width,
               const i32 height, const i32 margin, const i32 pitch)) {
    T_INDEX3(x, y, z);
    const i64 row = (i64)z * height + y;
    const i64 at = row * pitch + x;
    T_GLOBAL_PTR(const FLOW_REAL)
    here = frames + row * frame_pitch + FLOW_OF(lucas_kanade_taps) + x;
    FLOW_REAL dx = 0;
    FLOW_REAL dy = 0;
    T_UNROLL for (i32 k = 1; k <= FLOW_OF(lucas_kanade_taps); ++k) {
        const FLOW_REAL tap = filter[FLOW_OF(lucas_kanade_taps) + k];
        const i32 above = T_MIN(k, y);
        const i32 below = T_MIN(k, height - 1 - y);
        const FLOW_REAL tap_above =
            tap * (FLOW_REAL)(above == k);  // 0 where that is beyond the image
        const FLOW_REAL tap_below = tap * (FLOW_REAL)(below == k);
        dx += tap * (here[k] - here[-k]);
        dy += tap_below * here[(i64)below * frame_pitch];
        dy -= tap_above * here[-(i64)above * frame_pitch];
    }
    const FLOW_REAL dt = here[(i64)height * frame_pitch] - here[0];
    const i32 inside = (x >= margin) & (x < margin + width);
    ix[at] = inside ? dx : 0;
    iy[at] = inside ? dy : 0;
    it[at] = inside ? dt : 0;
}

// Sums along rows of the five products of derivatives, over `reach` pixels at each side. The
// derivatives have margins of `reach`, the sums none at their left. The range is sum_pitch x height
// x pairs.
T_SIMD_KERNEL(FLOW_OF(lucas_kanade_row_sums),
              (T_IN(FLOW_REAL) ix, T_IN(FLOW_REAL) iy, T_IN(FLOW_REAL) it, T_OUT(FLOW_REAL) xx,
               T_OUT(FLOW_REAL) yy, T_OUT(FLOW_REAL) xy, T_OUT(FLOW_REAL) xt, T_OUT(FLOW_REAL) yt,
               const i32 height, const i32 reach, const i32 pitch, const i32 sum_pitch)) {
    T_INDEX3(x, y, z);
    const i64 row = (i64)z * height + y;
    const i64 before = row * pitch + x;
    const i64 at = row * sum_pitch + x;
    FLOW_REAL sum_xx = 0, sum_yy = 0, sum_xy = 0, sum_xt = 0, sum_yt = 0;
    i32 k = 0;
    do {  // at least once: a loop that may be left out keeps the one over x from vectorizing
        const FLOW_REAL dx = ix[before + k];
        const FLOW_REAL dy = iy[before + k];
        const FLOW_REAL dt = it[before + k];
        sum_xx += dx * dx;
        sum_yy += dy * dy;
        sum_xy += dx * dy;
        sum_xt += dx * dt;
        sum_yt += dy * dt;
    } while (++k <= 2 * reach);
    xx[at] = sum_xx;
    yy[at] = sum_yy;
    xy[at] = sum_xy;
    xt[at] = sum_xt;
    yt[at] = sum_yt;
}

// The flow (u, v) of the sums over a window, by Cramer's rule. Sums are taken as parts of xx + yy,
// so that the brightness scale does not matter. Where the matrix is singular but for rounding there
// is no flow; beyond 1e9, where a field counts as unknown, none either, and so no infinity and no
// NaN. Bits are masked because a selection is not always vectorized.
T_FUNCTION void LUCAS_KANADE_SOLVE(FLOW_REAL xx, FLOW_REAL yy, FLOW_REAL xy, FLOW_REAL xt,
                                   FLOW_REAL yt, f32* u, f32* v) {
    const FLOW_REAL part = 1 / (xx + yy);
    const FLOW_REAL a = xx * part;
    const FLOW_REAL b = yy * part;
    const FLOW_REAL c = xy * part;
    const FLOW_REAL e = xt * part;
    const FLOW_REAL f = yt * part;
    const FLOW_REAL determinant = a * b - c * c;
    const f32 along_x = (f32)((c * f - b * e) / determinant);
    const f32 along_y = (f32)((c * e - a * f) / determinant);
    const i32 solved = (determinant > 16 * LUCAS_KANADE_EPSILON * (a * b)) &
                       (along_x * along_x + along_y * along_y < 1e18f);
    *u = T_FROM_BITS(T_BITS(along_x) & -(u32)solved);
    *v = T_FROM_BITS(T_BITS(along_y) & -(u32)solved);
}

// The flow (u, v) of row sums, over `reach` rows at each side. A group has 32 x 8 pixels and goes
// down the rows of its windows: on the CPU that is a loop along each row, which vectorizes, and on
// a GPU rows come from the cache. `pitch` is a multiple of 32.
T_GROUP_KERNEL(FLOW_OF(lucas_kanade_flow), 32, 8, 1,
               (T_IN(FLOW_REAL) xx, T_IN(FLOW_REAL) yy, T_IN(FLOW_REAL) xy, T_IN(FLOW_REAL) xt,
                T_IN(FLOW_REAL) yt, T_OUT(f32) flow, const i32 width, const i32 height,
                const i32 reach, const i32 pitch)) {
    T_ITEM(FLOW_REAL, sum_xx);
    T_ITEM(FLOW_REAL, sum_yy);
    T_ITEM(FLOW_REAL, sum_xy);
    T_ITEM(FLOW_REAL, sum_xt);
    T_ITEM(FLOW_REAL, sum_yt);
    T_ITEM(f32, u);
    T_ITEM(f32, v);
    const i32 left = T_GX * 32;
    const i32 top = T_GY * 8;
    const i64 plane = (i64)T_GZ * height;
    T_PHASE {
        T_MY(sum_xx) = 0;
        T_MY(sum_yy) = 0;
        T_MY(sum_xy) = 0;
        T_MY(sum_xt) = 0;
        T_MY(sum_yt) = 0;
    }
    for (i32 k = -reach; k <= reach; ++k) {
        T_PHASE {
            const i32 row = top + T_LY + k;
            const i32 row_read = T_CLAMP(row, 0, height - 1);
            const FLOW_REAL weight = (FLOW_REAL)(row == row_read);  // 0 beyond the image
            const i64 at = (plane + row_read) * pitch + left + T_LX;
            T_MY(sum_xx) += weight * xx[at];
            T_MY(sum_yy) += weight * yy[at];
            T_MY(sum_xy) += weight * xy[at];
            T_MY(sum_xt) += weight * xt[at];
            T_MY(sum_yt) += weight * yt[at];
        }
    }
    T_PHASE {
        LUCAS_KANADE_SOLVE(T_MY(sum_xx), T_MY(sum_yy), T_MY(sum_xy), T_MY(sum_xt), T_MY(sum_yt),
                           &T_MY(u), &T_MY(v));
    }
    T_PHASE {
        const i32 x = left + T_LX;
        const i32 y = top + T_LY;
        if (x < width && y < height) {
            const i64 at = 2 * ((plane + y) * width + x);
            flow[at] = T_MY(u);
            flow[at + 1] = T_MY(v);
        }
    }
}
