// The linear system of Horn-Schunck between two warps, and its relaxation (docs/optical-flow.md).
// The third index of a range counts pairs of frames.
#define T_FILE flow_relaxation
#include "kernels/begin.h"
#include "kernels/flow_chessboard.h"
#include "kernels/flow_linearization.h"
#include "kernels/flow_margin.h"

// Warps the second image of each pair by the flow so far and linearizes what is left (spec 2.8,
// for the whole flow): planes p, q, r of flow_step. Where the flow leaves the image, p = q = r = 0:
// only neighbors tell the flow. The solver's planes start with the flow.
T_KERNEL(flow_linearize, (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) system,
                          T_OUT(f32) board, const i32 width, const i32 height, const f32 alpha)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const f32 u = flow[flow_margin + 2 * pair * points + i];
    const f32 v = flow[flow_margin + (2 * pair + 1) * points + i];
    f32 ix, iy, iz;
    const i32 is_inside = flow_warp(images + pair * points, gradients + 2 * pair * points, width,
                                    height, x, y, u, v, &ix, &iy, &iz);
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
    const i64 fields = flow_board(width, height);
    const i64 at = (i64)y * columns + k;
    const i32 odd = (y + color) % 2;
    const i32 x = 2 * k + odd;
    T_GLOBAL_PTR(f32) u = board + flow_margin + (4 * pair + color) * fields;
    T_GLOBAL_PTR(const f32) other = board + flow_margin + (4 * pair + 1 - color) * fields;
    const f32 u_mean = flow_mean_around(other, u[at], at, odd, x, y, width, height);
    const f32 v_mean =
        flow_mean_around(other + 2 * fields, u[2 * fields + at], at, odd, x, y, width, height);
    T_GLOBAL_PTR(const f32) p = system + (6 * pair + color) * fields + at;
    f32 u_new, v_new;
    flow_step(u[at], u[2 * fields + at], u_mean, v_mean, p[0], p[2 * fields], p[4 * fields], omega,
              &u_new, &v_new);
    u[at] = u_new;
    u[2 * fields + at] = v_new;
}

// One Jacobi step: the fields of both colors, which the third index counts, from the old ones.
T_SIMD_KERNEL(flow_jacobi, (T_IN(f32) board, T_IN(f32) system, T_OUT(f32) swept, const i32 width,
                            const i32 height)) {
    T_INDEX3(k, y, plane);
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    const i64 at = (i64)y * columns + k;
    const i32 color = plane % 2;
    const i64 pair = plane / 2;
    const i32 odd = (y + color) % 2;
    const i32 x = 2 * k + odd;
    const i64 own = flow_margin + (4 * pair + color) * fields + at;
    T_GLOBAL_PTR(const f32) other = board + flow_margin + (4 * pair + 1 - color) * fields;
    const f32 u = board[own];
    const f32 v = board[own + 2 * fields];
    const f32 u_mean = flow_mean_around(other, u, at, odd, x, y, width, height);
    const f32 v_mean = flow_mean_around(other + 2 * fields, v, at, odd, x, y, width, height);
    T_GLOBAL_PTR(const f32) p = system + (6 * pair + color) * fields + at;
    f32 u_new, v_new;
    flow_step(u, v, u_mean, v_mean, p[0], p[2 * fields], p[4 * fields], 1.0f, &u_new, &v_new);
    swept[own] = u_new;
    swept[own + 2 * fields] = v_new;
}

// ---- Several steps at once ---------------------------------------------------------------------

enum {
    flow_tile = 64,
    flow_tile_halo = 16,  // most half steps, or Jacobi steps, of a launch
    flow_tile_middle = 32,
    flow_tile_columns = 32,     // of fields of one color
    flow_tile_plane = 64 * 32,  // fields of one color
    flow_tile_rows = 8,         // of items
    flow_tile_fields = 16       // of an item: of both colors, every eighth row
};

// The mean of the neighbors of a field in a tile; `other` is its place in the other color's plane.
T_FUNCTION f32 flow_mean_in_tile(T_LOCAL_PTR(const f32) other, const f32 own, const i32 odd,
                                 const i32 has_border, const i32 x, const i32 y, const i32 width,
                                 const i32 height) {
    const f32 left = other[odd - 1];
    const f32 right = other[odd];
    const f32 above = other[-flow_tile_columns];
    const f32 below = other[flow_tile_columns];
    if (!has_border) return 0.25f * ((left + right) + (above + below));
    return 0.25f * (((x > 0 ? left : own) + (x < width - 1 ? right : own)) +
                    ((y > 0 ? above : own) + (y < height - 1 ? below : own)));
}

// Field n of an item after a step. `u` is the tile's planes, of u and then of v.
T_FUNCTION void flow_step_in_tile(T_LOCAL_PTR(const f32) u, const i32 n, const i32 k, const i32 row,
                                  const i32 has_border, const i32 x0, const i32 y0, const i32 width,
                                  const i32 height, const f32 p, const f32 q, const f32 r,
                                  const f32 omega, f32* u_new, f32* v_new) {
    const i32 color = n % 2;
    const i32 odd = (row + color) % 2;
    const i32 at = row * flow_tile_columns + k;
    const i32 x = x0 + 2 * k + odd;
    T_LOCAL_PTR(const f32) own = u + color * flow_tile_plane + at;
    T_LOCAL_PTR(const f32) other = u + (1 - color) * flow_tile_plane + at;
    const f32 u_own = own[0];
    const f32 v_own = own[2 * flow_tile_plane];
    const f32 u_mean = flow_mean_in_tile(other, u_own, odd, has_border, x, y0 + row, width, height);
    const f32 v_mean = flow_mean_in_tile(other + 2 * flow_tile_plane, v_own, odd, has_border, x,
                                         y0 + row, width, height);
    flow_step(u_own, v_own, u_mean, v_mean, p, q, r, omega, u_new, v_new);
}

#define T_TILE_KERNEL flow_relax_tile
#define T_TOGETHER 0
#include "kernels/flow_tile.body.h"
#undef T_TOGETHER
#undef T_TILE_KERNEL

#define T_TILE_KERNEL flow_jacobi_tile
#define T_TOGETHER 1
#include "kernels/flow_tile.body.h"
#undef T_TOGETHER
#undef T_TILE_KERNEL

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
