// The kernel that takes several steps on one reading of a tile of 64 x 64 pixels, in local memory:
// half steps of red-black over-relaxation, or where T_TOGETHER is 1, Jacobi steps. Each makes the
// part that is right one pixel smaller all around, so that after sixteen of them the middle is: the
// bits are those of flow_relax and flow_jacobi. The outermost rows are only read.

#define T_ROW(n) (T_LY + (n) / 2 * flow_tile_rows)
#define T_IS_SWEPT(n) \
    (((n) > 1 || T_LY > 0) && ((n) < flow_tile_fields - 2 || T_LY < flow_tile_rows - 1))

// Steps first..first + steps - 1; half steps are an even number.
T_GROUP_KERNEL(T_TILE_KERNEL, 32, 8, 1,
               (T_IN(f32) board, T_IN(f32) system, T_IN(f32) omega, T_OUT(f32) swept,
                const i32 width, const i32 height, const i32 first, const i32 steps)) {
    T_LOCAL(f32, u, 4 * flow_tile_plane);  // even color, odd color; then v
    T_ITEM_ARRAY(f32, p, flow_tile_fields);
    T_ITEM_ARRAY(f32, q, flow_tile_fields);
    T_ITEM_ARRAY(f32, r, flow_tile_fields);
#if T_TOGETHER
    T_ITEM_ARRAY(f32, u_new, flow_tile_fields);
    T_ITEM_ARRAY(f32, v_new, flow_tile_fields);
#endif
    const i32 x0 = T_GX * flow_tile_middle - flow_tile_halo;
    const i32 y0 = T_GY * flow_tile_middle - flow_tile_halo;
    const i32 columns = (width + 1) / 2;
    const i64 fields = flow_board(width, height);
    const i32 has_border =
        x0 <= 0 || y0 <= 0 || x0 + flow_tile >= width || y0 + flow_tile >= height;
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < flow_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 x = x0 + 2 * T_LX + (T_LY + color) % 2;
            const i32 y = y0 + T_ROW(n);
            const i32 is_inside = x >= 0 && x < width && y >= 0 && y < height;
            const i64 at = color * fields + (is_inside ? (i64)y * columns + x / 2 : 0);
            T_GLOBAL_PTR(const f32) from = board + flow_margin + 4 * T_GZ * fields + at;
            T_GLOBAL_PTR(const f32) terms = system + 6 * T_GZ * fields + at;
            T_LOCAL_PTR(f32) to = u + color * flow_tile_plane + T_ROW(n) * flow_tile_columns + T_LX;
            to[0] = from[0];
            to[2 * flow_tile_plane] = from[2 * fields];
            T_MY(p)[n] = terms[0];
            T_MY(q)[n] = terms[2 * fields];
            T_MY(r)[n] = terms[4 * fields];
        }
    }
#if T_TOGETHER
    for (i32 step = first; step < first + steps; ++step) {
        const f32 relaxation = omega[step];
        T_PHASE {
            T_UNROLL
            for (i32 n = 0; n < flow_tile_fields; ++n) {
                if (T_IS_SWEPT(n))
                    flow_step_in_tile(u, n, T_LX, T_ROW(n), has_border, x0, y0, width, height,
                                      T_MY(p)[n], T_MY(q)[n], T_MY(r)[n], relaxation,
                                      &T_MY(u_new)[n], &T_MY(v_new)[n]);
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 n = 0; n < flow_tile_fields; ++n) {
                T_LOCAL_PTR(f32)
                to = u + n % 2 * flow_tile_plane + T_ROW(n) * flow_tile_columns + T_LX;
                if (T_IS_SWEPT(n)) {
                    to[0] = T_MY(u_new)[n];
                    to[2 * flow_tile_plane] = T_MY(v_new)[n];
                }
            }
        }
    }
#else
    for (i32 step = first; step < first + steps; step += 2) {
        T_UNROLL
        for (i32 color = 0; color < 2; ++color) {
            const f32 relaxation = omega[step + color];
            T_PHASE {
                T_UNROLL
                for (i32 n = color; n < flow_tile_fields; n += 2) {
                    if (T_IS_SWEPT(n)) {
                        f32 u_new, v_new;
                        flow_step_in_tile(u, n, T_LX, T_ROW(n), has_border, x0, y0, width, height,
                                          T_MY(p)[n], T_MY(q)[n], T_MY(r)[n], relaxation, &u_new,
                                          &v_new);
                        T_LOCAL_PTR(f32)
                        to = u + color * flow_tile_plane + T_ROW(n) * flow_tile_columns + T_LX;
                        to[0] = u_new;
                        to[2 * flow_tile_plane] = v_new;
                    }
                }
            }
        }
    }
#endif
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < flow_tile_fields; ++n) {
            const i32 color = n % 2;
            const i32 column = 2 * T_LX + (T_LY + color) % 2;
            const i32 x = x0 + column;
            const i32 y = y0 + T_ROW(n);
            const i32 is_right = column >= flow_tile_halo && T_ROW(n) >= flow_tile_halo &&
                                 column < flow_tile_halo + flow_tile_middle &&
                                 T_ROW(n) < flow_tile_halo + flow_tile_middle;
            if (is_right && x < width && y < height) {
                T_GLOBAL_PTR(f32)
                to = swept + flow_margin + (4 * T_GZ + color) * fields + (i64)y * columns + x / 2;
                T_LOCAL_PTR(const f32)
                from = u + color * flow_tile_plane + T_ROW(n) * flow_tile_columns + T_LX;
                to[0] = from[0];
                to[2 * fields] = from[2 * flow_tile_plane];
            }
        }
    }
}

#undef T_ROW
#undef T_IS_SWEPT
