// Part of components.body.h: the kernel that joins tiles.

#define T_TILE_LINKS T_JOIN(components_links_of_tile_, T_NAME)
#define T_MEMORY T_JOIN(components_tile_memory_, T_NAME)

// Words of local memory for values, and then for parents and a list of links.
enum {
    T_MEMORY = T_MAX(components_tile_words,
                     T_CHANNELS* components_tile_rows* T_PITCH*(i32)sizeof(T_VALUE) / 4)
};

// Bits: which of the eight points of row r from x8 on are linked to the point dx, -1 to 1, beside
// their own place in row `other`. Where that is beyond the tile, the bit says nothing.
#if T_EQUAL
// Words have four values, the first in the lowest byte.
T_FUNCTION u32 T_TILE_LINKS(T_LOCAL_PTR(const T_VALUE) values, const u64 limit, const i32 r,
                            const i32 x8, const i32 other, const i32 dx) {
    T_LOCAL_PTR(const u32) own = (T_LOCAL_PTR(const u32))(values + r * T_PITCH);
    T_LOCAL_PTR(const u32) beside = (T_LOCAL_PTR(const u32))(values + other * T_PITCH);
    const i32 w = x8 / 4;
    u32 low = beside[w];
    u32 high = beside[w + 1];
    (void)limit;
    if (dx < 0) {
        high = high << 8 | low >> 24;
        low = low << 8 | beside[T_MAX(w - 1, 0)] >> 24;
    } else if (dx > 0) {
        low = low >> 8 | high << 24;
        high = high >> 8 | beside[T_MIN(w + 2, components_tile_x / 4 - 1)] << 24;
    }
    return components_equal_bytes(own[w], low) | components_equal_bytes(own[w + 1], high) << 4;
}
#else
T_FUNCTION u32 T_TILE_LINKS(T_LOCAL_PTR(const T_VALUE) values, const u64 limit, const i32 r,
                            const i32 x8, const i32 other, const i32 dx) {
    u32 found = 0;
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const i32 x = T_CLAMP(x8 + k + dx, 0, components_tile_x - 1);
        T_DISTANCE distance = 0;
        T_UNROLL
        for (i32 c = 0; c < T_CHANNELS; ++c) {
            const i32 row = c * components_tile_rows;
            const u32 d = components_distance(values[(row + r) * T_PITCH + x8 + k],
                                              values[(row + other) * T_PITCH + x]);
            distance += T_CHANNELS == 1 ? d : (T_DISTANCE)d * d;
        }
        found |= (u32)(distance <= (T_DISTANCE)limit) << k;
    }
    return found;
}
#endif

// Joins the tiles: `labels` gets the roots of points in their tile, in bytes, two a word. The roots
// are bits of `roots`, row by row of the image, each beside a word of the roots of the first and
// the last point of the tile's row. Those whose components come to a side of the tile are bits of
// `edge_roots` too, likewise, and their own parents.
T_GROUP_KERNEL(T_JOIN(components_tiles_, T_NAME), 256, 1, 1,
               (T_IN(T_VALUE) values, const i64 plane, const i64 limit, const i32 nx, const i32 ny,
                const i32 nz, const i32 shift_y, const i32 first_neighbor, const i32 axes,
                T_OUT(u32) labels, T_OUT(u32) edge_roots, T_OUT(u32) parent, T_OUT(u32) roots)) {
    // Values are needed until links are found, parents from then on.
    T_LOCAL(u32, memory, T_MEMORY);
    T_LOCAL(u32, place, components_tile_rows);   // each row in the image, or components_none
    T_LOCAL(u32, starts, components_tile_rows);  // bits: first points of the runs of each row
    T_LOCAL(u32, found, components_tile_rows);   // bits: roots of the tile
    T_LOCAL(u32, links, components_tile_links);
    T_LOCAL(u32, hooks, 3 * components_tile_rows);
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, edges, components_tile_rows);    // bits: roots of what comes to a side
    T_LOCAL(u32, ends, components_tile_rows);     // roots of each row's first and last point
    T_LOCAL(u32, implied, components_tile_rows);  // bits: links to the slice before to leave out
    T_ITEM(u32, root);
    T_LOCAL_PTR(T_VALUE) tile = (T_LOCAL_PTR(T_VALUE))memory;
    T_LOCAL_PTR(u32) up = memory;
    T_LOCAL_PTR(u32) list = up + components_tile;
    const i32 shift_z = 6 - shift_y;
    const i32 tiles_z = ((nz - 1) >> shift_z) + 1;
    const i32 x0 = T_GX * components_tile_x;
    // Where few warps work, these are others from tile to tile.
    const i32 turn = T_GX % 4 * 64;
    const i32 width = T_MIN(components_tile_x, nx - x0);
    // Neighbors: without diagonals, every other one of the four rows.
    const i32 is_diagonal = components_is_diagonal(12, axes);
    const i32 step = axes == 1 ? 2 : 1;
    const i32 first = T_MAX(first_neighbor, 8 + step);
    T_PHASE {
        if (T_LX < components_tile_rows) {
            place[T_LX] = components_tile_row(T_LX, T_GY << shift_y, (T_GZ % tiles_z) << shift_z,
                                              T_GZ / tiles_z, ny, nz, shift_y);
        }
        if (T_LX < components_tile_rows) edges[T_LX] = 0;
        if (T_LX == 0) listed[0] = 0;
    }
    T_PHASE {  // values: all on their way before the first is waited for
        if (T_EQUAL && nx % 4 == 0) {
            const i32 x = (T_LX & 7) * 4;
            u32 words[2];
            T_UNROLL
            for (i32 k = 0; k < 2; ++k) {
                const u32 row = place[(T_LX >> 3) + k * 32];
                const u32 at =
                    row != components_none && x < width ? row * (u32)nx + (u32)(x0 + x) : 0u;
                words[k] = *(T_GLOBAL_PTR(const u32))(values + at);
            }
            T_UNROLL
            for (i32 k = 0; k < 2; ++k)
                memory[((T_LX >> 3) + k * 32) * (T_PITCH / 4) + (T_LX & 7)] = words[k];
        } else {
            T_POINT points[8];
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                const u32 row = place[(T_LX >> 5) + k * 8];
                const i32 at = row != components_none && (T_LX & 31) < width
                                   ? (i32)row * nx + x0 + (T_LX & 31)
                                   : 0;
                points[k] = T_POINT_AT(values, plane, at);
            }
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                T_UNROLL
                for (i32 c = 0; c < T_CHANNELS; ++c)
                    tile[(c * components_tile_rows + (T_LX >> 5) + k * 8) * T_PITCH + (T_LX & 31)] =
                        (T_VALUE)points[k].channel[c];
            }
        }
    }
    // Here an item looks at eight points of a row; neighbor items at other rows.
    T_PHASE {
        const i32 r = T_LX & (components_tile_rows - 1);
        const i32 byte = T_LX >> 6;
        const u32 along =
            place[r] != components_none ? T_TILE_LINKS(tile, (u64)limit, r, byte * 8, r, -1) : 0u;
        ((T_LOCAL_PTR(u8))(starts + r))[byte] = (u8)(~along | (byte == 0 ? 1u : 0u));
        for (i32 n = first; n < 13; n += step) {
            const i32 other = components_tile_before(n, r, shift_y);
            u32 left = 0, straight = 0, right = 0;
            if (components_is_in_tile(place, n, r, shift_y)) {
                straight = T_TILE_LINKS(tile, (u64)limit, r, byte * 8, other, 0);
                if (components_is_diagonal(n, axes)) {
                    left = T_TILE_LINKS(tile, (u64)limit, r, byte * 8, other, -1);
                    right = T_TILE_LINKS(tile, (u64)limit, r, byte * 8, other, 1);
                }
            }
            T_LOCAL_PTR(u8) bits = (T_LOCAL_PTR(u8))(links + components_link_word(n, -1, r));
            bits[byte] = (u8)left;
            bits[byte + 4 * components_tile_rows] = (u8)straight;
            bits[byte + 8 * components_tile_rows] = (u8)right;
        }
    }
    T_PHASE {
        if (first < 12 && T_LX < components_tile_rows)
            implied[T_LX] = components_implied(links, T_LX, shift_y);
    }
    T_PHASE {
        // A row and one of its neighbors an item.
        const i32 r = T_LX & (components_tile_rows - 1);
        const i32 n = 12 - ((T_LX ^ turn) >> 6) * step;
        if (n >= first) {
            const u32 roots_of_row = components_choose_links(
                links, hooks, list, listed, starts, n == 10 ? implied[r] : 0u, n, r, shift_y,
                0xffffffffu >> (components_tile_x - width));
            if (n == components_hook_neighbor(r, shift_y))
                found[r] = place[r] != components_none ? roots_of_row : 0u;
        }
        T_UNROLL
        for (i32 k = 0; k < components_tile; k += 256) up[k + T_LX] = (u32)(4 * (k + T_LX));
    }
    // Hooks need no atomics. First eight rows in a column, from top to bottom, ...
    for (i32 k = 1; k < 8; ++k) {
        T_PHASE {
            const i32 r = (T_LX >> 5) * 8 + k;
            components_hang(up, hooks, starts, r, r - 1, T_LX & 31, is_diagonal, 0);
        }
    }
    // ... then their first rows, which may hang under rows of other columns: in a volume first rows
    // too, whose parents change meanwhile, ...
    T_PHASE {
        const i32 r = (T_LX >> 5) * 8;
        components_hang(up, hooks, starts, r,
                        components_tile_before(components_hook_neighbor(r, shift_y), r, shift_y),
                        T_LX & 31, is_diagonal, shift_y == 3);
    }
    // ... whose ways to the root are the longest.
    T_PHASE {
        T_MY(root) = components_root_local(
            up, (u32)(4 * ((T_LX >> 5) * 8 * components_tile_x + (T_LX & 31))));
    }
    T_PHASE { up[(T_LX >> 5) * 8 * components_tile_x + (T_LX & 31)] = T_MY(root); }
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_listed);
        for (u32 k = (u32)T_LX; k < end; k += 256u)
            components_join_link(up, found, starts, list[k]);
        if (listed[0] > end) {
            for (i32 n = first; n < 13; n += step)
                components_join_left_over(up, found, starts, links, n, (T_LX >> 6) - 1,
                                          T_LX & (components_tile_rows - 1), shift_y);
        }
    }
    T_PHASE {
        const u32 side_rows[2] = {components_side_rows(0, first_neighbor),
                                  components_side_rows(1, first_neighbor)};
        const i32 r = T_LX ^ turn;
        if (r < components_tile_rows) {
            const u32 begin = components_root_local(up, (u32)(4 * r * components_tile_x));
            const u32 end = components_root_local(
                up, components_run(starts, (u32)(r * components_tile_x + width - 1)));
            components_mark_root(edges, begin);
            components_mark_root(edges, end);
            ends[r] = begin | end << 16;
        }
        T_UNROLL
        for (i32 k = 0; k < components_item_pairs; ++k) {
            const i32 row = k * 16 + (T_LX >> 4);
            const u32 first_point = (u32)(4 * components_tile_x * row);
            u32 low = first_point + 4u * (u32)components_run_start(starts[row], T_LX & 15);
            u32 high = first_point + 4u * (u32)components_run_start(starts[row], (T_LX & 15) + 16);
            low = *components_at(up, *components_at(up, low));  // in most cases the root
            high = *components_at(up, *components_at(up, high));
            for (u32 moved = 1; moved != 0;) {
                const u32 up_low = *components_at(up, low);
                const u32 up_high = *components_at(up, high);
                moved = (up_low ^ low) | (up_high ^ high);
                low = up_low;
                high = up_high;
            }
            if (side_rows[k / 2] >> (row & 31) & 1u) {
                components_mark_root(edges, low);
                components_mark_root(edges, high);
            }
            if (place[row] != components_none && (T_LX & 15) < width)
                labels[components_pair_place(place[row], x0 + (T_LX & 15), nx)] = low | high << 16;
        }
    }
    T_PHASE {
        const i32 r = T_LX / 4;
        const u32 row = place[r];
        if (row != components_none) {
            const u32 first_id = components_id(row, x0, nx);
            if (T_LX % 4 == 0) {
                edge_roots[first_id / 32] = edges[r];
                roots[2 * (first_id / 32)] = found[r];
                roots[2 * (first_id / 32) + 1] = ends[r];
            }
            for (u32 bits = edges[r] & 0xffu << T_LX % 4 * 8; bits != 0; bits &= bits - 1u) {
                const u32 id = first_id + (u32)T_HIGHEST_BIT(bits & (0u - bits));
                parent[id] = id;
            }
        }
    }
}

#undef T_MEMORY
#undef T_TILE_LINKS
