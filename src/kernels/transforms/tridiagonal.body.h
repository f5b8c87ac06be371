// Tridiagonal systems: part of tridiagonal.kernel.h and tridiagonal_f64.kernel.h, which set
// TRIDIAGONAL_VALUE, and TRIDIAGONAL_OF(name), a name that tells the type.
//
// A part's last unknown separates it from the next part. Elimination leaves of the other rows
//     left[r] x_before + x[r] + right[r] x[r+1] = value[r],
// where x_before separates the part from the one before. From these follow the first unknown,
//     x_first = value - left x_before - right x_last,
// and a row of x_before, x_last and the first unknown of the next part: seven numbers, of which the
// separators of all parts become a smaller tridiagonal system.

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

// The rows of the separators from what is left of each part: planes of `ends` with x_first's left,
// right and value, and the last row's a, b, c and d.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_join),
         (T_IN(TRIDIAGONAL_VALUE) ends, T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b,
          T_OUT(TRIDIAGONAL_VALUE) c, T_OUT(TRIDIAGONAL_VALUE) d, const i64 count,
          const i32 parts)) {
    T_INDEX2(part, line);
    const i64 at = (i64)line * parts + part;
    const TRIDIAGONAL_VALUE upper = part + 1 < parts ? ends[5 * count + at] : (TRIDIAGONAL_VALUE)0;
    const i64 next = part + 1 < parts ? at + 1 : at;
    a[at] = part > 0 ? ends[3 * count + at] : (TRIDIAGONAL_VALUE)0;
    b[at] = ends[4 * count + at] - upper * ends[next];
    c[at] = -(upper * ends[count + next]);
    d[at] = ends[6 * count + at] - upper * ends[2 * count + next];
}
