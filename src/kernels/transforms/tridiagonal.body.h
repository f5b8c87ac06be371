// Tridiagonal systems: part of tridiagonal.kernel.h and tridiagonal_f64.kernel.h, which set
// TRIDIAGONAL_VALUE, and TRIDIAGONAL_OF(name), a name that tells the type.
//
// A part's last unknown separates it from the next part. Elimination leaves of the other rows
//     left[r] x_before + x[r] + right[r] x[r+1] = value[r],
// where x_before separates the part from the one before. From these follow the first unknown,
//     x_first = value - left x_before - right x_last,
// and a row of x_before, x_last and the first unknown of the next part: seven numbers, of which the
// separators of all parts become a smaller tridiagonal system.

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
