// Jacobi steps of Horn-Schunck by groups of T_ITEMS_X x T_ITEMS_Y items of T_COLUMNS x T_ROWS
// fields, which stay in the registers of an item; in local memory items show one another the outer
// ones of theirs. With two buffers a step reads the one and writes the other, which takes one
// barrier in place of two. A tile is part of an image, or a whole one (T_WHOLE) from its first
// field on.

enum {
    T_TILE(_columns) = T_COLUMNS,
    T_TILE(_width) = T_ITEMS_X * T_COLUMNS,
    T_TILE(_height) = T_ITEMS_Y * T_ROWS,
    T_TILE(_fields) = T_COLUMNS * T_ROWS,    // of an item
    T_TILE(_items) = T_ITEMS_X * T_ITEMS_Y,  // which show fields of one place side by side
    T_TILE(_outer) = T_TILE(_items) * T_ROWS,
    T_TILE(_inner) = T_TILE(_items) * 2,
    T_TILE(_buffer) = 4 * T_TILE(_outer) + (T_COLUMNS - 2) * 2 * T_TILE(_inner)
};

// Where the item shows u of a field, from its own place on. Of the outer columns all fields are
// shown, of those between the first and the last.
T_FUNCTION i32 T_TILE(_place)(const i32 column, const i32 row) {
    if (column == 0) return row * T_TILE(_items);
    if (column == T_COLUMNS - 1) return 2 * T_TILE(_outer) + row * T_TILE(_items);
    return 4 * T_TILE(_outer) + (column - 1) * 2 * T_TILE(_inner) + (row == 0 ? 0 : T_TILE(_items));
}
// Where v of it is from there on.
T_FUNCTION i32 T_TILE(_v)(const i32 column) {
    return column == 0 || column == T_COLUMNS - 1 ? T_TILE(_outer) : T_TILE(_inner);
}

// Shows the fields of an item to the others.
T_FUNCTION void T_TILE(_show)(T_LOCAL_PTR(f32) own, const f32* flows) {
    const f32* u = flows;
    const f32* v = flows + T_TILE(_fields);
    T_UNROLL
    for (i32 n = 0; n < T_TILE(_fields); ++n) {
        const i32 column = n % T_COLUMNS;
        const i32 row = n / T_COLUMNS;
        if (column == 0 || column == T_COLUMNS - 1 || row == 0 || row == T_ROWS - 1) {
            own[T_TILE(_place)(column, row)] = u[n];
            own[T_TILE(_place)(column, row) + T_TILE(_v)(column)] = v[n];
        }
    }
}

// One step of the fields of an item, with p and q halved and r doubled, and so with s doubled: a
// quarter of a sum is then only needed where it costs nothing. These factors are exact, and the
// bits those of a plain step, but for fields below 2^-124. What stands beside the tile is not
// right, and is not used: one field more at each side is wrong after each step. In a whole image a
// field at the border stands for its neighbor that is missing, and `last_x` and `last_y` are where
// the last column and row are, counted from the item's first.
T_FUNCTION void T_TILE(_step)(T_LOCAL_PTR(const f32) own, const i32 item_x, const i32 item_y,
                              const i32 last_x, const i32 last_y, const f32* terms, f32* flows) {
    const f32* p = terms;
    const f32* q = terms + T_TILE(_fields);
    const f32* r = terms + 2 * T_TILE(_fields);
    f32* u = flows;
    f32* v = flows + T_TILE(_fields);
    T_LOCAL_PTR(const f32) before = own - (item_x > 0 ? 1 : 0) + T_TILE(_place)(T_COLUMNS - 1, 0);
    if (T_WHOLE) before = item_x > 0 ? before : own;
    T_LOCAL_PTR(const f32) behind = own + (item_x < T_ITEMS_X - 1 ? 1 : 0);
    T_LOCAL_PTR(const f32) above = own - (item_y > 0 ? T_ITEMS_X : 0);
    T_LOCAL_PTR(const f32) below = own + (item_y < T_ITEMS_Y - 1 ? T_ITEMS_X : 0);
    f32 above_u[T_COLUMNS], above_v[T_COLUMNS], below_u[T_COLUMNS], below_v[T_COLUMNS];
    T_UNROLL
    for (i32 c = 0; c < T_COLUMNS; ++c) {
        above_u[c] = above[T_TILE(_place)(c, T_ROWS - 1)];
        above_v[c] = above[T_TILE(_place)(c, T_ROWS - 1) + T_TILE(_v)(c)];
        if (T_WHOLE) {
            above_u[c] = item_y > 0 ? above_u[c] : u[c];
            above_v[c] = item_y > 0 ? above_v[c] : v[c];
        }
        below_u[c] = below[T_TILE(_place)(c, 0)];
        below_v[c] = below[T_TILE(_place)(c, 0) + T_TILE(_v)(c)];
    }
    T_UNROLL
    for (i32 row = 0; row < T_ROWS; ++row) {
        const i32 at = row * T_TILE(_items);
        f32 left_u = before[at];
        f32 left_v = before[at + T_TILE(_outer)];
        T_UNROLL
        for (i32 c = 0; c < T_COLUMNS; ++c) {
            const i32 n = row * T_COLUMNS + c;
            const f32 own_u = u[n];
            const f32 own_v = v[n];
            f32 right_u = c < T_COLUMNS - 1 ? u[c < T_COLUMNS - 1 ? n + 1 : n] : behind[at];
            f32 right_v =
                c < T_COLUMNS - 1 ? v[c < T_COLUMNS - 1 ? n + 1 : n] : behind[at + T_TILE(_outer)];
            f32 next_u = row < T_ROWS - 1 ? u[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_u[c];
            f32 next_v = row < T_ROWS - 1 ? v[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_v[c];
            if (T_WHOLE) {
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

#if T_TURNED
// The fours of an item, backwards.
T_FUNCTION void T_TILE(_turn)(const i32 count, f32* values) {
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
// In fours where all columns of a level are; with T_TURNED also those beyond the border, backwards.
T_FUNCTION void T_TILE(_read)(T_GLOBAL_PTR(const f32) planes, const i32 count, const i32 x,
                              const i32 y, const i32 width, const i32 height, f32* values) {
    const i64 points = (i64)width * height;
    T_GLOBAL_PTR(const f32) rows[T_ROWS];
    T_UNROLL
    for (i32 k = 0; k < T_ROWS; ++k) rows[k] = planes + (i64)border_folded(y + k, height) * width;
#if T_COLUMNS == 4
    const i32 first = T_TURNED ? border_folded(x, width) : x;
    const i32 last = T_TURNED ? border_folded(x + 3, width) : x + 3;
    if (width % 4 == 0 && first >= 0 && first < width) {
        T_UNROLL
        for (i32 n = 0; n < T_ROWS * count; ++n)
            T_READ_FOUR(values + 4 * n,
                        rows[n % T_ROWS] + n / T_ROWS * points + T_MIN(first, last));
    #if T_TURNED
        if (last < first) T_TILE(_turn)(T_ROWS * count, values);
    #endif
    } else
#endif
    {
        i32 columns[T_COLUMNS];
        T_UNROLL
        for (i32 c = 0; c < T_COLUMNS; ++c) columns[c] = border_folded(x + c, width);
        T_UNROLL
        for (i32 n = 0; n < T_TILE(_fields) * count; ++n)
            values[n] = (rows[n / T_COLUMNS % T_ROWS] +
                         n / T_TILE(_fields) * points)[columns[n % T_COLUMNS]];
    }
}

// The system of the fields of an item in the form that steps take.
T_FUNCTION void T_TILE(_scale)(f32* terms) {
    T_UNROLL
    for (i32 n = 0; n < 3 * T_TILE(_fields); ++n) terms[n] *= n < 2 * T_TILE(_fields) ? 0.5f : 2.0f;
}

// One component of a row of an item that is in the image at (x, y).
T_FUNCTION void T_TILE(_write_row)(T_GLOBAL_PTR(f32) line, const i32 x, const i32 width,
                                   const f32* values) {
#if T_COLUMNS == 4
    if (width % 4 == 0) {
        T_WRITE_FOUR(line + x, values);
    } else
#endif
    {
        T_UNROLL
        for (i32 c = 0; c < T_COLUMNS; ++c)
            if (x + c < width) line[x + c] = values[c];
    }
}
