// Matrices of TEXTURE_LEVELS levels by groups of TEXTURE_ITEMS items, each of which counts at most
// 255 pairs in bytes of its own. Where `is_spread`, the words of all items lie beside one another,
// so that those of 32 items are in as many banks; otherwise an item's bytes are together. Phases:
// 1. clear;
// 2. count;
// 3. sum over the items;
// 4. add.
T_GROUP_KERNEL(T_JOIN(texture_thesis_matrices_, TEXTURE_LEVELS), TEXTURE_ITEMS, 1, 1,
               (T_IN(u8) planes, T_GLOBAL_PTR(u32) counts, const i32 nx, const i32 ny,
                const i32 pairs_of_item, const i32 is_spread)) {
    T_LOCAL(u8, own, TEXTURE_LEVELS * TEXTURE_LEVELS * TEXTURE_ITEMS);
    T_LOCAL(u32, sums, TEXTURE_LEVELS * TEXTURE_LEVELS);
    T_PHASE {
        for (i32 c = T_LI; c < TEXTURE_LEVELS * TEXTURE_LEVELS * TEXTURE_ITEMS; c += TEXTURE_ITEMS)
            own[c] = 0;
        for (i32 c = T_LI; c < TEXTURE_LEVELS * TEXTURE_LEVELS; c += TEXTURE_ITEMS) sums[c] = 0;
    }
    T_PHASE {
        T_GLOBAL_PTR(const u8) const plane = planes + (i64)T_GY * nx * ny;
        const i32 first = T_GX * TEXTURE_ITEMS * pairs_of_item + T_LI;
        const i32 end = T_MIN((T_GX + 1) * TEXTURE_ITEMS * pairs_of_item, (nx - 1) * ny);
        for (i32 i = first; i < end; i += TEXTURE_ITEMS) {
            T_GLOBAL_PTR(const u8)
            const at = plane + (i64)(i / (nx - 1)) * nx + i % (nx - 1);
            const i32 cell = texture_thesis_level(at[0], TEXTURE_LEVELS) * TEXTURE_LEVELS +
                             texture_thesis_level(at[1], TEXTURE_LEVELS);
            const i32 spread = (cell >> 2) * 4 * TEXTURE_ITEMS + 4 * T_LI + (cell & 3);
            own[is_spread ? spread : T_LI * TEXTURE_LEVELS * TEXTURE_LEVELS + cell] += 1;
        }
    }
    T_PHASE {
        // As many items as share a cell, or one for several cells.
        const i32 shares = T_MAX(TEXTURE_ITEMS / (TEXTURE_LEVELS * TEXTURE_LEVELS), 1);
        for (i32 c = T_LI; c < shares * TEXTURE_LEVELS * TEXTURE_LEVELS; c += TEXTURE_ITEMS) {
            const i32 cell = c / shares;
            u32 sum = 0;
            for (i32 item = c % shares; item < TEXTURE_ITEMS; item += shares)
                sum += own[is_spread ? (cell >> 2) * 4 * TEXTURE_ITEMS + 4 * item + (cell & 3)
                                     : item * TEXTURE_LEVELS * TEXTURE_LEVELS + cell];
            if (sum != 0) T_ATOMIC_ADD(sums + cell, sum);
        }
    }
    T_PHASE {
        for (i32 c = T_LI; c < TEXTURE_LEVELS * TEXTURE_LEVELS; c += TEXTURE_ITEMS)
            if (sums[c] != 0)
                T_ATOMIC_ADD(counts + (T_GY * TEXTURE_LEVELS * TEXTURE_LEVELS + c), sums[c]);
    }
}
