// The lines of a step of additive operator splitting, spec 004 (3.10): the rows of
//     (I - m tau A_l) v = right,   m the number of axes,
// follow from g and `steep` as they are read (3.6); a |grad u| is g `steep` in both models. The
// neighbors of row i weigh g steep w and g steep w', with
//     w = factor / (steep + steep of the neighbor),   factor = 2 m tau / spacing^2.
// Rows are diagonally dominant: elimination and substitution of L. H. Thomas.
#define T_FILE aos_lines
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_layout.h"

#define TRIDIAGONAL_VALUE f32
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/tridiagonal_tiles.body.h"
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

// Row by row: c by pivot and d by pivot, of the row before and then of this one.
T_FUNCTION void aos_eliminate(const f32 steep, const f32 g, const f32 right, const f32 weight,
                              f32* weight_before, f32* above, f32* value) {
    const f32 mobile = g * steep;
    const f32 inverse =
        1.0f / (1.0f + mobile * (*weight_before + weight + *weight_before * *above));
    *value = (right + mobile * *weight_before * *value) * inverse;
    *above = -(mobile * weight) * inverse;
    *weight_before = weight;
}

// An item takes a line: neighboring items take lines beside each other. `kept` has two numbers a
// point. u becomes, or gets added, `share` of the solution.
T_KERNEL(aos_line,
         (T_IN(f32) steep, T_IN(f32) g, T_IN(f32) right, T_OUT(f32) kept, T_OUT(f32) u,
          const f32 factor, const f32 share, const i32 adds, const tridiagonal_layout lines)) {
    T_INDEX2(i, j);
    const i64 first = tridiagonal_part_at(i, 0, j, lines).first;
    const i64 rows = lines.rows;
    const i64 values = lines.counts[0] * lines.counts[2] * rows;
    f32 own = steep[first];
    f32 weight_before = 0;
    f32 above = 0;
    f32 value = 0;
    for (i64 row = 0; row < rows; ++row) {
        const i64 at = first + row * lines.stride;
        const f32 next = row + 1 < rows ? steep[at + lines.stride] : own;
        const f32 weight = row + 1 < rows ? factor / (own + next) : 0.0f;
        aos_eliminate(own, g[at], right[at], weight, &weight_before, &above, &value);
        kept[at] = above;
        kept[values + at] = value;
        own = next;
    }
    value = 0;
    for (i64 row = rows - 1; row >= 0; --row) {
        const i64 at = first + row * lines.stride;
        value = kept[values + at] - kept[at] * value;
        u[at] = share * value + (adds ? u[at] : 0.0f);
    }
}

// The same for a CPU: an item takes tridiagonal_lanes lines side by side.
T_KERNEL(aos_lanes,
         (T_IN(f32) steep, T_IN(f32) g, T_IN(f32) right, T_OUT(f32) kept, T_OUT(f32) u,
          const f32 factor, const f32 share, const i32 adds, const tridiagonal_layout lines)) {
    T_INDEX2(block, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(lines.counts[0] - x, (i64)tridiagonal_lanes);
    const tridiagonal_part first = tridiagonal_part_at(x, 0, z, lines);
    const i64 blocks = (lines.counts[0] + tridiagonal_lanes - 1) / tridiagonal_lanes;
    T_GLOBAL_PTR(f32) own = kept + (z * blocks + block) * lines.rows * 2 * tridiagonal_lanes;
    f32 steep_tile[tridiagonal_tile_f32];
    f32 g_tile[tridiagonal_tile_f32];
    f32 tile[tridiagonal_tile_f32];
    f32 weight_before[tridiagonal_lanes], above[tridiagonal_lanes], value[tridiagonal_lanes];
    for (i32 k = 0; k < lanes; ++k) weight_before[k] = above[k] = value[k] = 0;
    // The last row of a tile is there for the weight before it.
    for (i64 row = 0; row < lines.rows; row += tridiagonal_tile_rows - 1) {
        tridiagonal_read_tile_f32(steep_tile, steep, first, lines, row, lanes, 1.0f);
        tridiagonal_read_tile_f32(g_tile, g, first, lines, row, lanes, 1.0f);
        tridiagonal_read_tile_f32(tile, right, first, lines, row, lanes, 0.0f);
        const i32 rows = (i32)T_MIN(lines.rows - row, (i64)tridiagonal_tile_rows - 1);
        for (i32 r = 0; r < rows; ++r) {
            const i32 is_last = row + r + 1 == lines.rows;
            const i32 at = r * tridiagonal_lanes;
            const i32 next = is_last ? at : at + tridiagonal_lanes;
            const f32 here = is_last ? 0.0f : factor;
            T_GLOBAL_PTR(f32) results = own + (row + r) * 2 * tridiagonal_lanes;
            T_SIMD_FOR(k, 0, lanes) {
                const f32 weight = here / (steep_tile[at + k] + steep_tile[next + k]);
                aos_eliminate(steep_tile[at + k], g_tile[at + k], tile[at + k], weight,
                              weight_before + k, above + k, value + k);
                results[k] = above[k];
                results[tridiagonal_lanes + k] = value[k];
            }
        }
    }
    for (i32 k = 0; k < lanes; ++k) value[k] = 0;
    const i64 last_tile = (lines.rows - 1) / tridiagonal_tile_rows * tridiagonal_tile_rows;
    for (i64 row = last_tile; row >= 0; row -= tridiagonal_tile_rows) {
        const i32 rows = (i32)T_MIN(lines.rows - row, (i64)tridiagonal_tile_rows);
        if (adds) tridiagonal_read_tile_f32(tile, u, first, lines, row, lanes, 0.0f);
        if (!adds)
            for (i32 k = 0; k < rows * tridiagonal_lanes; ++k) tile[k] = 0;
        for (i32 r = rows - 1; r >= 0; --r) {
            const i32 at = r * tridiagonal_lanes;
            T_GLOBAL_PTR(const f32) results = own + (row + r) * 2 * tridiagonal_lanes;
            T_SIMD_FOR(k, 0, lanes) {
                value[k] = results[tridiagonal_lanes + k] - results[k] * value[k];
                tile[at + k] += share * value[k];
            }
        }
        tridiagonal_write_tile_f32(tile, u, first, lines, row, lanes);
    }
}

#include "kernels/end.h"
