// Tridiagonal systems by groups: each item holds a chunk of TRIDIAGONAL_ROWS rows of a part, which
// it reduces to the row of its last unknown. Those rows are solved in local memory by parallel
// cyclic reduction: R. W. Hockney, C. R. Jesshope, "Parallel Computers", 1981. Part of
// tridiagonal.kernel.h and tridiagonal_f64.kernel.h.

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

// a, b, c, d one behind the other; rows beyond the line are those of the identity.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_rows)(
    TRIDIAGONAL_VALUE* rows, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const TRIDIAGONAL_OF(tridiagonal_seat) seat,
    const tridiagonal_part part, const tridiagonal_layout lines) {
    const i64 last = lines.rows - 1 - part.number * lines.part;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, seat, lines);
        const i64 at = part.first + row * lines.stride;
        const i32 is_there = seat.is_used && row < part.rows;
        const i32 has_before = is_there && (row > 0 || part.number > 0);
        rows[k] = has_before ? a[at] : (TRIDIAGONAL_VALUE)0;
        rows[TRIDIAGONAL_ROWS + k] = is_there ? b[at] : (TRIDIAGONAL_VALUE)1;
        rows[2 * TRIDIAGONAL_ROWS + k] = is_there && row < last ? c[at] : (TRIDIAGONAL_VALUE)0;
        rows[3 * TRIDIAGONAL_ROWS + k] = is_there ? d[at] : (TRIDIAGONAL_VALUE)0;
    }
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

// Solves the parts that stand in a group. Where lines are cut, the separators are `solved`.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_solve), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) solved, T_OUT(u32) status,
                const tridiagonal_layout lines)) {
    T_LOCAL(TRIDIAGONAL_VALUE, room, TRIDIAGONAL_OF(tridiagonal_room));
    T_ITEM_ARRAY(TRIDIAGONAL_VALUE, rows, 4 * TRIDIAGONAL_ROWS);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_rest), rest);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_seat), seat);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, bad);
    const i64 first = (i64)T_GX * lines.together;
    T_PHASE {
        T_MY(bad) = 0;
        T_MY(seat) = TRIDIAGONAL_OF(tridiagonal_seat_of)(T_LI, first, lines);
        T_MY(part) = tridiagonal_part_at(first + T_MY(seat).line, T_GY, T_GZ, lines);
        TRIDIAGONAL_OF(tridiagonal_read_rows)
        (T_MY(rows), a, b, c, d, T_MY(seat), T_MY(part), lines);
    }
    T_UNROLL for (i32 k = 0; k < 4; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_put)
            (room, T_MY(rows) + k * TRIDIAGONAL_ROWS, 0, T_MY(seat), lines);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_get)
            (room, T_MY(rows) + k * TRIDIAGONAL_ROWS, 1, T_MY(seat), lines);
        }
    }
    T_PHASE {
        if (lines.part < lines.rows && T_MY(seat).is_used) {
            if (T_MY(seat).chunk == 0 && T_MY(part).number > 0) {
                T_MY(rows)[3 * TRIDIAGONAL_ROWS] -= T_MY(rows)[0] * solved[T_MY(part).at_end - 1];
                T_MY(rows)[0] = 0;
            }
            if (T_MY(seat).chunk == lines.chunks - 1) {
                T_MY(rows)[TRIDIAGONAL_ROWS - 1] = T_MY(rows)[3 * TRIDIAGONAL_ROWS - 1] = 0;
                T_MY(rows)[2 * TRIDIAGONAL_ROWS - 1] = 1;
                T_MY(rows)[4 * TRIDIAGONAL_ROWS - 1] = solved[T_MY(part).at_end];
            }
        }
        T_MY(rest) = TRIDIAGONAL_OF(tridiagonal_reduce_rows)(T_MY(rows), &T_MY(bad));
        TRIDIAGONAL_OF(tridiagonal_keep)
        (room + 3 * tridiagonal_group, T_LI, T_MY(rest).first_left, T_MY(rest).first_right,
         T_MY(rest).first_value);
    }
    T_PHASE {
        const i32 next = TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, 1, lines.chunks, lines);
        TRIDIAGONAL_OF(tridiagonal_join_chunks)
        (room + 3 * tridiagonal_group, room, T_LI, next, T_MY(rest), &T_MY(bad));
    }
    i32 from = 0;
    for (i32 step = 1; step < lines.chunks; step *= 2) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_cycle)
            (room + from, room + 3 * tridiagonal_group - from, T_LI,
             TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, -step, lines.chunks, lines),
             TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, step, lines.chunks, lines),
             &T_MY(bad));
        }
        from = 3 * tridiagonal_group - from;
    }
    T_PHASE {
        const i32 before =
            TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, -1, lines.chunks, lines);
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) separators = room + from + 2 * tridiagonal_group;
        const TRIDIAGONAL_VALUE x_before = before >= 0 ? separators[before] : (TRIDIAGONAL_VALUE)0;
        TRIDIAGONAL_VALUE x = separators[T_LI];
        T_MY(rows)[4 * TRIDIAGONAL_ROWS - 1] = x;
        T_UNROLL for (i32 r = TRIDIAGONAL_ROWS - 2; r >= 0; --r) {
            x = T_MY(rows)[3 * TRIDIAGONAL_ROWS + r] - T_MY(rows)[r] * x_before -
                T_MY(rows)[2 * TRIDIAGONAL_ROWS + r] * x;
            T_MY(rows)[3 * TRIDIAGONAL_ROWS + r] = x;
        }
        if (T_MY(bad) > 0 && T_MY(seat).is_used) T_ATOMIC_ADD(status, (u32)T_MY(bad));
    }
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_put)
        (room, T_MY(rows) + 3 * TRIDIAGONAL_ROWS, 1, T_MY(seat), lines);
    }
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_get)
        (room, T_MY(rows) + 3 * TRIDIAGONAL_ROWS, 0, T_MY(seat), lines);
        T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
            const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, T_MY(seat), lines);
            if (T_MY(seat).is_used && row < T_MY(part).rows)
                d[T_MY(part).first + row * lines.stride] = T_MY(rows)[3 * TRIDIAGONAL_ROWS + k];
        }
    }
}

// What is left of each part.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_reduce), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) ends, T_OUT(u32) status,
                const tridiagonal_layout lines)) {
    T_LOCAL(TRIDIAGONAL_VALUE, room, TRIDIAGONAL_OF(tridiagonal_room));
    T_ITEM_ARRAY(TRIDIAGONAL_VALUE, rows, 4 * TRIDIAGONAL_ROWS);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_rest), rest);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_seat), seat);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, bad);
    const i64 first = (i64)T_GX * lines.together;
    const i32 last = lines.chunks - 1;  // whose last unknown stays
    T_PHASE {
        T_MY(bad) = 0;
        T_MY(seat) = TRIDIAGONAL_OF(tridiagonal_seat_of)(T_LI, first, lines);
        T_MY(part) = tridiagonal_part_at(first + T_MY(seat).line, T_GY, T_GZ, lines);
        TRIDIAGONAL_OF(tridiagonal_read_rows)
        (T_MY(rows), a, b, c, d, T_MY(seat), T_MY(part), lines);
    }
    T_UNROLL for (i32 k = 0; k < 4; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_put)
            (room, T_MY(rows) + k * TRIDIAGONAL_ROWS, 0, T_MY(seat), lines);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_get)
            (room, T_MY(rows) + k * TRIDIAGONAL_ROWS, 1, T_MY(seat), lines);
        }
    }
    T_PHASE {
        T_MY(rest) = TRIDIAGONAL_OF(tridiagonal_reduce_rows)(T_MY(rows), &T_MY(bad));
        TRIDIAGONAL_OF(tridiagonal_keep)
        (room + 3 * tridiagonal_group, T_LI, T_MY(rest).first_left, T_MY(rest).first_right,
         T_MY(rest).first_value);
    }
    T_PHASE {
        const i32 next = TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, 1, lines.chunks, lines);
        if (T_MY(seat).chunk < last) {
            TRIDIAGONAL_OF(tridiagonal_join_chunks)
            (room + 3 * tridiagonal_group, room, T_LI, next, T_MY(rest), &T_MY(bad));
        }
    }
    i32 from = 0;
    for (i32 step = 1; step < last; step *= 2) {
        T_PHASE {
            if (T_MY(seat).chunk < last) {
                TRIDIAGONAL_OF(tridiagonal_cycle)
                (room + from, room + 3 * tridiagonal_group - from, T_LI,
                 TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, -step, last, lines),
                 TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, step, last, lines), &T_MY(bad));
            }
        }
        from = 3 * tridiagonal_group - from;
    }
    // The first chunk's last unknown is put into its x_first, that of the last chunk but one into
    // the last row: the rows of unknowns that depend on x_before and x_last alone.
    T_PHASE {
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) left = room + from;
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) right = left + tridiagonal_group;
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) value = right + tridiagonal_group;
        const i64 count = lines.counts[0] * lines.counts[1] * lines.counts[2];
        const i64 at = T_MY(part).at_end;
        if (T_MY(seat).is_used && T_MY(seat).chunk == 0) {
            const TRIDIAGONAL_VALUE factor = T_MY(rest).first_right;
            ends[at] = T_MY(rest).first_left - factor * left[T_LI];
            ends[count + at] = -(factor * right[T_LI]);
            ends[2 * count + at] = T_MY(rest).first_value - factor * value[T_LI];
        }
        if (T_MY(seat).is_used && T_MY(seat).chunk == last) {
            const i32 before =
                TRIDIAGONAL_OF(tridiagonal_item)(T_MY(seat), T_LI, -1, lines.chunks, lines);
            ends[3 * count + at] = -(T_MY(rest).a * left[before]);
            ends[4 * count + at] = T_MY(rest).b - T_MY(rest).a * right[before];
            ends[5 * count + at] = T_MY(rest).c;
            ends[6 * count + at] = T_MY(rest).d - T_MY(rest).a * value[before];
        }
        if (T_MY(bad) > 0 && T_MY(seat).is_used) T_ATOMIC_ADD(status, (u32)T_MY(bad));
    }
}
