// The kernel of flow_jacobi.kernel.h for groups of T_ITEMS_X x T_ITEMS_Y items of
// T_COLUMNS x T_ROWS fields. With two buffers a step reads the one and writes the other, which
// takes one barrier in place of two.

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
// right, and is not used: one field more at each side is wrong after each step.
T_FUNCTION void T_TILE(_step)(T_LOCAL_PTR(const f32) own, const i32 item_x, const i32 item_y,
                              const f32* terms, f32* flows) {
    const f32* p = terms;
    const f32* q = terms + T_TILE(_fields);
    const f32* r = terms + 2 * T_TILE(_fields);
    f32* u = flows;
    f32* v = flows + T_TILE(_fields);
    T_LOCAL_PTR(const f32) before = own - (item_x > 0 ? 1 : 0) + T_TILE(_place)(T_COLUMNS - 1, 0);
    T_LOCAL_PTR(const f32) behind = own + (item_x < T_ITEMS_X - 1 ? 1 : 0);
    T_LOCAL_PTR(const f32) above = own - (item_y > 0 ? T_ITEMS_X : 0);
    T_LOCAL_PTR(const f32) below = own + (item_y < T_ITEMS_Y - 1 ? T_ITEMS_X : 0);
    f32 above_u[T_COLUMNS], above_v[T_COLUMNS], below_u[T_COLUMNS], below_v[T_COLUMNS];
    T_UNROLL
    for (i32 c = 0; c < T_COLUMNS; ++c) {
        above_u[c] = above[T_TILE(_place)(c, T_ROWS - 1)];
        above_v[c] = above[T_TILE(_place)(c, T_ROWS - 1) + T_TILE(_v)(c)];
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
            const f32 right_u = c < T_COLUMNS - 1 ? u[c < T_COLUMNS - 1 ? n + 1 : n] : behind[at];
            const f32 right_v =
                c < T_COLUMNS - 1 ? v[c < T_COLUMNS - 1 ? n + 1 : n] : behind[at + T_TILE(_outer)];
            const f32 next_u =
                row < T_ROWS - 1 ? u[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_u[c];
            const f32 next_v =
                row < T_ROWS - 1 ? v[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_v[c];
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

// Row n of the fields of an item in planes, one behind the other; the first of an item is row y.
T_FUNCTION T_GLOBAL_PTR(const f32) T_TILE(_line)(T_GLOBAL_PTR(const f32) planes, const i32 n,
                                                 const i32 y, const i32 width, const i32 height) {
    const i32 row = flow_folded(y + n % T_ROWS, height);
    return planes + ((i64)(n / T_ROWS) * height + row) * width;
}

// `count` planes at the fields of an item, the first of which is at (x, y). In fours where all
// columns of a level are.
T_FUNCTION void T_TILE(_read)(T_GLOBAL_PTR(const f32) planes, const i32 count, const i32 x,
                              const i32 y, const i32 width, const i32 height, f32* values) {
#if T_COLUMNS == 4
    if (width % 4 == 0 && x >= 0 && x < width) {
        T_UNROLL
        for (i32 n = 0; n < T_ROWS * count; ++n)
            T_READ_FOUR(values + 4 * n, T_TILE(_line)(planes, n, y, width, height) + x);
    } else
#endif
    {
        T_UNROLL
        for (i32 n = 0; n < T_TILE(_fields) * count; ++n)
            values[n] = T_TILE(_line)(planes, n / T_COLUMNS, y, width,
                                      height)[flow_folded(x + n % T_COLUMNS, width)];
    }
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

// `steps` of them. Neighboring tiles overlap by twice as many rows, and twice the halo. A launch
// that goes backwards begins with what the one before it has just written, which caches still have.
// One that goes on with the steps of the last launch finds the system complete and reads it while
// that launch still runs; the first one waits for it.
T_GROUP_KERNEL(T_TILE(), T_ITEMS_X, T_ITEMS_Y, 1,
               (T_GLOBAL_PTR(const f32) flow, T_GLOBAL_PTR(const f32) system, T_OUT(f32) swept,
                const i32 width, const i32 height, const i32 steps, const i32 backwards,
                const i32 goes_on)) {
    T_LOCAL(f32, shown, T_BUFFERS * T_TILE(_buffer));
    T_ITEM_ARRAY(f32, flows, 2 * T_TILE(_fields));  // u, v
    T_ITEM_ARRAY(f32, terms, 3 * T_TILE(_fields));  // p, q, r
    const i64 points = (i64)width * height;
    const i32 halo = flow_jacobi_halo(steps, T_COLUMNS);
    const i32 x0 = T_GX * (T_TILE(_width) - 2 * halo) - halo;
    const i32 group_y = backwards ? T_GROUPS_Y - 1 - T_GY : T_GY;
    const i32 y0 = group_y * (T_TILE(_height) - 2 * steps) - steps;
    T_PHASE {
        const i32 x = x0 + T_LX * T_COLUMNS;
        const i32 y = y0 + T_LY * T_ROWS;
        if (!goes_on) T_AFTER_LAST_LAUNCH;
        T_TILE(_read)(system + 3 * T_GZ * points, 3, x, y, width, height, T_MY(terms));
        T_AFTER_LAST_LAUNCH;
        T_TILE(_read)
        (flow + flow_margin + 2 * T_GZ * points, 2, x, y, width, height, T_MY(flows));
        T_UNROLL
        for (i32 n = 0; n < 3 * T_TILE(_fields); ++n)
            T_MY(terms)[n] *= n < 2 * T_TILE(_fields) ? 0.5f : 2.0f;
        T_TILE(_show)(shown + T_LI, T_MY(flows));
    }
    for (i32 step = 0; step < steps; ++step) {
#if T_BUFFERS == 2
        T_PHASE {
            T_LOCAL_PTR(f32) own = shown + step % 2 * T_TILE(_buffer) + T_LI;
            T_TILE(_step)(own, T_LX, T_LY, T_MY(terms), T_MY(flows));
            T_TILE(_show)(own + (1 - step % 2 * 2) * T_TILE(_buffer), T_MY(flows));
        }
#else
        T_PHASE { T_TILE(_step)(shown + T_LI, T_LX, T_LY, T_MY(terms), T_MY(flows)); }
        T_PHASE { T_TILE(_show)(shown + T_LI, T_MY(flows)); }
#endif
    }
    T_PHASE {
        const i32 column = T_LX * T_COLUMNS;
        const i32 x = x0 + column;
        if (column >= halo && column < T_TILE(_width) - halo && x < width) {
            T_UNROLL
            for (i32 k = 0; k < T_ROWS; ++k) {
                const i32 row = T_LY * T_ROWS + k;
                const i32 y = y0 + row;
                if (row >= steps && row < T_TILE(_height) - steps && y < height) {
                    T_GLOBAL_PTR(f32)
                    to = swept + flow_margin + 2 * T_GZ * points + (i64)y * width;
                    const f32* own = T_MY(flows) + k * T_COLUMNS;
                    T_TILE(_write_row)(to, x, width, own);
                    T_TILE(_write_row)(to + points, x, width, own + T_TILE(_fields));
                }
            }
        }
    }
}

#undef T_BUFFERS
#undef T_ROWS
#undef T_COLUMNS
#undef T_ITEMS_Y
#undef T_ITEMS_X
#undef T_TILE
