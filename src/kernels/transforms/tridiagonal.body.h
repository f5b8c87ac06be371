// Tridiagonal systems: part of tridiagonal.kernel.h and tridiagonal_f64.kernel.h, which set
// TRIDIAGONAL_VALUE, and TRIDIAGONAL_OF(name), a name that tells the type. What items keep for
// later stands row by row, so that neighboring items read neighboring elements.

// 1 / pivot; of a pivot that is 0 or not finite 1, which is counted.
T_FUNCTION TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_inverse)(const TRIDIAGONAL_VALUE pivot,
                                                                 T_GLOBAL_PTR(u32) status) {
    const TRIDIAGONAL_VALUE inverse = (TRIDIAGONAL_VALUE)1 / pivot;
    // Neither infinite nor NaN: only of such numbers is the difference from themselves 0.
    if (pivot - pivot == (TRIDIAGONAL_VALUE)0 && inverse - inverse == (TRIDIAGONAL_VALUE)0)
        return inverse;
    T_ATOMIC_ADD(status, 1u);
    return (TRIDIAGONAL_VALUE)1;
}

// An item solves a line by Thomas's elimination. `kept` holds c by pivot.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thomas),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) kept, T_OUT(u32) status,
          const tridiagonal_layout lines)) {
    T_INDEX2(i, j);
    const i64 systems = lines.counts[0] * lines.counts[1];
    i64 at = i * lines.strides[0] + j * lines.strides[1];
    i64 place = j * lines.counts[0] + i;
    TRIDIAGONAL_VALUE above = 0, value = 0;
    for (i64 row = 0; row < lines.rows; ++row) {
        const TRIDIAGONAL_VALUE lower = row > 0 ? a[at] : (TRIDIAGONAL_VALUE)0;
        const TRIDIAGONAL_VALUE upper = row + 1 < lines.rows ? c[at] : (TRIDIAGONAL_VALUE)0;
        const TRIDIAGONAL_VALUE inverse =
            TRIDIAGONAL_OF(tridiagonal_inverse)(b[at] - lower * above, status);
        value = (d[at] - lower * value) * inverse;
        above = upper * inverse;
        d[at] = value;
        kept[place] = above;
        at += lines.stride;
        place += systems;
    }
    for (i64 row = lines.rows - 2; row >= 0; --row) {
        at = i * lines.strides[0] + j * lines.strides[1] + row * lines.stride;
        value = d[at] - kept[row * systems + j * lines.counts[0] + i] * value;
        d[at] = value;
    }
}

// An item takes one part of a line and leaves of its rows a[r] x_first + x[r] + c[r] x_last = d[r],
// of the first one with the last unknown of the part before, of the last one with the first unknown
// of the part behind. Those two become rows of a smaller system, whose rows stand one behind the
// other: `small_a`, `small_c`, `small_d`, with 1 on the diagonal.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_reduce),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) left, T_OUT(TRIDIAGONAL_VALUE) right,
          T_OUT(TRIDIAGONAL_VALUE) small_a, T_OUT(TRIDIAGONAL_VALUE) small_c,
          T_OUT(TRIDIAGONAL_VALUE) small_d, T_OUT(u32) status, const tridiagonal_layout lines)) {
    T_INDEX3(part, i, j);
    const i32 first = part * tridiagonal_part;
    const i32 count = (i32)T_MIN(lines.rows - first, (i64)tridiagonal_part);
    const i64 line = i * lines.strides[0] + j * lines.strides[1] + first * lines.stride;
    const i64 parts = (lines.rows + tridiagonal_part - 1) / tridiagonal_part;
    const i64 items = parts * lines.counts[0] * lines.counts[1];
    const i64 item = (j * lines.counts[0] + i) * parts + part;
    TRIDIAGONAL_VALUE before_left = 0, before_right = 0, before_d = 0;
    for (i32 r = 0; r < count; ++r) {
        const i64 at = line + r * lines.stride;
        const TRIDIAGONAL_VALUE lower = first + r > 0 ? a[at] : (TRIDIAGONAL_VALUE)0;
        const TRIDIAGONAL_VALUE upper = first + r + 1 < lines.rows ? c[at] : (TRIDIAGONAL_VALUE)0;
        // From the third row on the row before is put in, which holds x_first, x[r-1] and x[r].
        const TRIDIAGONAL_VALUE factor = r > 1 ? lower : (TRIDIAGONAL_VALUE)0;
        const TRIDIAGONAL_VALUE inverse =
            TRIDIAGONAL_OF(tridiagonal_inverse)(b[at] - factor * before_right, status);
        before_left = (r > 1 ? -lower * before_left : lower) * inverse;
        before_right = upper * inverse;
        before_d = (d[at] - factor * before_d) * inverse;
        left[r * items + item] = before_left;
        right[r * items + item] = before_right;
        d[at] = before_d;
    }
    // A part of one row stands at the end of its line, and its last unknown is its first.
    small_a[2 * item + 1] = count > 1 ? before_left : (TRIDIAGONAL_VALUE)-1;
    small_c[2 * item + 1] = count > 1 ? before_right : (TRIDIAGONAL_VALUE)0;
    small_d[2 * item + 1] = count > 1 ? before_d : (TRIDIAGONAL_VALUE)0;
    // Upwards: the row below is put in, until every row holds x_first and x_last.
    TRIDIAGONAL_VALUE below_left = 0, below_right = 0, below_d = 0;
    for (i32 r = count - 2; r >= 1; --r) {
        const i64 at = line + r * lines.stride;
        if (r < count - 2) {
            const TRIDIAGONAL_VALUE factor = right[r * items + item];
            left[r * items + item] -= factor * below_left;
            right[r * items + item] = -factor * below_right;
            d[at] -= factor * below_d;
        }
        below_left = left[r * items + item];
        below_right = right[r * items + item];
        below_d = d[at];
    }
    TRIDIAGONAL_VALUE first_left = left[item], first_right = right[item], first_d = d[line];
    if (count > 2) {
        const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(
            (TRIDIAGONAL_VALUE)1 - first_right * below_left, status);
        first_d = (first_d - first_right * below_d) * inverse;
        first_left = first_left * inverse;
        first_right = -first_right * below_right * inverse;
    }
    small_a[2 * item] = first_left;
    small_c[2 * item] = first_right;
    small_d[2 * item] = first_d;
}

// The unknowns of a part from its first and last.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_restore),
         (T_OUT(TRIDIAGONAL_VALUE) d, T_IN(TRIDIAGONAL_VALUE) left, T_IN(TRIDIAGONAL_VALUE) right,
          T_IN(TRIDIAGONAL_VALUE) solved, const tridiagonal_layout lines)) {
    T_INDEX3(part, i, j);
    const i32 first = part * tridiagonal_part;
    const i32 count = (i32)T_MIN(lines.rows - first, (i64)tridiagonal_part);
    const i64 line = i * lines.strides[0] + j * lines.strides[1] + first * lines.stride;
    const i64 parts = (lines.rows + tridiagonal_part - 1) / tridiagonal_part;
    const i64 items = parts * lines.counts[0] * lines.counts[1];
    const i64 item = (j * lines.counts[0] + i) * parts + part;
    const TRIDIAGONAL_VALUE x_first = solved[2 * item], x_last = solved[2 * item + 1];
    d[line] = x_first;
    d[line + (count - 1) * lines.stride] = x_last;
    for (i32 r = 1; r < count - 1; ++r)
        d[line + r * lines.stride] -=
            left[r * items + item] * x_first + right[r * items + item] * x_last;
}
