// Rows under elimination with scaled partial pivoting: part of tridiagonal_pivoted.kernel.h and
// tridiagonal_pivoted_f64.kernel.h.
//
// A part of rows 0 to n - 1 has the unknowns x[-1] to x[n], two of which it shares with the part on
// either side. Elimination of x[1] to x[n-2] leaves two equations of the other four, its block. As
// in C. Klein, R. Strzodka, "Tridiagonal GPU solver with scaled partial pivoting at maximum
// bandwidth", ICPP 2021, rows are scaled by powers of two, pivots recomputed when the unknowns are
// substituted, and blocks solved in the same way. Other than there the two equations are eliminated
// together, and the pivot is the largest of three: a part whose inner rows alone are singular, as
// of matrices with zero diagonals, has no two equations that reach only one neighbor each.

// The power of two that scales a row whose largest coefficient is `largest` to [1, 2). Unit in the
// first place: S. M. Rump, "Ultimately fast accurate summation", SIAM J. Sci. Comput. 31(5), 2009.
T_FUNCTION TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_power)(const TRIDIAGONAL_VALUE largest) {
    const TRIDIAGONAL_VALUE bounded = T_CLAMP(largest, (TRIDIAGONAL_VALUE)TRIDIAGONAL_LOWEST,
                                              (TRIDIAGONAL_VALUE)TRIDIAGONAL_HIGHEST);
    const TRIDIAGONAL_VALUE q = (TRIDIAGONAL_VALUE)TRIDIAGONAL_UNITS * bounded;
    return (TRIDIAGONAL_VALUE)1 / (q - (TRIDIAGONAL_VALUE)TRIDIAGONAL_BELOW_1 * q);
}

// here x[j] + next x[j+1] + after x[j+2] = value, where x[j] is the next unknown to be eliminated.
typedef struct {
    TRIDIAGONAL_VALUE here, next, after, value;
} TRIDIAGONAL_OF(tridiagonal_equation);

// A row; `faults` counts those that are 0 or not finite.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_scaled_row)(const TRIDIAGONAL_VALUE a, const TRIDIAGONAL_VALUE b,
                                           const TRIDIAGONAL_VALUE c, const TRIDIAGONAL_VALUE d,
                                           i32* faults) {
    const TRIDIAGONAL_VALUE outer = T_MAX(T_ABS(a), T_ABS(c));
    const TRIDIAGONAL_VALUE largest = T_MAX(T_ABS(b), outer);
    // Of numbers that are infinite or NaN the difference from themselves is not 0.
    const TRIDIAGONAL_VALUE nothing = (a - a) + (b - b) + (c - c) + (d - d);
    *faults += 1 - ((nothing == (TRIDIAGONAL_VALUE)0) & (largest > (TRIDIAGONAL_VALUE)0));
    const TRIDIAGONAL_VALUE power = TRIDIAGONAL_OF(tridiagonal_power)(largest);
    TRIDIAGONAL_OF(tridiagonal_equation) row;
    row.here = a * power;
    row.next = b * power;
    row.after = c * power;
    row.value = d * power;
    return row;
}

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_choose)(const i32 condition,
                                       const TRIDIAGONAL_OF(tridiagonal_equation) yes,
                                       const TRIDIAGONAL_OF(tridiagonal_equation) no) {
    TRIDIAGONAL_OF(tridiagonal_equation) chosen;
    chosen.here = condition ? yes.here : no.here;
    chosen.next = condition ? yes.next : no.next;
    chosen.after = condition ? yes.after : no.after;
    chosen.value = condition ? yes.value : no.value;
    return chosen;
}

// A row as the equation that elimination begins with: without its first unknown, or its first two.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_moved)(const TRIDIAGONAL_OF(tridiagonal_equation) row,
                                      const i32 is_first) {
    TRIDIAGONAL_OF(tridiagonal_equation) moved;
    moved.here = is_first ? row.after : row.next;
    moved.next = is_first ? (TRIDIAGONAL_VALUE)0 : row.after;
    moved.after = 0;
    moved.value = row.value;
    return moved;
}

// What is left of an equation without x[j]: its unknowns move up by one.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_equation)
    TRIDIAGONAL_OF(tridiagonal_without)(const TRIDIAGONAL_OF(tridiagonal_equation) equation,
                                        const TRIDIAGONAL_VALUE factor,
                                        const TRIDIAGONAL_OF(tridiagonal_equation) pivot) {
    TRIDIAGONAL_OF(tridiagonal_equation) left;
    left.here = equation.next - factor * pivot.next;
    left.next = equation.after - factor * pivot.after;
    left.after = 0;
    left.value = equation.value - factor * pivot.value;
    return left;
}

// One step: which of the three equations was the pivot, and what others were eliminated by.
typedef struct {
    TRIDIAGONAL_OF(tridiagonal_equation) pivot;  // divided by its `here`
    TRIDIAGONAL_VALUE factor_one, factor_two;
    TRIDIAGONAL_VALUE inverse;  // of what the pivot was divided by
    i32 takes_one;              // before `two`
    i32 takes_row;              // before the larger of the two
} TRIDIAGONAL_OF(tridiagonal_pivot_step);

// Eliminates x[j] from the two equations under way and the next row.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_pivot_step)
    TRIDIAGONAL_OF(tridiagonal_eliminate_pivoted)(TRIDIAGONAL_OF(tridiagonal_equation) * one,
                                                  TRIDIAGONAL_OF(tridiagonal_equation) * two,
                                                  const TRIDIAGONAL_OF(tridiagonal_equation) row,
                                                  i32* faults) {
    TRIDIAGONAL_OF(tridiagonal_pivot_step) step;
    step.takes_one = T_ABS(one->here) > T_ABS(two->here);
    const TRIDIAGONAL_OF(tridiagonal_equation) smaller =
        TRIDIAGONAL_OF(tridiagonal_choose)(step.takes_one, *two, *one);
    const TRIDIAGONAL_OF(tridiagonal_equation) larger =
        TRIDIAGONAL_OF(tridiagonal_choose)(step.takes_one, *one, *two);
    step.takes_row = T_ABS(row.here) > T_ABS(larger.here);
    const TRIDIAGONAL_OF(tridiagonal_equation) pivot =
        TRIDIAGONAL_OF(tridiagonal_choose)(step.takes_row, row, larger);
    const TRIDIAGONAL_OF(tridiagonal_equation) other =
        TRIDIAGONAL_OF(tridiagonal_choose)(step.takes_row, larger, row);
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(pivot.here, faults);
    step.inverse = inverse;
    step.factor_one = smaller.here * inverse;
    step.factor_two = other.here * inverse;
    *one = TRIDIAGONAL_OF(tridiagonal_without)(smaller, step.factor_one, pivot);
    *two = TRIDIAGONAL_OF(tridiagonal_without)(other, step.factor_two, pivot);
    step.pivot.here = 1;
    step.pivot.next = pivot.next * inverse;
    step.pivot.after = pivot.after * inverse;
    step.pivot.value = pivot.value * inverse;
    return step;
}

// The same for the coefficients of x[-1] or x[0], which no row has that is still to come.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate_border)(
    TRIDIAGONAL_VALUE* one, TRIDIAGONAL_VALUE* two,
    const TRIDIAGONAL_OF(tridiagonal_pivot_step) step) {
    const TRIDIAGONAL_VALUE smaller = step.takes_one ? *two : *one;
    const TRIDIAGONAL_VALUE larger = step.takes_one ? *one : *two;
    const TRIDIAGONAL_VALUE pivot = step.takes_row ? (TRIDIAGONAL_VALUE)0 : larger;
    const TRIDIAGONAL_VALUE other = step.takes_row ? larger : (TRIDIAGONAL_VALUE)0;
    *one = smaller - step.factor_one * pivot;
    *two = other - step.factor_two * pivot;
}

// Sets `found` to 1 where |b| >= |a| + |c| does not hold in a row, as where one of them is NaN.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_find_weak_rows),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(u32) found, const i64 rows, const i64 stride, const i64 stride_i,
          const i64 stride_j, const i32 is_periodic)) {
    T_INDEX3(row, i, j);
    const i64 at = row * stride + i * stride_i + j * stride_j;
    const TRIDIAGONAL_VALUE lower = row > 0 || is_periodic ? a[at] : (TRIDIAGONAL_VALUE)0;
    const TRIDIAGONAL_VALUE upper = row + 1 < rows || is_periodic ? c[at] : (TRIDIAGONAL_VALUE)0;
    const i32 is_dominant = T_ABS(b[at]) >= T_ABS(lower) + T_ABS(upper);
    if (!is_dominant) T_STORE(u32, found, 1u);
}
