// The linear system of Horn-Schunck between two warps, and its relaxation (docs/optical-flow.md).
//
// Over-relaxation has its planes as those of a chessboard: of each kind one plane of the fields
// where x + y is even, then one of the others; field k of row y is at x = 2 k + (y + color) % 2. So
// a half step reads the one and writes the other, and fields side by side stand side by side. The
// third index of a range counts pairs of frames.
#define T_FILE flow_relaxation
#include "kernels/begin.h"
#include "kernels/motion/flow_chessboard.h"
#include "kernels/motion/flow_linearization.h"
#include "kernels/motion/flow_margin.h"

// For Jacobi steps.
T_KERNEL(flow_linearize, (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) system,
                          const i32 width, const i32 height, const f32 alpha)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    T_GLOBAL_PTR(const f32) u = flow + flow_margin + 2 * pair * points + i;
    flow_linearize_at(images, gradients, x, y, pair, width, height, alpha, u[0], u[points],
                      system + 3 * pair * points + i, points);
}

// For over-relaxation: the same as a chessboard, and the flow that it starts with.
T_KERNEL(flow_linearize_board,
         (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) system,
          T_OUT(f32) board, const i32 width, const i32 height, const f32 alpha)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 whole = 2 * flow_board(width, height);
    const i64 field = flow_field(x, y, width, height);
    T_GLOBAL_PTR(const f32) u = flow + flow_margin + 2 * pair * points + (i64)y * width + x;
    flow_linearize_at(images, gradients, x, y, pair, width, height, alpha, u[0], u[points],
                      system + 3 * pair * whole + field, whole);
    T_GLOBAL_PTR(f32) start = board + flow_margin + 2 * pair * whole + field;
    start[0] = u[0];
    start[whole] = u[points];
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

// ---- Several steps at once ---------------------------------------------------------------------

enum {
    flow_tile = 64,
    flow_tile_halo = 16,  // most half steps of a launch
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

// Half steps on one reading of a tile of 64 x 64 pixels, in local memory. Each makes the part that
// is right one pixel smaller all around, so that after sixteen of them the middle is: the bits are
// those of flow_relax. The outermost rows are only read.

#define FLOW_TILE_ROW(n) (T_LY + (n) / 2 * flow_tile_rows)
#define FLOW_TILE_IS_SWEPT(n) \
    (((n) > 1 || T_LY > 0) && ((n) < flow_tile_fields - 2 || T_LY < flow_tile_rows - 1))

// Half steps first..first + steps - 1, an even number.
T_GROUP_KERNEL(flow_relax_tile, 32, 8, 1,
               (T_IN(f32) board, T_IN(f32) system, T_IN(f32) omega, T_OUT(f32) swept,
                const i32 width, const i32 height, const i32 first, const i32 steps)) {
    T_LOCAL(f32, u, 4 * flow_tile_plane);  // even color, odd color; then v
    T_ITEM_ARRAY(f32, p, flow_tile_fields);
    T_ITEM_ARRAY(f32, q, flow_tile_fields);
    T_ITEM_ARRAY(f32, r, flow_tile_fields);
    const i32 x0 = T_GX * flow_tile_middle - flow_tile_halo;
    const i32 y0 = T_GY * flow_tile_middle - flow_tile_halo;
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    const i32 has_border =
        x0 <= 0 || y0 <= 0 || x0 + flow_tile >= width || y0 + flow_tile >= height;
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < flow_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 x = x0 + 2 * T_LX + (T_LY + color) % 2;
            const i32 y = y0 + FLOW_TILE_ROW(n);
            const i32 is_inside = x >= 0 && x < width && y >= 0 && y < height;
            const i64 at = color * fields + (is_inside ? (i64)y * columns + x / 2 : 0);
            T_GLOBAL_PTR(const f32) from = board + flow_margin + 4 * T_GZ * fields + at;
            T_GLOBAL_PTR(const f32) terms = system + 6 * T_GZ * fields + at;
            T_LOCAL_PTR(f32)
            to = u + color * flow_tile_plane + FLOW_TILE_ROW(n) * flow_tile_columns + T_LX;
            to[0] = from[0];
            to[2 * flow_tile_plane] = from[2 * fields];
            T_MY(p)[n] = terms[0];
            T_MY(q)[n] = terms[2 * fields];
            T_MY(r)[n] = terms[4 * fields];
        }
    }
    for (i32 step = first; step < first + steps; step += 2) {
        T_UNROLL
        for (i32 color = 0; color < 2; ++color) {
            const f32 relaxation = omega[step + color];
            T_PHASE {
                T_UNROLL
                for (i32 n = color; n < flow_tile_fields; n += 2) {
                    if (FLOW_TILE_IS_SWEPT(n)) {
                        f32 u_new, v_new;
                        flow_step_in_tile(u, n, T_LX, FLOW_TILE_ROW(n), has_border, x0, y0, width,
                                          height, T_MY(p)[n], T_MY(q)[n], T_MY(r)[n], relaxation,
                                          &u_new, &v_new);
                        T_LOCAL_PTR(f32)
                        to = u + color * flow_tile_plane + FLOW_TILE_ROW(n) * flow_tile_columns +
                             T_LX;
                        to[0] = u_new;
                        to[2 * flow_tile_plane] = v_new;
                    }
                }
            }
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < flow_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 column = 2 * T_LX + (T_LY + color) % 2;
            const i32 x = x0 + column;
            const i32 y = y0 + FLOW_TILE_ROW(n);
            const i32 is_right = column >= flow_tile_halo && FLOW_TILE_ROW(n) >= flow_tile_halo &&
                                 column < flow_tile_halo + flow_tile_middle &&
                                 FLOW_TILE_ROW(n) < flow_tile_halo + flow_tile_middle;
            if (is_right && x < width && y < height) {
                T_GLOBAL_PTR(f32)
                to = swept + flow_margin + (4 * T_GZ + color) * fields + (i64)y * columns + x / 2;
                T_LOCAL_PTR(const f32)
                from = u + color * flow_tile_plane + FLOW_TILE_ROW(n) * flow_tile_columns + T_LX;
                to[0] = from[0];
                to[2 * fields] = from[2 * flow_tile_plane];
            }
        }
    }
}

#undef FLOW_TILE_ROW
#undef FLOW_TILE_IS_SWEPT

// ---- How far the steps have come ---------------------------------------------------------------

// The largest change of a component that a Jacobi step of all fields would make, as the bits of an
// f32, of which the larger has the larger bits. `largest` starts at 0.
T_KERNEL(flow_residual, (T_IN(f32) solved, T_IN(f32) system, T_GLOBAL_PTR(u32) largest,
                         const i32 width, const i32 height, const i32 is_board)) {
    T_INDEX3(x, y, pair);
    const i64 plane = flow_solver_plane(is_board, width, height);
    T_GLOBAL_PTR(const f32) u = solved + flow_margin + 2 * pair * plane;
    const i64 at = flow_solver_field(is_board, x, y, width, height);
    const i64 left = flow_solver_field(is_board, T_MAX(x - 1, 0), y, width, height);
    const i64 right = flow_solver_field(is_board, T_MIN(x + 1, width - 1), y, width, height);
    const i64 above = flow_solver_field(is_board, x, T_MAX(y - 1, 0), width, height);
    const i64 below = flow_solver_field(is_board, x, T_MIN(y + 1, height - 1), width, height);
    T_GLOBAL_PTR(const f32) v = u + plane;
    const f32 u_mean = 0.25f * ((u[left] + u[right]) + (u[above] + u[below]));
    const f32 v_mean = 0.25f * ((v[left] + v[right]) + (v[above] + v[below]));
    T_GLOBAL_PTR(const f32) p = system + 3 * pair * plane + at;
    const f32 s = p[0] * u_mean + p[plane] * v_mean + p[2 * plane];
    const f32 change_u = u_mean - p[0] * s - u[at];
    const f32 change_v = v_mean - p[plane] * s - v[at];
    const u32 change = T_BITS(T_MAX(T_ABS(change_u), T_ABS(change_v)));
    if (change > T_LOAD_CACHED(u32, largest)) T_ATOMIC_MAX(largest, change);
}

#include "kernels/end.h"
