// The lines of a step of additive operator splitting (Weickert and Kuehne 2003,
// tesela/level_set_aos.h). The rows of
//     (I - m tau A_l) v = right,   m the number of axes,
// are computed from g and `steep` during elimination; a |grad u| is g `steep` in both models. The
// weights of the two neighbors of row i are g steep w and g steep w', with
//     w = factor / (steep + steep of the neighbor),   factor = 2 m tau / spacing^2.
// Rows are diagonally dominant: elimination and substitution of L. H. Thomas.
#define T_FILE aos_lines
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_layout.h"

#define TRIDIAGONAL_VALUE f32
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f32)
#define TRIDIAGONAL_ROWS tridiagonal_rows_f32
#include "kernels/transforms/cpu/tridiagonal_tiles.body.h"
#include "kernels/transforms/tridiagonal_chunks.body.h"
#undef TRIDIAGONAL_ROWS
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

// One row: `above` and `value`, c / pivot and d / pivot, of the row before become those of this
// one.
T_FUNCTION void aos_eliminate(const f32 steep, const f32 g, const f32 right, const f32 weight,
                              f32* weight_before, f32* above, f32* value) {
    const f32 mobile = g * steep;
    const f32 inverse =
        1.0f / (1.0f + mobile * (*weight_before + weight + *weight_before * *above));
    *value = (right + mobile * *weight_before * *value) * inverse;
    *above = -(mobile * weight) * inverse;
    *weight_before = weight;
}

// An item takes a line, neighboring items neighboring lines; the first begins at `begin`. `kept`
// has two numbers for each point of the lines. u becomes `share` of the solution, or has it added.
T_KERNEL(aos_line, (T_IN(f32) steep, T_IN(f32) g, T_IN(f32) right, T_OUT(f32) kept, T_OUT(f32) u,
                    const f32 factor, const f32 share, const i32 adds, const i64 begin,
                    const tridiagonal_layout layout)) {
    T_INDEX2(i, j);
    const i64 first = begin + tridiagonal_part_at(i, 0, j, layout).first;
    const i64 rows = layout.rows;
    const i64 pitch = layout.counts[0] * layout.counts[2];
    T_GLOBAL_PTR(f32) own_kept = kept + j * layout.counts[0] + i;
    f32 own = steep[first];
    f32 weight_before = 0;
    f32 above = 0;
    f32 value = 0;
    for (i64 row = 0; row < rows; ++row) {
        const i64 at = first + row * layout.stride;
        const f32 next = row + 1 < rows ? steep[at + layout.stride] : own;
        const f32 weight = row + 1 < rows ? factor / (own + next) : 0.0f;
        aos_eliminate(own, g[at], right[at], weight, &weight_before, &above, &value);
        own_kept[2 * row * pitch] = above;
        own_kept[(2 * row + 1) * pitch] = value;
        own = next;
    }
    value = 0;
    for (i64 row = rows - 1; row >= 0; --row) {
        const i64 at = first + row * layout.stride;
        value = own_kept[(2 * row + 1) * pitch] - own_kept[2 * row * pitch] * value;
        u[at] = share * value + (adds ? u[at] : 0.0f);
    }
}

// Columns of an item's rows before they hold a, b, c and d.
enum { aos_steep, aos_g, aos_right, aos_columns };

// An item's rows of `from`; those beyond the line are 1.
T_FUNCTION void aos_read_rows(f32* values, T_GLOBAL_PTR(const f32) from, const i64 first,
                              const tridiagonal_mapping_f32 mapping,
                              const tridiagonal_layout layout) {
    T_UNROLL for (i32 k = 0; k < tridiagonal_rows_f32; ++k) {
        const i32 row = tridiagonal_row_f32(k, mapping, layout);
        values[k] = mapping.is_used && row < layout.rows ? from[first + row * layout.stride] : 1.0f;
    }
}

// The columns `steep`, g and `right` become a, b, c and d. `before` and `after` are the values of
// `steep` around the chunk.
T_FUNCTION void aos_rows(tridiagonal_column_f32* rows, const i32 first, const i32 count,
                         const f32 before, const f32 after, const f32 factor) {
    f32 weight_before = first > 0 ? factor / (before + rows[aos_steep][0]) : 0.0f;
    T_UNROLL for (i32 r = 0; r < tridiagonal_rows_f32; ++r) {
        const f32 steep = rows[aos_steep][r];
        const f32 next = r + 1 < tridiagonal_rows_f32 ? rows[aos_steep][r + 1] : after;
        const f32 weight = first + r + 1 < count ? factor / (steep + next) : 0.0f;
        const i32 is_there = first + r < count;
        const f32 mobile = is_there ? rows[aos_g][r] * steep : 0.0f;
        rows[tridiagonal_d][r] = is_there ? rows[aos_right][r] : 0.0f;
        rows[tridiagonal_a][r] = -(mobile * weight_before);
        rows[tridiagonal_b][r] = 1.0f + mobile * (weight_before + weight);
        rows[tridiagonal_c][r] = -(mobile * weight);
        weight_before = weight;
    }
}

// The same by groups, which hold whole lines. Phases:
// 1. read `steep`, g and `right`, neighboring items neighboring elements;
// 2. exchange them through local memory, so that each item has its chunk;
// 3. compute the rows, eliminate each chunk but for its last row;
// 4. form the reduced system of the chunks' last unknowns;
// 5. solve it by parallel cyclic reduction;
// 6. substitute back;
// 7. exchange the solution, and add it to u.
T_GROUP_KERNEL(aos_groups, 256, 1, 1,
               (T_IN(f32) steep, T_IN(f32) g, T_IN(f32) right, T_OUT(f32) u, const f32 factor,
                const f32 share, const i32 adds, const i64 begin,
                const tridiagonal_layout layout)) {
    // As in tridiagonal_groups_solve.
    T_LOCAL(f32, scratch, tridiagonal_scratch_f32);
    T_ITEM_ARRAY(tridiagonal_column_f32, rows, tridiagonal_coefficients);
    T_ITEM(tridiagonal_reduced_f32, reduced);
    T_ITEM(tridiagonal_mapping_f32, mapping);
    T_ITEM(i64, first);
    T_ITEM(i32, singular);  // never: rows are diagonally dominant
    // Phase 1.
    T_PHASE {
        const i64 line = (i64)T_GX * layout.parts_per_group;
        T_MY(singular) = 0;
        T_MY(mapping) = tridiagonal_map_item_f32(T_LI, line, layout);
        T_MY(first) = begin + tridiagonal_part_at(line + T_MY(mapping).part, 0, T_GZ, layout).first;
        aos_read_rows(T_MY(rows)[aos_steep], steep, T_MY(first), T_MY(mapping), layout);
        aos_read_rows(T_MY(rows)[aos_g], g, T_MY(first), T_MY(mapping), layout);
        aos_read_rows(T_MY(rows)[aos_right], right, T_MY(first), T_MY(mapping), layout);
    }
    // Phase 2.
    T_UNROLL for (i32 k = 0; k < aos_columns; ++k) {
        T_PHASE {
            tridiagonal_store_scratch_f32(scratch, T_MY(rows)[k], tridiagonal_coalesced_f32,
                                          T_MY(mapping), layout);
        }
        T_PHASE {
            tridiagonal_load_scratch_f32(scratch, T_MY(rows)[k], tridiagonal_own_chunk_f32,
                                         T_MY(mapping), layout);
        }
    }
    // Phase 3.
    T_PHASE {
        const i32 own = T_MY(mapping).chunk * tridiagonal_rows_f32;
        const i32 after = own + tridiagonal_rows_f32;
        T_GLOBAL_PTR(const f32) line = steep + T_MY(first);
        aos_rows(T_MY(rows), own, T_MY(mapping).is_used ? (i32)layout.rows : 0,
                 T_MY(mapping).is_used && own > 0 ? line[(own - 1) * layout.stride] : 1.0f,
                 T_MY(mapping).is_used && after < layout.rows ? line[after * layout.stride] : 1.0f,
                 factor);
        T_MY(reduced) = tridiagonal_reduce_rows_f32(T_MY(rows), &T_MY(singular));
        tridiagonal_store_row_f32(scratch + tridiagonal_system, T_LI, T_MY(reduced).first_left,
                                  T_MY(reduced).first_right, T_MY(reduced).first_value);
    }
    // Phase 4.
    T_PHASE {
        const i32 next = tridiagonal_neighbor_f32(T_MY(mapping), T_LI, 1, layout.chunks, layout);
        tridiagonal_interface_row_f32(scratch + tridiagonal_system, scratch, T_LI, next,
                                      T_MY(reduced), &T_MY(singular));
    }
    // Phase 5.
    i32 current = 0;
    for (i32 step = 1; step < layout.chunks; step *= 2) {
        T_PHASE {
            tridiagonal_pcr_step_f32(
                scratch + current, scratch + tridiagonal_system - current, T_LI,
                tridiagonal_neighbor_f32(T_MY(mapping), T_LI, -step, layout.chunks, layout),
                tridiagonal_neighbor_f32(T_MY(mapping), T_LI, step, layout.chunks, layout),
                &T_MY(singular));
        }
        current = tridiagonal_system - current;
    }
    // Phase 6.
    T_PHASE {
        const i32 before = tridiagonal_neighbor_f32(T_MY(mapping), T_LI, -1, layout.chunks, layout);
        T_LOCAL_PTR(const f32) unknowns = scratch + current + 2 * tridiagonal_group;
        tridiagonal_substitute_rows_f32(T_MY(rows), before >= 0 ? unknowns[before] : 0.0f,
                                        unknowns[T_LI]);
    }
    // Phase 7.
    T_PHASE {
        tridiagonal_store_scratch_f32(scratch, T_MY(rows)[tridiagonal_d], tridiagonal_own_chunk_f32,
                                      T_MY(mapping), layout);
    }
    T_PHASE {
        tridiagonal_load_scratch_f32(scratch, T_MY(rows)[tridiagonal_d], tridiagonal_coalesced_f32,
                                     T_MY(mapping), layout);
        T_UNROLL for (i32 k = 0; k < tridiagonal_rows_f32; ++k) {
            const i32 row = tridiagonal_row_f32(k, T_MY(mapping), layout);
            const i64 at = T_MY(first) + row * layout.stride;
            if (T_MY(mapping).is_used && row < layout.rows)
                u[at] = share * T_MY(rows)[tridiagonal_d][k] + (adds ? u[at] : 0.0f);
        }
    }
}

// The same for a CPU: an item takes tridiagonal_lanes lines side by side.
T_KERNEL(aos_lanes, (T_IN(f32) steep, T_IN(f32) g, T_IN(f32) right, T_OUT(f32) kept, T_OUT(f32) u,
                     const f32 factor, const f32 share, const i32 adds, const i64 begin,
                     const tridiagonal_layout layout)) {
    T_INDEX2(block, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(layout.counts[0] - x, (i64)tridiagonal_lanes);
    tridiagonal_part first = tridiagonal_part_at(x, 0, z, layout);
    first.first += begin;
    const i64 blocks = (layout.counts[0] + tridiagonal_lanes - 1) / tridiagonal_lanes;
    T_GLOBAL_PTR(f32) own = kept + (z * blocks + block) * layout.rows * 2 * tridiagonal_lanes;
    f32 steep_tile[tridiagonal_tile_f32];
    f32 g_tile[tridiagonal_tile_f32];
    f32 tile[tridiagonal_tile_f32];
    f32 weight_before[tridiagonal_lanes], above[tridiagonal_lanes], value[tridiagonal_lanes];
    for (i32 k = 0; k < lanes; ++k) weight_before[k] = above[k] = value[k] = 0;
    // A tile's last row is read for the weight between it and the row before, and comes again.
    for (i64 row = 0; row < layout.rows; row += tridiagonal_tile_rows - 1) {
        tridiagonal_read_tile_f32(steep_tile, steep, first, layout, row, lanes, 1.0f);
        tridiagonal_read_tile_f32(g_tile, g, first, layout, row, lanes, 1.0f);
        tridiagonal_read_tile_f32(tile, right, first, layout, row, lanes, 0.0f);
        const i32 rows = (i32)T_MIN(layout.rows - row, (i64)tridiagonal_tile_rows - 1);
        for (i32 r = 0; r < rows; ++r) {
            const i32 is_last = row + r + 1 == layout.rows;
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
    const i64 last_tile = (layout.rows - 1) / tridiagonal_tile_rows * tridiagonal_tile_rows;
    for (i64 row = last_tile; row >= 0; row -= tridiagonal_tile_rows) {
        const i32 rows = (i32)T_MIN(layout.rows - row, (i64)tridiagonal_tile_rows);
        if (adds) tridiagonal_read_tile_f32(tile, u, first, layout, row, lanes, 0.0f);
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
        tridiagonal_write_tile_f32(tile, u, first, layout, row, lanes);
    }
}

#include "kernels/end.h"
