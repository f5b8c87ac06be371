// The robust system of TV-L1 flow between two warps, and its relaxation (docs/optical-flow.md). The
// third index of a range counts pairs of frames.
//
// All planes are those of a chessboard behind flow_margin elements. Weights of edges that leave the
// image are 0, and so is what stands in the planes where there is no pixel: no step looks for the
// border.
#define T_FILE tv_l1
#include "kernels/begin.h"
#include "kernels/exp_of_minus.h"
#include "kernels/motion/flow_chessboard.h"
#include "kernels/motion/flow_guide.h"
#include "kernels/motion/flow_linearization.h"
#include "kernels/motion/flow_margin.h"

// Planes of a kind, each of both colors.
enum {
    tv_l1_data_planes = 3,  // ix, iy, and what is left of the difference at no motion at all
    tv_l1_edge_planes = 2,  // to the right and down
    tv_l1_term_planes = 7   // p, q, r; shares of the neighbors: left, right, above, below
};

// Luma of interleaved colors in one plane a frame, and planes of R, G, B of the frames that begin a
// pair. Gray stays what it is.
T_KERNEL(tv_l1_split, (T_IN(f32) colors, T_OUT(f32) luma, T_OUT(f32) planes, const i64 points,
                       const i32 pairs)) {
    T_INDEX2(i, frame);
    T_GLOBAL_PTR(const f32) color = colors + 3 * (frame * points + i);
    const f32 r = color[0];
    const f32 g = color[1];
    const f32 b = color[2];
    luma[frame * points + i] = g + (0.299f * (r - g) + 0.114f * (b - g));
    if (frame < pairs) {
        T_GLOBAL_PTR(f32) plane = planes + 3 * frame * points + i;
        plane[0] = r;
        plane[points] = g;
        plane[2 * points] = b;
    }
}

// How much of the smoothness holds across an edge between two pixels: all of it where their colors
// are equal, `least` where they are far apart.
T_FUNCTION f32 tv_l1_factor(T_GLOBAL_PTR(const f32) guide, const i64 points, const i32 channels,
                            const i64 pair, const i64 from, const i64 to, const f32 least) {
    const f32 per_deviation = 255.0f / 20;
    const f32 difference =
        T_SQRT(flow_color_distance2(guide, points, channels, pair, from, to) * (1.0f / 3));
    return least + (1.0f - least) * t_exp_of_minus(T_MIN(per_deviation * difference, 79.0f));
}

T_KERNEL(tv_l1_edges, (T_IN(f32) guide, T_OUT(f32) edges, const i32 width, const i32 height,
                       const i32 channels, const f32 least)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const i64 whole = 2 * flow_board(width, height);
    T_GLOBAL_PTR(f32)
    edge = edges + flow_margin + tv_l1_edge_planes * pair * whole + flow_field(x, y, width, height);
    edge[0] = x < width - 1 ? tv_l1_factor(guide, points, channels, pair, i, i + 1, least) : 0.0f;
    edge[whole] =
        y < height - 1 ? tv_l1_factor(guide, points, channels, pair, i, i + width, least) : 0.0f;
}

// Warps the second image of each pair by the flow so far and linearizes what is left. Where the
// flow leaves the image, there are no data. The solver's planes start with the flow.
T_KERNEL(tv_l1_linearize, (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) data,
                           T_OUT(f32) board, const i32 width, const i32 height)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const f32 u = flow[flow_margin + 2 * pair * points + i];
    const f32 v = flow[flow_margin + (2 * pair + 1) * points + i];
    f32 ix, iy, iz;
    const i32 is_inside = flow_warp(images + pair * points, gradients + 2 * pair * points, width,
                                    height, x, y, u, v, &ix, &iy, &iz);
    const i64 whole = 2 * flow_board(width, height);
    const i64 field = flow_margin + flow_field(x, y, width, height);
    T_GLOBAL_PTR(f32) known = data + tv_l1_data_planes * pair * whole + field;
    known[0] = is_inside ? ix : 0.0f;
    known[whole] = is_inside ? iy : 0.0f;
    known[2 * whole] = is_inside ? iz - ix * u - iy * v : 0.0f;
    T_GLOBAL_PTR(f32) start = board + 2 * pair * whole + field;
    start[0] = u;
    start[whole] = v;
}

// A field of `own` at a[4] and the eight around it, row by row. Beyond the border its pixels go on.
T_FUNCTION void tv_l1_around(T_GLOBAL_PTR(const f32) own, T_GLOBAL_PTR(const f32) other,
                             const i32 odd, const i32 columns, const i32 x, const i32 y,
                             const i32 width, const i32 height, f32* a) {
    const i32 up = y > 0 ? columns : 0;
    const i32 down = y < height - 1 ? columns : 0;
    a[3] = other[odd - 1];
    a[4] = own[0];
    a[5] = other[odd];
    const f32 above_left = own[odd - 1 - up];
    const f32 above = other[-up];
    const f32 above_right = own[odd - up];
    const f32 below_left = own[odd - 1 + down];
    const f32 below = other[down];
    const f32 below_right = own[odd + down];
    a[0] = y > 0 ? above_left : a[3];
    a[1] = y > 0 ? above : a[4];
    a[2] = y > 0 ? above_right : a[5];
    a[6] = y < height - 1 ? below_left : a[3];
    a[7] = y < height - 1 ? below : a[4];
    a[8] = y < height - 1 ? below_right : a[5];
    T_UNROLL
    for (i32 row = 0; row < 9; row += 3) {
        a[row] = x > 0 ? a[row] : a[row + 1];
        a[row + 2] = x < width - 1 ? a[row + 2] : a[row + 1];
    }
}
// Squared lengths of the gradient at the four edges of a[4]: left, right, above, below.
T_FUNCTION void tv_l1_add_variation(const f32* a, f32* variation) {
    const f32 left = a[4] - a[3];
    const f32 right = a[5] - a[4];
    const f32 above = a[4] - a[1];
    const f32 below = a[7] - a[4];
    const f32 along_left = 0.25f * ((a[6] - a[0]) + (a[7] - a[1]));
    const f32 along_right = 0.25f * ((a[7] - a[1]) + (a[8] - a[2]));
    const f32 along_above = 0.25f * ((a[2] - a[0]) + (a[5] - a[3]));
    const f32 along_below = 0.25f * ((a[5] - a[3]) + (a[8] - a[6]));
    variation[0] += left * left + along_left * along_left;
    variation[1] += right * right + along_right * along_right;
    variation[2] += above * above + along_above * along_above;
    variation[3] += below * below + along_below * along_below;
}

// The linear system whose weights are those of the present flow: the shares that neighbors have in
// the mean of a field, and p, q, r of flow_step. The third index counts colors.
T_SIMD_KERNEL(tv_l1_weigh, (T_IN(f32) board, T_IN(f32) data, T_IN(f32) edges, T_OUT(f32) terms,
                            const i32 width, const i32 height, const f32 alpha)) {
    T_INDEX3(k, y, plane);
    const f32 data_rounding = 0.3f / 255;  // of the absolute value, in brightness
    const f32 flow_rounding = 0.02f;       // of the length of the gradient, in pixels
    const f32 tiny = 1e-12f;               // where a pixel has neither data nor neighbors
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    const i32 color = plane % 2;
    const i64 pair = plane / 2;
    const i32 odd = (y + color) % 2;
    const i32 x = 2 * k + odd;
    const i64 at = flow_margin + (i64)y * columns + k;
    T_GLOBAL_PTR(const f32) own = board + (4 * pair + color) * fields + at;
    T_GLOBAL_PTR(const f32) other = board + (4 * pair + 1 - color) * fields + at;
    f32 u[9], v[9], variation[4] = {0, 0, 0, 0};
    tv_l1_around(own, other, odd, columns, x, y, width, height, u);
    tv_l1_around(own + 2 * fields, other + 2 * fields, odd, columns, x, y, width, height, v);
    tv_l1_add_variation(u, variation);
    tv_l1_add_variation(v, variation);

    T_GLOBAL_PTR(const f32) edge = edges + (4 * pair + color) * fields + at;
    T_GLOBAL_PTR(const f32) other_edge = edges + (4 * pair + 1 - color) * fields + at;
    const f32 before = other_edge[odd - 1];
    const f32 above = other_edge[2 * fields - (y > 0 ? columns : 0)];
    f32 weight[4] = {x > 0 ? before : 0.0f, edge[0], y > 0 ? above : 0.0f, edge[2 * fields]};
    f32 sum = tiny;
    T_UNROLL
    for (i32 i = 0; i < 4; ++i) {
        weight[i] *= alpha / T_SQRT(variation[i] + flow_rounding * flow_rounding);
        sum += weight[i];
    }
    T_GLOBAL_PTR(const f32) known = data + (6 * pair + color) * fields + at;
    const f32 ix = known[0];
    const f32 iy = known[2 * fields];
    const f32 left = known[4 * fields];
    const f32 rest = ix * u[4] + iy * v[4] + left;
    const f32 data_weight = 1.0f / T_SQRT(rest * rest + data_rounding * data_rounding);
    const f32 scale = T_SQRT(data_weight / (sum + data_weight * (ix * ix + iy * iy)));
    const f32 share = 1.0f / sum;
    T_GLOBAL_PTR(f32) term = terms + (2 * tv_l1_term_planes * pair + color) * fields + at;
    term[0] = ix * scale;
    term[2 * fields] = iy * scale;
    term[4 * fields] = left * scale;
    term[6 * fields] = weight[0] * share;
    term[8 * fields] = weight[1] * share;
    term[10 * fields] = weight[2] * share;
    term[12 * fields] = weight[3] * share;
}

// The mean of the neighbors by their shares: left, right, above, below.
T_FUNCTION f32 tv_l1_mean(const f32* share, const f32 left, const f32 right, const f32 above,
                          const f32 below) {
    return (share[0] * left + share[1] * right) + (share[2] * above + share[3] * below);
}

// Half a step of red-black over-relaxation: the fields of one color, from those of the other.
T_SIMD_KERNEL(tv_l1_relax, (T_GLOBAL_PTR(f32) board, T_IN(f32) terms, const i32 width,
                            const i32 height, const i32 color, const f32 omega)) {
    T_INDEX3(k, y, pair);
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    const i64 at = flow_margin + (i64)y * columns + k;
    const i32 odd = (y + color) % 2;
    const i32 up = y > 0 ? columns : 0;
    const i32 down = y < height - 1 ? columns : 0;
    T_GLOBAL_PTR(f32) u = board + (4 * pair + color) * fields + at;
    T_GLOBAL_PTR(const f32) u_other = board + (4 * pair + 1 - color) * fields + at;
    T_GLOBAL_PTR(const f32) v_other = u_other + 2 * fields;
    T_GLOBAL_PTR(const f32) term = terms + (2 * tv_l1_term_planes * pair + color) * fields + at;
    const f32 share[4] = {term[6 * fields], term[8 * fields], term[10 * fields], term[12 * fields]};
    const f32 u_mean =
        tv_l1_mean(share, u_other[odd - 1], u_other[odd], u_other[-up], u_other[down]);
    const f32 v_mean =
        tv_l1_mean(share, v_other[odd - 1], v_other[odd], v_other[-up], v_other[down]);
    f32 u_new, v_new;
    flow_step(u[0], u[2 * fields], u_mean, v_mean, term[0], term[2 * fields], term[4 * fields],
              omega, &u_new, &v_new);
    u[0] = u_new;
    u[2 * fields] = v_new;
}

// ---- Several half steps at once ----------------------------------------------------------------

enum {
    tv_l1_tile_halo = 8,      // most half steps of a launch
    tv_l1_tile_columns = 32,  // of fields of one color
    tv_l1_tile_width = 64,    // of pixels
    tv_l1_tile_height = 48,
    tv_l1_middle_width = 48,
    tv_l1_middle_height = 32,
    tv_l1_tile_plane = 32 * 48,  // fields of one color
    tv_l1_tile_rows = 8,         // of items
    tv_l1_tile_fields = 12,      // of an item: of both colors, every eighth row
    tv_l1_tile_terms = 12 * 7
};
#define TV_L1_TILE_ROW(n) (T_LY + (n) / 2 * tv_l1_tile_rows)
#define TV_L1_TILE_IS_SWEPT(n) \
    (((n) > 1 || T_LY > 0) && ((n) < tv_l1_tile_fields - 2 || T_LY < tv_l1_tile_rows - 1))

// `steps` half steps, an even number, on one reading of a tile. Each makes the part that is right
// one pixel smaller all around, so that after eight of them the middle is: the bits are those of
// tv_l1_relax. The outermost rows are only read.
T_GROUP_KERNEL(tv_l1_relax_tile, 32, 8, 1,
               (T_IN(f32) board, T_IN(f32) terms, T_OUT(f32) swept, const i32 width,
                const i32 height, const i32 steps, const f32 omega)) {
    T_LOCAL(f32, u, 4 * tv_l1_tile_plane);  // even color, odd color; then v
    T_ITEM_ARRAY(f32, term, tv_l1_tile_terms);
    const i32 x0 = T_GX * tv_l1_middle_width - tv_l1_tile_halo;
    const i32 y0 = T_GY * tv_l1_middle_height - tv_l1_tile_halo;
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < tv_l1_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 x = x0 + 2 * T_LX + (T_LY + color) % 2;
            const i32 y = y0 + TV_L1_TILE_ROW(n);
            const i32 is_inside = x >= 0 && x < width && y >= 0 && y < height;
            const i64 at =
                flow_margin + color * fields + (is_inside ? (i64)y * columns + x / 2 : 0);
            T_GLOBAL_PTR(const f32) from = board + 4 * T_GZ * fields + at;
            T_GLOBAL_PTR(const f32)
            coefficient = terms + 2 * tv_l1_term_planes * T_GZ * fields + at;
            T_LOCAL_PTR(f32)
            to = u + color * tv_l1_tile_plane + TV_L1_TILE_ROW(n) * tv_l1_tile_columns + T_LX;
            to[0] = is_inside ? from[0] : 0.0f;
            to[2 * tv_l1_tile_plane] = is_inside ? from[2 * fields] : 0.0f;
            T_UNROLL
            for (i32 k = 0; k < tv_l1_term_planes; ++k) T_MY(term)
            [n * tv_l1_term_planes + k] = is_inside ? coefficient[2 * k * fields] : 0.0f;
        }
    }
    for (i32 step = 0; step < steps; step += 2) {
        T_UNROLL
        for (i32 color = 0; color < 2; ++color) {
            T_PHASE {
                T_UNROLL
                for (i32 n = color; n < tv_l1_tile_fields; n += 2) {
                    if (TV_L1_TILE_IS_SWEPT(n)) {
                        const i32 at = TV_L1_TILE_ROW(n) * tv_l1_tile_columns + T_LX;
                        const i32 odd = (TV_L1_TILE_ROW(n) + color) % 2;
                        T_LOCAL_PTR(f32) own = u + color * tv_l1_tile_plane + at;
                        T_LOCAL_PTR(const f32) u_other = u + (1 - color) * tv_l1_tile_plane + at;
                        T_LOCAL_PTR(const f32) v_other = u_other + 2 * tv_l1_tile_plane;
                        const f32* my = T_MY(term) + n * tv_l1_term_planes;
                        const f32 u_mean =
                            tv_l1_mean(my + 3, u_other[odd - 1], u_other[odd],
                                       u_other[-tv_l1_tile_columns], u_other[tv_l1_tile_columns]);
                        const f32 v_mean =
                            tv_l1_mean(my + 3, v_other[odd - 1], v_other[odd],
                                       v_other[-tv_l1_tile_columns], v_other[tv_l1_tile_columns]);
                        f32 u_new, v_new;
                        flow_step(own[0], own[2 * tv_l1_tile_plane], u_mean, v_mean, my[0], my[1],
                                  my[2], omega, &u_new, &v_new);
                        own[0] = u_new;
                        own[2 * tv_l1_tile_plane] = v_new;
                    }
                }
            }
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < tv_l1_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 column = 2 * T_LX + (T_LY + color) % 2;
            const i32 x = x0 + column;
            const i32 y = y0 + TV_L1_TILE_ROW(n);
            const i32 is_right = column >= tv_l1_tile_halo &&
                                 TV_L1_TILE_ROW(n) >= tv_l1_tile_halo &&
                                 column < tv_l1_tile_halo + tv_l1_middle_width &&
                                 TV_L1_TILE_ROW(n) < tv_l1_tile_halo + tv_l1_middle_height;
            if (is_right && x < width && y < height) {
                T_GLOBAL_PTR(f32)
                to = swept + flow_margin + (4 * T_GZ + color) * fields + (i64)y * columns + x / 2;
                T_LOCAL_PTR(const f32)
                from = u + color * tv_l1_tile_plane + TV_L1_TILE_ROW(n) * tv_l1_tile_columns + T_LX;
                to[0] = from[0];
                to[2 * fields] = from[2 * tv_l1_tile_plane];
            }
        }
    }
}

#undef TV_L1_TILE_ROW
#undef TV_L1_TILE_IS_SWEPT

#include "kernels/end.h"
