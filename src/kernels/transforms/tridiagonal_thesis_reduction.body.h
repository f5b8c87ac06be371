// Cyclic reduction, in place and reordered, and parallel cyclic reduction, a launch for each level
// (Lamas Rodriguez 2014, sections 2.5.3 and 2.5.4).

// ---- In place ----------------------------------------------------------------------------------

// Equations of number 2h, 4h, ... lose the unknowns h before and behind them.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_reduce),
         (T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, const i64 rows, const i64 h)) {
    T_INDEX1(k);
    const i64 i = 2 * h * ((i64)k + 1) - 1;
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) right =
        i + h < rows ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i + h)
                     : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) reduced = TRIDIAGONAL_OF(
        tridiagonal_thesis_reduced)(TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i - h),
                                    TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i), right);
    TRIDIAGONAL_OF(tridiagonal_thesis_write)(a, b, c, d, i, reduced);
}

// Unknowns of number h, 3h, 5h, ... from those h before and behind them (eq. 2.11).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_substitute),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) x, const i64 rows, const i64 h)) {
    T_INDEX1(k);
    const i64 i = h * (2 * (i64)k + 1) - 1;
    TRIDIAGONAL_VALUE value = d[i];
    if (i >= h) value -= a[i] * x[i - h];
    if (i + h < rows) value -= c[i] * x[i + h];
    x[i] = value / b[i];
}

// ---- Reordered: equations of a level lie one beside the other ----------------------------------

// The first level. `place` is where each equation is when its unknown is computed.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_reorder),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) new_a, T_OUT(TRIDIAGONAL_VALUE) new_b,
          T_OUT(TRIDIAGONAL_VALUE) new_c, T_OUT(TRIDIAGONAL_VALUE) new_d, T_OUT(i32) place,
          const i64 odd)) {
    T_INDEX1(i);
    const i64 at = (i & 1) == 0 ? i / 2 : odd + i / 2;
    if ((i & 1) == 0) place[i] = (i32)at;
    TRIDIAGONAL_OF(tridiagonal_thesis_write)
    (new_a, new_b, new_c, new_d, at, TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i));
}

T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_reduce_reordered),
         (T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_OUT(i32) place, const tridiagonal_thesis_segment segment)) {
    T_INDEX1(q);
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) right =
        q + 1 < segment.odd
            ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, segment.from + q + 1)
            : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) reduced = TRIDIAGONAL_OF(
        tridiagonal_thesis_reduced)(
        TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, segment.from + q),
        TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, segment.from + segment.odd + q), right);
    const i64 at = segment.to + ((q & 1) == 0 ? 0 : segment.next_odd) + q / 2;
    if ((q & 1) == 0) place[segment.scale * (q + 1) - 1] = (i32)at;
    TRIDIAGONAL_OF(tridiagonal_thesis_write)(a, b, c, d, at, reduced);
}

// d becomes x.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_substitute_reordered),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_IN(i32) place, const i64 from, const i64 rows,
          const i64 h)) {
    T_INDEX1(q);
    const i64 i = h * (2 * (i64)q + 1) - 1, at = from + q;
    TRIDIAGONAL_VALUE value = d[at];
    if (i >= h) value -= a[at] * d[place[i - h]];
    if (i + h < rows) value -= c[at] * d[place[i + h]];
    d[at] = value / b[at];
}

T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_restore),
         (T_IN(TRIDIAGONAL_VALUE) d, T_IN(i32) place, T_OUT(TRIDIAGONAL_VALUE) x)) {
    T_INDEX1(i);
    x[i] = d[place[i]];
}

// ---- Parallel ----------------------------------------------------------------------------------

// Every equation loses the unknowns h before and behind it.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_reduce_all),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) new_a, T_OUT(TRIDIAGONAL_VALUE) new_b,
          T_OUT(TRIDIAGONAL_VALUE) new_c, T_OUT(TRIDIAGONAL_VALUE) new_d, const i64 rows,
          const i64 h)) {
    T_INDEX1(i);
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) left =
        i >= h ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i - h)
               : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) right =
        i + h < rows ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i + h)
                     : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    TRIDIAGONAL_OF(tridiagonal_thesis_write)
    (new_a, new_b, new_c, new_d, i,
     TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(
         left, TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i), right));
}
