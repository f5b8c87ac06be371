// Part of components_measures.body.h: tiles' parts of components whose root is in another tile are
// added to records.

// Expands an entry of `shared` to words 256 apart: the area, then those of a record. Returns its
// label.
T_FUNCTION u32 COMPONENTS_SHAPED(components_shared_words_)(T_GLOBAL_PTR(const u32) entry,
                                                           const components_measure_job job,
                                                           T_LOCAL_PTR(u32) words) {
    const components_four low = components_read_four(entry);
    const components_four high = components_read_four(entry + 4);
    const components_part part = {
        low.word[2], low.word[3], high.word[0], {high.word[1], high.word[2]}, (i32)high.word[3]};
    const i32 tiles_x = (job.nx + components_tile_x - 1) / components_tile_x;
    const i32 tiles_y = ((job.ny - 1) >> COMPONENTS_SHIFT_Y) + 1;
    const i32 tile_z = (i32)low.word[1] / tiles_x / tiles_y;
    const i32 tiles_z = COMPONENTS_IS_VOLUME ? ((job.nz - 1) >> (6 - COMPONENTS_SHIFT_Y)) + 1 : 1;
    const i32 t = components_tile_t(tile_z, tiles_z);
    const components_axes axes = {
        {{(i32)low.word[1] % tiles_x * components_tile_x, job.nx},
         {(i32)low.word[1] / tiles_x % tiles_y << COMPONENTS_SHIFT_Y, job.ny},
         {(tile_z - t * tiles_z) << (6 - COMPONENTS_SHIFT_Y), job.nz},
         {t, job.nt}}};
    words[0] = components_area(part.counts);
    T_UNROLL
    for (i32 f = 0; f < COMPONENTS_AXES; ++f) {
        const components_four four = COMPONENTS_SHAPED(components_record_four_)(part, f, axes);
        T_UNROLL
        for (i32 w = 0; w < 4; ++w) words[(1 + 4 * f + w) * 256] = four.word[w];
    }
    return low.word[0];
}

// Whether to raise an extreme. In the largest component of a volume most entries raise none, so
// that it pays to read it first.
#if COMPONENTS_IS_VOLUME
    #define COMPONENTS_RAISES(known, extreme) ((extreme) != 0 && T_LOAD(u32, known) < (extreme))
#else
    #define COMPONENTS_RAISES(known, extreme) ((extreme) != 0)
#endif

#define COMPONENTS_WORDS (2 * COMPONENTS_AXES)  // of a record's box, and as many of its sums
// Whether word `w` of a record's sums is the low word of an axis, and of which.
#define COMPONENTS_IS_LOW(w) (COMPONENTS_IS_VOLUME ? (w) % 2 == 0 : (w) < 2)
#define COMPONENTS_AXIS_OF(w) (COMPONENTS_IS_VOLUME ? (w) / 2 : (w))

// Adds an entry to another one of the same component, and leaves it no area.
T_FUNCTION void COMPONENTS_SHAPED(components_merge_entries_)(T_LOCAL_PTR(u32) own,
                                                             T_LOCAL_PTR(u32) to,
                                                             const i32 high_bits) {
    T_ATOMIC_ADD(to, own[0]);
    own[0] = 0;
    for (i32 w = 1; w <= COMPONENTS_WORDS; ++w) T_ATOMIC_MAX(to + w * 256, own[w * 256]);
    T_LOCAL_PTR(u32) sums = to + (1 + COMPONENTS_WORDS) * 256;
    for (i32 w = 0; w < COMPONENTS_WORDS; ++w) {
        const u32 value = own[(1 + COMPONENTS_WORDS + w) * 256];
        const u32 sum_before = value != 0 ? T_ATOMIC_ADD(sums + w * 256, value) : 0u;
        const component_sum sum =
            component_sum_of(COMPONENTS_AXES, COMPONENTS_AXIS_OF(w), high_bits);
        if (COMPONENTS_IS_LOW(w) && sum_before + value < value)
            T_ATOMIC_ADD(sums + sum.high * 256, 1u << sum.shift);
    }
}

// Adds four words of boxes and four of sums of the entries to records: words number `item`,
// item + 256 and so on.
T_FUNCTION void COMPONENTS_SHAPED(components_add_entries_)(T_GLOBAL_PTR(u32) statistics,
                                                           T_LOCAL_PTR(const u32) labels,
                                                           T_LOCAL_PTR(const u32) words,
                                                           const i32 item, const i32 high_bits) {
    const i32 w = item % COMPONENTS_WORDS;
    const component_sum sum = component_sum_of(COMPONENTS_AXES, COMPONENTS_AXIS_OF(w), high_bits);
    u32 value[4], sum_before[4];
    T_UNROLL
    for (i32 k = 0; k < 4; ++k) {
        const i32 e = (item + k * 256) / COMPONENTS_WORDS;
        value[k] = 0;
        sum_before[k] = 0;
        if (words[e] != 0) {
            T_GLOBAL_PTR(u32) box = statistics + 2 * COMPONENTS_WORDS * (i64)(labels[e] - 1u) + w;
            const u32 extreme = words[(1 + w) * 256 + e];
            value[k] = words[(1 + COMPONENTS_WORDS + w) * 256 + e];
            if (COMPONENTS_RAISES(box, extreme)) T_ATOMIC_MAX(box, extreme);
            if (value[k] != 0) sum_before[k] = T_ATOMIC_ADD(box + COMPONENTS_WORDS, value[k]);
        }
    }
    T_UNROLL
    for (i32 k = 0; k < 4; ++k) {
        const i32 e = (item + k * 256) / COMPONENTS_WORDS;
        if (COMPONENTS_IS_LOW(w) && sum_before[k] + value[k] < value[k])
            T_ATOMIC_ADD(statistics + 2 * COMPONENTS_WORDS * (i64)(labels[e] - 1u) +
                             COMPONENTS_WORDS + sum.high,
                         1u << sum.shift);
    }
}

// Adds the entries of `shared` to records. Entries of a group for the same component are merged
// first, because all tiles may have a part of a large one. Phases, for 256 entries at a time:
//   1. expand the entries;
//   2. find the last entry of each label, by hashes;
//   3. merge entries into it;
//   4. add what is left to records.
T_FULL_GROUP_KERNEL(COMPONENTS_SHAPED(components_add_shared_), 256, 1, 1,
                    (T_GLOBAL_PTR(const u32) shared, T_GLOBAL_PTR(const u32) counts,
                     const components_measure_job job, T_GLOBAL_PTR(u32) statistics)) {
    T_LOCAL(u32, labels, 256);
    T_LOCAL(u32, last, components_shared_hashes);  // the last entry with a hash
    T_LOCAL(u32, words, (1 + 4 * COMPONENTS_AXES) * 256);
    const i32 high_bits = component_high_bits(job.nx, job.ny);
    // Counts were complete before the last launch.
    const i64 areas = components_first_area(COMPONENTS_AXES, counts[0]);
    const i32 entries = components_have_room(counts, job) ? (i32)counts[1] : 0;
    T_AFTER_LAST_LAUNCH;
    for (i32 first_entry = T_GX * 256; first_entry < entries; first_entry += T_GROUPS_X * 256) {
        T_PHASE {
            labels[T_LX] = 0;
            words[T_LX] = 0;
            if (first_entry + T_LX < entries)
                labels[T_LX] = COMPONENTS_SHAPED(components_shared_words_)(
                    shared + (i64)components_shared_words * (first_entry + T_LX), job,
                    words + T_LX);
            last[T_LX] = 0;
            last[T_LX + 256] = 0;
        }
        T_PHASE {
            if (labels[T_LX] != 0)
                T_ATOMIC_MAX(&last[components_number_hash(labels[T_LX])], (u32)T_LX);
        }
        T_PHASE {
            const i32 same = (i32)last[components_number_hash(labels[T_LX])];
            if (labels[T_LX] != 0 && same != T_LX && labels[same] == labels[T_LX])
                COMPONENTS_SHAPED(components_merge_entries_)(words + T_LX, words + same, high_bits);
        }
        // A word of the box and one of the sums for each item; neighboring items take those of one
        // record. Entries without an area were merged into others.
        T_PHASE {
            if (COMPONENTS_SHAPED(components_areas_apart_)(job.nt) && words[T_LX] != 0)
                T_ATOMIC_ADD(statistics + areas + (labels[T_LX] - 1u), words[T_LX]);
            for (i32 first = 0; first < COMPONENTS_WORDS; first += 4)
                COMPONENTS_SHAPED(components_add_entries_)
            (statistics, labels, words, first * 256 + T_LX, high_bits);
        }
    }
}

#undef COMPONENTS_RAISES
#undef COMPONENTS_AXIS_OF
#undef COMPONENTS_IS_LOW
#undef COMPONENTS_WORDS
