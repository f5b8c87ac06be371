// Part of components.body.h: the kernel that joins tiles.

#define T_TILE_LINKS T_JOIN(components_links_of_tile_, T_NAME)
#define T_MEMORY T_JOIN(components_tile_memory_, T_NAME)

// Words of local memory for values, and then for parents and hooks.
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

// Joins the tiles: parent[i] = an ancestor of point i in its tile, in most cases the root; sets the
// bits of the tiles' roots.
// A group has a lane for each point of a row and takes eight rows at a time.
T_GROUP_KERNEL(T_JOIN(components_tiles_, T_NAME), 32, 8, 1,
               (T_IN(T_VALUE) values, const i64 plane, const i64 limit, const i32 nx, const i32 ny,
                const i32 nz, const i32 shift_y, const i32 first_neighbor, const i32 axes,
                T_OUT(u32) parent, T_GLOBAL_PTR(u32) roots)) {
    // Values are needed until links are found, parents from then on.
    T_LOCAL(u32, memory, T_MEMORY);
    T_LOCAL(u32, place, components_tile_rows);   // the first point of each row, or components_none
    T_LOCAL(u32, starts, components_tile_rows);  // bits: first points of the runs of each row
    T_LOCAL(u32, found, components_tile_rows);   // bits: roots of the tile
    T_LOCAL(u32, links, components_tile_links);
    T_LOCAL(u32, listed, 1);
    T_ITEM(u32, root);
    T_LOCAL_PTR(T_VALUE) tile = (T_LOCAL_PTR(T_VALUE))memory;
    T_LOCAL_PTR(u32) up = memory;
    T_LOCAL_PTR(u32) hooks = memory + components_tile;
    const i32 shift_z = 6 - shift_y;
    const i32 tiles_z = ((nz - 1) >> shift_z) + 1;
    const i32 x0 = T_GX * components_tile_x;
    const i32 y0 = T_GY << shift_y;
    const i32 z0 = (T_GZ % tiles_z) << shift_z;
    const i32 t = T_GZ / tiles_z;
    const i32 width = T_MIN(components_tile_x, nx - x0);
    const i32 first = T_MAX(first_neighbor, components_first_inside);
    const i32 is_diagonal = components_is_diagonal(12, axes);
    T_PHASE {
        if (T_LI < components_tile_rows) {
            place[T_LI] = components_tile_row(T_LI, x0, y0, z0, t, nx, ny, nz, shift_y);
        }
        if (T_LI == 0) listed[0] = 0;
    }
    T_PHASE {  // values: all on their way before the first is waited for
        if (T_EQUAL && nx % 4 == 0) {
            const i32 x = T_LI % 8 * 4;
            u32 words[2];
            T_UNROLL
            for (i32 k = 0; k < 2; ++k) {
                const u32 row = place[T_LI / 8 + k * 32];
                const u32 at = row != components_none && x < width ? row + (u32)x : 0u;
                words[k] = *(T_GLOBAL_PTR(const u32))(values + at);
            }
            T_UNROLL
            for (i32 k = 0; k < 2; ++k)
                memory[(T_LI / 8 + k * 32) * (T_PITCH / 4) + T_LI % 8] = words[k];
        } else {
            T_POINT points[8];
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                const u32 row = place[T_LY + k * 8];
                const i32 at = row != components_none && T_LX < width ? (i32)row + T_LX : 0;
                points[k] = T_POINT_AT(values, plane, at);
            }
            T_UNROLL
            for (i32 k = 0; k < 8; ++k) {
                T_UNROLL
                for (i32 c = 0; c < T_CHANNELS; ++c)
                    tile[(c * components_tile_rows + T_LY + k * 8) * T_PITCH + T_LX] =
                        (T_VALUE)points[k].channel[c];
            }
        }
    }
    // Here an item looks at eight points of a row; neighbor items at other rows.
    T_PHASE {
        const i32 r = T_LI % components_tile_rows;
        const i32 x8 = T_LI / components_tile_rows * 8;
        const i32 exists = place[r] != components_none;
        const u32 along = exists ? T_TILE_LINKS(tile, (u64)limit, r, x8, r, -1) : 0u;
        ((T_LOCAL_PTR(u8))(starts + r))[x8 / 8] = (u8)(~along | (x8 == 0 ? 1u : 0u));
        for (i32 n = first; n < 13; ++n) {
            const i32 other = components_tile_before(n, r, shift_y);
            const i32 is_slanted = components_is_diagonal(n, axes);
            u32 left = 0, straight = 0, right = 0;
            if (exists &&
                components_row_before(n, y0 + (r & ((1 << shift_y) - 1)), z0 + (r >> shift_y), t,
                                      ny, nz, axes, shift_y, shift_z, 1) >= 0) {
                straight = T_TILE_LINKS(tile, (u64)limit, r, x8, other, 0);
                if (is_slanted) {
                    left = T_TILE_LINKS(tile, (u64)limit, r, x8, other, -1);
                    right = T_TILE_LINKS(tile, (u64)limit, r, x8, other, 1);
                }
            }
            T_LOCAL_PTR(u8) bits = (T_LOCAL_PTR(u8))(links + components_link_word(n, -1, r));
            bits[x8 / 8] = (u8)left;
            bits[x8 / 8 + 4 * components_tile_rows] = (u8)straight;
            bits[x8 / 8 + 8 * components_tile_rows] = (u8)right;
        }
    }
    T_PHASE {
        if (T_LI < components_tile_rows) {
            const u32 roots_of_row =
                components_choose_hooks(links, hooks, starts, first, T_LI, shift_y,
                                        0xffffffffu >> (components_tile_x - width));
            found[T_LI] = place[T_LI] != components_none ? roots_of_row : 0u;
        }
        for (i32 k = T_LI - components_tile_rows; k >= 0 && k < components_tile;
             k += 256 - components_tile_rows)
            up[k] = (u32)k;
    }
    // Hooks need no atomics. First eight rows in a column, from top to bottom, ...
    for (i32 k = 1; k < 8; ++k) {
        T_PHASE {
            const i32 r = T_LY * 8 + k;
            const i32 to = components_hook(hooks, starts, 12, r, T_LX, r - 1, is_diagonal);
            if (to >= 0) up[r * components_tile_x + components_run_start(starts[r], T_LX)] = up[to];
        }
    }
    // ... then their first rows, which have eight more above them or other slices before them, ...
    T_PHASE {
        const i32 r = T_LY * 8;
        const i32 to =
            r == 0 ? -1 : components_hook(hooks, starts, 12, r, T_LX, r - 1, is_diagonal);
        if (to >= 0) up[r * components_tile_x + components_run_start(starts[r], T_LX)] = up[to];
        for (i32 n = first; n < 12; ++n) {
            for (i32 row = T_LY; row < components_tile_rows; row += 8) {
                const i32 other = T_MAX(components_tile_before(n, row, shift_y), 0);
                const i32 slice = components_hook(hooks, starts, n, row, T_LX, other,
                                                  components_is_diagonal(n, axes));
                if (slice >= 0)
                    up[row * components_tile_x + components_run_start(starts[row], T_LX)] =
                        (u32)slice;
            }
        }
    }
    // ... whose ways to the root are the longest.
    T_PHASE { T_MY(root) = components_root_local(up, (u32)(T_LY * 8 * components_tile_x + T_LX)); }
    T_PHASE { up[T_LY * 8 * components_tile_x + T_LX] = T_MY(root); }
    // The other links are listed, so that all items have as many; hooks are not needed any more.
    // Where all links are diagonal, there are more than the list holds: these are joined at once.
    T_PHASE {
        for (i32 w = components_link_word(first, -1, 0) + T_LI; w < components_tile_links;
             w += 256) {
            u32 bits = links[w];
            u32 entry = bits != 0 ? T_ATOMIC_ADD(&listed[0], (u32)T_POPCOUNT(bits)) : 0u;
            for (; bits != 0; bits &= bits - 1u, ++entry) {
                const u32 link = (u32)(w * components_tile_x + T_HIGHEST_BIT(bits & (0u - bits)));
                if (entry < components_tile_links)
                    hooks[entry] = link;
                else
                    components_join_link(up, found, starts, link, shift_y);
            }
        }
    }
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_tile_links);
        for (u32 k = (u32)T_LI; k < end; k += 256u)
            components_join_link(up, found, starts, hooks[k], shift_y);
    }
    T_PHASE {
        T_UNROLL
        for (i32 k = 0; k < 8; ++k) {
            const i32 r = T_LY + k * 8;
            u32 ancestor = (u32)(r * components_tile_x + components_run_start(starts[r], T_LX));
            T_UNROLL
            for (i32 step = 0; step < components_tile_steps; ++step) ancestor = up[ancestor];
            if (place[r] != components_none && T_LX < width)
                parent[place[r] + (u32)T_LX] =
                    place[ancestor / components_tile_x] + ancestor % components_tile_x;
        }
        if (T_LI < components_tile_rows && found[T_LI] != 0) {
            const u32 i = place[T_LI];
            const u32 shift = i & 31;
            T_ATOMIC_OR(roots + 2 * (i >> 5), found[T_LI] << shift);
            if (shift > 0 && found[T_LI] >> (32 - shift) != 0)
                T_ATOMIC_OR(roots + 2 * (i >> 5) + 2, found[T_LI] >> (32 - shift));
        }
    }
}

#undef T_MEMORY
#undef T_TILE_LINKS
