// Systems in parts: divide and conquer after R. Bondeli (Lamas Rodriguez 2014, section 2.5.5), and
// partitions after H. H. Wang (section 2.5.6).

// ---- Bondeli -----------------------------------------------------------------------------------

// Solves parts by themselves: part g for its right-hand side, or, where `is_unit`, the part that
// the coupling g needs for 1 in its last equation (even g) or its first one (odd g). A group reads
// equations as they are and holds those of even number. Phases:
// 1. reduce the equations of even number;
// 2. reduce half of them, and so on;
// 3. compute the last unknown, then that of the middle, and so on;
// 4. write unknowns of even number, and those of odd number from them.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_solve_parts), 128, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) solutions, const i32 is_unit)) {
    T_LOCAL(TRIDIAGONAL_VALUE, rows, 4 * tridiagonal_thesis_half_block);
    T_LOCAL(TRIDIAGONAL_VALUE, known, tridiagonal_thesis_half_block + 1);
    const i64 part = is_unit != 0 ? ((i64)T_GX + 1) / 2 : (i64)T_GX;
    const i64 first = part * tridiagonal_thesis_block;
    const i64 target = (i64)T_GX * tridiagonal_thesis_block;
    const i32 one = is_unit == 0 ? -1 : (T_GX & 1) != 0 ? 0 : tridiagonal_thesis_block - 1;
    T_PHASE {
        TRIDIAGONAL_OF(tridiagonal_thesis_row) row[3];
        T_UNROLL for (i32 k = 0; k < 3; ++k) {
            const i32 i = 2 * T_LI + k;
            row[k] = TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
            if (i < tridiagonal_thesis_block) {
                row[k] = TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, first + i);
                if (is_unit != 0) row[k].d = i == one ? 1 : 0;
                if (i == 0) row[k].a = 0;
                if (i == tridiagonal_thesis_block - 1) row[k].c = 0;
            }
        }
        TRIDIAGONAL_OF(tridiagonal_thesis_put)
        (rows, tridiagonal_thesis_half_block, T_LI,
         TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(row[0], row[1], row[2]));
        if (T_LI == 0) known[0] = 0;
    }
    for (i32 h = 1; 2 * h <= tridiagonal_thesis_half_block; h <<= 1) {
        T_PHASE {
            const i32 i = 2 * h * (T_LI + 1) - 1;
            if (i < tridiagonal_thesis_half_block) {
                TRIDIAGONAL_OF(tridiagonal_thesis_row)
                right = TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
                if (i + h < tridiagonal_thesis_half_block)
                    right = TRIDIAGONAL_OF(tridiagonal_thesis_take)(
                        rows, tridiagonal_thesis_half_block, i + h);
                TRIDIAGONAL_OF(tridiagonal_thesis_put)
                (rows, tridiagonal_thesis_half_block, i,
                 TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(
                     TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_half_block,
                                                             i - h),
                     TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_half_block,
                                                             i),
                     right));
            }
        }
    }
    for (i32 h = tridiagonal_thesis_half_block; h > 0; h >>= 1) {
        T_PHASE {
            const i32 number = h * (2 * T_LI + 1);
            if (number <= tridiagonal_thesis_half_block) {
                const TRIDIAGONAL_OF(tridiagonal_thesis_row) row = TRIDIAGONAL_OF(
                    tridiagonal_thesis_take)(rows, tridiagonal_thesis_half_block, number - 1);
                TRIDIAGONAL_VALUE value = row.d - row.a * known[number - h];
                if (number + h <= tridiagonal_thesis_half_block) value -= row.c * known[number + h];
                known[number] = value / row.b;
            }
        }
    }
    T_PHASE {
        const i32 i = 2 * T_LI;
        TRIDIAGONAL_VALUE value = is_unit == 0 ? d[first + i] : i == one ? 1 : 0;
        if (i > 0) value -= a[first + i] * known[T_LI];
        value -= c[first + i] * known[T_LI + 1];
        solutions[target + i] = value / b[first + i];
        solutions[target + i + 1] = known[T_LI + 1];
    }
}

// Whether an equation is as good as without a coefficient of this size: its coupling is dropped,
// since the others' is divided by it.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(const TRIDIAGONAL_VALUE coupling,
                                                             const TRIDIAGONAL_VALUE diagonal) {
    return T_ABS(coupling) <= (TRIDIAGONAL_VALUE)8.6736174e-19f * T_ABS(diagonal);  // 2^-60
}

// The system of the couplings between parts (eq. 2.15 to 2.19): two unknowns a border, that of the
// part before it and that of the part behind it. t_i has 1 / a in place of the 1 / b of the print.
// A coupling that is dropped leaves its row to a copy of the unknown beside it, so that the system
// stays tridiagonal:
//     a = 0:  row of the part before  coupling + c z copy = -c y      row of the part behind  copy
//     c = 0:  row of the part behind  coupling + a z copy = -a y      row of the part before  copy
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_couplings),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) y, T_IN(TRIDIAGONAL_VALUE) z, T_OUT(TRIDIAGONAL_VALUE) lower,
          T_OUT(TRIDIAGONAL_VALUE) diagonal, T_OUT(TRIDIAGONAL_VALUE) upper,
          T_OUT(TRIDIAGONAL_VALUE) right, const i64 borders)) {
    T_INDEX1(i);
    const i64 size = tridiagonal_thesis_block, border = i / 2;
    const i64 behind = (border + 1) * size, before = behind - 1;
    const TRIDIAGONAL_VALUE own_a = a[behind], own_c = c[before];
    const i32 no_a = TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(own_a, b[behind]);
    const i32 no_c = TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(own_c, b[before]);
    // Whether the other coupling of either part is there.
    const i32 has_left = border > 0 && !TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(
                                           a[behind - size], b[behind - size]);
    const i32 has_right = border + 1 < borders && !TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(
                                                      c[before + size], b[before + size]);
    // What that adds to the last unknown of the part before, and to the first of that behind.
    const TRIDIAGONAL_VALUE left = has_left ? z[(2 * border - 1) * size + size - 1] : 0;
    const TRIDIAGONAL_VALUE further = has_right ? z[(2 * border + 2) * size] : 0;
    TRIDIAGONAL_OF(tridiagonal_thesis_row) row = TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    if ((i & 1) == 0) {
        if (!no_a && !no_c) {
            row.a = left;
            row.b = z[2 * border * size + size - 1];
            row.c = 1 / own_a;
            row.d = -y[before];
        } else if (!no_c) {
            row.c = own_c * further;
            row.d = -own_c * y[behind];
        } else if (!no_a) {
            row.a = has_left ? -1 : 0;
        }
    } else {
        if (!no_a && !no_c) {
            row.a = 1 / own_c;
            row.b = z[(2 * border + 1) * size];
            row.c = further;
            row.d = -y[behind];
        } else if (!no_a) {
            row.a = own_a * left;
            row.d = -own_a * y[before];
        } else if (!no_c) {
            row.c = has_right ? -1 : 0;
        }
    }
    TRIDIAGONAL_OF(tridiagonal_thesis_write)(lower, diagonal, upper, right, i, row);
}

// Unknowns from those of their part and its couplings (eq. 2.20).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_combine),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) y, T_IN(TRIDIAGONAL_VALUE) z, T_IN(TRIDIAGONAL_VALUE) couplings,
          T_OUT(TRIDIAGONAL_VALUE) x, const i64 borders)) {
    T_INDEX1(i);
    const i64 size = tridiagonal_thesis_block, part = i / size, first = part * size;
    const i64 q = i - first, last = first + size - 1;
    TRIDIAGONAL_VALUE value = y[i];
    if (part > 0 && !TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(a[first], b[first]))
        value += couplings[2 * part - 1] * z[(2 * part - 1) * size + q];
    if (part < borders && !TRIDIAGONAL_OF(tridiagonal_thesis_is_dropped)(c[last], b[last]))
        value += couplings[2 * part] * z[2 * part * size + q];
    x[i] = value;
}

// ---- Wang --------------------------------------------------------------------------------------

// Equations i k to i k + k - 1 make part i. `f` multiplies the last unknown of the part before, `g`
// that of the own part, or of the next one in the last equation.

// Lower diagonals of a part (eq. 2.21 to 2.25).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_lower),
         (T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) f, const i64 size)) {
    T_INDEX1(part);
    const i64 first = part * size;
    f[first] = part > 0 ? a[first] : 0;
    for (i64 i = first + 1; i < first + size; ++i) {
        const TRIDIAGONAL_VALUE factor = a[i] / b[i - 1];
        a[i] = factor;
        b[i] -= factor * c[i - 1];
        d[i] -= factor * d[i - 1];
        f[i] = -factor * f[i - 1];
    }
}

// Upper diagonals of a part (eq. 2.26 to 2.30).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_upper),
         (T_IN(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c, T_OUT(TRIDIAGONAL_VALUE) d,
          T_OUT(TRIDIAGONAL_VALUE) f, T_OUT(TRIDIAGONAL_VALUE) g, const i64 size)) {
    T_INDEX1(part);
    const i64 first = part * size;
    g[first + size - 2] = c[first + size - 2];
    for (i64 i = first + size - 3; i >= first; --i) {
        const TRIDIAGONAL_VALUE factor = c[i] / b[i + 1];
        c[i] = factor;
        g[i] = -factor * g[i + 1];
        d[i] -= factor * d[i + 1];
        f[i] -= factor * f[i + 1];
    }
}

// The last equation of each part but the last one (eq. 2.31 to 2.34; b in place of the a of the
// print).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_between),
         (T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c, T_OUT(TRIDIAGONAL_VALUE) d,
          T_IN(TRIDIAGONAL_VALUE) f, T_OUT(TRIDIAGONAL_VALUE) g, const i64 size)) {
    T_INDEX1(part);
    const i64 next = ((i64)part + 1) * size, last = next - 1;
    const TRIDIAGONAL_VALUE factor = c[last] / b[next];
    c[last] = factor;
    b[last] -= factor * f[next];
    g[last] = -factor * g[next];
    d[last] -= factor * d[next];
}

// The pivots of the last equations, one from the other (eq. 2.36 to 2.38 and 2.41 of these). One
// item.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_pivots),
         (T_OUT(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) f, T_IN(TRIDIAGONAL_VALUE) g,
          const i64 parts, const i64 size)) {
    T_INDEX1(only);
    for (i64 part = 1 + only; part < parts; ++part) {
        const i64 before = part * size - 1, last = before + size;
        b[last] -= f[last] / b[before] * g[before];
    }
}

// Takes the last unknown of the part before out of all equations but the first part's (eq. 2.35 to
// 2.38 and 2.40); what that makes of d follows.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_factors),
         (T_IN(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) f, T_OUT(TRIDIAGONAL_VALUE) g,
          const i64 size)) {
    T_INDEX1(item);
    const i64 i = size + item, before = i / size * size - 1;
    const TRIDIAGONAL_VALUE factor = f[i] / b[before];
    f[i] = factor;
    if ((i + 1) % size != 0) g[i] -= factor * g[before];
}

// d of one part (eq. 2.39).
T_SIMD_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_down),
              (T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) f, const i64 before)) {
    T_INDEX1(j);
    d[before + 1 + j] -= f[before + 1 + j] * d[before];
}

// Divides by the pivots of last equations (eq. 2.42 and 2.44).
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_quotients),
         (T_IN(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) g, const i64 size)) {
    T_INDEX1(i);
    g[i] /= b[((i64)i + 1) / size * size + size - 1];
}

// d of the equations from `first` on that have the unknown `last` (eq. 2.43 and 2.45).
T_SIMD_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_wang_up),
              (T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) g, const i64 first,
               const i64 last)) {
    T_INDEX1(j);
    d[first + j] -= g[first + j] * d[last];
}
