// Tridiagonal systems by groups, chunk by chunk. Part of tridiagonal.kernel.h and
// tridiagonal_f64.kernel.h.

// a, b, c and d; rows beyond the line are those of the identity.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_rows)(
    TRIDIAGONAL_OF(tridiagonal_column) * rows, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const TRIDIAGONAL_OF(tridiagonal_mapping) mapping,
    const tridiagonal_part part, const tridiagonal_layout lines) {
    const i64 last = lines.rows - 1 - part.number * lines.part;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, mapping, lines);
        const i64 at = part.first + row * lines.stride;
        const i32 is_there = mapping.is_used && row < part.rows;
        const i32 has_before = is_there && (row > 0 || part.number > 0);
        rows[tridiagonal_a][k] = has_before ? a[at] : (TRIDIAGONAL_VALUE)0;
        rows[tridiagonal_b][k] = is_there ? b[at] : (TRIDIAGONAL_VALUE)1;
        rows[tridiagonal_c][k] = is_there && row < last ? c[at] : (TRIDIAGONAL_VALUE)0;
        rows[tridiagonal_d][k] = is_there ? d[at] : (TRIDIAGONAL_VALUE)0;
    }
}

// Solves the parts that a group takes; of lines that are cut the separators are known. Phases:
// 1. read the coefficients, neighboring items neighboring elements;
// 2. exchange them through local memory, so that each item has its chunk;
// 3. put in the known separators, eliminate each chunk but for its last row;
// 4. form the reduced system of the chunks' last unknowns;
// 5. solve it by parallel cyclic reduction;
// 6. substitute back;
// 7. exchange the unknowns, and write them.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_solve), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) separators, T_OUT(u32) status,
                const tridiagonal_layout lines)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_reduced), reduced);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, singular);
    const i64 first = (i64)T_GX * lines.parts_per_group;
    T_PHASE {
        T_MY(singular) = 0;
        T_MY(mapping) = TRIDIAGONAL_OF(tridiagonal_map_item)(T_LI, first, lines);
        T_MY(part) = tridiagonal_part_at(first + T_MY(mapping).line, T_GY, T_GZ, lines);
        TRIDIAGONAL_OF(tridiagonal_read_rows)
        (T_MY(rows), a, b, c, d, T_MY(mapping), T_MY(part), lines);
    }
    T_UNROLL for (i32 k = 0; k < tridiagonal_coefficients; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_store_scratch)
            (scratch, T_MY(rows)[k], 0, T_MY(mapping), lines);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_load_scratch)
            (scratch, T_MY(rows)[k], 1, T_MY(mapping), lines);
        }
    }
    T_PHASE {
        if (lines.part < lines.rows && T_MY(mapping).is_used) {
            if (T_MY(mapping).chunk == 0 && T_MY(part).number > 0) {
                T_MY(rows)
                [tridiagonal_d][0] -=
                    T_MY(rows)[tridiagonal_a][0] * separators[T_MY(part).index - 1];
                T_MY(rows)[tridiagonal_a][0] = 0;
            }
            if (T_MY(mapping).chunk == lines.chunks - 1) {
                const i32 last = TRIDIAGONAL_ROWS - 1;
                T_MY(rows)[tridiagonal_a][last] = T_MY(rows)[tridiagonal_c][last] = 0;
                T_MY(rows)[tridiagonal_b][last] = 1;
                T_MY(rows)[tridiagonal_d][last] = separators[T_MY(part).index];
            }
        }
        T_MY(reduced) = TRIDIAGONAL_OF(tridiagonal_reduce_rows)(T_MY(rows), &T_MY(singular));
        TRIDIAGONAL_OF(tridiagonal_store_row)
        (scratch + tridiagonal_system, T_LI, T_MY(reduced).first_left, T_MY(reduced).first_right,
         T_MY(reduced).first_value);
    }
    T_PHASE {
        const i32 next =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, 1, lines.chunks, lines);
        TRIDIAGONAL_OF(tridiagonal_interface_row)
        (scratch + tridiagonal_system, scratch, T_LI, next, T_MY(reduced), &T_MY(singular));
    }
    i32 from = 0;
    for (i32 step = 1; step < lines.chunks; step *= 2) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_pcr_step)
            (scratch + from, scratch + tridiagonal_system - from, T_LI,
             TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, -step, lines.chunks, lines),
             TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, step, lines.chunks, lines),
             &T_MY(singular));
        }
        from = tridiagonal_system - from;
    }
    T_PHASE {
        const i32 before =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, -1, lines.chunks, lines);
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) separators = scratch + from + 2 * tridiagonal_group;
        const TRIDIAGONAL_VALUE x_before = before >= 0 ? separators[before] : (TRIDIAGONAL_VALUE)0;
        TRIDIAGONAL_OF(tridiagonal_substitute_rows)(T_MY(rows), x_before, separators[T_LI]);
        if (T_MY(singular) > 0 && T_MY(mapping).is_used) T_ATOMIC_ADD(status, (u32)T_MY(singular));
    }
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_store_scratch)
        (scratch, T_MY(rows)[tridiagonal_d], 1, T_MY(mapping), lines);
    }
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_load_scratch)
        (scratch, T_MY(rows)[tridiagonal_d], 0, T_MY(mapping), lines);
        T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
            const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, T_MY(mapping), lines);
            if (T_MY(mapping).is_used && row < T_MY(part).rows)
                d[T_MY(part).first + row * lines.stride] = T_MY(rows)[tridiagonal_d][k];
        }
    }
}

// Reduces each part to the equation of its x_first and its last row. Phases 1 to 5 are those of
// tridiagonal_groups_solve without separators, and without the last chunk in 4 and 5; the sixth
// writes.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_reduce), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) reduced_parts,
                T_OUT(u32) status, const tridiagonal_layout lines)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_reduced), reduced);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, singular);
    const i64 first = (i64)T_GX * lines.parts_per_group;
    const i32 last = lines.chunks - 1;  // whose last unknown stays
    T_PHASE {
        T_MY(singular) = 0;
        T_MY(mapping) = TRIDIAGONAL_OF(tridiagonal_map_item)(T_LI, first, lines);
        T_MY(part) = tridiagonal_part_at(first + T_MY(mapping).line, T_GY, T_GZ, lines);
        TRIDIAGONAL_OF(tridiagonal_read_rows)
        (T_MY(rows), a, b, c, d, T_MY(mapping), T_MY(part), lines);
    }
    T_UNROLL for (i32 k = 0; k < tridiagonal_coefficients; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_store_scratch)
            (scratch, T_MY(rows)[k], 0, T_MY(mapping), lines);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_load_scratch)
            (scratch, T_MY(rows)[k], 1, T_MY(mapping), lines);
        }
    }
    T_PHASE {
        T_MY(reduced) = TRIDIAGONAL_OF(tridiagonal_reduce_rows)(T_MY(rows), &T_MY(singular));
        TRIDIAGONAL_OF(tridiagonal_store_row)
        (scratch + tridiagonal_system, T_LI, T_MY(reduced).first_left, T_MY(reduced).first_right,
         T_MY(reduced).first_value);
    }
    T_PHASE {
        const i32 next =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, 1, lines.chunks, lines);
        if (T_MY(mapping).chunk < last) {
            TRIDIAGONAL_OF(tridiagonal_interface_row)
            (scratch + tridiagonal_system, scratch, T_LI, next, T_MY(reduced), &T_MY(singular));
        }
    }
    i32 from = 0;
    for (i32 step = 1; step < last; step *= 2) {
        T_PHASE {
            if (T_MY(mapping).chunk < last) {
                TRIDIAGONAL_OF(tridiagonal_pcr_step)
                (scratch + from, scratch + tridiagonal_system - from, T_LI,
                 TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, -step, last, lines),
                 TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, step, last, lines),
                 &T_MY(singular));
            }
        }
        from = tridiagonal_system - from;
    }
    // The first chunk's last unknown is eliminated from its equation of x_first, that of the last
    // chunk but one from the last row: what stays depends on x_before and x_last alone.
    T_PHASE {
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) left = scratch + from;
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) right = left + tridiagonal_group;
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) value = right + tridiagonal_group;
        const i64 count = lines.counts[0] * lines.counts[1] * lines.counts[2];
        const i64 at = T_MY(part).index;
        if (T_MY(mapping).is_used && T_MY(mapping).chunk == 0) {
            const TRIDIAGONAL_VALUE factor = T_MY(reduced).first_right;
            reduced_parts[tridiagonal_first_left * count + at] =
                T_MY(reduced).first_left - factor * left[T_LI];
            reduced_parts[tridiagonal_first_right * count + at] = -(factor * right[T_LI]);
            reduced_parts[tridiagonal_first_value * count + at] =
                T_MY(reduced).first_value - factor * value[T_LI];
        }
        if (T_MY(mapping).is_used && T_MY(mapping).chunk == last) {
            const i32 before =
                TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, -1, lines.chunks, lines);
            reduced_parts[tridiagonal_last_a * count + at] = -(T_MY(reduced).a * left[before]);
            reduced_parts[tridiagonal_last_b * count + at] =
                T_MY(reduced).b - T_MY(reduced).a * right[before];
            reduced_parts[tridiagonal_last_c * count + at] = T_MY(reduced).c;
            reduced_parts[tridiagonal_last_d * count + at] =
                T_MY(reduced).d - T_MY(reduced).a * value[before];
        }
        if (T_MY(singular) > 0 && T_MY(mapping).is_used) T_ATOMIC_ADD(status, (u32)T_MY(singular));
    }
}
