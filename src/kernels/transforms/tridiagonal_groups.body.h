// Tridiagonal systems by groups, chunk by chunk. Part of tridiagonal.kernel.h and
// tridiagonal_f64.kernel.h.

#include "kernels/transforms/tridiagonal_chunks.body.h"

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
        TRIDIAGONAL_OF(tridiagonal_substitute_rows)(T_MY(rows), x_before, separators[T_LI]);
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
