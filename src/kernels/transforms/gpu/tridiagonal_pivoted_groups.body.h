// Tridiagonal systems with pivoting by groups, chunk by chunk: as tridiagonal_groups.body.h. Part
// of tridiagonal_pivoted.kernel.h and tridiagonal_pivoted_f64.kernel.h.

enum {
    TRIDIAGONAL_OF(tridiagonal_pivoted_scratch) =
        T_MAX((i32)TRIDIAGONAL_OF(tridiagonal_scratch), (i32)tridiagonal_tree_values)
};

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(TRIDIAGONAL_OF(tridiagonal_column) * rows,
                                             const i32 r) {
    TRIDIAGONAL_OF(tridiagonal_equation) row;
    row.here = rows[tridiagonal_a][r];
    row.next = rows[tridiagonal_b][r];
    row.after = rows[tridiagonal_c][r];
    row.value = rows[tridiagonal_d][r];
    return row;
}

// Scales the rows of a chunk, and stores its block in the item's slot.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_chunk_to_block)(TRIDIAGONAL_OF(tridiagonal_column) *
                                                               rows,
                                                           T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                           const i32 item, i32* faults) {
    T_UNROLL for (i32 r = 0; r < TRIDIAGONAL_ROWS; ++r) {
        const TRIDIAGONAL_OF(tridiagonal_equation) row = TRIDIAGONAL_OF(tridiagonal_scaled_row)(
            rows[tridiagonal_a][r], rows[tridiagonal_b][r], rows[tridiagonal_c][r],
            rows[tridiagonal_d][r], faults);
        rows[tridiagonal_a][r] = row.here;
        rows[tridiagonal_b][r] = row.next;
        rows[tridiagonal_c][r] = row.after;
        rows[tridiagonal_d][r] = row.value;
    }
    TRIDIAGONAL_OF(tridiagonal_equation)
    one = TRIDIAGONAL_OF(tridiagonal_moved)(TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, 0), 1),
    two = TRIDIAGONAL_OF(tridiagonal_moved)(TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, 1), 0);
    TRIDIAGONAL_VALUE terms[2][tridiagonal_terms];
    terms[0][tridiagonal_before] = rows[tridiagonal_a][0];
    terms[0][tridiagonal_first] = rows[tridiagonal_b][0];
    terms[1][tridiagonal_before] = 0;
    terms[1][tridiagonal_first] = rows[tridiagonal_a][1];
    T_UNROLL for (i32 r = 2; r < TRIDIAGONAL_ROWS; ++r) {
        const TRIDIAGONAL_OF(tridiagonal_pivot_step) step =
            TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(
                &one, &two, TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, r), faults);
        TRIDIAGONAL_OF(tridiagonal_eliminate_border)
        (&terms[0][tridiagonal_before], &terms[1][tridiagonal_before], step);
        TRIDIAGONAL_OF(tridiagonal_eliminate_border)
        (&terms[0][tridiagonal_first], &terms[1][tridiagonal_first], step);
    }
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        terms[e][tridiagonal_last] = e ? two.here : one.here;
        terms[e][tridiagonal_after] = e ? two.next : one.next;
        terms[e][tridiagonal_right] = e ? two.value : one.value;
        TRIDIAGONAL_OF(tridiagonal_scale_equation)(terms[e], tridiagonal_right);
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k)
            tree[(e * tridiagonal_terms + k) * tridiagonal_group + item] = terms[e][k];
    }
}

// All unknowns of a chunk, which replace d, from the pairs before it and at its end. The pivot of
// x[r-1] replaces row r - 1, which is not needed any more.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_solve_chunk)(TRIDIAGONAL_OF(tridiagonal_column) * rows,
                                                        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) tree,
                                                        const i32 pair) {
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) pairs_one = tree + tridiagonal_tree;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) pairs_two = pairs_one + tridiagonal_pairs;
    const TRIDIAGONAL_VALUE before = pairs_one[pair], first = pairs_two[pair];
    TRIDIAGONAL_OF(tridiagonal_equation)
    one = TRIDIAGONAL_OF(tridiagonal_moved)(TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, 0), 1),
    two = TRIDIAGONAL_OF(tridiagonal_moved)(TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, 1), 0);
    one.value -= rows[tridiagonal_a][0] * before + rows[tridiagonal_b][0] * first;
    two.value -= rows[tridiagonal_a][1] * first;
    i32 faults = 0;  // were counted before
    T_UNROLL for (i32 r = 2; r < TRIDIAGONAL_ROWS; ++r) {
        const TRIDIAGONAL_OF(tridiagonal_pivot_step) step =
            TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(
                &one, &two, TRIDIAGONAL_OF(tridiagonal_row_of_chunk)(rows, r), &faults);
        rows[tridiagonal_b][r - 1] = step.pivot.next;
        rows[tridiagonal_c][r - 1] = step.pivot.after;
        rows[tridiagonal_d][r - 1] = step.pivot.value;
    }
    TRIDIAGONAL_VALUE x = pairs_one[pair + 1], below = pairs_two[pair + 1];
    rows[tridiagonal_d][0] = first;
    rows[tridiagonal_d][TRIDIAGONAL_ROWS - 1] = x;
    T_UNROLL for (i32 r = TRIDIAGONAL_ROWS - 2; r > 0; --r) {
        const TRIDIAGONAL_VALUE found =
            rows[tridiagonal_d][r] - rows[tridiagonal_b][r] * x - rows[tridiagonal_c][r] * below;
        below = x;
        x = found;
        rows[tridiagonal_d][r] = x;
    }
}

// Items from one chunk of a part to the next.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_chunk_pitch)(const tridiagonal_layout layout) {
    return layout.is_interleaved ? layout.parts_per_group : 1;
}

// Solves the parts that a group takes: whole lines, or parts whose neighbors' unknowns are known
// from `states`. Phases:
//   1. read the coefficients, neighboring items neighboring elements;
//   2. exchange them through local memory, so that each item has its chunk;
//   3. reduce each chunk to its block;
//   4. join the blocks, step by step;
//   5. find or read the pairs at both ends of each part;
//   6. find those between the chunks, in the reverse order;
//   7. eliminate each chunk again, and substitute back;
//   8. exchange the unknowns, and write them.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_solve), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) states, T_OUT(u32) status,
                const i32 is_whole, const tridiagonal_layout layout)) {
    // In phases 2 and 8 rows that are exchanged, between them blocks and pairs.
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_pivoted_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, faults);
    const i64 first = (i64)T_GX * layout.parts_per_group;
    // Phase 1.
    T_PHASE {
        T_MY(faults) = 0;
        TRIDIAGONAL_OF(tridiagonal_read_part)
        (T_MY(rows), &T_MY(mapping), &T_MY(part), T_LI, first, T_GY, T_GZ, a, b, c, d, 1, layout);
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
        if (T_MY(mapping).is_used) {
            TRIDIAGONAL_OF(tridiagonal_chunk_to_block)
            (T_MY(rows), scratch, T_LI, &T_MY(faults));
        }
    }
    // Phase 4.
    i32 steps = 1;
    for (i32 step = 1; step < layout.chunks; step *= 2) {
        T_PHASE {
            if (T_MY(mapping).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_up)
                (scratch, T_LI, T_MY(mapping).chunk, layout.chunks, step,
                 TRIDIAGONAL_OF(tridiagonal_chunk_pitch)(layout), &T_MY(faults));
            }
        }
        steps = step;
    }
    // Phase 5.
    T_PHASE {
        if (T_MY(mapping).is_used && T_MY(mapping).chunk == 0) {
            if (is_whole) {
                TRIDIAGONAL_OF(tridiagonal_close_line)
                (scratch, T_LI, T_MY(mapping).part, layout.chunks, layout.is_periodic,
                 layout.is_swapped, &T_MY(faults));
            } else {
                TRIDIAGONAL_OF(tridiagonal_read_state)
                (scratch, states, T_MY(part).index, T_MY(mapping).part, layout.chunks);
            }
        }
        if (T_MY(faults) > 0) T_ATOMIC_ADD(status, (u32)T_MY(faults));
    }
    // Phase 6.
    for (i32 step = steps; step > 0; step /= 2) {
        T_PHASE {
            if (T_MY(mapping).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_down)
                (scratch, T_LI, T_MY(mapping).part, T_MY(mapping).chunk, layout.chunks, step);
            }
        }
    }
    // Phase 7.
    T_PHASE {
        if (T_MY(mapping).is_used) {
            TRIDIAGONAL_OF(tridiagonal_solve_chunk)
            (T_MY(rows), scratch,
             TRIDIAGONAL_OF(tridiagonal_pair_index)(T_MY(mapping).part, T_MY(mapping).chunk,
                                                    layout.chunks));
        }
    }
    // Phase 8.
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

// Reduces each part to its block. Phases 1 to 4 are those of tridiagonal_groups_solve; the
// fifth writes.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_groups_reduce), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) blocks, T_OUT(u32) status,
                const tridiagonal_layout layout)) {
    T_LOCAL(TRIDIAGONAL_VALUE, scratch, TRIDIAGONAL_OF(tridiagonal_pivoted_scratch));
    T_ITEM_ARRAY(TRIDIAGONAL_OF(tridiagonal_column), rows, tridiagonal_coefficients);
    T_ITEM(TRIDIAGONAL_OF(tridiagonal_mapping), mapping);
    T_ITEM(tridiagonal_part, part);
    T_ITEM(i32, faults);
    const i64 first = (i64)T_GX * layout.parts_per_group;
    // Phase 1.
    T_PHASE {
        T_MY(faults) = 0;
        TRIDIAGONAL_OF(tridiagonal_read_part)
        (T_MY(rows), &T_MY(mapping), &T_MY(part), T_LI, first, T_GY, T_GZ, a, b, c, d, 1, layout);
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
        if (T_MY(mapping).is_used) {
            TRIDIAGONAL_OF(tridiagonal_chunk_to_block)
            (T_MY(rows), scratch, T_LI, &T_MY(faults));
        }
    }
    // Phase 4.
    for (i32 step = 1; step < layout.chunks; step *= 2) {
        T_PHASE {
            if (T_MY(mapping).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_up)
                (scratch, T_LI, T_MY(mapping).chunk, layout.chunks, step,
                 TRIDIAGONAL_OF(tridiagonal_chunk_pitch)(layout), &T_MY(faults));
            }
        }
    }
    // Phase 5.
    T_PHASE {
        if (T_MY(mapping).is_used && T_MY(mapping).chunk == 0) {
            T_UNROLL for (i32 k = 0; k < tridiagonal_block; ++k)
                blocks[T_MY(part).index * tridiagonal_block + k] =
                    scratch[k * tridiagonal_group + T_LI];
        }
        if (T_MY(faults) > 0) T_ATOMIC_ADD(status, (u32)T_MY(faults));
    }
}
