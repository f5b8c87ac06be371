// Lines by groups: each item holds a chunk of TRIDIAGONAL_ROWS rows of a part, which it reduces to
// the row of its last unknown. Those rows are solved in local memory by parallel cyclic reduction:
// R. W. Hockney, C. R. Jesshope, "Parallel Computers", 1981.

// 1 / pivot; of a pivot that is 0 or not finite 1, which is counted.
T_FUNCTION TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_inverse)(const TRIDIAGONAL_VALUE pivot,
                                                                 i32* bad) {
    const TRIDIAGONAL_VALUE inverse = (TRIDIAGONAL_VALUE)1 / pivot;
    // Neither infinite nor NaN: only of such numbers is the difference from themselves 0.
    const i32 is_fine =
        (pivot - pivot == (TRIDIAGONAL_VALUE)0) & (inverse - inverse == (TRIDIAGONAL_VALUE)0);
    *bad += 1 - is_fine;
    return is_fine ? inverse : (TRIDIAGONAL_VALUE)1;
}

// Row a, b, c, d after that of left, right, value, which becomes this one's. Before the first row
// stands x_before: left = -1, right = value = 0.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate)(
    const TRIDIAGONAL_VALUE a, const TRIDIAGONAL_VALUE b, const TRIDIAGONAL_VALUE c,
    const TRIDIAGONAL_VALUE d, TRIDIAGONAL_VALUE* left, TRIDIAGONAL_VALUE* right,
    TRIDIAGONAL_VALUE* value, i32* bad) {
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(b - a * *right, bad);
    *left = -(a * *left) * inverse;
    *right = c * inverse;
    *value = (d - a * *value) * inverse;
}

// x_first of the rows so far: row r, after elimination, is put in for x[r]. It begins as x[0]
// itself: left = value = 0, right = -1.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_fold)(
    const TRIDIAGONAL_VALUE left, const TRIDIAGONAL_VALUE right, const TRIDIAGONAL_VALUE value,
    TRIDIAGONAL_VALUE* first_left, TRIDIAGONAL_VALUE* first_right, TRIDIAGONAL_VALUE* first_value) {
    *first_left -= *first_right * left;
    *first_value -= *first_right * value;
    *first_right = -(*first_right * right);
}

enum {
    TRIDIAGONAL_OF(tridiagonal_pitch) = TRIDIAGONAL_ROWS + 1,  // so that items meet other banks
    TRIDIAGONAL_OF(tridiagonal_room) = tridiagonal_group * TRIDIAGONAL_OF(tridiagonal_pitch)
};

// An item's part in its group, and its chunk of the part.
typedef struct {
    i32 line, chunk, is_used;
} TRIDIAGONAL_OF(tridiagonal_seat);

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_seat)
    TRIDIAGONAL_OF(tridiagonal_seat_of)(const i32 item, const i64 first,
                                        const tridiagonal_layout lines) {
    TRIDIAGONAL_OF(tridiagonal_seat) seat;
    seat.line = lines.is_beside ? item % lines.together : item / lines.chunks;
    seat.chunk = lines.is_beside ? item / lines.together : item % lines.chunks;
    seat.is_used = seat.line < lines.together && seat.chunk < lines.chunks &&
                   first + seat.line < lines.counts[0];
    return seat;
}

// The k-th row that an item reads and writes: where rows lie beside each other, neighboring items
// take neighboring ones, and exchange them for their own.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_row)(const i32 k,
                                               const TRIDIAGONAL_OF(tridiagonal_seat) seat,
                                               const tridiagonal_layout lines) {
    return lines.is_beside ? seat.chunk * TRIDIAGONAL_ROWS + k : seat.chunk + k * lines.chunks;
}

// The exchange, through local memory; `own` to one's own rows or back.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_slot)(const i32 k, const i32 own,
                                                const TRIDIAGONAL_OF(tridiagonal_seat) seat,
                                                const tridiagonal_layout lines) {
    const i32 row = own ? seat.chunk * TRIDIAGONAL_ROWS + k : seat.chunk + k * lines.chunks;
    return seat.line * lines.chunks * TRIDIAGONAL_OF(tridiagonal_pitch) + row +
           row / TRIDIAGONAL_ROWS;
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_put)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) room,
                                                const TRIDIAGONAL_VALUE* values, const i32 own,
                                                const TRIDIAGONAL_OF(tridiagonal_seat) seat,
                                                const tridiagonal_layout lines) {
    if (lines.is_beside || !seat.is_used) return;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        room[TRIDIAGONAL_OF(tridiagonal_slot)(k, own, seat, lines)] = values[k];
    }
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_get)(T_LOCAL_PTR(const TRIDIAGONAL_VALUE) room,
                                                TRIDIAGONAL_VALUE* values, const i32 own,
                                                const TRIDIAGONAL_OF(tridiagonal_seat) seat,
                                                const tridiagonal_layout lines) {
    if (lines.is_beside || !seat.is_used) return;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        values[k] = room[TRIDIAGONAL_OF(tridiagonal_slot)(k, own, seat, lines)];
    }
}

// What is left of a chunk, as of a part: x_first, and the last row.
typedef struct {
    TRIDIAGONAL_VALUE first_left, first_right, first_value;
    TRIDIAGONAL_VALUE a, b, c, d;
} TRIDIAGONAL_OF(tridiagonal_rest);

// Eliminates all rows but the last; left, right, value take the places of a, c and d.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_rest)
    TRIDIAGONAL_OF(tridiagonal_reduce_rows)(TRIDIAGONAL_VALUE* rows, i32* bad) {
    TRIDIAGONAL_OF(tridiagonal_rest) rest;
    TRIDIAGONAL_VALUE left = -1, right = 0, value = 0;
    rest.first_left = rest.first_value = 0;
    rest.first_right = -1;
    T_UNROLL for (i32 r = 0; r < TRIDIAGONAL_ROWS - 1; ++r) {
        TRIDIAGONAL_OF(tridiagonal_eliminate)
        (rows[r], rows[TRIDIAGONAL_ROWS + r], rows[2 * TRIDIAGONAL_ROWS + r],
         rows[3 * TRIDIAGONAL_ROWS + r], &left, &right, &value, bad);
        TRIDIAGONAL_OF(tridiagonal_fold)
        (left, right, value, &rest.first_left, &rest.first_right, &rest.first_value);
        rows[r] = left;
        rows[2 * TRIDIAGONAL_ROWS + r] = right;
        rows[3 * TRIDIAGONAL_ROWS + r] = value;
    }
    const TRIDIAGONAL_VALUE a = rows[TRIDIAGONAL_ROWS - 1];
    rest.a = -(a * left);
    rest.b = rows[2 * TRIDIAGONAL_ROWS - 1] - a * right;
    rest.c = rows[3 * TRIDIAGONAL_ROWS - 1];
    rest.d = rows[4 * TRIDIAGONAL_ROWS - 1] - a * value;
    return rest;
}

// The rows of chunks are kept by item in thirds of local memory: a, c and d, with 1 on the
// diagonal.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_keep)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) thirds,
                                                 const i32 item, const TRIDIAGONAL_VALUE a,
                                                 const TRIDIAGONAL_VALUE c,
                                                 const TRIDIAGONAL_VALUE d) {
    thirds[item] = a;
    thirds[tridiagonal_group + item] = c;
    thirds[2 * tridiagonal_group + item] = d;
}

// The row of a chunk's last unknown: the next chunk's first unknown, of the item `next` if there is
// one, is put in.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_join_chunks)(T_LOCAL_PTR(const TRIDIAGONAL_VALUE) firsts,
                                                        T_LOCAL_PTR(TRIDIAGONAL_VALUE) thirds,
                                                        const i32 item, const i32 next,
                                                        const TRIDIAGONAL_OF(tridiagonal_rest) rest,
                                                        i32* bad) {
    const TRIDIAGONAL_VALUE c = next < tridiagonal_group ? rest.c : (TRIDIAGONAL_VALUE)0;
    const i32 from = T_MIN(next, tridiagonal_group - 1);
    const TRIDIAGONAL_VALUE inverse =
        TRIDIAGONAL_OF(tridiagonal_inverse)(rest.b - c * firsts[from], bad);
    TRIDIAGONAL_OF(tridiagonal_keep)
    (thirds, item, rest.a * inverse, -(c * firsts[tridiagonal_group + from]) * inverse,
     (rest.d - c * firsts[2 * tridiagonal_group + from]) * inverse);
}

// A step of cyclic reduction: the rows of items `before` and `behind` are put in where they are
// chunks; what is before the first and behind the last chunk stays.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_cycle)(T_LOCAL_PTR(const TRIDIAGONAL_VALUE) thirds,
                                                  T_LOCAL_PTR(TRIDIAGONAL_VALUE) next,
                                                  const i32 item, const i32 before,
                                                  const i32 behind, i32* bad) {
    const TRIDIAGONAL_VALUE a = thirds[item], c = thirds[tridiagonal_group + item];
    const TRIDIAGONAL_VALUE of_before = before >= 0 ? a : (TRIDIAGONAL_VALUE)0;
    const TRIDIAGONAL_VALUE of_behind = behind < tridiagonal_group ? c : (TRIDIAGONAL_VALUE)0;
    // A seat beyond the chunks finds none before it either.
    const i32 i = T_MIN(T_MAX(before, 0), tridiagonal_group - 1);
    const i32 j = T_MIN(behind, tridiagonal_group - 1);
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(
        (TRIDIAGONAL_VALUE)1 - of_before * thirds[tridiagonal_group + i] - of_behind * thirds[j],
        bad);
    TRIDIAGONAL_OF(tridiagonal_keep)
    (next, item, (before >= 0 ? -(a * thirds[i]) : a) * inverse,
     (behind < tridiagonal_group ? -(c * thirds[tridiagonal_group + j]) : c) * inverse,
     (thirds[2 * tridiagonal_group + item] - of_before * thirds[2 * tridiagonal_group + i] -
      of_behind * thirds[2 * tridiagonal_group + j]) *
         inverse);
}

// The item of a seat's chunk `away`; -1 before the first one, tridiagonal_group from `chunks` on.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_item)(const TRIDIAGONAL_OF(tridiagonal_seat) seat,
                                                const i32 item, const i32 away, const i32 chunks,
                                                const tridiagonal_layout lines) {
    if (seat.chunk + away < 0) return -1;
    if (seat.chunk + away >= chunks) return tridiagonal_group;
    return item + away * (lines.is_beside ? lines.together : 1);
}

// All unknowns of a chunk from the last one, which stands in the place of its d, and from the one
// before the chunk; they take the places of d.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_substitute_rows)(TRIDIAGONAL_VALUE* rows,
                                                            const TRIDIAGONAL_VALUE before,
                                                            const TRIDIAGONAL_VALUE last) {
    TRIDIAGONAL_VALUE x = last;
    rows[4 * TRIDIAGONAL_ROWS - 1] = x;
    T_UNROLL for (i32 r = TRIDIAGONAL_ROWS - 2; r >= 0; --r) {
        x = rows[3 * TRIDIAGONAL_ROWS + r] - rows[r] * before - rows[2 * TRIDIAGONAL_ROWS + r] * x;
        rows[3 * TRIDIAGONAL_ROWS + r] = x;
    }
}
