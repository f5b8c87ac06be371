// Exclusive prefix sums in two launches (reduce, then scan), without any assumption that groups run
// at the same time: scan_sums adds the values of each group's part, scan_tiles adds the sums of the
// parts before its own and scans its part tile by tile.
#define T_FILE scan
#include "kernels/begin.h"

// Fifteen values an item: an odd stride reads local memory without bank conflicts.
enum { scan_items = 15, scan_tile = 256 * 15 };

#define PART_SUMS_NAME scan_sums
#define PART_SUMS_INPUT u32
#define PART_SUMS_ADDEND(value) (value)
#define PART_SUMS_TILE scan_tile
#include "kernels/primitives/part_sums.body.h"

// sums[i] for i in 0..count; part_sums comes from scan_sums and is not read by the first group.
T_GROUP_KERNEL(scan_tiles, 256, 1, 1,
               (T_IN(u32) values, const i64 count, const i32 group_tiles, T_IN(u32) part_sums,
                T_OUT(u32) sums)) {
    T_LOCAL(u32, staged, scan_tile);
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    T_ITEM(u32, base);
    const i64 part_begin = (i64)group_tiles * scan_tile * T_GX;
    // The last tile also writes the total, as the prefix of a value behind the end.
    const i64 left = count + 1 - part_begin;
    const i32 tiles = (i32)T_MIN((i64)group_tiles, (left + scan_tile - 1) / scan_tile);
#include "kernels/primitives/parts_before.body.h"
    T_PHASE { T_MY(base) = group_sums[255]; }

    for (i32 tile = 0; tile < tiles; ++tile) {
        const i64 begin = part_begin + (i64)tile * scan_tile;
        const i32 length = (i32)T_MIN((i64)scan_tile, count - begin);
        T_PHASE {
            for (i32 k = 0; k < scan_items; ++k) {
                const i32 i = k * 256 + T_LX;
                staged[i] = i < length ? values[begin + i] : 0u;
            }
        }
        T_PHASE {
            u32 sum = 0;
            for (i32 k = 0; k < scan_items; ++k) sum += staged[T_LX * scan_items + k];
            T_MY(prefix) = sum;
        }
#include "kernels/primitives/group_scan.body.h"
        T_PHASE {
            u32 sum = T_MY(base) + T_MY(prefix);
            for (i32 k = 0; k < scan_items; ++k) {
                const i32 i = T_LX * scan_items + k;
                const u32 value = staged[i];
                staged[i] = sum;
                sum += value;
            }
            T_MY(base) += group_sums[255];
        }
        T_PHASE {
            for (i32 k = 0; k < scan_items; ++k) {
                const i32 i = k * 256 + T_LX;
                if (begin + i <= count) sums[begin + i] = staged[i];
            }
        }
    }
}

#include "kernels/end.h"
