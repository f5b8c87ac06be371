// Part of components.body.h: the kernel that joins tiles.

#define COMPONENTS_TILE_LINKS COMPONENTS_SHAPED(components_links_of_tile_)
#define COMPONENTS_MEMORY COMPONENTS_SHAPED(components_tile_memory_)

// Words of local memory for values, and then for parents and a list of links.
enum {
    COMPONENTS_MEMORY = T_MAX(
        components_tile_words,
        COMPONENTS_CHANNELS* components_tile_rows* COMPONENTS_PITCH*(i32)sizeof(COMPONENTS_VALUE) /
            4)
};

// Bits: which of the eight points of row r from x8 on are linked to the point dx, -1 to 1, beside
// their own place in row `other`. Where that is beyond the tile, the bit says nothing.
#if COMPONENTS_EQUAL
// Words have four values, the first in the lowest byte.
T_FUNCTION u32 COMPONENTS_TILE_LINKS(T_LOCAL_PTR(const COMPONENTS_VALUE) values, const u64 limit,
                                     const i32 r, const i32 x8, const i32 other, const i32 dx) {
    T_LOCAL_PTR(const u32) own = (T_LOCAL_PTR(const u32))(values + r * COMPONENTS_PITCH);
    T_LOCAL_PTR(const u32) beside = (T_LOCAL_PTR(const u32))(values + other * COMPONENTS_PITCH);
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
T_FUNCTION u32 COMPONENTS_TILE_LINKS(T_LOCAL_PTR(const COMPONENTS_VALUE) values, const u64 limit,
                                     const i32 r, const i32 x8, const i32 other, const i32 dx) {
    u32 found = 0;
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const i32 x = T_CLAMP(x8 + k + dx, 0, components_tile_x - 1);
        COMPONENTS_DISTANCE distance = 0;
        T_UNROLL
        for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c) {
            const i32 row = c * components_tile_rows;
            const u32 d = components_distance(values[(row + r) * COMPONENTS_PITCH + x8 + k],
                                              values[(row + other) * COMPONENTS_PITCH + x]);
            distance += COMPONENTS_CHANNELS == 1 ? d : (COMPONENTS_DISTANCE)d * d;
        }
        found |= (u32)(distance <= (COMPONENTS_DISTANCE)limit) << k;
    }
    return found;
}
#endif

// Joins the tiles of pictures, or of volumes: `labels` gets the roots of points in their tile, in
// bytes, two a word. If components are to be `numbered`, the roots are bits of `roots`, row by row
// of the image, each beside a word for a number. Roots whose components come to a side of the tile
// are their own parents. The kernels that follow find side by side what they need of a tile, the
// words of components_kept in `kept` and the first and the last points of its rows in `columns`: a
// few bytes of each of many rows would take as many lines of the cache.
COMPONENTS_TILE_KERNEL(COMPONENTS_SHAPED(components_tiles_), 256, 1, 1,
                       (T_IN(COMPONENTS_VALUE) values, const components_job job, T_OUT(u32) labels,
                        T_OUT(u32) kept, T_OUT(COMPONENTS_VALUE) columns, T_OUT(u32) parent,
                        T_OUT(u32) roots)) {
    // Values are needed until links are found, parents from then on.
    T_LOCAL(u32, memory, COMPONENTS_MEMORY);
    T_LOCAL(u32, links, COMPONENTS_NEIGHBORS * 3 * components_tile_rows);
    T_LOCAL(u32, hooks, 3 * components_tile_rows);
    T_LOCAL(u32, hooked, components_tile_rows);  // bits: points of runs with a hook
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, words, components_kept);  // which will be `kept`
#if COMPONENTS_IS_VOLUME
    T_LOCAL(u32, place, components_tile_rows);  // each row in the image, or components_none
    T_ITEM(u32, root);
#endif
    T_ITEM(u32, entry);  // the item's first link in the list
    T_LOCAL_PTR(COMPONENTS_VALUE) tile = (T_LOCAL_PTR(COMPONENTS_VALUE))memory;
    T_LOCAL_PTR(u32) up = memory;
    T_LOCAL_PTR(u32) list = up + components_tile;
    T_LOCAL_PTR(u32) found = words + components_kept_found;
    T_LOCAL_PTR(u32) edges = words + components_kept_edges;
    T_LOCAL_PTR(u32) ends = words + components_kept_ends;
    T_LOCAL_PTR(u32) starts = words + components_kept_starts;  // bits: first points of runs
    const i32 shift_y = COMPONENTS_SHIFT_Y;
    const i32 group = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    const i32 x0 = T_GX * components_tile_x;
    const i32 y0 = T_GY << shift_y;
#if COMPONENTS_IS_VOLUME
    const i32 tiles_z = ((job.nz - 1) >> (6 - shift_y)) + 1;
    const i32 t = components_tile_t(T_GZ, tiles_z);
    const i32 z0 = (T_GZ - t * tiles_z) << (6 - shift_y);
    #define COMPONENTS_ROW(r) components_tile_row(r, y0, z0, t, job.ny, job.nz, shift_y)
    #define COMPONENTS_PLACE(r) place[r]
#else
    #define COMPONENTS_ROW(r) components_tile_row(r, y0, 0, 0, job.ny, 1, shift_y)
    #define COMPONENTS_PLACE(r) COMPONENTS_ROW(r)
#endif
    // Where few warps work, these are others from tile to tile.
    const i32 turn = T_GX % 4 * 64;
    const i32 width = T_MIN(components_tile_x, job.nx - x0);
    const u32 inside = 0xffffffffu >> (components_tile_x - width);
    // Without diagonals, every other row is a neighbor.
    const i32 is_diagonal = components_is_diagonal(12, job.axes);
    const i32 step = is_diagonal ? 1 : 2;
    T_AFTER_LAST_LAUNCH;
    T_PHASE {  // values: all on their way before the first is waited for
        if (COMPONENTS_EQUAL && job.nx % 4 == 0) {
            const i32 x = (T_LX & 7) * 4;
            u32 fours[2];
            T_UNROLL
            for (i32 k = 0; k < 2; ++k) {
                const u32 row = COMPONENTS_ROW((T_LX >> 3) + k * 32);
                const u32 at =
                    row != components_none && x < width ? row * (u32)job.nx + (u32)(x0 + x) : 0u;
                fours[k] = *(T_GLOBAL_PTR(const u32))(values + at);
            }
            T_UNROLL
            for (i32 k = 0; k < 2; ++k)
                memory[((T_LX >> 3) + k * 32) * (COMPONENTS_PITCH / 4) + (T_LX & 7)] = fours[k];
        } else {
            COMPONENTS_POINT points[8];
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                const u32 row = COMPONENTS_ROW((T_LX >> 5) + k * 8);
                const i32 at = row != components_none && (T_LX & 31) < width
                                   ? (i32)row * job.nx + x0 + (T_LX & 31)
                                   : 0;
                points[k] = COMPONENTS_POINT_AT(values, job, at);
            }
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                T_UNROLL
                for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
                    tile[(c * components_tile_rows + (T_LX >> 5) + k * 8) * COMPONENTS_PITCH +
                         (T_LX & 31)] = (COMPONENTS_VALUE)points[k].channel[c];
            }
        }
        if (T_LX < components_tile_rows) {
#if COMPONENTS_IS_VOLUME
            place[T_LX] = COMPONENTS_ROW(T_LX);
#endif
            edges[T_LX] = 0;
        }
        if (T_LX == 0) listed[0] = 0;
    }
    // Here an item looks at eight points of a row; neighbor items at other rows.
    T_PHASE {
        if (T_LX < 2 * components_tile_rows) {
            T_UNROLL
            for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
                columns[((2 * group + T_LX / 64) * COMPONENTS_CHANNELS + c) * 64 + T_LX % 64] =
                    tile[(c * 64 + T_LX % 64) * COMPONENTS_PITCH +
                         T_LX / 64 * (components_tile_x - 1)];
        }
        const i32 r = T_LX & (components_tile_rows - 1);
        const i32 byte = T_LX >> 6;
        const u32 exists = COMPONENTS_PLACE(r) != components_none ? 0xffu : 0u;
        const u32 along = COMPONENTS_TILE_LINKS(tile, job.limit, r, byte * 8, r, -1) & exists;
        ((T_LOCAL_PTR(u8))(starts + r))[byte] = (u8)(~along | (byte == 0 ? 1u : 0u));
        T_UNROLL
        for (i32 k = 0; k < COMPONENTS_NEIGHBORS; ++k) {
            const i32 n = 12 - k;
            if (k % 2 == 0 || is_diagonal) {
                const i32 other = components_tile_before(n, r, shift_y);
                u32 left_bits = 0, straight = 0, right = 0;
                if (components_is_in_tile(n, r, shift_y) &&
                    COMPONENTS_PLACE(other) != components_none) {
                    straight =
                        COMPONENTS_TILE_LINKS(tile, job.limit, r, byte * 8, other, 0) & exists;
                    if (components_is_diagonal(n, job.axes)) {
                        left_bits =
                            COMPONENTS_TILE_LINKS(tile, job.limit, r, byte * 8, other, -1) & exists;
                        right =
                            COMPONENTS_TILE_LINKS(tile, job.limit, r, byte * 8, other, 1) & exists;
                    }
                }
                T_LOCAL_PTR(u8) bits = (T_LOCAL_PTR(u8))(links + components_link_word(n, -1, r));
                bits[byte] = (u8)left_bits;
                bits[byte + 4 * components_tile_rows] = (u8)straight;
                bits[byte + 8 * components_tile_rows] = (u8)right;
            }
        }
    }
    T_PHASE {
        // A row and one of its neighbors an item.
        const i32 r = T_LX & (components_tile_rows - 1);
        const i32 n = 12 - ((T_LX ^ turn) >> 6) * step;
        if (n > 12 - COMPONENTS_NEIGHBORS) {
            components_row_links some =
                components_needed_links(links, starts, n, r, shift_y, inside);
            if (n == components_hook_neighbor(r, shift_y)) {
                const u32 points = components_choose_hooks(hooks, starts, some, r);
                hooked[r] = points;
                found[r] =
                    COMPONENTS_PLACE(r) != components_none ? inside & starts[r] & ~points : 0u;
                some = components_without_hooks(some, hooks, r);
            }
            T_MY(entry) = components_list_row(list, listed, some, n, r, shift_y);
        }
    }
    // Hooks need no atomics. First eight rows in a column, from top to bottom, ...
    T_PHASE {
        const i32 r = (T_LX >> 5) * 8;
        up[r * components_tile_x + (T_LX & 31)] =
            4u * (u32)(r * components_tile_x + components_run_start(starts[r], T_LX & 31));
    }
    T_UNROLL
    for (i32 k = 1; k < 8; ++k) {
        T_PHASE_OF_32 {
            const i32 r = (T_LX >> 5) * 8 + k;
            components_hang_row(up, hooks, starts[r], hooked[r], r, T_LX & 31, is_diagonal);
        }
    }
    // ... then their first rows, which may hang under rows of other columns: in a volume first rows
    // too, whose parents change meanwhile, ...
    T_PHASE {
        const i32 r = (T_LX >> 5) * 8;
        components_hang(up, hooks, starts, r,
                        components_tile_before(components_hook_neighbor(r, shift_y), r, shift_y),
                        T_LX & 31, is_diagonal, COMPONENTS_IS_VOLUME);
    }
#if COMPONENTS_IS_VOLUME
    // ... whose ways to the root are the longest.
    T_PHASE {
        T_MY(root) = components_root_local(
            up, (u32)(4 * ((T_LX >> 5) * 8 * components_tile_x + (T_LX & 31))));
    }
    T_PHASE { up[(T_LX >> 5) * 8 * components_tile_x + (T_LX & 31)] = T_MY(root); }
#endif
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_listed);
        for (u32 k = (u32)T_LX; k < end; k += 256u) components_join_link(up, found, list[k]);
        const i32 r = T_LX & (components_tile_rows - 1);
        const i32 n = 12 - ((T_LX ^ turn) >> 6) * step;
        if (listed[0] > end && n > 12 - COMPONENTS_NEIGHBORS) {
            components_row_links some =
                components_needed_links(links, starts, n, r, shift_y, inside);
            if (n == components_hook_neighbor(r, shift_y))
                some = components_without_hooks(some, hooks, r);
            u32 next = components_join_unlisted(up, found, T_MY(entry), some.straight,
                                                components_first_link(n, 0, r, shift_y));
            next = components_join_unlisted(up, found, next, some.left,
                                            components_first_link(n, -1, r, shift_y));
            components_join_unlisted(up, found, next, some.right,
                                     components_first_link(n, 1, r, shift_y));
        }
    }
#if !COMPONENTS_IS_VOLUME
    // Points of first rows, and the roots that have hung since, get short ways: no point's way to
    // its root is longer than two steps then.
    T_PHASE {
        const i32 r = T_LX / 4;
        for (u32 bits = starts[r] & ~hooked[r] & ~found[r] & inside & 0xffu << T_LX % 4 * 8;
             bits != 0; bits &= bits - 1u)
            components_shorten(
                up, (u32)(4 * (r * components_tile_x + T_HIGHEST_BIT(bits & (0u - bits)))));
        components_shorten(up, (u32)(4 * ((T_LX >> 5) * 8 * components_tile_x + (T_LX & 31))));
    }
#endif
    T_PHASE {
        const i32 r = T_LX ^ turn;
        if (r < components_tile_rows) {
            const u32 begin = components_root_local(up, (u32)(4 * r * components_tile_x));
            const u32 end =
                components_root_local(up, (u32)(4 * (r * components_tile_x + width - 1)));
            components_mark_root(edges, begin);
            components_mark_root(edges, end);
            ends[r] = begin | end << 16;
        }
        T_UNROLL
        for (i32 k = 0; k < components_item_pairs; ++k) {
            const i32 row = k * 16 + (T_LX >> 4);
            const i32 point = components_tile_x * row + (T_LX & 15);
            u32 low = *components_at(up, up[point]);  // in most cases the root
            u32 high = *components_at(up, up[point + 16]);
#if COMPONENTS_IS_VOLUME
            for (u32 moved = 1; moved != 0;) {
                const u32 up_low = *components_at(up, low);
                const u32 up_high = *components_at(up, high);
                moved = (up_low ^ low) | (up_high ^ high);
                low = up_low;
                high = up_high;
            }
#endif
            if (components_is_side_row(row, COMPONENTS_IS_VOLUME, job.first_neighbor)) {
                components_mark_root(edges, low);
                components_mark_root(edges, high);
            }
            const u32 image_row = COMPONENTS_PLACE(row);
            const u32 both = low | high << 16;
            if (image_row != components_none && (T_LX & 15) < width)
                labels[components_pair_place(image_row, x0 + (T_LX & 15), job.nx)] = both;
        }
    }
    T_PHASE {
        if (T_LX < components_kept_starts || job.outputs == components_measured)
            kept[group * components_kept + T_LX] = words[T_LX];
        const i32 r = T_LX / 4;
        const u32 row = COMPONENTS_PLACE(r);
        if (row != components_none) {
            const u32 first_id = components_id(row, x0, job.nx);
            if (T_LX % 4 == 0 && job.outputs)
                roots[components_pair_of_row(components_tiled_words(COMPONENTS_IS_VOLUME, job.nx),
                                             group, r, row, x0, job.nx)] = found[r];
            for (u32 bits = edges[r] & 0xffu << T_LX % 4 * 8; bits != 0; bits &= bits - 1u) {
                const u32 id = first_id + (u32)T_HIGHEST_BIT(bits & (0u - bits));
                parent[id] = id;
            }
        }
    }
}

#undef COMPONENTS_PLACE
#undef COMPONENTS_ROW
#undef COMPONENTS_MEMORY
#undef COMPONENTS_TILE_LINKS
