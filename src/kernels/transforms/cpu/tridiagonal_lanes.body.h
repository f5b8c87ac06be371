// Tridiagonal systems without groups: an item takes tridiagonal_lanes parts side by side, whose
// rows pass through tiles. Part of tridiagonal.kernel.h and tridiagonal_f64.kernel.h.
#include "kernels/transforms/cpu/tridiagonal_tiles.body.h"

// Elimination and substitution of L. H. Thomas. `c_prime` holds c / pivot. Of lines that are cut
// the separators are known.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_lanes_solve),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) separators,
          T_OUT(TRIDIAGONAL_VALUE) c_prime, T_OUT(u32) status, const tridiagonal_layout layout)) {
    T_INDEX3(block, y, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(layout.counts[0] - x, (i64)tridiagonal_lanes);
    const tridiagonal_part first = tridiagonal_part_at(x, y, z, layout);
    const i64 blocks = (layout.counts[0] + tridiagonal_lanes - 1) / tridiagonal_lanes;
    const i32 is_cut = layout.part < layout.rows;
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE)
    own = c_prime + ((z * layout.counts[1] + y) * blocks + block) * layout.part * tridiagonal_lanes;
    TRIDIAGONAL_VALUE lower[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE middle[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE upper[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE right[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE above[tridiagonal_lanes], value[tridiagonal_lanes];
    i32 singular = 0;
    for (i32 k = 0; k < lanes; ++k) {
        const i64 at = first.index + k * layout.index_strides[0];
        const i32 has_before = (layout.part_axis == 0 ? first.number + k : first.number) > 0;
        above[k] = 0;
        value[k] = has_before ? separators[at - 1] : (TRIDIAGONAL_VALUE)0;
    }
    for (i64 row = 0; row < layout.part; row += tridiagonal_tile_rows) {
        const i32 rows = (i32)T_MIN(layout.part - row, (i64)tridiagonal_tile_rows);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(lower, a, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(middle, b, first, layout, row, lanes, 1);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(upper, c, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(right, d, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_clear_outside)(lower, upper, first, layout, row, lanes);
        const i32 last = (rows - 1) * tridiagonal_lanes;
        if (is_cut && row + rows == layout.part) {
            for (i32 k = 0; k < lanes; ++k) {
                lower[last + k] = upper[last + k] = 0;
                middle[last + k] = 1;
                right[last + k] = separators[first.index + k * layout.index_strides[0]];
            }
        }
        for (i32 r = 0; r < rows; ++r) {
            const i32 at = r * tridiagonal_lanes;
            T_SIMD_FOR(k, 0, lanes) {
                const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(
                    middle[at + k] - lower[at + k] * above[k], &singular);
                above[k] = upper[at + k] * inverse;
                value[k] = (right[at + k] - lower[at + k] * value[k]) * inverse;
                right[at + k] = value[k];
                own[row * tridiagonal_lanes + at + k] = above[k];
            }
        }
        TRIDIAGONAL_OF(tridiagonal_write_tile)(right, d, first, layout, row, lanes);
    }
    if (singular > 0) T_ATOMIC_ADD(status, (u32)singular);
    // c of the last row, and of rows beyond the line, is 0.
    for (i32 k = 0; k < lanes; ++k) value[k] = 0;
    const i64 last_tile = (layout.part - 1) / tridiagonal_tile_rows * tridiagonal_tile_rows;
    for (i64 row = last_tile; row >= 0; row -= tridiagonal_tile_rows) {
        const i32 rows = (i32)T_MIN(layout.part - row, (i64)tridiagonal_tile_rows);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(right, d, first, layout, row, lanes, 0);
        for (i32 r = rows - 1; r >= 0; --r) {
            const i32 at = r * tridiagonal_lanes;
            T_SIMD_FOR(k, 0, lanes) {
                value[k] = right[at + k] - own[row * tridiagonal_lanes + at + k] * value[k];
                right[at + k] = value[k];
            }
        }
        TRIDIAGONAL_OF(tridiagonal_write_tile)(right, d, first, layout, row, lanes);
    }
}

// Reduces each part to the equation of its x_first and its last row.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_lanes_reduce),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) reduced_parts, T_OUT(u32) status,
          const tridiagonal_layout layout)) {
    T_INDEX3(block, y, z);
    const i64 x = (i64)block * tridiagonal_lanes;
    const i32 lanes = (i32)T_MIN(layout.counts[0] - x, (i64)tridiagonal_lanes);
    const tridiagonal_part first = tridiagonal_part_at(x, y, z, layout);
    const i64 count = layout.counts[0] * layout.counts[1] * layout.counts[2];
    TRIDIAGONAL_VALUE lower[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE middle[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE upper[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE given[TRIDIAGONAL_OF(tridiagonal_tile)];
    TRIDIAGONAL_VALUE left[tridiagonal_lanes], right[tridiagonal_lanes], value[tridiagonal_lanes];
    TRIDIAGONAL_VALUE first_left[tridiagonal_lanes], first_right[tridiagonal_lanes];
    TRIDIAGONAL_VALUE first_value[tridiagonal_lanes];
    i32 singular = 0;
    for (i32 k = 0; k < lanes; ++k) {
        left[k] = first_right[k] = -1;
        right[k] = value[k] = first_left[k] = first_value[k] = 0;
    }
    for (i64 row = 0; row < layout.part; row += tridiagonal_tile_rows) {
        const i32 rows = (i32)T_MIN(layout.part - 1 - row, (i64)tridiagonal_tile_rows);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(lower, a, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(middle, b, first, layout, row, lanes, 1);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(upper, c, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_read_tile)(given, d, first, layout, row, lanes, 0);
        TRIDIAGONAL_OF(tridiagonal_clear_outside)(lower, upper, first, layout, row, lanes);
        for (i32 r = 0; r < rows; ++r) {
            const i32 at = r * tridiagonal_lanes;
            T_SIMD_FOR(k, 0, lanes) {
                TRIDIAGONAL_OF(tridiagonal_eliminate)
                (lower[at + k], middle[at + k], upper[at + k], given[at + k], &left[k], &right[k],
                 &value[k], &singular);
                TRIDIAGONAL_OF(tridiagonal_update_first)
                (left[k], right[k], value[k], &first_left[k], &first_right[k], &first_value[k]);
            }
        }
    }
    if (singular > 0) T_ATOMIC_ADD(status, (u32)singular);
    const i32 last = (i32)((layout.part - 1) % tridiagonal_tile_rows) * tridiagonal_lanes;
    for (i32 k = 0; k < lanes; ++k) {
        const i64 at = first.index + k * layout.index_strides[0];
        const TRIDIAGONAL_VALUE a_last = lower[last + k];
        reduced_parts[tridiagonal_first_left * count + at] = first_left[k];
        reduced_parts[tridiagonal_first_right * count + at] = first_right[k];
        reduced_parts[tridiagonal_first_value * count + at] = first_value[k];
        reduced_parts[tridiagonal_last_a * count + at] = -(a_last * left[k]);
        reduced_parts[tridiagonal_last_b * count + at] = middle[last + k] - a_last * right[k];
        reduced_parts[tridiagonal_last_c * count + at] = upper[last + k];
        reduced_parts[tridiagonal_last_d * count + at] = given[last + k] - a_last * value[k];
    }
}
