// Part of components.body.h: the kernel that joins the points of tiles, and those of its phases
// that look at values. The others are in components_tile.h.

// Words of local memory for values, and then for parents and a list of links.
enum {
    COMPONENTS_SHAPED(components_tile_memory_) = T_MAX(
        components_tile_words,
        COMPONENTS_CHANNELS* components_tile_rows* COMPONENTS_PITCH*(i32)sizeof(COMPONENTS_VALUE) /
            4)
};

// Bits: which of the eight points of row r from x8 on are linked to the point dx, -1 to 1, beside
// their own place in row `other`. Where that is beyond the tile, the bit says nothing.
#if COMPONENTS_EQUAL
// Words have four values, the first in the lowest byte.
T_FUNCTION u32 COMPONENTS_SHAPED(components_links_of_tile_)(T_LOCAL_PTR(const COMPONENTS_VALUE)
                                                                values,
                                                            const u64 limit, const i32 r,
                                                            const i32 x8, const i32 other,
                                                            const i32 dx) {
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
T_FUNCTION u32 COMPONENTS_SHAPED(components_links_of_tile_)(T_LOCAL_PTR(const COMPONENTS_VALUE)
                                                                values,
                                                            const u64 limit, const i32 r,
                                                            const i32 x8, const i32 other,
                                                            const i32 dx) {
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

// Read the values of a tile: four bytes at a time where rows of the image begin at multiples of
// four, otherwise a point at a time. All loads are issued before the first value is used.
T_FUNCTION void COMPONENTS_SHAPED(components_read_words_)(const components_tile tile,
                                                          T_GLOBAL_PTR(const COMPONENTS_VALUE)
                                                              values,
                                                          const i32 item, T_LOCAL_PTR(u32) words) {
    const i32 x = (item & 7) * 4;
    u32 fours[2];
    T_UNROLL
    for (i32 k = 0; k < 2; ++k) {
        const u32 row = components_find_image_row(tile, (item >> 3) + k * 32);
        const u32 at = row != components_none && x < tile.width
                           ? row * (u32)tile.job.nx + (u32)(tile.corner.x + x)
                           : 0u;
        fours[k] = *(T_GLOBAL_PTR(const u32))(values + at);
    }
    T_UNROLL
    for (i32 k = 0; k < 2; ++k)
        words[((item >> 3) + k * 32) * (COMPONENTS_PITCH / 4) + (item & 7)] = fours[k];
}
T_FUNCTION void COMPONENTS_SHAPED(components_read_points_)(const components_tile tile,
                                                           T_GLOBAL_PTR(const COMPONENTS_VALUE)
                                                               values,
                                                           const i32 item,
                                                           T_LOCAL_PTR(COMPONENTS_VALUE) points) {
    COMPONENTS_OF(components_point_) read[8];
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const u32 row = components_find_image_row(tile, (item >> 5) + k * 8);
        const i32 at = row != components_none && (item & 31) < tile.width
                           ? (i32)row * tile.job.nx + tile.corner.x + (item & 31)
                           : 0;
        read[k] = COMPONENTS_OF(components_point_at_)(values, tile.job, at);
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
T_FUNCTION void COMPONENTS_SHAPED(components_keep_columns_)(T_LOCAL_PTR(const COMPONENTS_VALUE)
                                                                values,
                                                            const i32 group, const i32 item,
                                                            T_GLOBAL_PTR(COMPONENTS_VALUE)
                                                                columns) {
    T_UNROLL
    for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
        columns[((2 * group + item / 64) * COMPONENTS_CHANNELS + c) * 64 + item % 64] =
            values[(c * 64 + item % 64) * COMPONENTS_PITCH + item / 64 * (components_tile_x - 1)];
}

// Finds the links of eight points of a row, `byte` of its words: `starts` and `links`. Neighboring
// items handle different rows.
T_FUNCTION void COMPONENTS_SHAPED(components_find_links_)(const components_tile tile,
                                                          T_LOCAL_PTR(const COMPONENTS_VALUE)
                                                              values,
                                                          const i32 r, const i32 byte) {
    const i32 shift_y = COMPONENTS_SHIFT_Y;
    const u64 limit = tile.job.limit;
    const i32 x = byte * 8;
    const u32 exists = components_image_row(tile, r) != components_none ? 0xffu : 0u;
    const u32 along =
        COMPONENTS_SHAPED(components_links_of_tile_)(values, limit, r, x, r, -1) & exists;
    ((T_LOCAL_PTR(u8))(tile.starts + r))[byte] = (u8)(~along | (byte == 0 ? 1u : 0u));
    T_UNROLL
    for (i32 n = components_row_before; n >= components_first_in_tile(COMPONENTS_IS_VOLUME); --n) {
        if (n % 2 == 0 || tile.is_diagonal) {  // odd n differ along two axes
            const i32 other = components_tile_before(n, r, shift_y);
            u32 left = 0, straight = 0, right = 0;
            if (components_is_in_tile(n, r, shift_y) &&
                components_image_row(tile, other) != components_none) {
                straight =
                    COMPONENTS_SHAPED(components_links_of_tile_)(values, limit, r, x, other, 0) &
                    exists;
                if (components_is_diagonal(n, tile.job.axes)) {
                    left = COMPONENTS_SHAPED(components_links_of_tile_)(values, limit, r, x, other,
                                                                        -1) &
                           exists;
                    right = COMPONENTS_SHAPED(components_links_of_tile_)(values, limit, r, x, other,
                                                                         1) &
                            exists;
                }
            }
            T_LOCAL_PTR(u8) bits = (T_LOCAL_PTR(u8))(tile.links + components_link_word(n, -1, r));
            bits[byte] = (u8)left;
            bits[byte + 4 * components_tile_rows] = (u8)straight;
            bits[byte + 8 * components_tile_rows] = (u8)right;
        }
    }
}

// Joins the points of tiles. `labels` gets the roots of points in their tile, in bytes, two a word.
// If components are to be numbered, the roots are bits of `roots`, row by row of the image, each
// word beside one for a number. Border roots become their own parents. For the kernels after this
// one `tile_summary` has the words components_summary_... of each tile, and `columns` the first and
// the last points of its rows, tile by tile: a few bytes of each of many rows would take as many
// cache lines. Phases:
//   1. read the values of the tile;
//   2. find links, and keep the first and last columns;
//   3. choose a link of each run as its hook, and list the other links;
//   4. in bands of eight rows, an item a column: points of the first row get their parents,
//   5. then those of the seven rows after it, row by row, by their hooks;
//   6. attach the runs of first rows by their hooks, to rows of other bands;
//   7. in a volume, compress the paths of first rows, which are the longest;
//   8. unite what listed links join;
//   9. in a picture, compress paths;
//  10. write the roots of points, and mark those of the tile's sides;
//  11. write the summary of the tile and the parents of border roots.
COMPONENTS_TILE_KERNEL(COMPONENTS_SHAPED(components_tiles_), 256, 1, 1,
                       (T_IN(COMPONENTS_VALUE) values, const components_job job, T_OUT(u32) labels,
                        T_OUT(u32) tile_summary, T_OUT(COMPONENTS_VALUE) columns, T_OUT(u32) parent,
                        T_OUT(u32) roots)) {
    // Values are needed until links are found, parents from then on.
    T_LOCAL(u32, memory, COMPONENTS_SHAPED(components_tile_memory_));
    T_LOCAL(u32, links, COMPONENTS_NEIGHBORS * 3 * components_tile_rows);
    T_LOCAL(u32, hooks, 3 * components_tile_rows);
    T_LOCAL(u32, hooked, components_tile_rows);
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, summary, components_summary_words);
#if COMPONENTS_IS_VOLUME
    T_LOCAL(u32, image_rows, components_tile_rows);
    T_ITEM(u32, root);
#endif
    T_ITEM(u32, entry);  // the item's first link in the list
    T_LOCAL_PTR(COMPONENTS_VALUE) points = (T_LOCAL_PTR(COMPONENTS_VALUE))memory;
    const i32 group = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    components_tile tile;
    tile.job = job;
    tile.corner =
        components_corner_of(COMPONENTS_IS_VOLUME, COMPONENTS_SHIFT_Y, job.nz, T_GX, T_GY, T_GZ);
    tile.is_volume = COMPONENTS_IS_VOLUME;
    tile.shift_y = COMPONENTS_SHIFT_Y;
    tile.width = T_MIN(components_tile_x, job.nx - tile.corner.x);
    tile.is_diagonal = components_is_diagonal(components_row_before, job.axes);
    tile.parent = memory;
    tile.list = memory + components_tile_points;
    tile.listed = listed;
    tile.links = links;
    tile.hooks = hooks;
    tile.hooked = hooked;
    tile.root_bits = summary + components_summary_roots;
    tile.border_roots = summary + components_summary_border_roots;
    tile.ends = summary + components_summary_ends;
    tile.starts = summary + components_summary_starts;
#if COMPONENTS_IS_VOLUME
    tile.image_rows = image_rows;
#else
    tile.image_rows = 0;
#endif
    // Phases with fewer than 256 items use other warps in neighboring tiles (item ^ rotation), so
    // that all schedulers of a multiprocessor get work.
    const i32 rotation = T_GX % 4 * 64;
    T_AFTER_LAST_LAUNCH;
    // Phase 1.
    T_PHASE {
        if (COMPONENTS_EQUAL && job.nx % 4 == 0)
            COMPONENTS_SHAPED(components_read_words_)(tile, values, T_LX, memory);
        else
            COMPONENTS_SHAPED(components_read_points_)(tile, values, T_LX, points);
        if (T_LX < components_tile_rows) {
#if COMPONENTS_IS_VOLUME
            image_rows[T_LX] = components_find_image_row(tile, T_LX);
#endif
            tile.border_roots[T_LX] = 0;
        }
        if (T_LX == 0) listed[0] = 0;
    }
    // Phase 2.
    T_PHASE {
        if (T_LX < 2 * components_tile_rows)
            COMPONENTS_SHAPED(components_keep_columns_)(points, group, T_LX, columns);
        COMPONENTS_SHAPED(components_find_links_)
        (tile, points, T_LX & (components_tile_rows - 1), T_LX >> 6);
    }
    // Phase 3.
    T_PHASE { T_MY(entry) = components_list_links(tile, T_LX ^ rotation); }
    // Phases 4 and 5 need no atomics: a row has the parents that the row before it has by then.
    T_PHASE { components_begin_first_row(tile, T_LX); }
    T_UNROLL
    for (i32 k = 1; k < 8; ++k) {
        T_PHASE_OF_32 {
            const i32 r = components_first_row_of(T_LX) + k;
            components_attach_row(tile.parent, hooks, tile.starts[r], hooked[r], r, T_LX & 31,
                                  tile.is_diagonal);
        }
    }
    // Phase 6.
    T_PHASE { components_attach_first_row(tile, T_LX); }
#if COMPONENTS_IS_VOLUME
    // Phase 7.
    T_PHASE {
        T_MY(root) = components_find_local(tile.parent, (u32)(4 * components_first_point_of(T_LX)));
    }
    T_PHASE { tile.parent[components_first_point_of(T_LX)] = T_MY(root); }
#endif
    // Phase 8.
    T_PHASE { components_unite_links(tile, T_LX, T_LX ^ rotation, T_MY(entry)); }
#if !COMPONENTS_IS_VOLUME
    // Phase 9.
    T_PHASE { components_compress_tile(tile, T_LX); }
#endif
    // Phase 10.
    T_PHASE {
        if ((T_LX ^ rotation) < components_tile_rows) components_mark_ends(tile, T_LX ^ rotation);
        components_write_roots(tile, T_LX, labels);
    }
    // Phase 11.
    T_PHASE {
        if (T_LX < components_summary_starts || job.outputs == components_measured)
            tile_summary[group * components_summary_words + T_LX] = summary[T_LX];
        components_keep_roots(tile, group, T_LX, parent, roots);
    }
}
