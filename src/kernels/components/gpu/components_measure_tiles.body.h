// Part of components_measures.body.h: the kernel that labels and measures what is in a tile, after
// those of its phases that depend on the shape of tiles. The others are in components_measures.h.

// Begins the sums of the roots from `first` of the list on, as many as fit.
T_FUNCTION void COMPONENTS_SHAPED(components_begin_roots_)(const components_measured_tile tile,
                                                           const i32 first, const i32 item) {
    T_NO_UNROLL
    for (i32 k = first + item; k < T_MIN(first + COMPONENTS_ROOM, tile.end_roots); k += 256)
        COMPONENTS_SHAPED(components_begin_sums_)
    (tile.sums + (k - first), components_run_at(tile.list[k], tile.starts));
}

// Adds the other runs of these roots. The runs of a row often belong to one component: neighboring
// items take runs of different rows, so that they rarely add to the same sums. An odd stride
// spreads them over the banks of local memory.
T_FUNCTION void COMPONENTS_SHAPED(components_add_runs_)(const components_measured_tile tile,
                                                        const i32 first, const i32 item) {
    const i32 turns = (tile.end_runs - tile.end_roots + 31) / 32 | 1;
    T_NO_UNROLL
    for (i32 j = item / 32; j < turns; j += 8) {
        const i32 k = tile.end_roots + item % 32 * turns + j;
        const i32 at = k < tile.end_runs ? tile.list[k] : 0;
        const u32 entry = k < tile.end_runs ? tile.labels[at] - (components_unnumbered + (u32)first)
                                            : components_none;
        if (entry < (u32)COMPONENTS_ROOM) COMPONENTS_SHAPED(components_add_run_)
        (tile.sums + entry, components_run_at(at, tile.starts));
    }
}

// Writes the tile's parts of components whose root is in another tile: roots `begin` to `end` of
// the list, where sums begin with root `first`. `first_label` is that of the item's first one. The
// last items take the first ones, because they have fewer runs and records to write.
T_FUNCTION void COMPONENTS_SHAPED(components_share_)(const components_measured_tile tile,
                                                     const i32 first, const i32 begin,
                                                     const i32 end, const u32 first_label,
                                                     const i32 item, T_GLOBAL_PTR(const u32) parent,
                                                     T_GLOBAL_PTR(const u32) roots,
                                                     T_GLOBAL_PTR(u32) shared) {
    T_NO_UNROLL
    for (i32 k = begin + 255 - item; k < end; k += 256) {
        const i32 at = tile.list[k];
        const u32 label = k < begin + 256
                              ? first_label
                              : components_label_of(parent, roots, components_id_at(tile, at), 1,
                                                    tile.job.nx, tile.tiled_words);
        const components_part part =
            COMPONENTS_SHAPED(components_part_)(tile.sums + (k - first), at / components_tile_x);
        T_GLOBAL_PTR(u32)
        entry = shared + components_shared_words * ((i64)tile.counters[components_of_shared] +
                                                    (k - tile.end_image_roots));
        const components_four low = {{label, (u32)tile.number, part.counts, part.rows}};
        const components_four high = {
            {part.columns, part.extent[0], part.extent[1], (u32)part.first_row}};
        components_write_four(entry, low);
        components_write_four(entry + 4, high);
        tile.labels[at] = label;
    }
}

// Writes the records of roots `first` to `end` of the list, which are those of the image, with the
// tile's parts. Neighboring items write neighboring fours.
T_FUNCTION void COMPONENTS_SHAPED(components_write_records_)(const components_measured_tile tile,
                                                             const i32 first, const i32 end,
                                                             const i32 item,
                                                             T_GLOBAL_PTR(u32) statistics) {
    const components_axes axes = {{{tile.corner.x, tile.job.nx},
                                   {tile.corner.y, tile.job.ny},
                                   {tile.corner.z, tile.job.nz},
                                   {tile.corner.t, tile.job.nt}}};
    const i32 four = item % COMPONENTS_AXES;
    T_NO_UNROLL
    for (i32 k = first + item / COMPONENTS_AXES; k < end; k += 256 / COMPONENTS_AXES) {
        const i32 at = tile.list[k];
        const i32 r = at / components_tile_x;
        const components_part part = COMPONENTS_SHAPED(components_half_part_)(
            tile.sums + (k - first), r, four / COMPONENTS_HALF);
        const u32 label =
            tile.labels_before[r] +
            (u32)T_POPCOUNT(tile.image_roots[r] & (0xffffffffu >> (31 - at % components_tile_x)));
        components_write_four(
            components_four_at(statistics, COMPONENTS_AXES * (label - 1u) + (u32)four),
            COMPONENTS_SHAPED(components_record_four_)(part, four, axes));
        if (four == COMPONENTS_HALF) {
            tile.labels[at] = label;
            if (COMPONENTS_SHAPED(components_areas_apart_)(tile.job.nt))
                statistics[components_first_area(COMPONENTS_AXES,
                                                 tile.counters[components_of_count]) +
                           (label - 1u)] = components_area(part.counts);
        }
    }
}

// Labels tiles as components_label_tiles does, and makes records, if they and the entries of
// `shared` fit; else does nothing. counts[2] counts the entries of `shared`. Phases:
//   1. find the rows of the image;
//   2. tell first points of runs apart: roots of the image, roots of the tile alone, others;
//   3. list the roots;
//   4. list the others, and begin the sums of the first roots with their own runs.
// Then, for as many roots at a time as have sums that fit:
//   5. add the other runs;
//   6. write the sums, as records or as entries of `shared`;
//   7. begin the sums of the next roots.
// In the end:
//   8. write the labels of points.
T_FULL_GROUP_KERNEL(COMPONENTS_SHAPED(components_measure_), 256, 1, 1,
                    (T_IN(u32) tile_summary, T_GLOBAL_PTR(const u32) parent,
                     T_GLOBAL_PTR(const u32) roots, const components_measure_job job,
                     T_OUT(u32) labels, T_OUT(u32) statistics, T_OUT(u32) shared,
                     T_GLOBAL_PTR(u32) counts)) {
    T_LOCAL(u32, memory, components_measure_words);
    T_ITEM_ARRAY(u32, pair, components_item_pairs);
    T_ITEM(u32, first_label);  // of the item's first component whose root is in another tile
    components_measured_tile tile = components_lay_out(memory);
    tile.job = job;
    tile.corner =
        components_corner_of(COMPONENTS_IS_VOLUME, COMPONENTS_SHIFT_Y, job.nz, T_GX, T_GY, T_GZ);
    tile.number = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    tile.tiled_words = components_tiled_words(COMPONENTS_IS_VOLUME, job.nx);
    // Phase 1.
    T_PHASE {
        if (T_LX < components_tile_rows)
            tile.image_rows[T_LX] =
                components_tile_row(T_LX, tile.corner.y, tile.corner.z, tile.corner.t, job.ny,
                                    COMPONENTS_IS_VOLUME ? job.nz : 1, COMPONENTS_SHIFT_Y);
        if (T_LX == 0) {
            tile.counters[components_of_roots] = 0;
            tile.counters[components_of_runs] = 0;
        }
    }
    // Phase 2. Tiles were complete before the last launch. All loads are issued before the first
    // value is used.
    T_PHASE {
        components_read_pairs(labels, tile.image_rows, T_LX, tile.corner.x, job.nx, T_MY(pair));
        u32 row_roots = 0, row_starts = 0;
        if (T_LX < components_tile_rows) {
            T_GLOBAL_PTR(const u32)
            of_row = tile_summary + tile.number * components_summary_words + T_LX;
            row_roots = of_row[components_summary_roots];
            row_starts = of_row[components_summary_starts];
        }
        T_AFTER_LAST_LAUNCH;
        if (T_LX < components_tile_rows)
            components_sort_row(tile, T_LX, row_roots, row_starts, roots, counts);
    }
    // Phase 3.
    T_PHASE { components_list_roots(tile, T_LX); }
    tile.end_image_roots = (i32)(tile.counters[components_of_roots] & 0xffffu);
    tile.end_roots = tile.end_image_roots + (i32)(tile.counters[components_of_roots] >> 16);
    tile.end_runs = tile.end_roots + (i32)tile.counters[components_of_runs];
    // Phase 4.
    T_PHASE {
        u32 shared_before = 0;
        if (T_LX == 0 && tile.end_roots > tile.end_image_roots)
            shared_before = T_ATOMIC_ADD(counts + 2, (u32)(tile.end_roots - tile.end_image_roots));
        components_list_runs(tile, T_MY(pair), T_LX);
        COMPONENTS_SHAPED(components_begin_roots_)(tile, 0, T_LX);
        if (T_LX == 0) tile.counters[components_of_shared] = shared_before;
    }
    for (i32 first = 0; first < tile.end_roots;) {
        const i32 end = T_MIN(first + COMPONENTS_ROOM, tile.end_roots);
        const i32 first_shared = T_MAX(first, tile.end_image_roots);
        // Phase 5. The item's first label is that of the root at the end of a chain of parents,
        // whose first link is loaded while runs are added.
        T_PHASE {
            u32 root = 0, up = 0;
            if (first_shared + 255 - T_LX < end) {
                root = components_id_at(tile, tile.list[first_shared + 255 - T_LX]);
                up = parent[root];
            }
            COMPONENTS_SHAPED(components_add_runs_)(tile, first, T_LX);
            T_MY(first_label) = 0;
            while (up != root) {
                root = up;
                T_MY(first_label) = components_number(roots, tile.tiled_words, root);
                up = parent[root];
            }
        }
        // Phase 6.
        T_PHASE {
            COMPONENTS_SHAPED(components_share_)
            (tile, first, first_shared, end, T_MY(first_label), T_LX, parent, roots, shared);
            COMPONENTS_SHAPED(components_write_records_)
            (tile, first, T_MIN(end, tile.end_image_roots), T_LX, statistics);
        }
        first += COMPONENTS_ROOM;
        if (first >= tile.end_roots) break;
        // Phase 7.
        T_PHASE { COMPONENTS_SHAPED(components_begin_roots_)(tile, first, T_LX); }
    }
    // Phase 8. Pairs are read once more: in the loop there are no registers for them.
    T_PHASE {
        if (tile.counters[components_of_room] != 0) {
            components_read_pairs(labels, tile.image_rows, T_LX, tile.corner.x, job.nx, T_MY(pair));
            components_write_pairs(T_MY(pair), tile.labels, tile.image_rows, T_LX, tile.corner.x,
                                   job.nx, labels);
        }
    }
}
