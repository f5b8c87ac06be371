// The kernels of one precision: T_REAL; T_OF(name) is a name that tells it.
//
// Planes of one kind stand one behind the other. The third index of a range counts pairs of frames
// or, where it says so, planes. Planes of flows are u, v, u, v, ... behind flow_margin elements, so
// that what is left of the first pixel can be read.

// Mean of 2 x 2 pixels; lengths are halved and rounded down. Counts planes.
T_KERNEL(T_OF(flow_halve),
         (T_IN(T_REAL) source, T_OUT(T_REAL) target, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const T_REAL) above = source + ((i64)plane * height + 2 * y) * width + 2 * x;
    T_GLOBAL_PTR(const T_REAL) below = above + width;
    target[((i64)plane * (height / 2) + y) * (width / 2) + x] =
        (T_REAL)0.25 * (above[0] + above[1] + below[0] + below[1]);
}

// The flow of an image of twice the lengths, or one more: sampled at half of the coordinates, its
// components scaled. Counts planes.
T_KERNEL(T_OF(flow_double),
         (T_IN(T_REAL) source, T_OUT(T_REAL) target, const i32 width, const i32 height,
          const i32 new_width, const i32 new_height, const i32 literal)) {
    T_INDEX3(x, y, plane);
    T_GLOBAL_PTR(const T_REAL) from = source + flow_margin + (i64)plane * width * height;
    const T_REAL at_x = ((T_REAL)x - (T_REAL)0.5) * (T_REAL)0.5;
    const T_REAL at_y = ((T_REAL)y - (T_REAL)0.5) * (T_REAL)0.5;
    const T_REAL found = literal ? T_OF(flow_sample_literal)(from, width, height, at_x, at_y)
                                 : T_OF(flow_sample)(from, width, height, at_x, at_y);
    const T_REAL scale =
        plane % 2 == 0 ? (T_REAL)new_width / (T_REAL)width : (T_REAL)new_height / (T_REAL)height;
    target[flow_margin + ((i64)plane * new_height + y) * new_width + x] = found * scale;
}

// A pixel of the second frame as the flow says that it was.
T_FUNCTION T_REAL T_OF(flow_warped)(T_GLOBAL_PTR(const T_REAL) second, T_GLOBAL_PTR(const T_REAL) u,
                                    const i32 x, const i32 y, const i32 width, const i32 height,
                                    const i32 literal) {
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const T_REAL at_x = (T_REAL)x + u[i];
    const T_REAL at_y = (T_REAL)y + u[points + i];
    return literal ? T_OF(flow_sample_literal)(second, width, height, at_x, at_y)
                   : T_OF(flow_sample)(second, width, height, at_x, at_y);
}

// The second frame of each pair so.
T_KERNEL(T_OF(flow_warp), (T_IN(T_REAL) images, T_IN(T_REAL) flow, T_OUT(T_REAL) warped,
                           const i32 width, const i32 height, const i32 literal)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    warped[pair * points + (i64)y * width + x] =
        T_OF(flow_warped)(images + (pair + 1) * points, flow + flow_margin + 2 * pair * points, x,
                          y, width, height, literal);
}

// Square root; the second step brings single precision's to double precision.
T_FUNCTION T_REAL T_OF(flow_root)(const T_REAL a) {
    T_REAL root = (T_REAL)T_SQRT((f32)a);
    root = (T_REAL)0.5 * (root + a / root);
    return (T_REAL)0.5 * (root + a / root);
}

// The linear system of a pair (spec 2.8): planes p, q, r so that a step of the solver takes the
// means of neighbors (u, v) to (u - p s, v - q s) with s = p u + q v + r. With Ix, Iy the mean of
// the derivatives of both images, Iz their difference and n = sqrt(alpha + Ix^2 + Iy^2), these are
// Ix/n, Iy/n and Iz/n; where the smoothness of the whole flow counts, the flow is what is solved
// for, and Iz is less by what the flow so far explains.
T_FUNCTION void T_OF(horn_schunck_equation)(const T_REAL ix, const T_REAL iy, const T_REAL iz,
                                            const T_REAL alpha, T_GLOBAL_PTR(T_REAL) p,
                                            const i64 points) {
    const T_REAL scale = (T_REAL)1 / T_OF(flow_root)(alpha + ix * ix + iy * iy);
    p[0] = ix * scale;
    p[points] = iy * scale;
    p[2 * points] = iz * scale;
}
T_KERNEL(T_OF(horn_schunck_system),
         (T_IN(T_REAL) images, T_IN(T_REAL) warped, T_IN(T_REAL) flow, T_OUT(T_REAL) system,
          const i32 width, const i32 height, const T_REAL alpha, const i32 total)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const T_REAL) first = images + pair * points;
    T_GLOBAL_PTR(const T_REAL) second = warped + pair * points;
    T_REAL ix = 0, iy = 0;
    for (i32 k = 1; k <= 2; ++k) {
        const i64 left = (i64)y * width + T_OF(flow_mirrored)(x - k, width);
        const i64 right = (i64)y * width + T_OF(flow_mirrored)(x + k, width);
        const i64 above = (i64)T_OF(flow_mirrored)(y - k, height) * width + x;
        const i64 below = (i64)T_OF(flow_mirrored)(y + k, height) * width + x;
        const T_REAL weight = (T_REAL)(k == 1 ? 8 : -1) / (T_REAL)24;
        ix += weight * ((first[right] - first[left]) + (second[right] - second[left]));
        iy += weight * ((first[below] - first[above]) + (second[below] - second[above]));
    }
    T_REAL iz = second[i] - first[i];
    T_GLOBAL_PTR(const T_REAL) u = flow + flow_margin + 2 * pair * points;
    if (total) iz -= ix * u[i] + iy * u[points + i];
    T_OF(horn_schunck_equation)(ix, iy, iz, alpha, system + 3 * pair * points + i, points);
}

enum { T_OF(horn_schunck_pitch) = 36, T_OF(horn_schunck_tile) = 36 * 12 };

// Warp and system at once, with the same bits, and where only the step of the flow is solved for,
// zeros as that: a group keeps the frames around its pixels in local memory, those beyond the
// border mirrored.
T_GROUP_KERNEL(T_OF(horn_schunck_warp_system), 32, 8, 1,
               (T_IN(T_REAL) images, T_IN(T_REAL) flow, T_OUT(T_REAL) system, T_OUT(T_REAL) step,
                const i32 width, const i32 height, const T_REAL alpha, const i32 total,
                const i32 literal)) {
    T_LOCAL(T_REAL, firsts, T_OF(horn_schunck_tile));
    T_LOCAL(T_REAL, seconds, T_OF(horn_schunck_tile));
    const i64 points = (i64)width * height;
    T_GLOBAL_PTR(const T_REAL) image = images + T_GZ * points;
    T_GLOBAL_PTR(const T_REAL) u = flow + flow_margin + 2 * T_GZ * points;
    T_PHASE {
        for (i32 n = T_LI; n < T_OF(horn_schunck_tile); n += 32 * 8) {
            const i32 x = T_OF(flow_mirrored)(32 * T_GX - 2 + n % T_OF(horn_schunck_pitch), width);
            const i32 y = T_OF(flow_mirrored)(8 * T_GY - 2 + n / T_OF(horn_schunck_pitch), height);
            firsts[n] = image[(i64)y * width + x];
            seconds[n] = T_OF(flow_warped)(image + points, u, x, y, width, height, literal);
        }
    }
    T_PHASE {
        const i32 x = 32 * T_GX + T_LX;
        const i32 y = 8 * T_GY + T_LY;
        if (x < width && y < height) {
            const i64 i = (i64)y * width + x;
            const i32 at = (T_LY + 2) * T_OF(horn_schunck_pitch) + T_LX + 2;
            T_LOCAL_PTR(const T_REAL) first = firsts + at;
            T_LOCAL_PTR(const T_REAL) second = seconds + at;
            T_REAL ix = 0, iy = 0;
            for (i32 k = 1; k <= 2; ++k) {
                const i32 down = k * T_OF(horn_schunck_pitch);
                const T_REAL weight = (T_REAL)(k == 1 ? 8 : -1) / (T_REAL)24;
                ix += weight * ((first[k] - first[-k]) + (second[k] - second[-k]));
                iy += weight * ((first[down] - first[-down]) + (second[down] - second[-down]));
            }
            T_REAL iz = second[0] - first[0];
            if (total) iz -= ix * u[i] + iy * u[points + i];
            T_OF(horn_schunck_equation)
            (ix, iy, iz, alpha, system + 3 * T_GZ * points + i, points);
            if (!total) {
                T_GLOBAL_PTR(T_REAL) start = step + flow_margin + 2 * T_GZ * points + i;
                start[0] = 0;
                start[points] = 0;
            }
        }
    }
}

// One Jacobi step. At the border the pixel itself stands for the neighbor that is missing.
T_SIMD_KERNEL(T_OF(horn_schunck_sweep), (T_IN(T_REAL) flow, T_IN(T_REAL) system,
                                         T_OUT(T_REAL) swept, const i32 width, const i32 height)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const i64 above = i - (y > 0 ? width : 0);
    const i64 below = i + (y < height - 1 ? width : 0);
    T_GLOBAL_PTR(const T_REAL) u = flow + flow_margin + 2 * pair * points;
    T_GLOBAL_PTR(const T_REAL) v = u + points;
    const T_REAL u_before = u[i - 1], u_behind = u[i + 1], v_before = v[i - 1], v_behind = v[i + 1];
    const T_REAL u_left = x > 0 ? u_before : u[i];
    const T_REAL v_left = x > 0 ? v_before : v[i];
    const T_REAL u_right = x < width - 1 ? u_behind : u[i];
    const T_REAL v_right = x < width - 1 ? v_behind : v[i];
    const T_REAL u_mean = (T_REAL)0.25 * ((u_left + u_right) + (u[above] + u[below]));
    const T_REAL v_mean = (T_REAL)0.25 * ((v_left + v_right) + (v[above] + v[below]));
    T_GLOBAL_PTR(const T_REAL) p = system + 3 * pair * points;
    const T_REAL p_here = p[i], q_here = p[points + i];
    const T_REAL s = p_here * u_mean + q_here * v_mean + p[2 * points + i];
    T_GLOBAL_PTR(T_REAL) out = swept + flow_margin + 2 * pair * points;
    out[i] = u_mean - p_here * s;
    out[points + i] = v_mean - q_here * s;
}

// flow += step, for each element.
T_SIMD_KERNEL(T_OF(flow_add), (T_IN(T_REAL) step, T_OUT(T_REAL) flow)) {
    T_INDEX1(i);
    flow[flow_margin + i] += step[flow_margin + i];
}

// field = u, v of each pixel side by side.
T_KERNEL(T_OF(flow_interleave), (T_IN(T_REAL) flow, T_OUT(f32) field, const i64 points)) {
    T_INDEX2(i, pair);
    T_GLOBAL_PTR(const T_REAL) u = flow + flow_margin + 2 * pair * points;
    field[2 * (pair * points + i)] = (f32)u[i];
    field[2 * (pair * points + i) + 1] = (f32)u[points + i];
}
