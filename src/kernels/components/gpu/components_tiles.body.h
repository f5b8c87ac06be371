// Part of components.body.h: the kernel that joins tiles, after the functions that are its phases.

#define COMPONENTS_TILE COMPONENTS_SHAPED(components_tile_)
#define COMPONENTS_ROW COMPONENTS_SHAPED(components_row_)
#define COMPONENTS_PLACE COMPONENTS_SHAPED(components_place_)
#define COMPONENTS_READ_WORDS COMPONENTS_SHAPED(components_read_words_)
#define COMPONENTS_READ_POINTS COMPONENTS_SHAPED(components_read_points_)
#define COMPONENTS_KEEP_COLUMNS COMPONENTS_SHAPED(components_keep_columns_)
#define COMPONENTS_TILE_LINKS COMPONENTS_SHAPED(components_links_of_tile_)
#define COMPONENTS_FIND_LINKS COMPONENTS_SHAPED(components_find_links_)
#define COMPONENTS_NEEDED COMPONENTS_SHAPED(components_needed_)
#define COMPONENTS_NEIGHBOR COMPONENTS_SHAPED(components_neighbor_)
#define COMPONENTS_LIST_LINKS COMPONENTS_SHAPED(components_list_links_)
#define COMPONENTS_JOIN_UNLISTED COMPONENTS_SHAPED(components_join_unlisted_)
#define COMPONENTS_SHORTEN COMPONENTS_SHAPED(components_shorten_)
#define COMPONENTS_MARK_ENDS COMPONENTS_SHAPED(components_mark_ends_)
#define COMPONENTS_WRITE_FOUND COMPONENTS_SHAPED(components_write_found_)
#define COMPONENTS_KEEP_ROOTS COMPONENTS_SHAPED(components_keep_roots_)
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

// A tile, and what its group has in local memory: a word a row, but for parents and the list.
typedef struct {
    components_job job;
    components_corner corner;
    i32 width;                // points of a row that the image has
    i32 is_diagonal;          // whether rows are linked to the left and right of a point, too
    T_LOCAL_PTR(u32) up;      // parents of points, in bytes
    T_LOCAL_PTR(u32) list;    // of links
    T_LOCAL_PTR(u32) listed;  // how many links there are, also without room in the list
    T_LOCAL_PTR(u32) links;   // bits, to each neighbor, also those that others imply
    T_LOCAL_PTR(u32) hooks;   // bits: links to the left, straight ones, to the right
    T_LOCAL_PTR(u32) hooked;  // bits: points of runs with a hook
    T_LOCAL_PTR(u32) found;   // from here on what is kept: components_kept_...
    T_LOCAL_PTR(u32) edges;
    T_LOCAL_PTR(u32) ends;
    T_LOCAL_PTR(u32) starts;
#if COMPONENTS_IS_VOLUME
    T_LOCAL_PTR(u32) place;  // each row in the image, or components_none
#endif
} COMPONENTS_TILE;

// Row `r` in the image, or components_none where the image has no such row.
T_FUNCTION u32 COMPONENTS_ROW(const COMPONENTS_TILE tile, const i32 r) {
    return components_tile_row(r, tile.corner.y, tile.corner.z, tile.corner.t, tile.job.ny,
                               COMPONENTS_IS_VOLUME ? tile.job.nz : 1, COMPONENTS_SHIFT_Y);
}
// The same, once that is known.
T_FUNCTION u32 COMPONENTS_PLACE(const COMPONENTS_TILE tile, const i32 r) {
#if COMPONENTS_IS_VOLUME
    return tile.place[r];
#else
    return COMPONENTS_ROW(tile, r);
#endif
}

// ---- Values and links --------------------------------------------------------------------------

// Values are all on their way before the first is waited for. Of bytes an item reads four a row,
// where rows of the image begin at multiples of four; otherwise a point a row.
T_FUNCTION void COMPONENTS_READ_WORDS(const COMPONENTS_TILE tile,
                                      T_GLOBAL_PTR(const COMPONENTS_VALUE) values, const i32 item,
                                      T_LOCAL_PTR(u32) words) {
    const i32 x = (item & 7) * 4;
    u32 fours[2];
    T_UNROLL
    for (i32 k = 0; k < 2; ++k) {
        const u32 row = COMPONENTS_ROW(tile, (item >> 3) + k * 32);
        const u32 at = row != components_none && x < tile.width
                           ? row * (u32)tile.job.nx + (u32)(tile.corner.x + x)
                           : 0u;
        fours[k] = *(T_GLOBAL_PTR(const u32))(values + at);
    }
    T_UNROLL
    for (i32 k = 0; k < 2; ++k)
        words[((item >> 3) + k * 32) * (COMPONENTS_PITCH / 4) + (item & 7)] = fours[k];
}
T_FUNCTION void COMPONENTS_READ_POINTS(const COMPONENTS_TILE tile,
                                       T_GLOBAL_PTR(const COMPONENTS_VALUE) values, const i32 item,
                                       T_LOCAL_PTR(COMPONENTS_VALUE) points) {
    COMPONENTS_POINT read[8];
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const u32 row = COMPONENTS_ROW(tile, (item >> 5) + k * 8);
        const i32 at = row != components_none && (item & 31) < tile.width
                           ? (i32)row * tile.job.nx + tile.corner.x + (item & 31)
                           : 0;
        read[k] = COMPONENTS_POINT_AT(values, tile.job, at);
    }
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        T_UNROLL
        for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
            points[(c * components_tile_rows + (item >> 5) + k * 8) * COMPONENTS_PITCH +
                   (item & 31)] = (COMPONENTS_VALUE)read[k].channel[c];
    }
}

// Writes the first and the last points of the rows of tile number `group`, one an item.
T_FUNCTION void COMPONENTS_KEEP_COLUMNS(T_LOCAL_PTR(const COMPONENTS_VALUE) values, const i32 group,
                                        const i32 item, T_GLOBAL_PTR(COMPONENTS_VALUE) columns) {
    T_UNROLL
    for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
        columns[((2 * group + item / 64) * COMPONENTS_CHANNELS + c) * 64 + item % 64] =
            values[(c * 64 + item % 64) * COMPONENTS_PITCH + item / 64 * (components_tile_x - 1)];
}

// Finds the links of eight points of a row, `byte` of its words: `starts` and `links`. Items side
// by side see to different rows.
T_FUNCTION void COMPONENTS_FIND_LINKS(const COMPONENTS_TILE tile,
                                      T_LOCAL_PTR(const COMPONENTS_VALUE) values, const i32 r,
                                      const i32 byte) {
    const i32 shift_y = COMPONENTS_SHIFT_Y;
    const u64 limit = tile.job.limit;
    const i32 x = byte * 8;
    const u32 exists = COMPONENTS_PLACE(tile, r) != components_none ? 0xffu : 0u;
    const u32 along = COMPONENTS_TILE_LINKS(values, limit, r, x, r, -1) & exists;
    ((T_LOCAL_PTR(u8))(tile.starts + r))[byte] = (u8)(~along | (byte == 0 ? 1u : 0u));
    T_UNROLL
    for (i32 k = 0; k < COMPONENTS_NEIGHBORS; ++k) {
        const i32 n = 12 - k;
        if (k % 2 == 0 || tile.is_diagonal) {
            const i32 other = components_tile_before(n, r, shift_y);
            u32 left = 0, straight = 0, right = 0;
            if (components_is_in_tile(n, r, shift_y) &&
                COMPONENTS_PLACE(tile, other) != components_none) {
                straight = COMPONENTS_TILE_LINKS(values, limit, r, x, other, 0) & exists;
                if (components_is_diagonal(n, tile.job.axes)) {
                    left = COMPONENTS_TILE_LINKS(values, limit, r, x, other, -1) & exists;
                    right = COMPONENTS_TILE_LINKS(values, limit, r, x, other, 1) & exists;
                }
            }
            T_LOCAL_PTR(u8) bits = (T_LOCAL_PTR(u8))(tile.links + components_link_word(n, -1, r));
            bits[byte] = (u8)left;
            bits[byte + 4 * components_tile_rows] = (u8)straight;
            bits[byte + 8 * components_tile_rows] = (u8)right;
        }
    }
}

// ---- Union-find --------------------------------------------------------------------------------

// Of the links of row `r` to its neighbor `n` those that others do not imply.
T_FUNCTION components_row_links COMPONENTS_NEEDED(const COMPONENTS_TILE tile, const i32 n,
                                                  const i32 r) {
    return components_needed_links(tile.links, tile.starts, n, r, COMPONENTS_SHIFT_Y,
                                   components_inside(tile.width));
}
// The neighbor that an item looks at, as 64 items do at each. Without diagonals, every other row is
// a neighbor.
T_FUNCTION i32 COMPONENTS_NEIGHBOR(const COMPONENTS_TILE tile, const i32 item) {
    return 12 - (item >> 6) * (tile.is_diagonal ? 1 : 2);
}

// Chooses the hooks of a row, if the item looks at the neighbor of hooks, and lists the other
// links. Gives the entry of the first.
T_FUNCTION u32 COMPONENTS_LIST_LINKS(const COMPONENTS_TILE tile, const i32 item) {
    const i32 r = item & (components_tile_rows - 1);
    const i32 n = COMPONENTS_NEIGHBOR(tile, item);
    if (n <= 12 - COMPONENTS_NEIGHBORS) return 0u;
    components_row_links some = COMPONENTS_NEEDED(tile, n, r);
    if (n == components_hook_neighbor(r, COMPONENTS_SHIFT_Y)) {
        const u32 points = components_choose_hooks(tile.hooks, tile.starts, some, r);
        tile.hooked[r] = points;
        tile.found[r] = COMPONENTS_PLACE(tile, r) != components_none
                            ? components_inside(tile.width) & tile.starts[r] & ~points
                            : 0u;
        some = components_without_hooks(some, tile.hooks, r);
    }
    return components_list_row(tile.list, tile.listed, some, n, r, COMPONENTS_SHIFT_Y);
}

// Joins what those of the item's links hold together for which there was no room in the list.
// `entry` is that of the first.
T_FUNCTION void COMPONENTS_JOIN_UNLISTED(const COMPONENTS_TILE tile, const i32 item,
                                         const u32 entry) {
    const i32 r = item & (components_tile_rows - 1);
    const i32 n = COMPONENTS_NEIGHBOR(tile, item);
    if (n <= 12 - COMPONENTS_NEIGHBORS) return;
    components_row_links some = COMPONENTS_NEEDED(tile, n, r);
    if (n == components_hook_neighbor(r, COMPONENTS_SHIFT_Y))
        some = components_without_hooks(some, tile.hooks, r);
    u32 next = components_join_unlisted(tile.up, tile.found, entry, some.straight,
                                        components_first_link(n, 0, r, COMPONENTS_SHIFT_Y));
    next = components_join_unlisted(tile.up, tile.found, next, some.left,
                                    components_first_link(n, -1, r, COMPONENTS_SHIFT_Y));
    components_join_unlisted(tile.up, tile.found, next, some.right,
                             components_first_link(n, 1, r, COMPONENTS_SHIFT_Y));
}

#if !COMPONENTS_IS_VOLUME
// Gives points of first rows, and the roots that have hung since, short ways: no point's way to its
// root is longer than two steps then.
T_FUNCTION void COMPONENTS_SHORTEN(const COMPONENTS_TILE tile, const i32 item) {
    const i32 r = item / 4;
    for (u32 bits = tile.starts[r] & ~tile.hooked[r] & ~tile.found[r] &
                    components_inside(tile.width) & 0xffu << item % 4 * 8;
         bits != 0; bits &= bits - 1u)
        components_shorten(tile.up,
                           (u32)(4 * (r * components_tile_x + T_HIGHEST_BIT(bits & (0u - bits)))));
    components_shorten(tile.up, (u32)(4 * ((item >> 5) * 8 * components_tile_x + (item & 31))));
}
#endif

// ---- What the kernels that follow need ---------------------------------------------------------

// The roots of the first and the last point of row `r`, where the tile beside it may go on.
T_FUNCTION void COMPONENTS_MARK_ENDS(const COMPONENTS_TILE tile, const i32 r) {
    const u32 begin = components_root_local(tile.up, (u32)(4 * r * components_tile_x));
    const u32 end =
        components_root_local(tile.up, (u32)(4 * (r * components_tile_x + tile.width - 1)));
    components_mark_root(tile.edges, begin);
    components_mark_root(tile.edges, end);
    tile.ends[r] = begin | end << 16;
}

// Writes the roots of an item's points, and marks those at the sides of the tile.
T_FUNCTION void COMPONENTS_WRITE_FOUND(const COMPONENTS_TILE tile, const i32 item,
                                       T_GLOBAL_PTR(u32) labels) {
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const i32 row = k * 16 + (item >> 4);
        const i32 point = components_tile_x * row + (item & 15);
        u32 low = *components_at(tile.up, tile.up[point]);  // in most cases the root
        u32 high = *components_at(tile.up, tile.up[point + 16]);
#if COMPONENTS_IS_VOLUME
        for (u32 moved = 1; moved != 0;) {
            const u32 up_low = *components_at(tile.up, low);
            const u32 up_high = *components_at(tile.up, high);
            moved = (up_low ^ low) | (up_high ^ high);
            low = up_low;
            high = up_high;
        }
#endif
        if (components_is_side_row(row, COMPONENTS_IS_VOLUME, tile.job.first_neighbor)) {
            components_mark_root(tile.edges, low);
            components_mark_root(tile.edges, high);
        }
        const u32 image_row = COMPONENTS_PLACE(tile, row);
        const u32 both = low | high << 16;
        if (image_row != components_none && (item & 15) < tile.width)
            labels[components_pair_place(image_row, tile.corner.x + (item & 15), tile.job.nx)] =
                both;
    }
}

// Writes the roots of a row as bits, and makes those of them that are marked their own parents:
// every fourth item does the first, and each sees to eight points.
T_FUNCTION void COMPONENTS_KEEP_ROOTS(const COMPONENTS_TILE tile, const i32 group, const i32 item,
                                      T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots) {
    const i32 r = item / 4;
    const u32 row = COMPONENTS_PLACE(tile, r);
    if (row == components_none) return;
    const u32 first_id = components_id(row, tile.corner.x, tile.job.nx);
    if (item % 4 == 0 && tile.job.outputs)
        roots[components_pair_of_row(components_tiled_words(COMPONENTS_IS_VOLUME, tile.job.nx),
                                     group, r, row, tile.corner.x, tile.job.nx)] = tile.found[r];
    for (u32 bits = tile.edges[r] & 0xffu << item % 4 * 8; bits != 0; bits &= bits - 1u) {
        const u32 id = first_id + (u32)T_HIGHEST_BIT(bits & (0u - bits));
        parent[id] = id;
    }
}

// Joins the tiles of pictures, or of volumes: `labels` gets the roots of points in their tile, in
// bytes, two a word. If components are to be numbered, the roots are bits of `roots`, row by row of
// the image, each beside a word for a number. Roots whose components come to a side of the tile are
// their own parents. The kernels that follow find side by side what they need of a tile, the words
// of components_kept in `kept` and the first and the last points of its rows in `columns`: a few
// bytes of each of many rows would take as many lines of the cache. The phases:
//   1. the values of the tile are read;
//   2. links are found, and the first and last columns kept;
//   3. each run chooses a link as its hook, and the other links are listed;
//   4. eight rows of each column hang their runs under the row before them;
//   5. the first of these rows hang theirs under other columns;
//   6. components that listed links hold together are joined;
//   7. in a picture ways to roots are shortened;
//   8. the roots of points are written, and those that other tiles may meet are marked;
//   9. what the kernels that follow need is kept.
COMPONENTS_TILE_KERNEL(COMPONENTS_SHAPED(components_tiles_), 256, 1, 1,
                       (T_IN(COMPONENTS_VALUE) values, const components_job job, T_OUT(u32) labels,
                        T_OUT(u32) kept, T_OUT(COMPONENTS_VALUE) columns, T_OUT(u32) parent,
                        T_OUT(u32) roots)) {
    // Values are needed until links are found, parents from then on.
    T_LOCAL(u32, memory, COMPONENTS_MEMORY);
    T_LOCAL(u32, links, COMPONENTS_NEIGHBORS * 3 * components_tile_rows);
    T_LOCAL(u32, hooks, 3 * components_tile_rows);
    T_LOCAL(u32, hooked, components_tile_rows);
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, words, components_kept);  // which will be `kept`
#if COMPONENTS_IS_VOLUME
    T_LOCAL(u32, place, components_tile_rows);
    T_ITEM(u32, root);
#endif
    T_ITEM(u32, entry);  // the item's first link in the list
    T_LOCAL_PTR(COMPONENTS_VALUE) points = (T_LOCAL_PTR(COMPONENTS_VALUE))memory;
    const i32 group = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    COMPONENTS_TILE tile;
    tile.job = job;
    tile.corner =
        components_corner_of(COMPONENTS_IS_VOLUME, COMPONENTS_SHIFT_Y, job.nz, T_GX, T_GY, T_GZ);
    tile.width = T_MIN(components_tile_x, job.nx - tile.corner.x);
    tile.is_diagonal = components_is_diagonal(12, job.axes);
    tile.up = memory;
    tile.list = memory + components_tile;
    tile.listed = listed;
    tile.links = links;
    tile.hooks = hooks;
    tile.hooked = hooked;
    tile.found = words + components_kept_found;
    tile.edges = words + components_kept_edges;
    tile.ends = words + components_kept_ends;
    tile.starts = words + components_kept_starts;
#if COMPONENTS_IS_VOLUME
    tile.place = place;
#endif
    // Where few warps work, these are others from tile to tile.
    const i32 turn = T_GX % 4 * 64;
    T_AFTER_LAST_LAUNCH;
    T_PHASE {
        if (COMPONENTS_EQUAL && job.nx % 4 == 0)
            COMPONENTS_READ_WORDS(tile, values, T_LX, memory);
        else
            COMPONENTS_READ_POINTS(tile, values, T_LX, points);
        if (T_LX < components_tile_rows) {
#if COMPONENTS_IS_VOLUME
            place[T_LX] = COMPONENTS_ROW(tile, T_LX);
#endif
            tile.edges[T_LX] = 0;
        }
        if (T_LX == 0) listed[0] = 0;
    }
    T_PHASE {
        if (T_LX < 2 * components_tile_rows) COMPONENTS_KEEP_COLUMNS(points, group, T_LX, columns);
        COMPONENTS_FIND_LINKS(tile, points, T_LX & (components_tile_rows - 1), T_LX >> 6);
    }
    T_PHASE { T_MY(entry) = COMPONENTS_LIST_LINKS(tile, T_LX ^ turn); }
    // Hooks need no atomics: first rows are their own, and seven others follow from top to bottom.
    T_PHASE {
        const i32 r = (T_LX >> 5) * 8;
        tile.up[r * components_tile_x + (T_LX & 31)] =
            4u * (u32)(r * components_tile_x + components_run_start(tile.starts[r], T_LX & 31));
    }
    T_UNROLL
    for (i32 k = 1; k < 8; ++k) {
        T_PHASE_OF_32 {
            const i32 r = (T_LX >> 5) * 8 + k;
            components_hang_row(tile.up, hooks, tile.starts[r], hooked[r], r, T_LX & 31,
                                tile.is_diagonal);
        }
    }
    // In a volume first rows may hang under first rows, whose parents change meanwhile, ...
    T_PHASE {
        const i32 r = (T_LX >> 5) * 8;
        components_hang(tile.up, hooks, tile.starts, r,
                        components_tile_before(components_hook_neighbor(r, COMPONENTS_SHIFT_Y), r,
                                               COMPONENTS_SHIFT_Y),
                        T_LX & 31, tile.is_diagonal, COMPONENTS_IS_VOLUME);
    }
#if COMPONENTS_IS_VOLUME
    // ... and their ways to the root are the longest.
    T_PHASE {
        T_MY(root) = components_root_local(
            tile.up, (u32)(4 * ((T_LX >> 5) * 8 * components_tile_x + (T_LX & 31))));
    }
    T_PHASE { tile.up[(T_LX >> 5) * 8 * components_tile_x + (T_LX & 31)] = T_MY(root); }
#endif
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_listed);
        for (u32 k = (u32)T_LX; k < end; k += 256u)
            components_join_link(tile.up, tile.found, tile.list[k]);
        if (listed[0] > end) COMPONENTS_JOIN_UNLISTED(tile, T_LX ^ turn, T_MY(entry));
    }
#if !COMPONENTS_IS_VOLUME
    T_PHASE { COMPONENTS_SHORTEN(tile, T_LX); }
#endif
    T_PHASE {
        if ((T_LX ^ turn) < components_tile_rows) COMPONENTS_MARK_ENDS(tile, T_LX ^ turn);
        COMPONENTS_WRITE_FOUND(tile, T_LX, labels);
    }
    T_PHASE {
        if (T_LX < components_kept_starts || job.outputs == components_measured)
            kept[group * components_kept + T_LX] = words[T_LX];
        COMPONENTS_KEEP_ROOTS(tile, group, T_LX, parent, roots);
    }
}

#undef COMPONENTS_MEMORY
#undef COMPONENTS_KEEP_ROOTS
#undef COMPONENTS_WRITE_FOUND
#undef COMPONENTS_MARK_ENDS
#undef COMPONENTS_SHORTEN
#undef COMPONENTS_JOIN_UNLISTED
#undef COMPONENTS_LIST_LINKS
#undef COMPONENTS_NEIGHBOR
#undef COMPONENTS_NEEDED
#undef COMPONENTS_FIND_LINKS
#undef COMPONENTS_TILE_LINKS
#undef COMPONENTS_KEEP_COLUMNS
#undef COMPONENTS_READ_POINTS
#undef COMPONENTS_READ_WORDS
#undef COMPONENTS_PLACE
#undef COMPONENTS_ROW
#undef COMPONENTS_TILE
