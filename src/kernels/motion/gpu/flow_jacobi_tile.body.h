// Jacobi steps of Horn-Schunck by groups of JACOBI_ITEMS_X x JACOBI_ITEMS_Y items of JACOBI_COLUMNS
// x JACOBI_ROWS fields, which stay in the registers of an item; in local memory items show one
// another the outer ones of theirs. With two buffers a step reads the one and writes the other,
// which takes one barrier in place of two. A tile is part of an image, or a whole one
// (JACOBI_WHOLE) from its first field on.

enum {
    JACOBI_TILE(_columns) = JACOBI_COLUMNS,
    JACOBI_TILE(_width) = JACOBI_ITEMS_X * JACOBI_COLUMNS,
    JACOBI_TILE(_height) = JACOBI_ITEMS_Y * JACOBI_ROWS,
    JACOBI_TILE(_fields) = JACOBI_COLUMNS * JACOBI_ROWS,  // of an item
    JACOBI_TILE(_items) =
        JACOBI_ITEMS_X * JACOBI_ITEMS_Y,  // which show fields of one place side by side
    JACOBI_TILE(_outer) = JACOBI_TILE(_items) * JACOBI_ROWS,
    JACOBI_TILE(_inner) = JACOBI_TILE(_items) * 2,
    JACOBI_TILE(_buffer) = 4 * JACOBI_TILE(_outer) + (JACOBI_COLUMNS - 2) * 2 * JACOBI_TILE(_inner)
};

// Where the item shows u of a field, from its own place on. Of the outer columns all fields are
// shown, of those between the first and the last.
T_FUNCTION i32 JACOBI_TILE(_place)(const i32 column, const i32 row) {
    if (column == 0) return row * JACOBI_TILE(_items);
    if (column == JACOBI_COLUMNS - 1) return 2 * JACOBI_TILE(_outer) + row * JACOBI_TILE(_items);
    return 4 * JACOBI_TILE(_outer) + (column - 1) * 2 * JACOBI_TILE(_inner) +
           (row == 0 ? 0 : JACOBI_TILE(_items));
}
// Where v of it is from there on.
T_FUNCTION i32 JACOBI_TILE(_v)(const i32 column) {
    return column == 0 || column == JACOBI_COLUMNS - 1 ? JACOBI_TILE(_outer) : JACOBI_TILE(_inner);
}

// Shows the fields of an item to the others.
T_FUNCTION void JACOBI_TILE(_show)(T_LOCAL_PTR(f32) own, const f32* flows) {
    const f32* u = flows;
    const f32* v = flows + JACOBI_TILE(_fields);
    T_UNROLL
    for (i32 n = 0; n < JACOBI_TILE(_fields); ++n) {
        const i32 column = n % JACOBI_COLUMNS;
        const i32 row = n / JACOBI_COLUMNS;
        if (column == 0 || column == JACOBI_COLUMNS - 1 || row == 0 || row == JACOBI_ROWS - 1) {
            own[JACOBI_TILE(_place)(column, row)] = u[n];
            own[JACOBI_TILE(_place)(column, row) + JACOBI_TILE(_v)(column)] = v[n];
        }
    }
}

// One step of the fields of an item, with p and q halved and r doubled, and so with s doubled: a
// quarter of a sum is then only needed where it costs nothing. These factors are exact, and the
// bits those of a plain step, but for fields below 2^-124. What stands beside the tile is not
// right, and is not used: one field more at each side is wrong after each step. In a whole image a
// field at the border stands for its neighbor that is missing, and `last_x` and `last_y` are where
// the last column and row are, counted from the item's first.
T_FUNCTION void JACOBI_TILE(_step)(T_LOCAL_PTR(const f32) own, const i32 item_x, const i32 item_y,
                                   const i32 last_x, const i32 last_y, const f32* terms,
                                   f32* flows) {
    const f32* p = terms;
    const f32* q = terms + JACOBI_TILE(_fields);
    const f32* r = terms + 2 * JACOBI_TILE(_fields);
    f32* u = flows;
    f32* v = flows + JACOBI_TILE(_fields);
    T_LOCAL_PTR(const f32)
    before = own - (item_x > 0 ? 1 : 0) + JACOBI_TILE(_place)(JACOBI_COLUMNS - 1, 0);
    if (JACOBI_WHOLE) before = item_x > 0 ? before : own;
    T_LOCAL_PTR(const f32) behind = own + (item_x < JACOBI_ITEMS_X - 1 ? 1 : 0);
    T_LOCAL_PTR(const f32) above = own - (item_y > 0 ? JACOBI_ITEMS_X : 0);
    T_LOCAL_PTR(const f32) below = own + (item_y < JACOBI_ITEMS_Y - 1 ? JACOBI_ITEMS_X : 0);
    f32 above_u[JACOBI_COLUMNS], above_v[JACOBI_COLUMNS], below_u[JACOBI_COLUMNS],
        below_v[JACOBI_COLUMNS];
    T_UNROLL
    for (i32 c = 0; c < JACOBI_COLUMNS; ++c) {
        above_u[c] = above[JACOBI_TILE(_place)(c, JACOBI_ROWS - 1)];
        above_v[c] = above[JACOBI_TILE(_place)(c, JACOBI_ROWS - 1) + JACOBI_TILE(_v)(c)];
        if (JACOBI_WHOLE) {
            above_u[c] = item_y > 0 ? above_u[c] : u[c];
            above_v[c] = item_y > 0 ? above_v[c] : v[c];
        }
        below_u[c] = below[JACOBI_TILE(_place)(c, 0)];
        below_v[c] = below[JACOBI_TILE(_place)(c, 0) + JACOBI_TILE(_v)(c)];
    }
    T_UNROLL
    for (i32 row = 0; row < JACOBI_ROWS; ++row) {
        const i32 at = row * JACOBI_TILE(_items);
        f32 left_u = before[at];
        f32 left_v = before[at + JACOBI_TILE(_outer)];
        T_UNROLL
        for (i32 c = 0; c < JACOBI_COLUMNS; ++c) {
            const i32 n = row * JACOBI_COLUMNS + c;
            const f32 own_u = u[n];
            const f32 own_v = v[n];
            f32 right_u =
                c < JACOBI_COLUMNS - 1 ? u[c < JACOBI_COLUMNS - 1 ? n + 1 : n] : behind[at];
            f32 right_v = c < JACOBI_COLUMNS - 1 ? v[c < JACOBI_COLUMNS - 1 ? n + 1 : n]
                                                 : behind[at + JACOBI_TILE(_outer)];
            f32 next_u = row < JACOBI_ROWS - 1 ? u[row < JACOBI_ROWS - 1 ? n + JACOBI_COLUMNS : n]
                                               : below_u[c];
            f32 next_v = row < JACOBI_ROWS - 1 ? v[row < JACOBI_ROWS - 1 ? n + JACOBI_COLUMNS : n]
                                               : below_v[c];
            if (JACOBI_WHOLE) {
                right_u = c == last_x ? own_u : right_u;
                right_v = c == last_x ? own_v : right_v;
                next_u = row == last_y ? own_u : next_u;
                next_v = row == last_y ? own_v : next_v;
            }
            const f32 u_sum = (left_u + right_u) + (above_u[c] + next_u);
            const f32 v_sum = (left_v + right_v) + (above_v[c] + next_v);
            const f32 s = p[n] * u_sum + q[n] * v_sum + r[n];
            u[n] = T_FMA(0.25f, u_sum, -(p[n] * s));
            v[n] = T_FMA(0.25f, v_sum, -(q[n] * s));
            left_u = above_u[c] = own_u;
            left_v = above_v[c] = own_v;
        }
    }
}

#if JACOBI_TURNED
// The fours of an item, backwards.
T_FUNCTION void JACOBI_TILE(_turn)(const i32 count, f32* values) {
    T_UNROLL
    for (i32 n = 0; n < 4 * count; n += 4) {
        const f32 first = values[n];
        const f32 second = values[n + 1];
        values[n] = values[n + 3];
        values[n + 1] = values[n + 2];
        values[n + 2] = second;
        values[n + 3] = first;
    }
}
#endif

// `count` planes, one behind the other, at the fields of an item, the first of which is at (x, y).
// In fours where all columns of a level are; with JACOBI_TURNED also those beyond the border,
// backwards.
T_FUNCTION void JACOBI_TILE(_read)(T_GLOBAL_PTR(const f32) planes, const i32 count, const i32 x,
                                   const i32 y, const i32 width, const i32 height, f32* values) {
    const i64 points = (i64)width * height;
    T_GLOBAL_PTR(const f32) rows[JACOBI_ROWS];
    T_UNROLL
    for (i32 k = 0; k < JACOBI_ROWS; ++k)
        rows[k] = planes + (i64)border_folded(y + k, height) * width;
#if JACOBI_COLUMNS == 4
    const i32 first = JACOBI_TURNED ? border_folded(x, width) : x;
    const i32 last = JACOBI_TURNED ? border_folded(x + 3, width) : x + 3;
    if (width % 4 == 0 && first >= 0 && first < width) {
        T_UNROLL
        for (i32 n = 0; n < JACOBI_ROWS * count; ++n)
            T_READ_FOUR(values + 4 * n,
                        rows[n % JACOBI_ROWS] + n / JACOBI_ROWS * points + T_MIN(first, last));
    #if JACOBI_TURNED
        if (last < first) JACOBI_TILE(_turn)(JACOBI_ROWS * count, values);
    #endif
    } else
#endif
    {
        i32 columns[JACOBI_COLUMNS];
        T_UNROLL
        for (i32 c = 0; c < JACOBI_COLUMNS; ++c) columns[c] = border_folded(x + c, width);
        T_UNROLL
        for (i32 n = 0; n < JACOBI_TILE(_fields) * count; ++n)
            values[n] = (rows[n / JACOBI_COLUMNS % JACOBI_ROWS] +
                         n / JACOBI_TILE(_fields) * points)[columns[n % JACOBI_COLUMNS]];
    }
}

// The system of the fields of an item in the form that steps take.
T_FUNCTION void JACOBI_TILE(_scale)(f32* terms) {
    T_UNROLL
    for (i32 n = 0; n < 3 * JACOBI_TILE(_fields); ++n)
        terms[n] *= n < 2 * JACOBI_TILE(_fields) ? 0.5f : 2.0f;
}

// One component of a row of an item that is in the image at (x, y).
T_FUNCTION void JACOBI_TILE(_write_row)(T_GLOBAL_PTR(f32) line, const i32 x, const i32 width,
                                        const f32* values) {
#if JACOBI_COLUMNS == 4
    if (width % 4 == 0) {
        T_WRITE_FOUR(line + x, values);
    } else
#endif
    {
        T_UNROLL
        for (i32 c = 0; c < JACOBI_COLUMNS; ++c)
            if (x + c < width) line[x + c] = values[c];
    }
}
