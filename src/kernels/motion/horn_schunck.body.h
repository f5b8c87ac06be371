// The kernels of one precision: FLOW_REAL; FLOW_OF(name) is a name that tells it.
//
// Planes of one kind stand one behind the other. The third index of a range counts pairs of frames
// or, where it says so, planes. Planes of flows are u, v, u, v, ... behind flow_margin elements, so
// that what is left of the first pixel can be read.

// Mean of 2 x 2 pixels; lengths are halved and rounded down. Counts planes.
T_KERNEL(FLOW_OF(flow_halve),
         (T_IN(FLOW_REAL) source, T_OUT(FLOW_REAL) target, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const FLOW_REAL) above = source + ((i64)plane * height + 2 * y) * width + 2 * x;
    T_GLOBAL_PTR(const FLOW_REAL) below = above + width;
    target[((i64)plane * (height / 2) + y) * (width / 2) + x] =
        (FLOW_REAL)0.25 * (above[0] + above[1] + below[0] + below[1]);
}

enum { FLOW_OF(flow_halve_values) = 32 * 16 + 16 * 8 + 8 * 4 + 4 * 2 };

// Pixel n of a group's part of a level, `columns` wide, of the larger level in local memory.
T_FUNCTION void FLOW_OF(flow_halve_part)(T_LOCAL_PTR(const FLOW_REAL) larger,
                                         T_LOCAL_PTR(FLOW_REAL) part,
                                         T_GLOBAL_PTR(FLOW_REAL) target, const i32 n,
                                         const i32 columns, const i32 x0, const i32 y0,
                                         const i32 width, const i32 height) {
    T_LOCAL_PTR(const FLOW_REAL) above = larger + 4 * columns * (n / columns) + 2 * (n % columns);
    T_LOCAL_PTR(const FLOW_REAL) below = above + 2 * columns;
    part[n] = (FLOW_REAL)0.25 * (above[0] + above[1] + below[0] + below[1]);
    const i32 x = x0 + n % columns;
    const i32 y = y0 + n / columns;
    if (x < width && y < height) target[(i64)y * width + x] = part[n];
}

// Up to four levels at once, with the same bits. A group has 64 x 32 pixels of a plane.
T_GROUP_KERNEL(FLOW_OF(flow_halve_tile), 32, 8, 1,
               (T_IN(FLOW_REAL) source, T_OUT(FLOW_REAL) second, T_OUT(FLOW_REAL) third,
                T_OUT(FLOW_REAL) fourth, T_OUT(FLOW_REAL) fifth, const i32 width, const i32 height,
                const i32 levels)) {
    T_LOCAL(FLOW_REAL, means, FLOW_OF(flow_halve_values));
    const i64 plane = T_GZ;
    T_PHASE {
        const i32 x = T_GX * 32 + T_LX;
        for (i32 row = T_LY; row < 16; row += 8) {
            const i32 y = T_GY * 16 + row;
            if (x < width / 2 && y < height / 2) {
                T_GLOBAL_PTR(const FLOW_REAL)
                above = source + (plane * height + 2 * y) * width + 2 * x;
                T_GLOBAL_PTR(const FLOW_REAL) below = above + width;
                const FLOW_REAL mean =
                    (FLOW_REAL)0.25 * (above[0] + above[1] + below[0] + below[1]);
                means[row * 32 + T_LX] = mean;
                second[(plane * (height / 2) + y) * (width / 2) + x] = mean;
            }
        }
    }
    T_PHASE {
        const i32 w = width / 4;
        const i32 h = height / 4;
        if (levels > 1 && T_LI < 16 * 8) FLOW_OF(flow_halve_part)
        (means, means + 512, third + plane * w * h, T_LI, 16, T_GX * 16, T_GY * 8, w, h);
    }
    T_PHASE {
        const i32 w = width / 8;
        const i32 h = height / 8;
        if (levels > 2 && T_LI < 8 * 4) FLOW_OF(flow_halve_part)
        (means + 512, means + 640, fourth + plane * w * h, T_LI, 8, T_GX * 8, T_GY * 4, w, h);
    }
    T_PHASE {
        const i32 w = width / 16;
        const i32 h = height / 16;
        if (levels > 3 && T_LI < 4 * 2) FLOW_OF(flow_halve_part)
        (means + 640, means + 672, fifth + plane * w * h, T_LI, 4, T_GX * 4, T_GY * 2, w, h);
    }
}

// Element i of planes of a flow, with the step that it is to take where it is to take one.
T_FUNCTION FLOW_REAL FLOW_OF(flow_stepped)(T_GLOBAL_PTR(const FLOW_REAL) flow,
                                           T_GLOBAL_PTR(const FLOW_REAL) step, const i64 i,
                                           const i32 takes_step) {
    return takes_step ? flow[i] + step[i] : flow[i];
}

// A plane of such a flow at a pixel of an image of twice the lengths, or one more: sampled at half
// of the coordinates, in units of the smaller image.
T_FUNCTION FLOW_REAL FLOW_OF(flow_doubled)(T_GLOBAL_PTR(const FLOW_REAL) flow,
                                           T_GLOBAL_PTR(const FLOW_REAL) step, const i32 x,
                                           const i32 y, const i32 width, const i32 height,
                                           const i32 takes_step, const i32 literal) {
    i32 x0, x1, y0, y1;
    const FLOW_REAL wx = FLOW_OF(linear_between)(((FLOW_REAL)x - (FLOW_REAL)0.5) * (FLOW_REAL)0.5,
                                                 width, literal, &x0, &x1);
    const FLOW_REAL wy = FLOW_OF(linear_between)(((FLOW_REAL)y - (FLOW_REAL)0.5) * (FLOW_REAL)0.5,
                                                 height, literal, &y0, &y1);
    const i64 above = (i64)y0 * width;
    const i64 below = (i64)y1 * width;
    return FLOW_OF(linear_mean)(FLOW_OF(flow_stepped)(flow, step, above + x0, takes_step),
                                FLOW_OF(flow_stepped)(flow, step, above + x1, takes_step),
                                FLOW_OF(flow_stepped)(flow, step, below + x0, takes_step),
                                FLOW_OF(flow_stepped)(flow, step, below + x1, takes_step), wx, wy);
}

// The flow of an image of twice the lengths, or one more, its components scaled. Counts planes.
T_KERNEL(FLOW_OF(flow_double),
         (T_IN(FLOW_REAL) source, T_OUT(FLOW_REAL) target, const i32 width, const i32 height,
          const i32 new_width, const i32 new_height, const i32 literal)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const FLOW_REAL) from = source + flow_margin + (i64)plane * width * height;
    const FLOW_REAL found = FLOW_OF(flow_doubled)(from, from, x, y, width, height, 0, literal);
    const FLOW_REAL scale = plane % 2 == 0 ? (FLOW_REAL)new_width / (FLOW_REAL)width
                                           : (FLOW_REAL)new_height / (FLOW_REAL)height;
    target[flow_margin + ((i64)plane * new_height + y) * new_width + x] = found * scale;
}

// A pixel of the second frame as the flow (u, v) says that it was.
T_FUNCTION FLOW_REAL FLOW_OF(flow_warped)(T_GLOBAL_PTR(const FLOW_REAL) second, const FLOW_REAL u,
                                          const FLOW_REAL v, const i32 x, const i32 y,
                                          const i32 width, const i32 height, const i32 literal) {
    return FLOW_OF(linear_sample)(second, width, height, (FLOW_REAL)x + u, (FLOW_REAL)y + v,
                                  literal);
}

// The second frame of each pair so.
T_KERNEL(FLOW_OF(flow_warp), (T_IN(FLOW_REAL) images, T_IN(FLOW_REAL) flow, T_OUT(FLOW_REAL) warped,
                              const i32 width, const i32 height, const i32 literal)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const FLOW_REAL) u = flow + flow_margin + 2 * pair * points;
    warped[pair * points + i] = FLOW_OF(flow_warped)(images + (pair + 1) * points, u[i],
                                                     u[points + i], x, y, width, height, literal);
}

// Square root; the second step brings single precision's to double precision.
T_FUNCTION FLOW_REAL FLOW_OF(flow_root)(const FLOW_REAL a) {
    FLOW_REAL root = (FLOW_REAL)T_SQRT((f32)a);
    root = (FLOW_REAL)0.5 * (root + a / root);
    return (FLOW_REAL)0.5 * (root + a / root);
}

// The linear system of a pair (Diaz Morgado and Gomez Blanco 2016, section 3.3): planes p, q, r so
// that a step of the solver takes the means of neighbors (u, v) to (u - p s, v - q s) with s = p u
// + q v + r. With Ix, Iy the mean of the derivatives of both images, Iz their difference and n =
// sqrt(alpha + Ix^2 + Iy^2), these are Ix/n, Iy/n and Iz/n; where the smoothness of the whole flow
// counts, the flow is what is solved for, and Iz is less by what the flow so far explains.
T_FUNCTION void FLOW_OF(horn_schunck_equation)(const FLOW_REAL ix, const FLOW_REAL iy,
                                               const FLOW_REAL iz, const FLOW_REAL alpha,
                                               T_GLOBAL_PTR(FLOW_REAL) p, const i64 points) {
    const FLOW_REAL scale = (FLOW_REAL)1 / FLOW_OF(flow_root)(alpha + ix * ix + iy * iy);
    p[0] = ix * scale;
    p[points] = iy * scale;
    p[2 * points] = iz * scale;
}
T_KERNEL(FLOW_OF(horn_schunck_system),
         (T_IN(FLOW_REAL) images, T_IN(FLOW_REAL) warped, T_IN(FLOW_REAL) flow,
          T_OUT(FLOW_REAL) system, const i32 width, const i32 height, const FLOW_REAL alpha,
          const i32 total)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const FLOW_REAL) first = images + pair * points;
    T_GLOBAL_PTR(const FLOW_REAL) second = warped + pair * points;
    FLOW_REAL ix = 0, iy = 0;
    for (i32 k = 1; k <= 2; ++k) {
        const i64 left = (i64)y * width + border_mirrored(x - k, width);
        const i64 right = (i64)y * width + border_mirrored(x + k, width);
        const i64 above = (i64)border_mirrored(y - k, height) * width + x;
        const i64 below = (i64)border_mirrored(y + k, height) * width + x;
        const FLOW_REAL weight = (FLOW_REAL)(k == 1 ? 8 : -1) / (FLOW_REAL)24;
        ix += weight * ((first[right] - first[left]) + (second[right] - second[left]));
        iy += weight * ((first[below] - first[above]) + (second[below] - second[above]));
    }
    FLOW_REAL iz = second[i] - first[i];
    T_GLOBAL_PTR(const FLOW_REAL) u = flow + flow_margin + 2 * pair * points;
    if (total) iz -= ix * u[i] + iy * u[points + i];
    FLOW_OF(horn_schunck_equation)(ix, iy, iz, alpha, system + 3 * pair * points + i, points);
}

enum { FLOW_OF(horn_schunck_pitch) = 36, FLOW_OF(horn_schunck_tile) = 36 * 12 };

// What a warp begins with in one launch.
typedef struct {
    FLOW_REAL alpha;
    i32 width, height;
    i32 old_width, old_height;  // of the flow so far; 0 where there has been none
    i32 total;                  // whether the whole flow is solved for, and not its step
    i32 literal;
} FLOW_OF(horn_schunck_warp);

// The flow (u, v) so far at a pixel: with the step that the last warp has found, of the same level,
// or of the smaller one, or 0 where there has been none.
T_FUNCTION void FLOW_OF(flow_so_far)(T_GLOBAL_PTR(const FLOW_REAL) flow,
                                     T_GLOBAL_PTR(const FLOW_REAL) step, const i32 x, const i32 y,
                                     const FLOW_OF(horn_schunck_warp) warp, FLOW_REAL* u,
                                     FLOW_REAL* v) {
    const i32 takes_step = !warp.total;
    const i64 plane = (i64)warp.old_width * warp.old_height;
    *u = 0;
    *v = 0;
    if (warp.old_width == warp.width) {
        const i64 i = (i64)y * warp.width + x;
        *u = FLOW_OF(flow_stepped)(flow, step, i, takes_step);
        *v = FLOW_OF(flow_stepped)(flow, step, plane + i, takes_step);
    } else if (warp.old_width > 0) {
        *u = FLOW_OF(flow_doubled)(flow, step, x, y, warp.old_width, warp.old_height, takes_step,
                                   warp.literal) *
             ((FLOW_REAL)warp.width / (FLOW_REAL)warp.old_width);
        *v = FLOW_OF(flow_doubled)(flow + plane, step + plane, x, y, warp.old_width,
                                   warp.old_height, takes_step, warp.literal) *
             ((FLOW_REAL)warp.height / (FLOW_REAL)warp.old_height);
    }
}

// The flow so far, warp and system at once, with the same bits, and where only the step of the flow
// is solved for, zeros as that: a group keeps the frames around its pixels in local memory, those
// beyond the border mirrored.
T_GROUP_KERNEL(FLOW_OF(horn_schunck_begin), 32, 8, 1,
               (T_IN(FLOW_REAL) images, T_IN(FLOW_REAL) old_flow, T_IN(FLOW_REAL) old_step,
                T_OUT(FLOW_REAL) flow, T_OUT(FLOW_REAL) step, T_OUT(FLOW_REAL) system,
                const FLOW_OF(horn_schunck_warp) warp)) {
    T_LOCAL(FLOW_REAL, firsts, FLOW_OF(horn_schunck_tile));
    T_LOCAL(FLOW_REAL, seconds, FLOW_OF(horn_schunck_tile));
    T_LOCAL(FLOW_REAL, us, FLOW_OF(horn_schunck_tile));
    T_LOCAL(FLOW_REAL, vs, FLOW_OF(horn_schunck_tile));
    const i32 width = warp.width, height = warp.height;
    const i64 points = (i64)width * height;
    const i64 old_begin = flow_margin + 2 * T_GZ * ((i64)warp.old_width * warp.old_height);
    T_GLOBAL_PTR(const FLOW_REAL) image = images + T_GZ * points;
    T_PHASE {
        for (i32 n = T_LI; n < FLOW_OF(horn_schunck_tile); n += 32 * 8) {
            const i32 x = border_mirrored(32 * T_GX - 2 + n % FLOW_OF(horn_schunck_pitch), width);
            const i32 y = border_mirrored(8 * T_GY - 2 + n / FLOW_OF(horn_schunck_pitch), height);
            FLOW_REAL u, v;
            FLOW_OF(flow_so_far)(old_flow + old_begin, old_step + old_begin, x, y, warp, &u, &v);
            us[n] = u;
            vs[n] = v;
            firsts[n] = image[(i64)y * width + x];
            seconds[n] =
                FLOW_OF(flow_warped)(image + points, u, v, x, y, width, height, warp.literal);
        }
    }
    T_PHASE {
        const i32 x = 32 * T_GX + T_LX;
        const i32 y = 8 * T_GY + T_LY;
        if (x < width && y < height) {
            const i64 i = (i64)y * width + x;
            const i64 at_flow = flow_margin + 2 * T_GZ * points + i;
            const i32 at = (T_LY + 2) * FLOW_OF(horn_schunck_pitch) + T_LX + 2;
            T_LOCAL_PTR(const FLOW_REAL) first = firsts + at;
            T_LOCAL_PTR(const FLOW_REAL) second = seconds + at;
            FLOW_REAL ix = 0, iy = 0;
            for (i32 k = 1; k <= 2; ++k) {
                const i32 down = k * FLOW_OF(horn_schunck_pitch);
                const FLOW_REAL weight = (FLOW_REAL)(k == 1 ? 8 : -1) / (FLOW_REAL)24;
                ix += weight * ((first[k] - first[-k]) + (second[k] - second[-k]));
                iy += weight * ((first[down] - first[-down]) + (second[down] - second[-down]));
            }
            FLOW_REAL iz = second[0] - first[0];
            if (warp.total) iz -= ix * us[at] + iy * vs[at];
            FLOW_OF(horn_schunck_equation)
            (ix, iy, iz, warp.alpha, system + 3 * T_GZ * points + i, points);
            flow[at_flow] = us[at];
            flow[at_flow + points] = vs[at];
            if (!warp.total) {
                step[at_flow] = 0;
                step[at_flow + points] = 0;
            }
        }
    }
}

// One Jacobi step. At the border the pixel itself stands for the neighbor that is missing.
T_SIMD_KERNEL(FLOW_OF(horn_schunck_sweep),
              (T_IN(FLOW_REAL) flow, T_IN(FLOW_REAL) system, T_OUT(FLOW_REAL) swept,
               const i32 width, const i32 height)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const i64 above = i - (y > 0 ? width : 0);
    const i64 below = i + (y < height - 1 ? width : 0);
    T_GLOBAL_PTR(const FLOW_REAL) u = flow + flow_margin + 2 * pair * points;
    T_GLOBAL_PTR(const FLOW_REAL) v = u + points;
    const FLOW_REAL u_before = u[i - 1], u_behind = u[i + 1], v_before = v[i - 1],
                    v_behind = v[i + 1];
    const FLOW_REAL u_left = x > 0 ? u_before : u[i];
    const FLOW_REAL v_left = x > 0 ? v_before : v[i];
    const FLOW_REAL u_right = x < width - 1 ? u_behind : u[i];
    const FLOW_REAL v_right = x < width - 1 ? v_behind : v[i];
    const FLOW_REAL u_mean = (FLOW_REAL)0.25 * ((u_left + u_right) + (u[above] + u[below]));
    const FLOW_REAL v_mean = (FLOW_REAL)0.25 * ((v_left + v_right) + (v[above] + v[below]));
    T_GLOBAL_PTR(const FLOW_REAL) p = system + 3 * pair * points;
    const FLOW_REAL p_here = p[i], q_here = p[points + i];
    const FLOW_REAL s = p_here * u_mean + q_here * v_mean + p[2 * points + i];
    T_GLOBAL_PTR(FLOW_REAL) out = swept + flow_margin + 2 * pair * points;
    out[i] = u_mean - p_here * s;
    out[points + i] = v_mean - q_here * s;
}

// flow += step, for each element.
T_SIMD_KERNEL(FLOW_OF(flow_add), (T_IN(FLOW_REAL) step, T_OUT(FLOW_REAL) flow)) {
    T_INDEX1(i);
    flow[flow_margin + i] += step[flow_margin + i];
}

// field = u, v of each pixel side by side, with the step that the flow is to take, if it is.
T_KERNEL(FLOW_OF(flow_interleave), (T_IN(FLOW_REAL) flow, T_IN(FLOW_REAL) step, T_OUT(f32) field,
                                    const i64 points, const i32 takes_step)) {
    T_INDEX2(i, pair);
    const i64 u = flow_margin + 2 * pair * points + i;
    T_GLOBAL_PTR(f32) out = field + 2 * (pair * points + i);
    out[0] = (f32)FLOW_OF(flow_stepped)(flow, step, u, takes_step);
    out[1] = (f32)FLOW_OF(flow_stepped)(flow, step, u + points, takes_step);
}
