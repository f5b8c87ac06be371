// One tridiagonal matrix and many right-hand sides: part of tridiagonal_pivoted.kernel.h and
// tridiagonal_pivoted_f64.kernel.h.
//
// What tridiagonal_pivot.body.h and tridiagonal_blocks.body.h do to right-hand sides is linear, and
// depends on nothing but the matrix. So it is found once, and kept:
//     rows     -> blocks    each chunk of rows becomes a block     tridiagonal_factor_rows
//     blocks   -> blocks    `tridiagonal_children` become one      tridiagonal_factor_blocks
//     ...                   until one is left, which is closed     tridiagonal_factor_line
// Right-hand sides go the same way up, and the unknowns of the pairs down again. Those of a block,
// side by side, are values[(block * 2 + equation) * sides + side]; on the way down the same
// place has the pair before the block.

// A row of the matrix, scaled, by a power that is kept. Rows beyond the line are wires, which hand
// on what stands two rows before.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_row_of_matrix)(T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
                                              T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b,
                                              T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
                                              T_GLOBAL_PTR(TRIDIAGONAL_VALUE) kept, const i64 at,
                                              const i64 rows, const i32 is_periodic, i32* faults) {
    const i32 is_there = at < rows;
    const i32 has_before = is_there && (at > 0 || is_periodic);
    const i32 has_after = is_there && (at + 1 < rows || is_periodic);
    const TRIDIAGONAL_VALUE wire = (TRIDIAGONAL_VALUE)(1 - is_there);
    const TRIDIAGONAL_VALUE lower = has_before ? a[at] : wire,
                            middle = is_there ? b[at] : (TRIDIAGONAL_VALUE)0,
                            upper = has_after ? c[at] : -wire;
    kept[tridiagonal_factor_power] =
        TRIDIAGONAL_OF(tridiagonal_power)(T_MAX(T_ABS(middle), T_MAX(T_ABS(lower), T_ABS(upper))));
    return TRIDIAGONAL_OF(tridiagonal_scaled_row)(lower, middle, upper, 0, faults);
}

// Factors the rows of each chunk, and gives its block.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_factor_rows),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) factors, T_OUT(TRIDIAGONAL_VALUE) blocks, T_OUT(u32) status,
          const i64 rows, const i32 chunk, const i32 is_periodic)) {
    T_INDEX1(block);
    const i64 first = (i64)block * chunk;
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) kept = factors + first * tridiagonal_factors;
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) second = kept + tridiagonal_factors;
    i32 faults = 0;
    const TRIDIAGONAL_OF(tridiagonal_equation) upper =
        TRIDIAGONAL_OF(tridiagonal_row_of_matrix)(a, b, c, kept, first, rows, is_periodic, &faults);
    const TRIDIAGONAL_OF(tridiagonal_equation) lower = TRIDIAGONAL_OF(tridiagonal_row_of_matrix)(
        a, b, c, second, first + 1, rows, is_periodic, &faults);
    TRIDIAGONAL_OF(tridiagonal_equation) one = TRIDIAGONAL_OF(tridiagonal_moved)(upper, 1);
    TRIDIAGONAL_OF(tridiagonal_equation) two = TRIDIAGONAL_OF(tridiagonal_moved)(lower, 0);
    TRIDIAGONAL_OF(tridiagonal_block_terms) terms[2];
    terms[0][tridiagonal_before] = kept[tridiagonal_start_before] = upper.here;
    terms[0][tridiagonal_first] = kept[tridiagonal_start_first] = upper.next;
    terms[1][tridiagonal_before] = second[tridiagonal_start_before] = 0;
    terms[1][tridiagonal_first] = second[tridiagonal_start_first] = lower.here;
    for (i32 r = 2; r < chunk; ++r) {
        T_GLOBAL_PTR(TRIDIAGONAL_VALUE) of_row = kept + r * tridiagonal_factors;
        const TRIDIAGONAL_OF(tridiagonal_equation) row = TRIDIAGONAL_OF(tridiagonal_row_of_matrix)(
            a, b, c, of_row, first + r, rows, is_periodic, &faults);
        const TRIDIAGONAL_OF(tridiagonal_pivot_step) step =
            TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(&one, &two, row, &faults);
        TRIDIAGONAL_OF(tridiagonal_eliminate_border)
        (&terms[0][tridiagonal_before], &terms[1][tridiagonal_before], step);
        TRIDIAGONAL_OF(tridiagonal_eliminate_border)
        (&terms[0][tridiagonal_first], &terms[1][tridiagonal_first], step);
        of_row[tridiagonal_factor_one] = step.factor_one;
        of_row[tridiagonal_factor_two] = step.factor_two;
        of_row[tridiagonal_factor_inverse] = step.inverse;
        of_row[tridiagonal_factor_next] = step.pivot.next;
        of_row[tridiagonal_factor_after] = step.pivot.after;
        of_row[tridiagonal_factor_choice] =
            (TRIDIAGONAL_VALUE)(step.takes_one + 2 * step.takes_row);
    }
    for (i32 e = 0; e < 2; ++e) {
        terms[e][tridiagonal_last] = e ? two.here : one.here;
        terms[e][tridiagonal_after] = e ? two.next : one.next;
        // Of 1 the scaled right-hand side is the power of two itself.
        terms[e][tridiagonal_right] = 1;
        TRIDIAGONAL_OF(tridiagonal_scale_equation)(terms[e], tridiagonal_right);
        kept[e ? tridiagonal_start_scale_two : tridiagonal_start_scale_one] =
            terms[e][tridiagonal_right];
        for (i32 k = 0; k < tridiagonal_terms; ++k)
            blocks[(i64)block * tridiagonal_block + e * tridiagonal_terms + k] = terms[e][k];
    }
    if (faults > 0) T_ATOMIC_ADD(status, (u32)faults);
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_load_block)(
    TRIDIAGONAL_OF(tridiagonal_block_terms) * terms, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) block) {
    T_UNROLL for (i32 e = 0; e < 2; ++e) {
        T_UNROLL for (i32 k = 0; k < tridiagonal_terms; ++k) terms[e][k] =
            block[e * tridiagonal_terms + k];
    }
}

// Joins the blocks of each parent, one by one, and keeps how. What becomes of right-hand sides is
// seen by those that are 1 in one of the four equations.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_factor_blocks),
         (T_IN(TRIDIAGONAL_VALUE) blocks, T_OUT(TRIDIAGONAL_VALUE) joins,
          T_OUT(TRIDIAGONAL_VALUE) parents, T_OUT(u32) status, const i64 count)) {
    T_INDEX1(parent);
    const i64 first = (i64)parent * tridiagonal_children;
    const i64 behind = T_MIN(first + tridiagonal_children, count);
    TRIDIAGONAL_OF(tridiagonal_block_terms) upper[2], lower[2], block[2], pair[2];
    i32 faults = 0;
    TRIDIAGONAL_OF(tridiagonal_load_block)(upper, blocks + first * tridiagonal_block);
    for (i64 child = first + 1; child < behind; ++child) {
        T_GLOBAL_PTR(TRIDIAGONAL_VALUE) kept = joins + child * tridiagonal_join_values;
        TRIDIAGONAL_OF(tridiagonal_load_block)(lower, blocks + child * tridiagonal_block);
        for (i32 k = 0; k < tridiagonal_equations; ++k) {
            i32 found = 0;
            for (i32 e = 0; e < 2; ++e) {
                upper[e][tridiagonal_right] = (TRIDIAGONAL_VALUE)(k == e);
                lower[e][tridiagonal_right] = (TRIDIAGONAL_VALUE)(k == 2 + e);
            }
            TRIDIAGONAL_OF(tridiagonal_join_equations)(upper, lower, block, pair, &found);
            for (i32 e = 0; e < 2; ++e) {
                kept[e * tridiagonal_equations + k] = block[e][tridiagonal_right];
                kept[(2 + e) * tridiagonal_equations + k] = pair[e][tridiagonal_right];
            }
            if (k == 0) faults += found;
        }
        for (i32 e = 0; e < 2; ++e) {
            for (i32 k = 0; k < tridiagonal_right; ++k) {
                kept[tridiagonal_join_pair + e * tridiagonal_right + k] = pair[e][k];
                upper[e][k] = block[e][k];
            }
        }
    }
    for (i32 e = 0; e < 2; ++e) {
        for (i32 k = 0; k < tridiagonal_terms; ++k)
            parents[(i64)parent * tridiagonal_block + e * tridiagonal_terms + k] = upper[e][k];
    }
    if (faults > 0) T_ATOMIC_ADD(status, (u32)faults);
}

// The first and the last unknown of the line, by the right-hand sides of its block: ends[2 * k] and
// ends[2 * k + 1] where that of equation k is 1.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_factor_line),
         (T_IN(TRIDIAGONAL_VALUE) blocks, T_OUT(TRIDIAGONAL_VALUE) ends, T_OUT(u32) status,
          const i32 is_periodic, const i32 is_swapped)) {
    T_INDEX1(k);
    TRIDIAGONAL_OF(tridiagonal_block_terms) block[2];
    TRIDIAGONAL_OF(tridiagonal_load_block)(block, blocks);
    for (i32 e = 0; e < 2; ++e) block[e][tridiagonal_right] = (TRIDIAGONAL_VALUE)(k == e);
    TRIDIAGONAL_VALUE first, last;
    i32 faults = 0;
    TRIDIAGONAL_OF(tridiagonal_close_equations)
    (block, is_periodic, is_swapped, &first, &last, &faults);
    ends[2 * k] = first;
    ends[2 * k + 1] = last;
    if (faults > 0) T_ATOMIC_ADD(status, (u32)faults);
}

// Right-hand sides of the parents; those of the children become the pairs' before them.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_up),
         (T_IN(TRIDIAGONAL_VALUE) joins, T_OUT(TRIDIAGONAL_VALUE) children,
          T_OUT(TRIDIAGONAL_VALUE) parents, const i64 count, const i64 sides)) {
    T_INDEX2(side, parent);
    const i64 first = (i64)parent * tridiagonal_children;
    const i64 behind = T_MIN(first + tridiagonal_children, count);
    TRIDIAGONAL_VALUE given[tridiagonal_equations], found[tridiagonal_equations];
    given[0] = children[2 * first * sides + side];
    given[1] = children[(2 * first + 1) * sides + side];
    for (i64 child = first + 1; child < behind; ++child) {
        T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) map = joins + child * tridiagonal_join_values;
        T_GLOBAL_PTR(TRIDIAGONAL_VALUE) at = children + 2 * child * sides + side;
        given[2] = at[0];
        given[3] = at[sides];
        T_UNROLL for (i32 e = 0; e < tridiagonal_equations; ++e) {
            found[e] = map[4 * e] * given[0] + map[4 * e + 1] * given[1] +
                       map[4 * e + 2] * given[2] + map[4 * e + 3] * given[3];
        }
        given[0] = found[0];
        given[1] = found[1];
        at[0] = found[2];
        at[sides] = found[3];
    }
    parents[2 * (i64)parent * sides + side] = given[0];
    parents[(2 * (i64)parent + 1) * sides + side] = given[1];
}

// The pairs before and behind the last block, from its right-hand sides.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_close),
         (T_IN(TRIDIAGONAL_VALUE) ends, T_OUT(TRIDIAGONAL_VALUE) values, const i64 sides,
          const i32 is_periodic, const i32 is_swapped)) {
    T_INDEX1(side);
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) at = values + side;
    const TRIDIAGONAL_VALUE one = at[0], two = at[sides];
    const TRIDIAGONAL_VALUE first = ends[0] * one + ends[2] * two,
                            last = ends[1] * one + ends[3] * two;
    const TRIDIAGONAL_VALUE after = is_periodic ? first : (TRIDIAGONAL_VALUE)0;
    at[0] = is_periodic ? last : (TRIDIAGONAL_VALUE)0;
    at[sides] = first;
    at[2 * sides] = is_swapped ? after : last;
    at[3 * sides] = is_swapped ? last : after;
}

// The pairs before the children of each parent, and behind the last one of all.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_sides_down),
         (T_IN(TRIDIAGONAL_VALUE) joins, T_IN(TRIDIAGONAL_VALUE) parents,
          T_OUT(TRIDIAGONAL_VALUE) children, const i64 count, const i64 sides)) {
    T_INDEX2(side, parent);
    const i64 first = (i64)parent * tridiagonal_children;
    const i64 behind = T_MIN(first + tridiagonal_children, count);
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) outer = parents + 2 * (i64)parent * sides + side;
    TRIDIAGONAL_VALUE known[4];  // the pair before the parent, the one behind the child
    T_UNROLL for (i32 k = 0; k < 4; ++k) known[k] = outer[k * sides];
    if (behind == count) {
        children[2 * count * sides + side] = known[2];
        children[(2 * count + 1) * sides + side] = known[3];
    }
    for (i64 child = behind - 1; child > first; --child) {
        T_GLOBAL_PTR(const TRIDIAGONAL_VALUE)
        terms = joins + child * tridiagonal_join_values + tridiagonal_join_pair;
        T_GLOBAL_PTR(TRIDIAGONAL_VALUE) at = children + 2 * child * sides + side;
        TRIDIAGONAL_VALUE pair[2];
        T_UNROLL for (i32 e = 0; e < 2; ++e) {
            pair[e] = at[e * sides] + terms[4 * e] * known[0] + terms[4 * e + 1] * known[1] +
                      terms[4 * e + 2] * known[2] + terms[4 * e + 3] * known[3];
        }
        at[0] = known[2] = pair[0];
        at[sides] = known[3] = pair[1];
    }
    children[2 * first * sides + side] = known[0];
    children[(2 * first + 1) * sides + side] = known[1];
}
