// Counts the votes of the cells of a slice, in counters of CIRCLE_PLANES + 3 bits, an item a word
// of 32 cells. The ring has `entries` from `first_entry` on, both multiples of circle_batch. No
// item reads another's values: the phases are there for T_ITEM and T_LOCAL. Phases:
//   1. clear the counters;
//   2. for each batch of entries, add its words to the counters;
//   3. write the counts of cells.
T_GROUP_KERNEL(CIRCLE_VOTES, circle_group, 1, 1,
               (T_IN(u32) bits, T_IN(u32) ring, T_OUT(u16) votes, const i32 first_entry,
                const i32 entries, const circle_grid grid)) {
    T_ITEM(u32, ones);
    T_ITEM(u32, twos);
    T_ITEM(u32, fours);
    T_LOCAL(u32, eights,
            CIRCLE_PLANES * circle_group);  // planes from the eights up, of all items
    const i64 words = (i64)grid.cells_y * grid.words;
    const i64 first = (i64)T_GX * circle_group;
    T_GLOBAL_PTR(const u32)
    string = bits + grid.pad_words + (i64)T_GY * grid.slice_rows * grid.words + first;
    // Phase 1.
    T_PHASE_OF_32 {
        T_MY(ones) = 0;
        T_MY(twos) = 0;
        T_MY(fours) = 0;
        T_UNROLL
        for (i32 p = 0; p < CIRCLE_PLANES; ++p) eights[p * circle_group + T_LX] = 0;
    }
    // Phase 2.
    for (i32 k = 0; k < entries; k += circle_batch) {
        T_GLOBAL_PTR(const u32) entry = ring + (i64)(first_entry + k) * circle_entry_words;
        T_PHASE_OF_32 {
            u32 word[circle_batch];
            T_UNROLL
            for (i32 j = 0; j < circle_batch; ++j)
                word[j] = circle_word(string + (i32)entry[2 * j] + T_LX, entry[2 * j + 1]);
            // Eight words and the ones: new ones, and four carries.
            const circle_sum a = circle_add(T_MY(ones), word[0], word[1]);
            const circle_sum b = circle_add(a.sum, word[2], word[3]);
            const circle_sum c = circle_add(b.sum, word[4], word[5]);
            const circle_sum d = circle_add(c.sum, word[6], word[7]);
            // Four carries and the twos: new twos, and two carries.
            const circle_sum e = circle_add(T_MY(twos), a.carry, b.carry);
            const circle_sum f = circle_add(e.sum, c.carry, d.carry);
            // Two carries and the fours: new fours, and a carry to the eights.
            const circle_sum g = circle_add(T_MY(fours), e.carry, f.carry);
            T_MY(ones) = d.sum;
            T_MY(twos) = f.sum;
            T_MY(fours) = g.sum;
            u32 carry = g.carry;
            T_UNROLL
            for (i32 p = 0; p < CIRCLE_PLANES; ++p) {
                const u32 plane = eights[p * circle_group + T_LX];
                eights[p * circle_group + T_LX] = plane ^ carry;
                carry &= plane;
            }
        }
    }
    // Phase 3.
    T_PHASE_OF_32 {
        if (first + T_LX < words) {
            T_GLOBAL_PTR(u16) cells = votes + ((i64)T_GY * words + first + T_LX) * 32;
            const u32 one = T_MY(ones);
            const u32 two = T_MY(twos);
            const u32 four = T_MY(fours);
            u32 eight[CIRCLE_PLANES];
            T_UNROLL
            for (i32 p = 0; p < CIRCLE_PLANES; ++p) eight[p] = eights[p * circle_group + T_LX];
            T_SIMD_FOR(b, 0, 32) {
                u32 sum = (one >> b & 1u) + 2u * (two >> b & 1u) + 4u * (four >> b & 1u);
                T_UNROLL
                for (i32 p = 0; p < CIRCLE_PLANES; ++p) sum += (eight[p] >> b & 1u) << (3 + p);
                cells[b] = (u16)sum;
            }
        }
    }
}

#undef CIRCLE_VOTES
#undef CIRCLE_PLANES
