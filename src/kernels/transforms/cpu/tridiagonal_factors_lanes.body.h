// Right-hand sides of one matrix without groups: an item takes a chunk of tridiagonal_lanes sides,
// which become contiguous in each row. Part of tridiagonal_pivoted.kernel.h and
// tridiagonal_pivoted_f64.kernel.h.

enum {
    TRIDIAGONAL_OF(tridiagonal_sides_tile) = (i32)tridiagonal_sides_rows * (i32)tridiagonal_lanes
};

// The first elements of the lanes' sides.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_place_lanes)(i64* at, const i64 first, const i32 lanes,
                                                        const i64 row,
                                                        const tridiagonal_sides sides) {
    for (i32 k = 0; k < tridiagonal_lanes; ++k)
        at[k] = tridiagonal_side_at(first + T_MIN(k, lanes - 1), sides) + row * sides.stride;
}

// Rows that do not exist are 0.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_sides)(TRIDIAGONAL_VALUE* tile,
                                                       T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d,
                                                       const i64* at, const i32 rows,
                                                       const i32 lanes,
                                                       const tridiagonal_sides sides) {
    if (at[lanes - 1] - at[0] == lanes - 1) {
        for (i32 r = 0; r < rows; ++r)
            for (i32 k = 0; k < lanes; ++k)
                tile[r * tridiagonal_lanes + k] = d[at[0] + r * sides.stride + k];
    } else {
        for (i32 first = 0; first < rows; first += tridiagonal_exchanged_rows) {
            const i32 behind = T_MIN(first + tridiagonal_exchanged_rows, rows);
            for (i32 k = 0; k < lanes; ++k)
                for (i32 r = first; r < behind; ++r)
                    tile[r * tridiagonal_lanes + k] = d[at[k] + r * sides.stride];
        }
    }
    for (i32 i = rows * tridiagonal_lanes; i < sides.chunk * tridiagonal_lanes; ++i) tile[i] = 0;
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_write_sides)(const TRIDIAGONAL_VALUE* tile,
                                                        T_GLOBAL_PTR(TRIDIAGONAL_VALUE) d,
                                                        const i64* at, const i32 rows,
                                                        const i32 lanes,
                                                        const tridiagonal_sides sides) {
    if (at[lanes - 1] - at[0] == lanes - 1) {
        for (i32 r = 0; r < rows; ++r)
            for (i32 k = 0; k < lanes; ++k)
                d[at[0] + r * sides.stride + k] = tile[r * tridiagonal_lanes + k];
        return;
    }
    for (i32 first = 0; first < rows; first += tridiagonal_exchanged_rows) {
        const i32 behind = T_MIN(first + tridiagonal_exchanged_rows, rows);
        for (i32 k = 0; k < lanes; ++k)
            for (i32 r = first; r < behind; ++r)
                d[at[k] + r * sides.stride] = tile[r * tridiagonal_lanes + k];
    }
}

// Eliminates row by row: `one` and `two` become the right-hand sides of what is left, and each row
// in the tile that of the next one's pivot.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate_sides)(
    TRIDIAGONAL_VALUE* tile, TRIDIAGONAL_VALUE* one, TRIDIAGONAL_VALUE* two,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) factors, const i32 rows, const i32 lanes) {
    for (i32 r = 2; r < rows; ++r) {
        T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept = factors + r * tridiagonal_factors;
        const TRIDIAGONAL_VALUE power = kept[tridiagonal_factor_power];
        const TRIDIAGONAL_VALUE factor_one = kept[tridiagonal_factor_one];
        const TRIDIAGONAL_VALUE factor_two = kept[tridiagonal_factor_two];
        const TRIDIAGONAL_VALUE inverse = kept[tridiagonal_factor_inverse];
        const i32 choice = (i32)kept[tridiagonal_factor_choice];
        const i32 takes_one = choice % 2, takes_row = choice / 2;
        const i32 at = r * tridiagonal_lanes;
        T_SIMD_FOR(k, 0, lanes) {
            const TRIDIAGONAL_VALUE row = power * tile[at + k];
            const TRIDIAGONAL_VALUE smaller = takes_one ? two[k] : one[k];
            const TRIDIAGONAL_VALUE larger = takes_one ? one[k] : two[k];
            const TRIDIAGONAL_VALUE pivot = takes_row ? row : larger;
            const TRIDIAGONAL_VALUE other = takes_row ? larger : row;
            one[k] = smaller - factor_one * pivot;
            two[k] = other - factor_two * pivot;
            tile[at - tridiagonal_lanes + k] = pivot * inverse;
        }
    }
}

// Right-hand sides of the blocks.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_reduce_lanes),
         (T_IN(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) factors,
          T_OUT(TRIDIAGONAL_VALUE) values, const tridiagonal_sides sides)) {
    T_INDEX2(group, block);
    const i64 first = (i64)group * tridiagonal_lanes, row = (i64)block * sides.chunk;
    const i64 count = tridiagonal_count_of(sides);
    const i32 lanes = (i32)T_MIN(count - first, (i64)tridiagonal_lanes);
    const i32 rows = (i32)T_MIN(sides.rows - row, (i64)sides.chunk);
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept = factors + row * tridiagonal_factors;
    TRIDIAGONAL_VALUE tile[TRIDIAGONAL_OF(tridiagonal_sides_tile)];
    TRIDIAGONAL_VALUE one[tridiagonal_lanes], two[tridiagonal_lanes];
    i64 at[tridiagonal_lanes];
    TRIDIAGONAL_OF(tridiagonal_place_lanes)(at, first, lanes, row, sides);
    TRIDIAGONAL_OF(tridiagonal_read_sides)(tile, d, at, rows, lanes, sides);
    const TRIDIAGONAL_VALUE power_one = kept[tridiagonal_factor_power],
                            power_two = kept[tridiagonal_factors + tridiagonal_factor_power];
    T_SIMD_FOR(k, 0, lanes) {
        one[k] = power_one * tile[k];
        two[k] = power_two * tile[tridiagonal_lanes + k];
    }
    TRIDIAGONAL_OF(tridiagonal_eliminate_sides)(tile, one, two, kept, sides.chunk, lanes);
    const TRIDIAGONAL_VALUE scale_one = kept[tridiagonal_start_scale_one],
                            scale_two = kept[tridiagonal_start_scale_two];
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) to = values + 2 * block * count + first;
    T_SIMD_FOR(k, 0, lanes) {
        to[k] = scale_one * one[k];
        to[count + k] = scale_two * two[k];
    }
}

// All unknowns, from the pairs before and behind each chunk.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_solve_lanes),
         (T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) factors,
          T_IN(TRIDIAGONAL_VALUE) values, const tridiagonal_sides sides)) {
    T_INDEX2(group, block);
    const i64 first = (i64)group * tridiagonal_lanes, row = (i64)block * sides.chunk;
    const i64 count = tridiagonal_count_of(sides);
    const i32 lanes = (i32)T_MIN(count - first, (i64)tridiagonal_lanes);
    const i32 rows = (i32)T_MIN(sides.rows - row, (i64)sides.chunk);
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept = factors + row * tridiagonal_factors;
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) pairs = values + 2 * block * count + first;
    TRIDIAGONAL_VALUE tile[TRIDIAGONAL_OF(tridiagonal_sides_tile)];
    TRIDIAGONAL_VALUE one[tridiagonal_lanes], two[tridiagonal_lanes];
    i64 at[tridiagonal_lanes];
    TRIDIAGONAL_OF(tridiagonal_place_lanes)(at, first, lanes, row, sides);
    TRIDIAGONAL_OF(tridiagonal_read_sides)(tile, d, at, rows, lanes, sides);
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) second = kept + tridiagonal_factors;
    T_SIMD_FOR(k, 0, lanes) {
        one[k] = kept[tridiagonal_factor_power] * tile[k] -
                 kept[tridiagonal_start_before] * pairs[k] -
                 kept[tridiagonal_start_first] * pairs[count + k];
        two[k] = second[tridiagonal_factor_power] * tile[tridiagonal_lanes + k] -
                 second[tridiagonal_start_first] * pairs[count + k];
    }
    TRIDIAGONAL_OF(tridiagonal_eliminate_sides)(tile, one, two, kept, sides.chunk, lanes);
    const i32 last = (sides.chunk - 1) * tridiagonal_lanes;
    for (i32 k = 0; k < lanes; ++k) {
        tile[k] = pairs[count + k];
        tile[last + k] = pairs[2 * count + k];
        two[k] = pairs[3 * count + k];
    }
    for (i32 r = sides.chunk - 2; r > 0; --r) {
        const TRIDIAGONAL_VALUE next =
                                    kept[(r + 1) * tridiagonal_factors + tridiagonal_factor_next],
                                after =
                                    kept[(r + 1) * tridiagonal_factors + tridiagonal_factor_after];
        const i32 here = r * tridiagonal_lanes;
        T_SIMD_FOR(k, 0, lanes) {
            const TRIDIAGONAL_VALUE below = tile[here + tridiagonal_lanes + k];
            tile[here + k] -= next * below + after * two[k];
            two[k] = below;
        }
    }
    TRIDIAGONAL_OF(tridiagonal_write_sides)(tile, d, at, rows, lanes, sides);
}
