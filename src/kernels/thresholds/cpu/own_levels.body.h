// Part of own_levels.kernel.h, once for each LEVELS_PIXEL: LEVELS_OF(v) is the level of a value,
// one of LEVELS_COUNT. A group counts in LEVELS_TABLES tables of its own: in four in turn, as a
// count must not wait for that of an equal value right before it, or in one where four would not
// stay in a cache; there four equal values, as in the background of scans, are counted at once.

T_FUNCTION void T_JOIN(own_levels_count_four_, LEVELS_PIXEL)(T_GLOBAL_PTR(u32) counts, const i32 a,
                                                             const i32 b, const i32 c,
                                                             const i32 d) {
#if LEVELS_TABLES == 1
    if (((a ^ b) | (c ^ d) | (a ^ c)) == 0) {
        counts[a] += 4;
        return;
    }
#endif
    ++counts[a];
    ++counts[1 % LEVELS_TABLES * LEVELS_COUNT + b];
    ++counts[2 % LEVELS_TABLES * LEVELS_COUNT + c];
    ++counts[3 % LEVELS_TABLES * LEVELS_COUNT + d];
}

T_GROUP_KERNEL(T_JOIN(own_levels_count_, LEVELS_PIXEL), 1, 1, 1,
               (T_IN(LEVELS_PIXEL) pixels, const i64 points, T_GLOBAL_PTR(u32) tables)) {
    T_PHASE {
        T_GLOBAL_PTR(u32) counts = tables + (i64)T_GX * (LEVELS_TABLES * LEVELS_COUNT);
        for (i32 k = 0; k < LEVELS_TABLES * LEVELS_COUNT; ++k) counts[k] = 0;
        const i64 end = points * (T_GX + 1) / T_GROUPS_X;
        i64 i = points * T_GX / T_GROUPS_X;
        for (; i + 4 <= end; i += 4) T_JOIN(own_levels_count_four_, LEVELS_PIXEL)
        (counts, LEVELS_OF(pixels[i]), LEVELS_OF(pixels[i + 1]), LEVELS_OF(pixels[i + 2]),
         LEVELS_OF(pixels[i + 3]));
        for (; i < end; ++i) ++counts[LEVELS_OF(pixels[i])];
    }
}

// `above` where a level is above the threshold, otherwise `below`.
T_SIMD_KERNEL(T_JOIN(own_levels_mask_, LEVELS_PIXEL),
              (T_IN(LEVELS_PIXEL) pixels, const i32 threshold, const i32 above, const i32 below,
               T_OUT(u8) mask)) {
    T_INDEX1(i);
    mask[i] = (u8)(LEVELS_OF(pixels[i]) > threshold ? above : below);
}

#undef LEVELS_TABLES
#undef LEVELS_COUNT
#undef LEVELS_OF
#undef LEVELS_PIXEL
