// Stream compaction in two launches, built like the scan: compact_counts counts the flags of each
// group's part, compact_tiles adds the counts of the parts before its own and copies what is
// flagged.
#define T_FILE compact
#include "kernels/begin.h"

enum { compact_items = 15, compact_tile = 256 * 15 };

// The number of flags of each part that are not zero.
#define PART_SUMS_NAME compact_counts
#define PART_SUMS_INPUT u8
#define PART_SUMS_ADDEND(flag) ((flag) != 0 ? 1u : 0u)
#define PART_SUMS_TILE compact_tile
#include "kernels/primitives/part_sums.body.h"

// part_sums comes from compact_counts.
T_GROUP_KERNEL(compact_tiles, 256, 1, 1,
               (T_IN(u32) values, T_IN(u8) flags, const i64 count, const i32 group_tiles,
                T_IN(u32) part_sums, T_OUT(u32) kept, T_OUT(u32) kept_count)) {
    T_LOCAL(u32, staged, compact_tile);
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    T_ITEM(u32, base);
    const i64 part_begin = (i64)group_tiles * compact_tile * T_GX;
    const i64 left = count - part_begin;
    const i32 tiles = (i32)T_MIN((i64)group_tiles, (left + compact_tile - 1) / compact_tile);
#include "kernels/primitives/parts_before.body.h"
    T_PHASE {
        T_MY(base) = group_sums[255];
        if (T_LX == 0 && T_GX == T_GROUPS_X - 1) kept_count[0] = T_MY(base) + part_sums[T_GX];
    }

    for (i32 tile = 0; tile < tiles; ++tile) {
        const i64 begin = part_begin + (i64)tile * compact_tile;
        const i32 length = (i32)T_MIN((i64)compact_tile, count - begin);
        T_PHASE {
            for (i32 k = 0; k < compact_items; ++k) {
                const i32 i = k * 256 + T_LX;
                staged[i] = i < length && flags[begin + i] != 0 ? 1u : 0u;
            }
        }
        T_PHASE {
            u32 sum = 0;
            for (i32 k = 0; k < compact_items; ++k) sum += staged[T_LX * compact_items + k];
            T_MY(prefix) = sum;
        }
#include "kernels/primitives/group_scan.body.h"
        // Each flag becomes one more than its place among the flagged of the tile.
        T_PHASE {
            u32 place = T_MY(prefix);
            for (i32 k = 0; k < compact_items; ++k) {
                const i32 i = T_LX * compact_items + k;
                const u32 flag = staged[i];
                place += flag;
                staged[i] = flag * place;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < compact_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 place = staged[i];
                if (place != 0) kept[T_MY(base) + place - 1] = values[begin + i];
            }
            T_MY(base) += group_sums[255];
        }
    }
}

#include "kernels/end.h"
