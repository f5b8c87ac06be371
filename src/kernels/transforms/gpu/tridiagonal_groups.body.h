// Tridiagonal systems by groups, chunk by chunk. Part of tridiagonal.kernel.h and
// tridiagonal_f64.kernel.h.

// The separators of a line that is cut are known: they replace the unknown before a part's first
// chunk, and the last row of its last chunk.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_put_separators)(
    TRIDIAGONAL_OF(tridiagonal_column) * rows, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) separators,
    const TRIDIAGONAL_OF(tridiagonal_mapping) mapping, const tridiagonal_part part,
    const tridiagonal_layout layout) {
    if (layout.part >= layout.rows || !mapping.is_used) return;
    if (mapping.chunk == 0 && part.number > 0) {
        rows[tridiagonal_d][0] -= rows[tridiagonal_a][0] * separators[part.index - 1];
        rows[tridiagonal_a][0] = 0;
    }
    if (mapping.chunk == layout.chunks - 1) {
        const i32 last = TRIDIAGONAL_ROWS - 1;
        rows[tridiagonal_a][last] = rows[tridiagonal_c][last] = 0;
        rows[tridiagonal_b][last] = 1;
        rows[tridiagonal_d][last] = separators[part.index];
    }
}

// Phase 3 of both kernels: eliminates the item's chunk but for its last row, and stores its
// equation of x_first.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_reduced)
    TRIDIAGONAL_OF(tridiagonal_reduce_chunk)(TRIDIAGONAL_OF(tridiagonal_column) * rows,
                                             T_LOCAL_PTR(TRIDIAGONAL_VALUE) firsts, const i32 item,
                                             i32* singular) {
    const TRIDIAGONAL_OF(tridiagonal_reduced) reduced =
        TRIDIAGONAL_OF(tridiagonal_reduce_rows)(rows, singular);
    TRIDIAGONAL_OF(tridiagonal_store_row)
    (firsts, item, reduced.first_left, reduced.first_right, reduced.first_value);
    return reduced;
}

// A step of PCR for the item's row, among the first `chunks` chunks of its part.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_step_of_item)(
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) scratch, const i32 current, const i32 step, const i32 item,
    const i32 chunks, const TRIDIAGONAL_OF(tridiagonal_mapping) mapping,
    const tridiagonal_layout layout, i32* singular) {
    TRIDIAGONAL_OF(tridiagonal_pcr_step)
    (scratch + current, scratch + tridiagonal_system - current, item,
     TRIDIAGONAL_OF(tridiagonal_neighbor)(mapping, item, -step, chunks, layout),
     TRIDIAGONAL_OF(tridiagonal_neighbor)(mapping, item, step, chunks, layout), singular);
}

// Solves the parts that a group takes; of lines that are cut the separators are known. Phases:
//   1. read the coefficients, neighboring items neighboring elements;
//   2. exchange them through local memory, so that each item has its chunk;
//   3. put in the known separators, eliminate each chunk but for its last row;
//   4. form the reduced system of the chunks' last unknowns;
//   5. solve it by parallel cyclic reduction;
//   6. substitute back;
//   7. exchange the unknowns, and write them.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_solve), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) separators, T_OUT(u32) status,
                const tridiagonal_layout layout)) {
    // In phases 2 and 7 rows that are exchanged. Between them two buffers of tridiagonal_system
    // values, in turns the reduced system before and after a step of PCR: `current` is the offset
    // of the former, tridiagonal_system - current that of the latter. The second one first has the
    // chunks' equations of x_first.
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_reduced), reduced);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, singular);
    const i64 first = (i64)T_GX * layout.parts_per_group;
    // Phase 1.
    T_PHASE {
        T_MY(singular) = 0;
        TRIDIAGONAL_OF(tridiagonal_read_part)
        (T_MY(rows), &T_MY(mapping), &T_MY(part), T_LI, first, T_GY, T_GZ, a, b, c, d, 0, layout);
    }
    // Phase 2, for each coefficient.
    T_UNROLL for (i32 k = 0; k < tridiagonal_coefficients; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_store_scratch)
            (scratch, T_MY(rows)[k], TRIDIAGONAL_OF(tridiagonal_coalesced), T_MY(mapping), layout);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_load_scratch)
            (scratch, T_MY(rows)[k], TRIDIAGONAL_OF(tridiagonal_own_chunk), T_MY(mapping), layout);
        }
    }
    // Phase 3.
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_put_separators)
        (T_MY(rows), separators, T_MY(mapping), T_MY(part), layout);
        T_MY(reduced) = TRIDIAGONAL_OF(tridiagonal_reduce_chunk)(
            T_MY(rows), scratch + tridiagonal_system, T_LI, &T_MY(singular));
    }
    // Phase 4.
    T_PHASE {
        const i32 next =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, 1, layout.chunks, layout);
        TRIDIAGONAL_OF(tridiagonal_interface_row)
        (scratch + tridiagonal_system, scratch, T_LI, next, T_MY(reduced), &T_MY(singular));
    }
    // Phase 5, for each step of PCR.
    i32 current = 0;
    for (i32 step = 1; step < layout.chunks; step *= 2) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_step_of_item)
            (scratch, current, step, T_LI, layout.chunks, T_MY(mapping), layout, &T_MY(singular));
        }
        current = tridiagonal_system - current;
    }
    // Phase 6. Nothing is left of the reduced system but the diagonal: d has the unknowns.
    T_PHASE {
        const i32 before =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, -1, layout.chunks, layout);
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) unknowns = scratch + current + 2 * tridiagonal_group;
        const TRIDIAGONAL_VALUE x_before = before >= 0 ? unknowns[before] : (TRIDIAGONAL_VALUE)0;
        TRIDIAGONAL_OF(tridiagonal_substitute_rows)(T_MY(rows), x_before, unknowns[T_LI]);
        if (T_MY(singular) > 0 && T_MY(mapping).is_used) T_ATOMIC_ADD(status, (u32)T_MY(singular));
    }
    // Phase 7.
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_store_scratch)
        (scratch, T_MY(rows)[tridiagonal_d], TRIDIAGONAL_OF(tridiagonal_own_chunk), T_MY(mapping),
         layout);
    }
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_load_scratch)
        (scratch, T_MY(rows)[tridiagonal_d], TRIDIAGONAL_OF(tridiagonal_coalesced), T_MY(mapping),
         layout);
        T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
            const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, T_MY(mapping), layout);
            if (T_MY(mapping).is_used && row < T_MY(part).rows)
                d[T_MY(part).first + row * layout.stride] = T_MY(rows)[tridiagonal_d][k];
        }
    }
}

// What phase 6 of tridiagonal_groups_reduce writes: the first chunk's last unknown is eliminated
// from its equation of x_first, that of the last chunk but one from the last row. What is left
// depends on x_before and x_last alone. `system` is the solved system of all chunks but the last.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_write_reduced)(
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) reduced_parts, T_LOCAL_PTR(const TRIDIAGONAL_VALUE) system,
    const i32 item, const TRIDIAGONAL_OF(tridiagonal_reduced) reduced,
    const TRIDIAGONAL_OF(tridiagonal_mapping) mapping, const tridiagonal_part part,
    const tridiagonal_layout layout) {
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) left = system;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) right = left + tridiagonal_group;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) value = right + tridiagonal_group;
    const i64 count = layout.counts[0] * layout.counts[1] * layout.counts[2];
    const i64 at = part.index;
    if (mapping.is_used && mapping.chunk == 0) {
        const TRIDIAGONAL_VALUE factor = reduced.first_right;
        reduced_parts[tridiagonal_first_left * count + at] =
            reduced.first_left - factor * left[item];
        reduced_parts[tridiagonal_first_right * count + at] = -(factor * right[item]);
        reduced_parts[tridiagonal_first_value * count + at] =
            reduced.first_value - factor * value[item];
    }
    if (mapping.is_used && mapping.chunk == layout.chunks - 1) {
        const i32 before =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(mapping, item, -1, layout.chunks, layout);
        reduced_parts[tridiagonal_last_a * count + at] = -(reduced.a * left[before]);
        reduced_parts[tridiagonal_last_b * count + at] = reduced.b - reduced.a * right[before];
        reduced_parts[tridiagonal_last_c * count + at] = reduced.c;
        reduced_parts[tridiagonal_last_d * count + at] = reduced.d - reduced.a * value[before];
    }
}

// Reduces each part to the equation of its x_first and its last row. Phases 1 to 5 are those of
// tridiagonal_groups_solve without separators, and without the last chunk in 4 and 5; the sixth
// writes.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_reduce), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) reduced_parts,
                T_OUT(u32) status, const tridiagonal_layout layout)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_reduced), reduced);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, singular);
    const i64 first = (i64)T_GX * layout.parts_per_group;
    const i32 last = layout.chunks - 1;  // whose last unknown stays
    // Phase 1.
    T_PHASE {
        T_MY(singular) = 0;
        TRIDIAGONAL_OF(tridiagonal_read_part)
        (T_MY(rows), &T_MY(mapping), &T_MY(part), T_LI, first, T_GY, T_GZ, a, b, c, d, 0, layout);
    }
    // Phase 2, for each coefficient.
    T_UNROLL for (i32 k = 0; k < tridiagonal_coefficients; ++k) {
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_store_scratch)
            (scratch, T_MY(rows)[k], TRIDIAGONAL_OF(tridiagonal_coalesced), T_MY(mapping), layout);
        }
        T_PHASE {
            TRIDIAGONAL_OF(tridiagonal_load_scratch)
            (scratch, T_MY(rows)[k], TRIDIAGONAL_OF(tridiagonal_own_chunk), T_MY(mapping), layout);
        }
    }
    // Phase 3.
    T_PHASE {
        T_MY(reduced) = TRIDIAGONAL_OF(tridiagonal_reduce_chunk)(
            T_MY(rows), scratch + tridiagonal_system, T_LI, &T_MY(singular));
    }
    // Phase 4.
    T_PHASE {
        const i32 next =
            TRIDIAGONAL_OF(tridiagonal_neighbor)(T_MY(mapping), T_LI, 1, layout.chunks, layout);
        if (T_MY(mapping).chunk < last) {
            TRIDIAGONAL_OF(tridiagonal_interface_row)
            (scratch + tridiagonal_system, scratch, T_LI, next, T_MY(reduced), &T_MY(singular));
        }
    }
    // Phase 5, for each step of PCR.
    i32 current = 0;
    for (i32 step = 1; step < last; step *= 2) {
        T_PHASE {
            if (T_MY(mapping).chunk < last) {
                TRIDIAGONAL_OF(tridiagonal_step_of_item)
                (scratch, current, step, T_LI, last, T_MY(mapping), layout, &T_MY(singular));
            }
        }
        current = tridiagonal_system - current;
    }
    // Phase 6.
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_write_reduced)
        (reduced_parts, scratch + current, T_LI, T_MY(reduced), T_MY(mapping), T_MY(part), layout);
        if (T_MY(singular) > 0 && T_MY(mapping).is_used) T_ATOMIC_ADD(status, (u32)T_MY(singular));
    }
}
