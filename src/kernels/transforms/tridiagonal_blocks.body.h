// Blocks of tridiagonal systems: part of tridiagonal_pivoted.kernel.h and
// tridiagonal_pivoted_f64.kernel.h.
//
// A block is two equations between two pairs of unknowns, which lie at the beginning and at the end
// of rows that were eliminated. Two blocks that follow one another have the pair between them in
// common: its elimination, with partial pivoting, makes one block of the two.
//     block 0   block 1   block 2   block 3       step 1: 0 and 1, 2 and 3
//        block 0 and 1       block 2 and 3        step 2: both
// Where a block has been, that of slot j, the pair before it is kept, in terms of the two pairs
// that were left.

typedef TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_joined)[tridiagonal_columns];

// Brings the largest coefficient of a column to row `pivot`, and takes the column out of the rows
// behind it. The pivot row is divided by its coefficient.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate_column)(TRIDIAGONAL_OF(tridiagonal_joined) *
                                                                 rows,
                                                             const i32 pivot, const i32 count,
                                                             const i32 column, i32* faults) {
    T_UNROLL for (i32 i = pivot + 1; i < count; ++i) {
        const i32 swaps = T_ABS(rows[i][column]) > T_ABS(rows[pivot][column]);
        T_UNROLL for (i32 k = 0; k < tridiagonal_columns; ++k) {
            const TRIDIAGONAL_VALUE upper = rows[pivot][k], lower = rows[i][k];
            rows[pivot][k] = swaps ? lower : upper;
            rows[i][k] = swaps ? upper : lower;
        }
    }
    const TRIDIAGONAL_VALUE inverse =
        TRIDIAGONAL_OF(tridiagonal_inverse)(rows[pivot][column], faults);
    T_UNROLL for (i32 k = 0; k < tridiagonal_columns; ++k) rows[pivot][k] *= inverse;
    T_UNROLL for (i32 i = pivot + 1; i < count; ++i) {
        const TRIDIAGONAL_VALUE factor = rows[i][column];
        T_UNROLL for (i32 k = 0; k < tridiagonal_columns; ++k) rows[i][k] -=
            factor * rows[pivot][k];
    }
}

// An equation of `terms` coefficients and its right-hand side, scaled by a power of two.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_scale_equation)(TRIDIAGONAL_VALUE* equation,
                                                           const i32 terms) {
    TRIDIAGONAL_VALUE largest = 0;
    T_UNROLL for (i32 k = 0; k < terms; ++k) largest = T_MAX(largest, T_ABS(equation[k]));
    const TRIDIAGONAL_VALUE power = TRIDIAGONAL_OF(tridiagonal_power)(largest);
    T_UNROLL for (i32 k = 0; k <= terms; ++k) equation[k] *= power;
}

// An equation of a block: coefficients of both pairs, and its right-hand side.
typedef TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_block_terms)[tridiagonal_terms];

// The four equations of two blocks that follow one another become the block of both, and the pair
// between them in terms of the others.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_join_equations)(
    const TRIDIAGONAL_OF(tridiagonal_block_terms) * upper,
    const TRIDIAGONAL_OF(tridiagonal_block_terms) * lower,
    TRIDIAGONAL_OF(tridiagonal_block_terms) * block, TRIDIAGONAL_OF(tridiagonal_block_terms) * pair,
    i32* faults) {
    TRIDIAGONAL_OF(tridiagonal_joined) rows[tridiagonal_equations];
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_columns; ++k) rows[e][k] = rows[2 + e][k] = 0;
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) {
            const i32 is_right = k == tridiagonal_right;
            rows[e][k + (is_right ? tridiagonal_between : 0)] = upper[e][k];
            rows[2 + e][k + tridiagonal_between] = lower[e][k];
        }
    }
    TRIDIAGONAL_OF(tridiagonal_eliminate_column)
    (rows, 0, tridiagonal_equations, tridiagonal_between, faults);
    // The first pivot may have left little of an equation, whose coefficients must not look small.
    T_UNROLL for (i32 e = 1; e < tridiagonal_equations; ++e)
        TRIDIAGONAL_OF(tridiagonal_scale_equation)(rows[e], tridiagonal_columns - 1);
    TRIDIAGONAL_OF(tridiagonal_eliminate_column)
    (rows, 1, tridiagonal_equations, tridiagonal_between + 1, faults);
    const TRIDIAGONAL_VALUE factor = rows[0][tridiagonal_between + 1];
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) {
            const i32 column = k < tridiagonal_last ? k : k + tridiagonal_between;
            const TRIDIAGONAL_VALUE sign = k == tridiagonal_right ? 1 : -1;
            const TRIDIAGONAL_VALUE second = rows[1][column];
            pair[e][k] = sign * (e == 1 ? second : rows[0][column] - factor * second);
            block[e][k] = rows[2 + e][column];
        }
        TRIDIAGONAL_OF(tridiagonal_scale_equation)(block[e], tridiagonal_right);
    }
}

// Joins the blocks of slots i and j: i gets the block of both, j the pair between them in terms of
// the others.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_join_blocks)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                        const i32 i, const i32 j, i32* faults) {
    TRIDIAGONAL_OF(tridiagonal_block_terms) upper[2], lower[2], block[2], pair[2];
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) {
            const i32 at = (e * tridiagonal_terms + k) * tridiagonal_group;
            upper[e][k] = tree[at + i];
            lower[e][k] = tree[at + j];
        }
    }
    TRIDIAGONAL_OF(tridiagonal_join_equations)(upper, lower, block, pair, faults);
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) {
            const i32 at = (e * tridiagonal_terms + k) * tridiagonal_group;
            tree[at + i] = block[e][k];
            tree[at + j] = pair[e][k];
        }
    }
}

// The item's part of a step up: slots that are multiples of 2 step join those `step` behind them.
// Neighboring slots of a line are `pitch` items apart.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_step_up)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                    const i32 item, const i32 slot, const i32 slots,
                                                    const i32 step, const i32 pitch, i32* faults) {
    if (slot % (2 * step) == 0 && slot + step < slots)
        TRIDIAGONAL_OF(tridiagonal_join_blocks)(tree, item, item + step * pitch, faults);
}

// The pair before the block of a slot in its line, or behind the last one.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_pair_index)(const i32 line, const i32 slot,
                                                      const i32 slots) {
    return line * (slots + 1) + slot;
}

// The item's part of a step down: the pair that was eliminated by the step up.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_step_down)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                      const i32 item, const i32 line,
                                                      const i32 slot, const i32 slots,
                                                      const i32 step) {
    if (slot % (2 * step) != step) return;
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) one = tree + tridiagonal_tree;
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) two = one + tridiagonal_pairs;
    const i32 from = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, slot - step, slots);
    const i32 to = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, T_MIN(slot + step, slots), slots);
    const i32 at = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, slot, slots);
    const i32 pitch = tridiagonal_group;
    TRIDIAGONAL_VALUE pair[2];
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_LOCAL_PTR(const TRIDIAGONAL_VALUE) terms = tree + e * tridiagonal_terms * pitch + item;
        pair[e] = terms[tridiagonal_right * pitch] + terms[tridiagonal_before * pitch] * one[from] +
                  terms[tridiagonal_first * pitch] * two[from] +
                  terms[tridiagonal_last * pitch] * one[to] +
                  terms[tridiagonal_after * pitch] * two[to];
    }
    one[at] = pair[0];
    two[at] = pair[1];
}

// The first and the last unknown of a line from its block. x before the first row and behind the
// last one are 0, or those of the other end where the line is periodic.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_close_equations)(
    const TRIDIAGONAL_OF(tridiagonal_block_terms) * block, const i32 is_periodic,
    const i32 is_swapped, TRIDIAGONAL_VALUE* first, TRIDIAGONAL_VALUE* last, i32* faults) {
    TRIDIAGONAL_VALUE rows[2][3];  // coefficients of the first row's x, of the last one's; value
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        const TRIDIAGONAL_VALUE at_last = block[e][tridiagonal_last];
        const TRIDIAGONAL_VALUE after = block[e][tridiagonal_after];
        rows[e][0] = block[e][tridiagonal_first];
        rows[e][1] = is_swapped ? after : at_last;
        if (is_periodic) {
            rows[e][0] += is_swapped ? at_last : after;
            rows[e][1] += block[e][tridiagonal_before];
        }
        rows[e][2] = block[e][tridiagonal_right];
    }
    const i32 swaps = T_ABS(rows[1][0]) > T_ABS(rows[0][0]);
    T_UNROLL for (i32 k = 0; k < 3; ++k) {
        const TRIDIAGONAL_VALUE upper = rows[0][k], lower = rows[1][k];
        rows[0][k] = swaps ? lower : upper;
        rows[1][k] = swaps ? upper : lower;
    }
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(rows[0][0], faults);
    const TRIDIAGONAL_VALUE factor = rows[1][0] * inverse;
    *last = (rows[1][2] - factor * rows[0][2]) *
            TRIDIAGONAL_OF(tridiagonal_inverse)(rows[1][1] - factor * rows[0][1], faults);
    *first = (rows[0][2] - rows[0][1] * *last) * inverse;
}

// The pairs at both ends of a line whose block is that of an item.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_close_line)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                       const i32 item, const i32 line,
                                                       const i32 slots, const i32 is_periodic,
                                                       const i32 is_swapped, i32* faults) {
    TRIDIAGONAL_OF(tridiagonal_block_terms) block[2];
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) block[e][k] =
            tree[(e * tridiagonal_terms + k) * tridiagonal_group + item];
    }
    TRIDIAGONAL_VALUE first, last;
    TRIDIAGONAL_OF(tridiagonal_close_equations)
    (block, is_periodic, is_swapped, &first, &last, faults);
    const TRIDIAGONAL_VALUE before = is_periodic ? last : (TRIDIAGONAL_VALUE)0;
    const TRIDIAGONAL_VALUE after = is_periodic ? first : (TRIDIAGONAL_VALUE)0;
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) one = tree + tridiagonal_tree;
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) two = one + tridiagonal_pairs;
    const i32 from = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, 0, slots);
    const i32 to = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, slots, slots);
    one[from] = before;
    two[from] = first;
    one[to] = is_swapped ? after : last;
    two[to] = is_swapped ? last : after;
}

// The pairs at both ends of a line, known from `states`.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_state)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                       T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) states,
                                                       const i64 at, const i32 line,
                                                       const i32 slots) {
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) one = tree + tridiagonal_tree;
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) two = one + tridiagonal_pairs;
    const i32 from = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, 0, slots);
    const i32 to = TRIDIAGONAL_OF(tridiagonal_pair_index)(line, slots, slots);
    one[from] = states[at * tridiagonal_state];
    two[from] = states[at * tridiagonal_state + 1];
    one[to] = states[at * tridiagonal_state + 2];
    two[to] = states[at * tridiagonal_state + 3];
}

T_FUNCTION tridiagonal_chain_item TRIDIAGONAL_OF(tridiagonal_chain_place)(
    const i32 item, const i64 group, const i64 lines, const tridiagonal_chain chain) {
    tridiagonal_chain_item place;
    place.line = item / chain.slots;
    place.slot = item % chain.slots;
    const i64 line = lines * chain.lines_per_group + place.line;
    const i64 first = group * chain.slots;
    place.slots = (i32)T_MIN(chain.blocks - first, (i64)chain.slots);
    place.is_used =
        place.line < chain.lines_per_group && line < chain.lines && place.slot < place.slots;
    place.at = line * chain.blocks + first + place.slot;
    return place;
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_block)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) tree,
                                                       T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) blocks,
                                                       const i32 item,
                                                       const tridiagonal_chain_item place) {
    if (!place.is_used) return;
    T_UNROLL for (i32 k = 0; k < tridiagonal_block; ++k) tree[k * tridiagonal_group + item] =
        blocks[place.at * tridiagonal_block + k];
}

// Joins all blocks that a group has of a line. Phases:
//   1. read the blocks;
//   2. join them, step by step;
//   3. write what they have become.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_blocks_reduce), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) blocks, T_OUT(TRIDIAGONAL_VALUE) joined, T_OUT(u32) status,
                const tridiagonal_chain chain)) {
    T_LOCAL(TRIDIAGONAL_VALUE, tree, tridiagonal_tree_values);
    T_ITEM(tridiagonal_chain_item, place);
    T_ITEM(i32, faults);
    // Phase 1.
    T_PHASE {
        T_MY(faults) = 0;
        T_MY(place) = TRIDIAGONAL_OF(tridiagonal_chain_place)(T_LI, T_GX, T_GY, chain);
        TRIDIAGONAL_OF(tridiagonal_read_block)(tree, blocks, T_LI, T_MY(place));
    }
    // Phase 2.
    for (i32 step = 1; step < chain.slots; step *= 2) {
        T_PHASE {
            if (T_MY(place).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_up)
                (tree, T_LI, T_MY(place).slot, T_MY(place).slots, step, 1, &T_MY(faults));
            }
        }
    }
    // Phase 3.
    T_PHASE {
        if (T_MY(place).is_used && T_MY(place).slot == 0) {
            const i64 line = (i64)T_GY * chain.lines_per_group + T_MY(place).line;
            const i64 at = line * T_GROUPS_X + T_GX;
            T_UNROLL for (i32 k = 0; k < tridiagonal_block; ++k)
                joined[at * tridiagonal_block + k] = tree[k * tridiagonal_group + T_LI];
        }
        if (T_MY(faults) > 0) T_ATOMIC_ADD(status, (u32)T_MY(faults));
    }
}

// Finds the pairs on both sides of each block. `outer` has those on both sides of what each group
// has of a line, where that is not the whole line. Phases:
//   1. read the blocks;
//   2. join them, step by step;
//   3. find or read the pairs at both ends;
//   4. find those between, in the reverse order;
//   5. write them.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_blocks_solve), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) blocks, T_IN(TRIDIAGONAL_VALUE) outer,
                T_OUT(TRIDIAGONAL_VALUE) states, T_OUT(u32) status,
                const tridiagonal_chain chain)) {
    T_LOCAL(TRIDIAGONAL_VALUE, tree, tridiagonal_tree_values);
    T_ITEM(tridiagonal_chain_item, place);
    T_ITEM(i32, faults);
    // Phase 1.
    T_PHASE {
        T_MY(faults) = 0;
        T_MY(place) = TRIDIAGONAL_OF(tridiagonal_chain_place)(T_LI, T_GX, T_GY, chain);
        TRIDIAGONAL_OF(tridiagonal_read_block)(tree, blocks, T_LI, T_MY(place));
    }
    // Phase 2.
    i32 steps = 1;
    for (i32 step = 1; step < chain.slots; step *= 2) {
        T_PHASE {
            if (T_MY(place).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_up)
                (tree, T_LI, T_MY(place).slot, T_MY(place).slots, step, 1, &T_MY(faults));
            }
        }
        steps = step;
    }
    // Phase 3.
    T_PHASE {
        if (T_MY(place).is_used && T_MY(place).slot == 0) {
            const i64 line = (i64)T_GY * chain.lines_per_group + T_MY(place).line;
            if (chain.is_whole) {
                TRIDIAGONAL_OF(tridiagonal_close_line)
                (tree, T_LI, T_MY(place).line, T_MY(place).slots, chain.is_periodic,
                 chain.is_swapped, &T_MY(faults));
            } else {
                TRIDIAGONAL_OF(tridiagonal_read_state)
                (tree, outer, line * T_GROUPS_X + T_GX, T_MY(place).line, T_MY(place).slots);
            }
        }
        if (T_MY(faults) > 0) T_ATOMIC_ADD(status, (u32)T_MY(faults));
    }
    // Phase 4.
    for (i32 step = steps; step > 0; step /= 2) {
        T_PHASE {
            if (T_MY(place).is_used) {
                TRIDIAGONAL_OF(tridiagonal_step_down)
                (tree, T_LI, T_MY(place).line, T_MY(place).slot, T_MY(place).slots, step);
            }
        }
    }
    // Phase 5.
    T_PHASE {
        if (T_MY(place).is_used) {
            T_LOCAL_PTR(const TRIDIAGONAL_VALUE) one = tree + tridiagonal_tree;
            T_LOCAL_PTR(const TRIDIAGONAL_VALUE) two = one + tridiagonal_pairs;
            const i32 pair = TRIDIAGONAL_OF(tridiagonal_pair_index)(
                T_MY(place).line, T_MY(place).slot, T_MY(place).slots);
            T_GLOBAL_PTR(TRIDIAGONAL_VALUE)
            state = states + T_MY(place).at * tridiagonal_state;
            state[0] = one[pair];
            state[1] = two[pair];
            state[2] = one[pair + 1];
            state[3] = two[pair + 1];
        }
    }
}
