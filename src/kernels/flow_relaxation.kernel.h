// The linear system of Horn-Schunck between two warps, and its relaxation (docs/optical-flow.md).
//
// The solver's planes are those of a chessboard: of each kind one plane of the fields where x + y
// is even, then one of the others; field k of row y is at x = 2 k + (y + color) % 2. So a half step
// reads the one and writes the other, and fields side by side stand side by side. The third index
// of a range counts pairs of frames.
#define T_FILE flow_relaxation
#include "kernels/begin.h"
#include "kernels/flow_cubic.h"
#include "kernels/flow_margin.h"
#include "kernels/flow_sampling_f32.h"

T_FUNCTION i64 flow_board(const i32 width, const i32 height) {
    return (i64)((width + 1) / 2) * height;
}
// Of the fields of one kind.
T_FUNCTION i64 flow_field(const i32 x, const i32 y, const i32 width, const i32 height) {
    const i32 columns = (width + 1) / 2;
    return ((x + y) % 2) * flow_board(width, height) + (i64)y * columns + x / 2;
}

T_FUNCTION f32 flow_sample_cubic(T_GLOBAL_PTR(const f32) image, const i32 width, const i32 height,
                                 const f32 x, const f32 y) {
    const i32 x0 = (i32)x;
    const i32 y0 = (i32)y;
    f32 weight_x[4], weight_y[4];
    flow_cubic_weights(x - (f32)x0, weight_x);
    flow_cubic_weights(y - (f32)y0, weight_y);
    f32 sum = 0;
    T_UNROLL
    for (i32 j = 0; j < 4; ++j) {
        T_GLOBAL_PTR(const f32) row = image + (i64)T_CLAMP(y0 + j - 1, 0, height - 1) * width;
        f32 row_sum = 0;
        T_UNROLL
        for (i32 k = 0; k < 4; ++k) row_sum += weight_x[k] * row[T_CLAMP(x0 + k - 1, 0, width - 1)];
        sum += weight_y[j] * row_sum;
    }
    return sum;
}

// Warps the second image of each pair by the flow so far and linearizes what is left (spec 2.8,
// for the whole flow): planes p, q, r so that a step takes the means of neighbors (u, v) to
// (u - p s, v - q s), s = p u + q v + r. Images are interpolated by cubics, their derivatives
// linearly. Where the flow leaves the image, p = q = r = 0: only neighbors tell the flow. The
// solver's planes start with the flow.
T_KERNEL(flow_linearize, (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) system,
                          T_OUT(f32) board, const i32 width, const i32 height, const f32 alpha)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const f32) first = images + pair * points;
    T_GLOBAL_PTR(const f32) first_gradient = gradients + 2 * pair * points;
    T_GLOBAL_PTR(const f32) second_gradient = first_gradient + 2 * points;
    const f32 u = flow[flow_margin + 2 * pair * points + i];
    const f32 v = flow[flow_margin + (2 * pair + 1) * points + i];
    const f32 to_x = (f32)x + u;
    const f32 to_y = (f32)y + v;
    const f32 at_x = T_CLAMP(to_x, 0.0f, (f32)(width - 1));
    const f32 at_y = T_CLAMP(to_y, 0.0f, (f32)(height - 1));
    const f32 ix =
        0.5f * (first_gradient[i] + flow_sample_f32(second_gradient, width, height, at_x, at_y));
    const f32 iy = 0.5f * (first_gradient[points + i] +
                           flow_sample_f32(second_gradient + points, width, height, at_x, at_y));
    const f32 iz = flow_sample_cubic(first + points, width, height, at_x, at_y) - first[i];
    const i32 is_inside = at_x == to_x && at_y == to_y;
    const f32 scale = is_inside ? 1.0f / T_SQRT(alpha + ix * ix + iy * iy) : 0.0f;
    const i64 whole = 2 * flow_board(width, height);
    const i64 field = flow_field(x, y, width, height);
    T_GLOBAL_PTR(f32) p = system + 3 * pair * whole + field;
    p[0] = ix * scale;
    p[whole] = iy * scale;
    p[2 * whole] = (iz - ix * u - iy * v) * scale;
    T_GLOBAL_PTR(f32) start = board + flow_margin + 2 * pair * whole + field;
    start[0] = u;
    start[whole] = v;
}

// The mean of the four neighbors of a field of `own`, which stand in the other color's plane; `at`
// counts from the planes' begin, and `odd` is 1 where rows of the field's color begin at x = 1.
// Beyond the border the field itself stands.
T_FUNCTION f32 flow_mean_around(T_GLOBAL_PTR(const f32) other, const f32 own, const i64 at,
                                const i32 odd, const i32 x, const i32 y, const i32 width,
                                const i32 height) {
    const i32 columns = (width + 1) / 2;
    const f32 before = other[at - 1 + odd];
    const f32 behind = other[at + odd];
    const f32 above = other[at - (y > 0 ? columns : 0)];
    const f32 below = other[at + (y < height - 1 ? columns : 0)];
    return 0.25f * (((x > 0 ? before : own) + (x < width - 1 ? behind : own)) +
                    ((y > 0 ? above : own) + (y < height - 1 ? below : own)));
}

// Half a step of red-black over-relaxation: the fields of one color, from those of the other.
T_SIMD_KERNEL(flow_relax, (T_GLOBAL_PTR(f32) board, T_IN(f32) system, const i32 width,
                           const i32 height, const i32 color, const f32 omega)) {
    T_INDEX3(k, y, pair);
    const i32 columns = (width + 1) / 2;
    const i64 fields = (i64)columns * height;
    const i64 row = (i64)y * columns;
    const i32 odd = (y + color) % 2;
    const i32 x = 2 * k + odd;
    T_GLOBAL_PTR(f32) u_own = board + flow_margin + (4 * pair + color) * fields;
    T_GLOBAL_PTR(f32) v_own = u_own + 2 * fields;
    T_GLOBAL_PTR(const f32) u_other = board + flow_margin + (4 * pair + 1 - color) * fields;
    T_GLOBAL_PTR(const f32) v_other = u_other + 2 * fields;
    const f32 u = u_own[row + k];
    const f32 v = v_own[row + k];
    const f32 u_mean = flow_mean_around(u_other, u, row + k, odd, x, y, width, height);
    const f32 v_mean = flow_mean_around(v_other, v, row + k, odd, x, y, width, height);
    T_GLOBAL_PTR(const f32) p = system + (6 * pair + color) * fields + row;
    const f32 p_here = p[k], q_here = p[2 * fields + k];
    const f32 s = p_here * u_mean + q_here * v_mean + p[4 * fields + k];
    u_own[row + k] = u + omega * (u_mean - p_here * s - u);
    v_own[row + k] = v + omega * (v_mean - q_here * s - v);
}

// ---- Several half steps at once
// ------------------------------------------------------------------
//
// A group holds a tile of 64 x 64 pixels in local memory. Each half step makes the part that is
// right one pixel smaller all around, so that after sixteen of them its middle is: the bits are
// those of flow_relax.

enum {
    flow_tile = 64,
    flow_tile_halo = 16,  // most half steps of a launch
    flow_tile_middle = 32,
    flow_tile_columns = 32  // of fields of one color
};

// One field of a tile: at column k of a row. Neighbors beyond the tile are any: they spoil what is
// not used.
T_FUNCTION f32 flow_mean_in_tile(T_LOCAL_PTR(const f32) other, const f32 own, const i32 k,
                                 const i32 row, const i32 odd, const i32 x, const i32 y,
                                 const i32 width, const i32 height) {
    T_LOCAL_PTR(const f32) beside = other + row * flow_tile_columns;
    const f32 before = beside[T_MAX(k - 1 + odd, 0)];
    const f32 behind = beside[T_MIN(k + odd, flow_tile_columns - 1)];
    const f32 above = other[T_MAX(row - 1, 0) * flow_tile_columns + k];
    const f32 below = other[T_MIN(row + 1, flow_tile - 1) * flow_tile_columns + k];
    return 0.25f * (((x > 0 ? before : own) + (x < width - 1 ? behind : own)) +
                    ((y > 0 ? above : own) + (y < height - 1 ? below : own)));
}
// Half a step of that field; u and v are the tile's planes, the even color's first.
T_FUNCTION void flow_relax_in_tile(T_LOCAL_PTR(f32) u, T_LOCAL_PTR(f32) v, const i32 color,
                                   const i32 k, const i32 row, const i32 x0, const i32 y0,
                                   const i32 width, const i32 height, const f32 p, const f32 q,
                                   const f32 r, const f32 omega) {
    const i32 plane = flow_tile * flow_tile_columns;
    const i32 odd = (row + color) % 2;
    const i32 x = x0 + 2 * k + odd;
    const i32 y = y0 + row;
    const i32 at = color * plane + row * flow_tile_columns + k;
    const f32 u_own = u[at];
    const f32 v_own = v[at];
    const f32 u_mean =
        flow_mean_in_tile(u + (1 - color) * plane, u_own, k, row, odd, x, y, width, height);
    const f32 v_mean =
        flow_mean_in_tile(v + (1 - color) * plane, v_own, k, row, odd, x, y, width, height);
    const f32 s = p * u_mean + q * v_mean + r;
    u[at] = u_own + omega * (u_mean - p * s - u_own);
    v[at] = v_own + omega * (v_mean - q * s - v_own);
}

// Half steps first..first + steps - 1 of a relaxation, an even number. An item has the fields of
// both colors in its column and every eighth row.
T_GROUP_KERNEL(flow_relax_tile, 32, 8, 1,
               (T_IN(f32) board, T_IN(f32) system, T_IN(f32) omega, T_OUT(f32) relaxed,
                const i32 width, const i32 height, const i32 first, const i32 steps)) {
    T_LOCAL(f32, u, flow_tile * flow_tile);
    T_LOCAL(f32, v, flow_tile * flow_tile);
    T_ITEM_ARRAY(f32, p, 16);
    T_ITEM_ARRAY(f32, q, 16);
    T_ITEM_ARRAY(f32, r, 16);
    const i32 x0 = T_GX * flow_tile_middle - flow_tile_halo;
    const i32 y0 = T_GY * flow_tile_middle - flow_tile_halo;
    const i32 columns = (width + 1) / 2;
    const i64 fields = (i64)columns * height;
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < 16; ++n) {
            const i32 color = n % 2;
            const i32 row = T_LY + n / 2 * 8;
            const i32 x = x0 + 2 * T_LX + (row + color) % 2;
            const i32 y = y0 + row;
            const i32 is_inside = x >= 0 && x < width && y >= 0 && y < height;
            const i64 at = color * fields + (is_inside ? (i64)y * columns + x / 2 : 0);
            T_GLOBAL_PTR(const f32) from = board + flow_margin + 4 * T_GZ * fields + at;
            const i32 to = (color * flow_tile + row) * flow_tile_columns + T_LX;
            u[to] = from[0];
            v[to] = from[2 * fields];
            T_GLOBAL_PTR(const f32) terms = system + 6 * T_GZ * fields + at;
            T_MY(p)[n] = terms[0];
            T_MY(q)[n] = terms[2 * fields];
            T_MY(r)[n] = terms[4 * fields];
        }
    }
    for (i32 step = first; step < first + steps; step += 2) {
        const f32 omega_even = omega[step];
        const f32 omega_odd = omega[step + 1];
        T_PHASE {
            T_UNROLL
            for (i32 n = 0; n < 16; n += 2)
                flow_relax_in_tile(u, v, 0, T_LX, T_LY + n / 2 * 8, x0, y0, width, height,
                                   T_MY(p)[n], T_MY(q)[n], T_MY(r)[n], omega_even);
        }
        T_PHASE {
            T_UNROLL
            for (i32 n = 1; n < 16; n += 2)
                flow_relax_in_tile(u, v, 1, T_LX, T_LY + n / 2 * 8, x0, y0, width, height,
                                   T_MY(p)[n], T_MY(q)[n], T_MY(r)[n], omega_odd);
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < 16; ++n) {
            const i32 color = n % 2;
            const i32 row = T_LY + n / 2 * 8;
            const i32 beside = 2 * T_LX + (row + color) % 2;
            const i32 x = x0 + beside;
            const i32 y = y0 + row;
            const i32 is_right = beside >= flow_tile_halo && row >= flow_tile_halo &&
                                 beside < flow_tile_halo + flow_tile_middle &&
                                 row < flow_tile_halo + flow_tile_middle;
            if (is_right && x < width && y < height) {
                T_GLOBAL_PTR(f32)
                to = relaxed + flow_margin + (4 * T_GZ + color) * fields + (i64)y * columns + x / 2;
                const i32 from = (color * flow_tile + row) * flow_tile_columns + T_LX;
                to[0] = u[from];
                to[2 * fields] = v[from];
            }
        }
    }
}

// ---- Jacobi steps
// --------------------------------------------------------------------------------

// One Jacobi step: the fields of both colors, which the third index counts, from the old ones.
T_SIMD_KERNEL(flow_jacobi, (T_IN(f32) board, T_IN(f32) system, T_OUT(f32) swept, const i32 width,
                            const i32 height)) {
    T_INDEX3(k, y, plane);
    const i32 columns = (width + 1) / 2;
    const i64 fields = (i64)columns * height;
    const i64 row = (i64)y * columns;
    const i32 color = plane % 2;
    const i64 pair = plane / 2;
    const i32 odd = (y + color) % 2;
    const i32 x = 2 * k + odd;
    const i64 own = flow_margin + (4 * pair + color) * fields;
    T_GLOBAL_PTR(const f32) u_other = board + flow_margin + (4 * pair + 1 - color) * fields;
    T_GLOBAL_PTR(const f32) v_other = u_other + 2 * fields;
    const f32 u = board[own + row + k];
    const f32 v = board[own + 2 * fields + row + k];
    const f32 u_mean = flow_mean_around(u_other, u, row + k, odd, x, y, width, height);
    const f32 v_mean = flow_mean_around(v_other, v, row + k, odd, x, y, width, height);
    T_GLOBAL_PTR(const f32) p = system + (6 * pair + color) * fields + row;
    const f32 p_here = p[k], q_here = p[2 * fields + k];
    const f32 s = p_here * u_mean + q_here * v_mean + p[4 * fields + k];
    swept[own + row + k] = u_mean - p_here * s;
    swept[own + 2 * fields + row + k] = v_mean - q_here * s;
}

// The solver's planes as the flow again, no component further than `most` from what it was.
T_KERNEL(flow_take, (T_IN(f32) board, T_GLOBAL_PTR(f32) flow, const i32 width, const i32 height,
                     const f32 most)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 whole = 2 * flow_board(width, height);
    const i64 field = flow_margin + 2 * pair * whole + flow_field(x, y, width, height);
    T_GLOBAL_PTR(f32) u = flow + flow_margin + 2 * pair * points + (i64)y * width + x;
    u[0] += T_CLAMP(board[field] - u[0], -most, most);
    u[points] += T_CLAMP(board[field + whole] - u[points], -most, most);
}

#include "kernels/end.h"
