// Part of a kernel file: a group kernel, the first of the two launches of a scan, that adds what
// PART_SUMS_ADDEND(value) makes of the values of each group's part: sums[g] for part g, which has
// group_tiles tiles. The file sets PART_SUMS_NAME, PART_SUMS_INPUT (the values' type),
// PART_SUMS_ADDEND and PART_SUMS_TILE (values of a tile).
T_GROUP_KERNEL(PART_SUMS_NAME, 256, 1, 1,
               (T_IN(PART_SUMS_INPUT) values, const i64 count, const i32 group_tiles,
                T_OUT(u32) sums)) {
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    const i64 part = (i64)group_tiles * PART_SUMS_TILE;
    const i64 begin = part * T_GX;
    const i32 length = (i32)T_MIN(part, count - begin);
    T_PHASE {
        u32 sum = 0;
        for (i32 i = T_LX; i < length; i += 256) sum += PART_SUMS_ADDEND(values[begin + i]);
        T_MY(prefix) = sum;
    }
#include "kernels/primitives/group_scan.body.h"
    T_PHASE {
        if (T_LX == 0) sums[T_GX] = group_sums[255];
    }
}

#undef PART_SUMS_NAME
#undef PART_SUMS_INPUT
#undef PART_SUMS_ADDEND
#undef PART_SUMS_TILE
