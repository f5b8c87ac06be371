// Part of reduce.kernel.h, once for each REDUCE_VALUE.
// results[g] = part g, which has group_values values, reduced from `neutral`.
T_GROUP_KERNEL(T_JOIN(reduce_values_, REDUCE_VALUE), 256, 1, 1,
               (T_IN(REDUCE_VALUE) values, const i64 count, const i32 group_values,
                const i32 operation, const REDUCE_VALUE neutral, T_OUT(REDUCE_VALUE) results)) {
    T_LOCAL(REDUCE_VALUE, reduced, 256);
    const i64 begin = (i64)group_values * T_GX;
    const i32 length = (i32)T_MIN((i64)group_values, count - begin);
    T_PHASE {
        REDUCE_VALUE result = neutral;
        for (i32 i = T_LX; i < length; i += 256)
            result = T_JOIN(reduce_two_, REDUCE_VALUE)(operation, result, values[begin + i]);
        reduced[T_LX] = result;
    }
    for (i32 width = 128; width > 0; width /= 2) {
        T_PHASE {
            if (T_LX < width)
                reduced[T_LX] = T_JOIN(reduce_two_, REDUCE_VALUE)(operation, reduced[T_LX],
                                                                  reduced[T_LX + width]);
        }
    }
    T_PHASE {
        if (T_LX == 0) results[T_GX] = reduced[0];
    }
}
