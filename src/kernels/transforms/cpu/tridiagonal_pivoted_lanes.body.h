// Tridiagonal systems with pivoting, without groups: as tridiagonal_lanes.body.h. Part of
// tridiagonal_pivoted.kernel.h and tridiagonal_pivoted_f64.kernel.h.
#include "kernels/transforms/cpu/tridiagonal_tiles.body.h"

enum {
    TRIDIAGONAL_OF(tridiagonal_tiles) = 4 * TRIDIAGONAL_OF(tridiagonal_tile),
    // Rows of a part whose pivots an item keeps.
    TRIDIAGONAL_OF(tridiagonal_kept_rows) = tridiagonal_kept_chunks * TRIDIAGONAL_ROWS,
    TRIDIAGONAL_OF(tridiagonal_kept) = TRIDIAGONAL_OF(tridiagonal_kept_rows) * tridiagonal_lanes
};

// The rows of a tile, scaled, which replace what was read.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_scale_tile)(TRIDIAGONAL_VALUE* lower,
                                                       TRIDIAGONAL_VALUE* middle,
                                                       TRIDIAGONAL_VALUE* upper,
                                                       TRIDIAGONAL_VALUE* given, const i32 rows,
                                                       const i32 lanes, i32* faults) {
    i32 found = 0;
    for (i32 r = 0; r < rows; ++r) {
        const i32 at = r * tridiagonal_lanes;
        T_SIMD_FOR(k, 0, lanes) {
            const TRIDIAGONAL_OF(tridiagonal_equation) row = TRIDIAGONAL_OF(tridiagonal_scaled_row)(
                lower[at + k], middle[at + k], upper[at + k], given[at + k], &found);
            lower[at + k] = row.here;
            middle[at + k] = row.next;
            upper[at + k] = row.after;
            given[at + k] = row.value;
        }
    }
    *faults += found;
}

// Reads a tile of all coefficients and scales its rows; those beyond the line are wires.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_scaled_tile)(
    TRIDIAGONAL_VALUE* tiles, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const tridiagonal_part first,
    const tridiagonal_layout layout, const i64 row, const i32 lanes, i32* faults) {
    const i32 tile = TRIDIAGONAL_OF(tridiagonal_tile);
    const i32 rows = (i32)T_MIN(layout.part - row, (i64)tridiagonal_tile_rows);
    TRIDIAGONAL_VALUE* lower = tiles + tridiagonal_a * tile;
    TRIDIAGONAL_VALUE* middle = tiles + tridiagonal_b * tile;
    TRIDIAGONAL_VALUE* upper = tiles + tridiagonal_c * tile;
    TRIDIAGONAL_VALUE* given = tiles + tridiagonal_d * tile;
    TRIDIAGONAL_OF(tridiagonal_read_tile)(lower, a, first, layout, row, lanes, 1);
    TRIDIAGONAL_OF(tridiagonal_read_tile)(middle, b, first, layout, row, lanes, 0);
    TRIDIAGONAL_OF(tridiagonal_read_tile)(upper, c, first, layout, row, lanes, -1);
    TRIDIAGONAL_OF(tridiagonal_read_tile)(given, d, first, layout, row, lanes, 0);
    TRIDIAGONAL_OF(tridiagonal_clear_outside)(lower, upper, first, layout, row, lanes);
    TRIDIAGONAL_OF(tridiagonal_scale_tile)(lower, middle, upper, given, rows, lanes, faults);
}

// Values of all lanes.
typedef TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_lane_values)[tridiagonal_lanes];

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation) TRIDIAGONAL_OF(tridiagonal_equation_of_lane)(
    const TRIDIAGONAL_OF(tridiagonal_lane_values) * equations, const i32 k) {
    TRIDIAGONAL_OF(tridiagonal_equation) equation;
    equation.here = equations[tridiagonal_here][k];
    equation.next = equations[tridiagonal_next][k];
    equation.after = 0;
    equation.value = equations[tridiagonal_value][k];
    return equation;
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_store_equation)(
    TRIDIAGONAL_OF(tridiagonal_lane_values) * equations, const i32 k,
    const TRIDIAGONAL_OF(tridiagonal_equation) equation) {
    equations[tridiagonal_here][k] = equation.here;
    equations[tridiagonal_next][k] = equation.next;
    equations[tridiagonal_value][k] = equation.value;
}
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_row_of_tile)(const TRIDIAGONAL_VALUE* tiles, const i32 at) {
    const i32 tile = TRIDIAGONAL_OF(tridiagonal_tile);
    TRIDIAGONAL_OF(tridiagonal_equation) row;
    row.here = tiles[tridiagonal_a * tile + at];
    row.next = tiles[tridiagonal_b * tile + at];
    row.after = tiles[tridiagonal_c * tile + at];
    row.value = tiles[tridiagonal_d * tile + at];
    return row;
}

// Solves parts whose neighbors' unknowns are known from `states`, or whole lines, of at most
// tridiagonal_kept_rows. The rows of their pivots stay in the item's own arrays.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_lanes_solve),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) states, T_OUT(u32) status,
          const i32 is_whole, const tridiagonal_layout layout)) {
    T_INDEX3(block, y, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(layout.counts[0] - x, (i64)tridiagonal_lanes);
    const i32 part = (i32)layout.part;
    const tridiagonal_part first = tridiagonal_part_at(x, y, z, layout);
    TRIDIAGONAL_VALUE tiles[TRIDIAGONAL_OF(tridiagonal_tiles)];
    TRIDIAGONAL_VALUE next[TRIDIAGONAL_OF(tridiagonal_kept)];
    TRIDIAGONAL_VALUE after[TRIDIAGONAL_OF(tridiagonal_kept)];
    TRIDIAGONAL_VALUE value[TRIDIAGONAL_OF(tridiagonal_kept)];
    TRIDIAGONAL_OF(tridiagonal_lane_values) one[tridiagonal_under_way], two[tridiagonal_under_way];
    TRIDIAGONAL_OF(tridiagonal_lane_values) known[tridiagonal_state];
    i32 faults = 0;
    for (i32 k = 0; k < lanes; ++k) {
        const i64 at = (first.index + k * layout.index_strides[0]) * tridiagonal_state;
        for (i32 i = 0; i < tridiagonal_state; ++i)
            known[i][k] = is_whole ? (TRIDIAGONAL_VALUE)0 : states[at + i];
    }
    for (i32 row = 0; row < part; row += tridiagonal_tile_rows) {
        const i32 rows = T_MIN(part - row, tridiagonal_tile_rows);
        TRIDIAGONAL_OF(tridiagonal_read_scaled_tile)
        (tiles, a, b, c, d, first, layout, row, lanes, &faults);
        for (i32 r = 0; r < rows; ++r) {
            const i32 at = r * tridiagonal_lanes, to = (row + r - 1) * tridiagonal_lanes;
            if (row + r == 0) {
                // A whole line begins with an equation of nothing, and its first row.
                T_SIMD_FOR(k, 0, lanes) {
                    TRIDIAGONAL_OF(tridiagonal_equation)
                    start = TRIDIAGONAL_OF(tridiagonal_row_of_tile)(tiles, at + k), none = start;
                    start.here = start.next;
                    start.next = start.after;
                    none.here = is_whole ? (TRIDIAGONAL_VALUE)0 : none.after;
                    none.next = 0;
                    none.value = is_whole ? (TRIDIAGONAL_VALUE)0
                                          : none.value - tiles[at + k] * known[0][k] -
                                                start.here * known[1][k];
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(one, k, none);
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(two, k, start);
                }
            } else if (row + r == 1 && !is_whole) {
                T_SIMD_FOR(k, 0, lanes) {
                    TRIDIAGONAL_OF(tridiagonal_equation)
                    start = TRIDIAGONAL_OF(tridiagonal_row_of_tile)(tiles, at + k);
                    start.value -= start.here * known[1][k];
                    start.here = start.next;
                    start.next = start.after;
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(two, k, start);
                }
            } else {
                T_SIMD_FOR(k, 0, lanes) {
                    TRIDIAGONAL_OF(tridiagonal_equation)
                    upper = TRIDIAGONAL_OF(tridiagonal_equation_of_lane)(one, k),
                    lower = TRIDIAGONAL_OF(tridiagonal_equation_of_lane)(two, k);
                    const TRIDIAGONAL_OF(tridiagonal_pivot_step) step =
                        TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(
                            &upper, &lower, TRIDIAGONAL_OF(tridiagonal_row_of_tile)(tiles, at + k),
                            &faults);
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(one, k, upper);
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(two, k, lower);
                    next[to + k] = step.pivot.next;
                    after[to + k] = step.pivot.after;
                    value[to + k] = step.pivot.value;
                }
            }
        }
    }
    const i32 last = (part - 1) * tridiagonal_lanes;
    if (is_whole) {
        // The unknown of the last row: the larger of the two equations that are left.
        T_SIMD_FOR(k, 0, lanes) {
            const TRIDIAGONAL_VALUE upper = one[tridiagonal_here][k],
                                    lower = two[tridiagonal_here][k];
            const i32 takes_upper = T_ABS(upper) > T_ABS(lower);
            const TRIDIAGONAL_VALUE right =
                takes_upper ? one[tridiagonal_value][k] : two[tridiagonal_value][k];
            value[last + k] =
                right * TRIDIAGONAL_OF(tridiagonal_inverse)(takes_upper ? upper : lower, &faults);
        }
    } else {
        for (i32 k = 0; k < lanes; ++k) {
            value[k] = known[1][k];
            value[last + k] = known[2][k];
        }
    }
    if (faults > 0) T_ATOMIC_ADD(status, (u32)faults);
    for (i32 row = part - 2; row >= (is_whole ? 0 : 1); --row) {
        const i32 at = row * tridiagonal_lanes;
        T_SIMD_FOR(k, 0, lanes) {
            const TRIDIAGONAL_VALUE below = value[at + tridiagonal_lanes + k];
            value[at + k] -= next[at + k] * below + after[at + k] * known[3][k];
            known[3][k] = below;
        }
    }
    for (i32 row = 0; row < part; row += tridiagonal_tile_rows) {
        TRIDIAGONAL_OF(tridiagonal_write_tile)
        (value + row * tridiagonal_lanes, d, first, layout, row, lanes);
    }
}

// Reduces each part to its block.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_lanes_reduce),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) blocks, T_OUT(u32) status,
          const tridiagonal_layout layout)) {
    T_INDEX3(block, y, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(layout.counts[0] - x, (i64)tridiagonal_lanes);
    const i32 part = (i32)layout.part;
    const tridiagonal_part first = tridiagonal_part_at(x, y, z, layout);
    TRIDIAGONAL_VALUE tiles[TRIDIAGONAL_OF(tridiagonal_tiles)];
    TRIDIAGONAL_OF(tridiagonal_lane_values) one[tridiagonal_under_way], two[tridiagonal_under_way];
    // The coefficients of x[-1] and x[0] in both.
    TRIDIAGONAL_OF(tridiagonal_lane_values) one_border[2], two_border[2];
    i32 faults = 0;
    for (i32 row = 0; row < part; row += tridiagonal_tile_rows) {
        const i32 rows = T_MIN(part - row, tridiagonal_tile_rows);
        TRIDIAGONAL_OF(tridiagonal_read_scaled_tile)
        (tiles, a, b, c, d, first, layout, row, lanes, &faults);
        for (i32 r = 0; r < rows; ++r) {
            const i32 at = r * tridiagonal_lanes;
            if (row + r < 2) {
                // The first two rows are the equations that it begins with.
                const i32 is_second = row + r;
                TRIDIAGONAL_OF(tridiagonal_lane_values)* equation = is_second ? two : one;
                TRIDIAGONAL_OF(tridiagonal_lane_values)* border =
                    is_second ? two_border : one_border;
                for (i32 k = 0; k < lanes; ++k) {
                    TRIDIAGONAL_OF(tridiagonal_equation)
                    start = TRIDIAGONAL_OF(tridiagonal_row_of_tile)(tiles, at + k);
                    const TRIDIAGONAL_VALUE lower = start.here, middle = start.next;
                    start.here = is_second ? middle : start.after;
                    start.next = is_second ? start.after : (TRIDIAGONAL_VALUE)0;
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(equation, k, start);
                    border[0][k] = is_second ? (TRIDIAGONAL_VALUE)0 : lower;
                    border[1][k] = is_second ? lower : middle;
                }
            } else {
                T_SIMD_FOR(k, 0, lanes) {
                    TRIDIAGONAL_OF(tridiagonal_equation)
                    upper = TRIDIAGONAL_OF(tridiagonal_equation_of_lane)(one, k),
                    lower = TRIDIAGONAL_OF(tridiagonal_equation_of_lane)(two, k);
                    const TRIDIAGONAL_OF(tridiagonal_pivot_step) step =
                        TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(
                            &upper, &lower, TRIDIAGONAL_OF(tridiagonal_row_of_tile)(tiles, at + k),
                            &faults);
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(one, k, upper);
                    TRIDIAGONAL_OF(tridiagonal_store_equation)(two, k, lower);
                    TRIDIAGONAL_OF(tridiagonal_eliminate_border)
                    (&one_border[0][k], &two_border[0][k], step);
                    TRIDIAGONAL_OF(tridiagonal_eliminate_border)
                    (&one_border[1][k], &two_border[1][k], step);
                }
            }
        }
    }
    if (faults > 0) T_ATOMIC_ADD(status, (u32)faults);
    for (i32 k = 0; k < lanes; ++k) {
        T_GLOBAL_PTR(TRIDIAGONAL_VALUE)
        to = blocks + (first.index + k * layout.index_strides[0]) * tridiagonal_block;
        for (i32 e = 0; e < 2; ++e) {
            TRIDIAGONAL_VALUE terms[tridiagonal_terms];
            terms[tridiagonal_before] = (e ? two_border : one_border)[0][k];
            terms[tridiagonal_first] = (e ? two_border : one_border)[1][k];
            terms[tridiagonal_last] = (e ? two : one)[tridiagonal_here][k];
            terms[tridiagonal_after] = (e ? two : one)[tridiagonal_next][k];
            terms[tridiagonal_right] = (e ? two : one)[tridiagonal_value][k];
            TRIDIAGONAL_OF(tridiagonal_scale_equation)(terms, tridiagonal_right);
            for (i32 i = 0; i < tridiagonal_terms; ++i) to[e * tridiagonal_terms + i] = terms[i];
        }
    }
}
