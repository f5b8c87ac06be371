// The kernel of flow_jacobi.kernel.h for items of T_COLUMNS x T_ROWS fields. With two buffers a
// step reads the one and writes the other, which takes one barrier in place of two.

enum {
    T_TILE(_width) = flow_jacobi_items_x * T_COLUMNS,
    T_TILE(_height) = flow_jacobi_items_y * T_ROWS,
    T_TILE(_fields) = T_COLUMNS * T_ROWS,                    // of an item
    T_TILE(_plane) = flow_jacobi_items_x * T_TILE(_height),  // one column of all items
    T_TILE(_buffer) = 2 * T_COLUMNS * T_TILE(_plane)         // u and v of each column
};

// Shows the fields of an item to the others.
T_FUNCTION void T_TILE(_show)(T_LOCAL_PTR(f32) shown, const f32* u, const f32* v) {
    T_UNROLL
    for (i32 n = 0; n < T_TILE(_fields); ++n) {
        T_LOCAL_PTR(f32)
        to = shown + n % T_COLUMNS * 2 * T_TILE(_plane) + n / T_COLUMNS * flow_jacobi_items_x;
        to[0] = u[n];
        to[T_TILE(_plane)] = v[n];
    }
}

// One step of the fields of an item. `shown` is where its first row is shown. What stands beside
// the tile is not right, and is not used: one field more at each side is wrong after each step.
T_FUNCTION void T_TILE(_step)(T_LOCAL_PTR(const f32) shown, const i32 item_x, const i32 item_y,
                              const f32* p, const f32* q, const f32* r, f32* u, f32* v) {
    const i32 before = item_x > 0 ? -1 : 0;
    const i32 behind = item_x < flow_jacobi_items_x - 1 ? 1 : 0;
    const i32 above = item_y > 0 ? -flow_jacobi_items_x : 0;
    const i32 below =
        (item_y < flow_jacobi_items_y - 1 ? T_ROWS : T_ROWS - 1) * flow_jacobi_items_x;
    T_LOCAL_PTR(const f32) last = shown + (T_COLUMNS - 1) * 2 * T_TILE(_plane);
    f32 above_u[T_COLUMNS], above_v[T_COLUMNS], below_u[T_COLUMNS], below_v[T_COLUMNS];
    T_UNROLL
    for (i32 c = 0; c < T_COLUMNS; ++c) {
        above_u[c] = shown[2 * c * T_TILE(_plane) + above];
        above_v[c] = shown[(2 * c + 1) * T_TILE(_plane) + above];
        below_u[c] = shown[2 * c * T_TILE(_plane) + below];
        below_v[c] = shown[(2 * c + 1) * T_TILE(_plane) + below];
    }
    T_UNROLL
    for (i32 row = 0; row < T_ROWS; ++row) {
        const i32 at = row * flow_jacobi_items_x;
        f32 left_u = last[at + before];
        f32 left_v = last[at + before + T_TILE(_plane)];
        T_UNROLL
        for (i32 c = 0; c < T_COLUMNS; ++c) {
            const i32 n = row * T_COLUMNS + c;
            const f32 own_u = u[n];
            const f32 own_v = v[n];
            const f32 right_u =
                c < T_COLUMNS - 1 ? u[c < T_COLUMNS - 1 ? n + 1 : n] : shown[at + behind];
            const f32 right_v = c < T_COLUMNS - 1 ? v[c < T_COLUMNS - 1 ? n + 1 : n]
                                                  : shown[at + behind + T_TILE(_plane)];
            const f32 next_u =
                row < T_ROWS - 1 ? u[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_u[c];
            const f32 next_v =
                row < T_ROWS - 1 ? v[row < T_ROWS - 1 ? n + T_COLUMNS : n] : below_v[c];
            const f32 u_mean = 0.25f * ((left_u + right_u) + (above_u[c] + next_u));
            const f32 v_mean = 0.25f * ((left_v + right_v) + (above_v[c] + next_v));
            const f32 s = p[n] * u_mean + q[n] * v_mean + r[n];
            u[n] = u_mean - p[n] * s;
            v[n] = v_mean - q[n] * s;
            left_u = above_u[c] = own_u;
            left_v = above_v[c] = own_v;
        }
    }
}

// `steps` of them; neighboring tiles overlap by twice as many fields.
T_GROUP_KERNEL(T_TILE(), flow_jacobi_items_x, flow_jacobi_items_y, 1,
               (T_IN(f32) flow, T_IN(f32) system, T_OUT(f32) swept, const i32 width,
                const i32 height, const i32 steps)) {
    T_LOCAL(f32, shown, T_BUFFERS * T_TILE(_buffer));
    T_ITEM_ARRAY(f32, u, T_TILE(_fields));
    T_ITEM_ARRAY(f32, v, T_TILE(_fields));
    T_ITEM_ARRAY(f32, p, T_TILE(_fields));
    T_ITEM_ARRAY(f32, q, T_TILE(_fields));
    T_ITEM_ARRAY(f32, r, T_TILE(_fields));
    const i64 points = (i64)width * height;
    const i32 x0 = T_GX * (T_TILE(_width) - 2 * steps) - steps;
    const i32 y0 = T_GY * (T_TILE(_height) - 2 * steps) - steps;
    T_PHASE {
        T_GLOBAL_PTR(const f32) from = flow + flow_margin + 2 * T_GZ * points;
        T_GLOBAL_PTR(const f32) terms = system + 3 * T_GZ * points;
        T_UNROLL
        for (i32 n = 0; n < T_TILE(_fields); ++n) {
            const i32 x = flow_folded(x0 + T_LX * T_COLUMNS + n % T_COLUMNS, width);
            const i32 y = flow_folded(y0 + T_LY * T_ROWS + n / T_COLUMNS, height);
            const i64 i = (i64)y * width + x;
            T_MY(u)[n] = from[i];
            T_MY(v)[n] = from[points + i];
            T_MY(p)[n] = terms[i];
            T_MY(q)[n] = terms[points + i];
            T_MY(r)[n] = terms[2 * points + i];
        }
        T_TILE(_show)(shown + T_LY * T_ROWS * flow_jacobi_items_x + T_LX, T_MY(u), T_MY(v));
    }
    for (i32 step = 0; step < steps; ++step) {
#if T_BUFFERS == 2
        T_PHASE {
            T_LOCAL_PTR(f32)
            first = shown + step % 2 * T_TILE(_buffer) + T_LY * T_ROWS * flow_jacobi_items_x + T_LX;
            T_TILE(_step)(first, T_LX, T_LY, T_MY(p), T_MY(q), T_MY(r), T_MY(u), T_MY(v));
            T_TILE(_show)(first + (1 - step % 2 * 2) * T_TILE(_buffer), T_MY(u), T_MY(v));
        }
#else
        T_PHASE {
            T_TILE(_step)
            (shown + T_LY * T_ROWS * flow_jacobi_items_x + T_LX, T_LX, T_LY, T_MY(p), T_MY(q),
             T_MY(r), T_MY(u), T_MY(v));
        }
        T_PHASE {
            T_TILE(_show)(shown + T_LY * T_ROWS * flow_jacobi_items_x + T_LX, T_MY(u), T_MY(v));
        }
#endif
    }
    T_PHASE {
        T_GLOBAL_PTR(f32) to = swept + flow_margin + 2 * T_GZ * points;
        T_UNROLL
        for (i32 n = 0; n < T_TILE(_fields); ++n) {
            const i32 column = T_LX * T_COLUMNS + n % T_COLUMNS;
            const i32 row = T_LY * T_ROWS + n / T_COLUMNS;
            const i32 x = x0 + column;
            const i32 y = y0 + row;
            const i32 is_right = column >= steps && column < T_TILE(_width) - steps &&
                                 row >= steps && row < T_TILE(_height) - steps;
            if (is_right && x < width && y < height) {
                to[(i64)y * width + x] = T_MY(u)[n];
                to[points + (i64)y * width + x] = T_MY(v)[n];
            }
        }
    }
}
