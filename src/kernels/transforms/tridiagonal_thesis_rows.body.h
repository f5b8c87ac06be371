// Equations a x[i - h] + b x[i] + c x[i + h] = d, and what all ways do with them.

typedef struct {
    TRIDIAGONAL_VALUE a, b, c, d;
} TRIDIAGONAL_OF(tridiagonal_thesis_row);

// Stands for an equation beyond the ends: 0 = 0 for an unknown that is 0.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_thesis_row) TRIDIAGONAL_OF(tridiagonal_thesis_nothing)(void) {
    TRIDIAGONAL_OF(tridiagonal_thesis_row) row;
    row.a = row.c = row.d = 0;
    row.b = 1;
    return row;
}

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_thesis_row)
    TRIDIAGONAL_OF(tridiagonal_thesis_read)(T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
                                            T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b,
                                            T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
                                            T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const i64 i) {
    TRIDIAGONAL_OF(tridiagonal_thesis_row) row;
    row.a = a[i];
    row.b = b[i];
    row.c = c[i];
    row.d = d[i];
    return row;
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_thesis_write)(
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) a, T_GLOBAL_PTR(TRIDIAGONAL_VALUE) b,
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) c, T_GLOBAL_PTR(TRIDIAGONAL_VALUE) d, const i64 i,
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) row) {
    a[i] = row.a;
    b[i] = row.b;
    c[i] = row.c;
    d[i] = row.d;
}

// The same in the memory of a group: `count` values of a, then of b, c and d.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_thesis_row)
    TRIDIAGONAL_OF(tridiagonal_thesis_take)(T_LOCAL_PTR(const TRIDIAGONAL_VALUE) rows,
                                            const i32 count, const i32 i) {
    TRIDIAGONAL_OF(tridiagonal_thesis_row) row;
    row.a = rows[i];
    row.b = rows[count + i];
    row.c = rows[2 * count + i];
    row.d = rows[3 * count + i];
    return row;
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_thesis_put)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) rows,
                                                       const i32 count, const i32 i,
                                                       const TRIDIAGONAL_OF(tridiagonal_thesis_row)
                                                           row) {
    rows[i] = row.a;
    rows[count + i] = row.b;
    rows[2 * count + i] = row.c;
    rows[3 * count + i] = row.d;
}

// The equation without the unknowns of its two neighbors (eq. 2.10).
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_thesis_row)
    TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(const TRIDIAGONAL_OF(tridiagonal_thesis_row) left,
                                               const TRIDIAGONAL_OF(tridiagonal_thesis_row) row,
                                               const TRIDIAGONAL_OF(tridiagonal_thesis_row) right) {
    const TRIDIAGONAL_VALUE alpha = -row.a / left.b, beta = -row.c / right.b;
    TRIDIAGONAL_OF(tridiagonal_thesis_row) reduced;
    reduced.a = alpha * left.a;
    reduced.c = beta * right.c;
    reduced.b = row.b + alpha * left.c + beta * right.a;
    reduced.d = row.d + alpha * left.d + beta * right.d;
    return reduced;
}

// x = d / b: the end of parallel reduction and of partitions.
T_SIMD_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_divide),
              (T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) x)) {
    T_INDEX1(i);
    x[i] = d[i] / b[i];
}
