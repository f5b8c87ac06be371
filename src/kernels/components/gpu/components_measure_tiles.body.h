// Part of components_measures.body.h: the kernel that labels and measures what is in a tile, after
// the functions that are its phases.

#define COMPONENTS_SORT_ROW COMPONENTS_SHAPED(components_sort_row_)
#define COMPONENTS_BEGIN_SUMS COMPONENTS_SHAPED(components_begin_sums_)
#define COMPONENTS_ADD_RUNS COMPONENTS_SHAPED(components_add_runs_)
#define COMPONENTS_SHARE COMPONENTS_SHAPED(components_share_)
#define COMPONENTS_WRITE_RECORDS COMPONENTS_SHAPED(components_write_records_)

// Tells the first points of a row's runs apart, of which the tile had found `row_found` to be
// roots. None are told where there is no room for records.
T_FUNCTION void COMPONENTS_SORT_ROW(const components_measured_tile tile, const i32 r,
                                    const u32 row_found, const u32 row_starts,
                                    T_GLOBAL_PTR(const u32) roots, T_GLOBAL_PTR(u32) counts) {
    const i32 nx = tile.job.nx;
    const u32 row = tile.place[r];
    const i32 tiled_words = components_tiled_words(COMPONENTS_IS_VOLUME, nx);
    const u64 both =
        row != components_none
            ? components_roots_of(roots, components_pair_of_row(tiled_words, tile.number, r, row,
                                                                tile.corner.x, nx))
            : 0u;
    const u32 inside = components_inside(T_MIN(components_tile_x, nx - tile.corner.x));
    const u32 has_room = components_have_room(counts, tile.job) ? 0xffffffffu : 0u;
    if (r == 0) {
        tile.listed[components_of_count] = counts[0];
        tile.listed[components_of_room] = has_room;
    }
    const u32 own = (u32)both & has_room;
    const u32 met = row_found & has_room & ~own;
    const u32 others =
        row != components_none ? row_starts & ~(row_found & has_room) & inside & has_room : 0u;
    tile.starts[r] = row_starts | ~inside;
    tile.own[r] = own;
    tile.met[r] = met;
    tile.others[r] = others;
    tile.before[r] = (u32)(both >> 32);
    tile.roots_before[r] = T_ATOMIC_ADD(tile.listed + components_of_roots,
                                        (u32)T_POPCOUNT(own) | (u32)T_POPCOUNT(met) << 16);
    tile.runs_before[r] = T_ATOMIC_ADD(tile.listed + components_of_runs, (u32)T_POPCOUNT(others));
}

// Begins the sums of the roots from `first` of the list on for which there is room, with their own
// runs.
T_FUNCTION void COMPONENTS_BEGIN_SUMS(const components_measured_tile tile, const i32 first,
                                      const i32 item) {
    T_NO_UNROLL
    for (i32 k = first + item; k < T_MIN(first + COMPONENTS_ROOM, tile.end_roots); k += 256)
        COMPONENTS_BEGIN(tile.sums + (k - first), COMPONENTS_RUN_AT(tile.list[k], tile.starts));
}

// Adds to them the other runs of these roots. The runs of a row are often of one component:
// neighbors in a group take those of other rows.
T_FUNCTION void COMPONENTS_ADD_RUNS(const components_measured_tile tile, const i32 first,
                                    const i32 item) {
    const i32 turns = (tile.end_runs - tile.end_roots + 31) / 32 | 1;
    T_NO_UNROLL
    for (i32 j = item / 32; j < turns; j += 8) {
        const i32 k = tile.end_roots + item % 32 * turns + j;
        const i32 at = k < tile.end_runs ? tile.list[k] : 0;
        const u32 entry = k < tile.end_runs
                              ? tile.numbers[at] - (components_unnumbered + (u32)first)
                              : components_none;
        if (entry < (u32)COMPONENTS_ROOM)
            COMPONENTS_ADD_RUN(tile.sums + entry, COMPONENTS_RUN_AT(at, tile.starts));
    }
}

// Writes what the tile has of components whose root is in another tile: of the list from `begin` to
// `end`, with sums from `first` on. `number` is that of the item's first one. The last items take
// the first: the others have more runs and records.
T_FUNCTION void COMPONENTS_SHARE(const components_measured_tile tile, const i32 first,
                                 const i32 begin, const i32 end, const u32 number, const i32 item,
                                 T_GLOBAL_PTR(const u32) parent, T_GLOBAL_PTR(const u32) roots,
                                 T_GLOBAL_PTR(u32) shared) {
    const i32 tiled_words = components_tiled_words(COMPONENTS_IS_VOLUME, tile.job.nx);
    T_NO_UNROLL
    for (i32 k = begin + 255 - item; k < end; k += 256) {
        const i32 at = tile.list[k];
        const u32 label = k < begin + 256
                              ? number
                              : components_label_of(parent, roots, components_id_at(tile, at), 1,
                                                    tile.job.nx, tiled_words);
        const components_part part =
            COMPONENTS_TAKE(tile.sums + (k - first), at / components_tile_x);
        T_GLOBAL_PTR(u32)
        entry = shared + components_shared_words *
                             ((i64)tile.listed[components_of_shared] + (k - tile.end_own));
        const components_four low = {{label, (u32)tile.number, part.counts, part.rows}};
        const components_four high = {
            {part.columns, part.extent[0], part.extent[1], (u32)part.first_row}};
        components_write_four(entry, low);
        components_write_four(entry + 4, high);
        tile.numbers[at] = label;
    }
}

// Writes the records of the roots of the image in the list from `first` to `end`, as far as the
// tile knows them. Neighbors write what stands side by side.
T_FUNCTION void COMPONENTS_WRITE_RECORDS(const components_measured_tile tile, const i32 first,
                                         const i32 end, const i32 item,
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
        const components_part part =
            COMPONENTS_TAKE_HALF(tile.sums + (k - first), r, four / COMPONENTS_HALF);
        const u32 label =
            tile.before[r] +
            (u32)T_POPCOUNT(tile.own[r] & (0xffffffffu >> (31 - at % components_tile_x)));
        components_write_four(
            components_four_at(statistics, COMPONENTS_AXES * (label - 1u) + (u32)four),
            COMPONENTS_RECORD_FOUR(part, four, axes));
        if (four == COMPONENTS_HALF) {
            tile.numbers[at] = label;
            if (COMPONENTS_AREAS_APART(tile.job.nt))
                statistics[components_first_area(COMPONENTS_AXES,
                                                 tile.listed[components_of_count]) +
                           (label - 1u)] = components_area(part.counts);
        }
    }
}

// Labels tiles as components_label_tiles does, and makes records, if there is room for them and for
// what tiles share; else nothing. counts[2] counts the entries of `shared`. The phases:
//   1. rows get their places in the image;
//   2. first points of runs are told apart: roots of the image, roots of the tile alone, others;
//   3. roots are listed;
//   4. others are listed, and sums begin with the runs of the roots.
// Then, for as many roots at a time as there is room for sums,
//   5. other runs are added;
//   6. sums are written, as records, or as what tiles share;
//   7. the sums of the next roots begin.
// In the end,
//   8. points get their labels.
T_FULL_GROUP_KERNEL(COMPONENTS_SHAPED(components_measure_), 256, 1, 1,
                    (T_IN(u32) kept, T_GLOBAL_PTR(const u32) parent, T_GLOBAL_PTR(const u32) roots,
                     const components_measure_job job, T_OUT(u32) labels, T_OUT(u32) statistics,
                     T_OUT(u32) shared, T_GLOBAL_PTR(u32) counts)) {
    T_LOCAL(u32, memory, components_measure_words);
    T_ITEM_ARRAY(u32, pair, components_item_pairs);
    T_ITEM(u32, number);  // of a component that is shared
    components_measured_tile tile = components_lay_out(memory);
    tile.job = job;
    tile.corner =
        components_corner_of(COMPONENTS_IS_VOLUME, COMPONENTS_SHIFT_Y, job.nz, T_GX, T_GY, T_GZ);
    tile.number = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    const i32 tiled_words = components_tiled_words(COMPONENTS_IS_VOLUME, job.nx);
    T_PHASE {
        if (T_LX < components_tile_rows)
            tile.place[T_LX] =
                components_tile_row(T_LX, tile.corner.y, tile.corner.z, tile.corner.t, job.ny,
                                    COMPONENTS_IS_VOLUME ? job.nz : 1, COMPONENTS_SHIFT_Y);
        if (T_LX == 0) {
            tile.listed[components_of_roots] = 0;
            tile.listed[components_of_runs] = 0;
        }
    }
    T_PHASE {
        // All on their way before the first is waited for. Tiles were complete before the last
        // launch.
        components_read_pairs(labels, tile.place, T_LX, tile.corner.x, job.nx, T_MY(pair));
        u32 row_found = 0, row_starts = 0;
        if (T_LX < components_tile_rows) {
            T_GLOBAL_PTR(const u32) of_row = kept + tile.number * components_kept + T_LX;
            row_found = of_row[components_kept_found];
            row_starts = of_row[components_kept_starts];
        }
        T_AFTER_LAST_LAUNCH;
        if (T_LX < components_tile_rows)
            COMPONENTS_SORT_ROW(tile, T_LX, row_found, row_starts, roots, counts);
    }
    T_PHASE {
        const i32 r = T_LX / 4;
        COMPONENTS_LIST(
            tile.list, tile.numbers, tile.own[r], tile.met[r], r, T_LX % 4 * 8,
            tile.roots_before[r] & 0xffffu,
            (tile.listed[components_of_roots] & 0xffffu) + (tile.roots_before[r] >> 16));
    }
    tile.end_own = (i32)(tile.listed[components_of_roots] & 0xffffu);
    tile.end_roots = tile.end_own + (i32)(tile.listed[components_of_roots] >> 16);
    tile.end_runs = tile.end_roots + (i32)tile.listed[components_of_runs];
    T_PHASE {
        u32 shared_before = 0;
        if (T_LX == 0 && tile.end_roots > tile.end_own)
            shared_before = T_ATOMIC_ADD(counts + 2, (u32)(tile.end_roots - tile.end_own));
        COMPONENTS_LIST_RUNS(tile.list + tile.end_roots, tile.numbers, tile.others,
                             tile.runs_before, T_MY(pair), T_LX);
        COMPONENTS_BEGIN_SUMS(tile, 0, T_LX);
        if (T_LX == 0) tile.listed[components_of_shared] = shared_before;
    }
    for (i32 first = 0; first < tile.end_roots;) {
        const i32 last = T_MIN(first + COMPONENTS_ROOM, tile.end_roots);
        const i32 first_met = T_MAX(first, tile.end_own);
        T_PHASE {
            // On its way while runs are added.
            u32 root = 0, up = 0;
            if (first_met + 255 - T_LX < last) {
                root = components_id_at(tile, tile.list[first_met + 255 - T_LX]);
                up = parent[root];
            }
            COMPONENTS_ADD_RUNS(tile, first, T_LX);
            T_MY(number) = 0;
            while (up != root) {
                root = up;
                T_MY(number) = components_number(roots, tiled_words, root);
                up = parent[root];
            }
        }
        T_PHASE {
            COMPONENTS_SHARE(tile, first, first_met, last, T_MY(number), T_LX, parent, roots,
                             shared);
            COMPONENTS_WRITE_RECORDS(tile, first, T_MIN(last, tile.end_own), T_LX, statistics);
        }
        first += COMPONENTS_ROOM;
        if (first >= tile.end_roots) break;
        T_PHASE { COMPONENTS_BEGIN_SUMS(tile, first, T_LX); }
    }
    // Read once more: in the loop there are no registers for them.
    T_PHASE {
        if (tile.listed[components_of_room] != 0) {
            components_read_pairs(labels, tile.place, T_LX, tile.corner.x, job.nx, T_MY(pair));
            components_write_pairs(T_MY(pair), tile.numbers, tile.place, T_LX, tile.corner.x,
                                   job.nx, labels);
        }
    }
}

#undef COMPONENTS_WRITE_RECORDS
#undef COMPONENTS_SHARE
#undef COMPONENTS_ADD_RUNS
#undef COMPONENTS_BEGIN_SUMS
#undef COMPONENTS_SORT_ROW
