// Right-hand sides of one matrix by groups: an item has a chunk of one side, in local memory, where
// the sides of a row are neighbors. Part of tridiagonal_pivoted.kernel.h and
// tridiagonal_pivoted_f64.kernel.h.

enum {
    TRIDIAGONAL_OF(tridiagonal_sides_group_rows) =
        (i32)tridiagonal_chunks_of_group * (i32)TRIDIAGONAL_ROWS,
    TRIDIAGONAL_OF(tridiagonal_sides_scratch) =
        TRIDIAGONAL_OF(tridiagonal_sides_group_rows) * (i32)tridiagonal_sides_pitch
};

// A group's place: its first row and side.
typedef struct {
    i64 row, side;
} TRIDIAGONAL_OF(tridiagonal_sides_place);
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_sides_place)
    TRIDIAGONAL_OF(tridiagonal_place_group)(const i64 group, const tridiagonal_sides sides) {
    const i64 rows = TRIDIAGONAL_OF(tridiagonal_sides_group_rows);
    const i64 groups = (sides.rows + rows - 1) / rows;
    TRIDIAGONAL_OF(tridiagonal_sides_place) place;
    place.row = group % groups * rows;
    place.side = group / groups * tridiagonal_sides_group;
    return place;
}

// The k-th element that an item reads and writes: neighboring items take neighboring ones.
typedef struct {
    i64 element;
    i32 scratch, is_there;
} TRIDIAGONAL_OF(tridiagonal_sides_element);
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_sides_element)
    TRIDIAGONAL_OF(tridiagonal_element_of_item)(const i32 k, const i32 item,
                                                const TRIDIAGONAL_OF(tridiagonal_sides_place) place,
                                                const tridiagonal_sides sides) {
    const i32 number = k * tridiagonal_group + item;
    const i32 rows = TRIDIAGONAL_OF(tridiagonal_sides_group_rows);
    const i32 row = sides.is_interleaved ? number / tridiagonal_sides_group : number % rows;
    const i32 side = sides.is_interleaved ? number % tridiagonal_sides_group : number / rows;
    TRIDIAGONAL_OF(tridiagonal_sides_element) at;
    at.scratch = row * tridiagonal_sides_pitch + side;
    at.is_there = place.row + row < sides.rows && place.side + side < tridiagonal_count_of(sides);
    at.element = tridiagonal_side_at(place.side + side, sides) + (place.row + row) * sides.stride;
    return at;
}

// Phase 1 of both kernels. What does not exist is 0.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_group)(
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) scratch, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const i32 item,
    const TRIDIAGONAL_OF(tridiagonal_sides_place) place, const tridiagonal_sides sides) {
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        const TRIDIAGONAL_OF(tridiagonal_sides_element) at =
            TRIDIAGONAL_OF(tridiagonal_element_of_item)(k, item, place, sides);
        scratch[at.scratch] = at.is_there ? d[at.element] : (TRIDIAGONAL_VALUE)0;
    }
}

// The chunk and the side of an item.
typedef struct {
    i64 block, side;
    i32 scratch, is_used;
} TRIDIAGONAL_OF(tridiagonal_sides_item);
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_sides_item)
    TRIDIAGONAL_OF(tridiagonal_chunk_of_item)(const i32 item,
                                              const TRIDIAGONAL_OF(tridiagonal_sides_place) place,
                                              const tridiagonal_sides sides) {
    const i32 chunk = item / tridiagonal_sides_group, side = item % tridiagonal_sides_group;
    TRIDIAGONAL_OF(tridiagonal_sides_item) own;
    own.block = place.row / TRIDIAGONAL_ROWS + chunk;
    own.side = place.side + side;
    own.scratch = chunk * TRIDIAGONAL_ROWS * tridiagonal_sides_pitch + side;
    own.is_used =
        own.side < tridiagonal_count_of(sides) && own.block * TRIDIAGONAL_ROWS < sides.rows;
    return own;
}

// As tridiagonal_eliminate_sides.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate_chunk)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) own,
                                                            TRIDIAGONAL_VALUE* one,
                                                            TRIDIAGONAL_VALUE* two,
                                                            T_GLOBAL_PTR(const TRIDIAGONAL_VALUE)
                                                                factors) {
    T_UNROLL for (i32 r = 2; r < TRIDIAGONAL_ROWS; ++r) {
        T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept = factors + r * tridiagonal_factors;
        const i32 choice = (i32)kept[tridiagonal_factor_choice];
        const i32 takes_one = choice % 2, takes_row = choice / 2;
        const TRIDIAGONAL_VALUE row =
            kept[tridiagonal_factor_power] * own[r * tridiagonal_sides_pitch];
        const TRIDIAGONAL_VALUE smaller = takes_one ? *two : *one;
        const TRIDIAGONAL_VALUE larger = takes_one ? *one : *two;
        const TRIDIAGONAL_VALUE pivot = takes_row ? row : larger;
        const TRIDIAGONAL_VALUE other = takes_row ? larger : row;
        *one = smaller - kept[tridiagonal_factor_one] * pivot;
        *two = other - kept[tridiagonal_factor_two] * pivot;
        own[(r - 1) * tridiagonal_sides_pitch] = pivot * kept[tridiagonal_factor_inverse];
    }
}

// Right-hand sides of the blocks. Phases:
//   1. read the rows;
//   2. eliminate each chunk, and write what is left.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_reduce_groups), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) factors,
                T_OUT(TRIDIAGONAL_VALUE) values, const tridiagonal_sides sides)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_sides_scratch));
    const TRIDIAGONAL_OF(tridiagonal_sides_place) place =
        TRIDIAGONAL_OF(tridiagonal_place_group)(T_GX, sides);
    T_PHASE { TRIDIAGONAL_OF(tridiagonal_read_group)(scratch, d, T_LI, place, sides); }
    T_PHASE {
        const TRIDIAGONAL_OF(tridiagonal_sides_item) item =
            TRIDIAGONAL_OF(tridiagonal_chunk_of_item)(T_LI, place, sides);
        if (item.is_used) {
            T_LOCAL_PTR(TRIDIAGONAL_VALUE) own = scratch + item.scratch;
            T_GLOBAL_PTR(const TRIDIAGONAL_VALUE)
            kept = factors + item.block * TRIDIAGONAL_ROWS * tridiagonal_factors;
            const i64 count = tridiagonal_count_of(sides);
            TRIDIAGONAL_VALUE one = kept[tridiagonal_factor_power] * own[0];
            TRIDIAGONAL_VALUE two =
                kept[tridiagonal_factors + tridiagonal_factor_power] * own[tridiagonal_sides_pitch];
            TRIDIAGONAL_OF(tridiagonal_eliminate_chunk)(own, &one, &two, kept);
            values[2 * item.block * count + item.side] = kept[tridiagonal_start_scale_one] * one;
            values[(2 * item.block + 1) * count + item.side] =
                kept[tridiagonal_start_scale_two] * two;
        }
    }
}

// The unknowns of an item's chunk, which replace its right-hand sides, from the pairs before and
// behind it.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_solve_side)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) own,
                                                       T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept,
                                                       T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) pairs,
                                                       const i64 count) {
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) second = kept + tridiagonal_factors;
    const TRIDIAGONAL_VALUE first = pairs[count];
    TRIDIAGONAL_VALUE one = kept[tridiagonal_factor_power] * own[0] -
                            kept[tridiagonal_start_before] * pairs[0] -
                            kept[tridiagonal_start_first] * first;
    TRIDIAGONAL_VALUE two = second[tridiagonal_factor_power] * own[tridiagonal_sides_pitch] -
                            second[tridiagonal_start_first] * first;
    TRIDIAGONAL_OF(tridiagonal_eliminate_chunk)(own, &one, &two, kept);
    TRIDIAGONAL_VALUE x = pairs[2 * count], below = pairs[3 * count];
    own[0] = first;
    own[(TRIDIAGONAL_ROWS - 1) * tridiagonal_sides_pitch] = x;
    T_UNROLL for (i32 r = TRIDIAGONAL_ROWS - 2; r > 0; --r) {
        T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) step = kept + (r + 1) * tridiagonal_factors;
        const TRIDIAGONAL_VALUE found =
            own[r * tridiagonal_sides_pitch] -
            (step[tridiagonal_factor_next] * x + step[tridiagonal_factor_after] * below);
        below = x;
        x = found;
        own[r * tridiagonal_sides_pitch] = x;
    }
}

// All unknowns, from the pairs before and behind each chunk. Phases:
//   1. read the rows;
//   2. eliminate each chunk, and substitute back;
//   3. write the unknowns.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_solve_groups), 256, 1, 1,
               (T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) factors,
                T_IN(TRIDIAGONAL_VALUE) values, const tridiagonal_sides sides)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_sides_scratch));
    const TRIDIAGONAL_OF(tridiagonal_sides_place) place =
        TRIDIAGONAL_OF(tridiagonal_place_group)(T_GX, sides);
    T_PHASE { TRIDIAGONAL_OF(tridiagonal_read_group)(scratch, d, T_LI, place, sides); }
    T_PHASE {
        const TRIDIAGONAL_OF(tridiagonal_sides_item) item =
            TRIDIAGONAL_OF(tridiagonal_chunk_of_item)(T_LI, place, sides);
        if (item.is_used) {
            const i64 count = tridiagonal_count_of(sides);
            TRIDIAGONAL_OF(tridiagonal_solve_side)
            (scratch + item.scratch, factors + item.block * TRIDIAGONAL_ROWS * tridiagonal_factors,
             values + 2 * item.block * count + item.side, count);
        }
    }
    T_PHASE {
        T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
            const TRIDIAGONAL_OF(tridiagonal_sides_element) at =
                TRIDIAGONAL_OF(tridiagonal_element_of_item)(k, T_LI, place, sides);
            if (at.is_there) d[at.element] = scratch[at.scratch];
        }
    }
}
