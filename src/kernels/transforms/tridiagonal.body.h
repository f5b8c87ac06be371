// Tridiagonal systems: part of tridiagonal.kernel.h and tridiagonal_f64.kernel.h, which set
// TRIDIAGONAL_VALUE, and TRIDIAGONAL_OF(name), which appends the type to a name.
//
// The partition method: H. H. Wang, "A parallel method for tridiagonal equations", ACM Trans. Math.
// Softw. 7(2), 1981. A part's last unknown, its separator, divides it from the next part.
// Elimination turns the other rows into
//     left[r] x_before + x[r] + right[r] x[r+1] = value[r],
// where x_before is the separator of the part before. They give an equation of the first unknown,
//     x_first = value - left x_before - right x_last,
// and a row of x_before, x_last and the first unknown of the next part: seven numbers a part. From
// them follows the interface system, a smaller tridiagonal system of all separators.

// The interface system of the reduced parts: their seven numbers lie in arrays of `count`.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_interface_system),
         (T_IN(TRIDIAGONAL_VALUE) reduced_parts, T_OUT(TRIDIAGONAL_VALUE) a,
          T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c, T_OUT(TRIDIAGONAL_VALUE) d,
          const i64 count, const i32 parts)) {
    T_INDEX2(part, line);
    const i64 at = (i64)line * parts + part;
    const TRIDIAGONAL_VALUE upper =
        part + 1 < parts ? reduced_parts[tridiagonal_last_c * count + at] : (TRIDIAGONAL_VALUE)0;
    const i64 next = part + 1 < parts ? at + 1 : at;
    a[at] = part > 0 ? reduced_parts[tridiagonal_last_a * count + at] : (TRIDIAGONAL_VALUE)0;
    b[at] = reduced_parts[tridiagonal_last_b * count + at] -
            upper * reduced_parts[tridiagonal_first_left * count + next];
    c[at] = -(upper * reduced_parts[tridiagonal_first_right * count + next]);
    d[at] = reduced_parts[tridiagonal_last_d * count + at] -
            upper * reduced_parts[tridiagonal_first_value * count + next];
}
