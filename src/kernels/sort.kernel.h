// Stable radix sort of pairs, lowest digits first, eight bits a pass, three launches a pass:
// sort_counts counts the digits of each group's part, sort_offsets turns the counts of each digit
// into offsets over the parts, sort_scatter sorts tile by tile in local memory and writes runs of
// equal digits. Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore
// GPUs", IPDPS 2009. Which pairs of a row of 32 have equal digits is found by their bits in one
// word for each digit, as Adinets and Merrill, "Onesweep", arXiv 2206.01784 (2022), find it
// within a warp. No atomics decide an order, no sub-groups, no group waits for another.
#define T_FILE sort
#include "kernels/begin.h"

// A tile is 8 bands of 16 rows of 32 pairs: an item has one place of each row of its band.
enum { sort_items = 16, sort_bands = 8, sort_tile = 256 * 16, sort_digits = 256 };
// A word or a counter for each band and digit.
enum { sort_table = 8 * 256 };
// How many reads of an item are under way at a time: more would take registers from other groups.
enum { sort_step = 8 };

// counts[digit * groups + g] = how often a digit stands in part g, which has group_tiles tiles.
T_GROUP_KERNEL(sort_counts, 256, 1, 1,
               (T_IN(u32) keys, const i64 count, const i32 group_tiles, const i32 first_bit,
                const u32 mask, T_OUT(u32) counts)) {
    T_LOCAL(u32, own, sort_digits);
    const i64 part = (i64)group_tiles * sort_tile;
    const i64 begin = part * T_GX;
    const i32 length = (i32)T_MIN(part, count - begin);
    const i32 whole_tiles = length / sort_tile;
    T_PHASE { own[T_LX] = 0; }
    T_PHASE {
        // All reads of a tile are under way before the first is waited for.
        for (i32 tile = 0; tile < whole_tiles; ++tile) {
            u32 tile_keys[sort_items];
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k)
                tile_keys[k] = keys[begin + tile * sort_tile + k * 256 + T_LX];
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k)
                T_ATOMIC_ADD(&own[tile_keys[k] >> first_bit & mask], 1u);
        }
        for (i32 i = whole_tiles * sort_tile + T_LX; i < length; i += 256)
            T_ATOMIC_ADD(&own[keys[begin + i] >> first_bit & mask], 1u);
    }
    T_PHASE { counts[T_LX * T_GROUPS_X + T_GX] = own[T_LX]; }
}

// Group d: replaces the counts of digit d over the parts by exclusive sums; totals[d] = their
// total.
T_GROUP_KERNEL(sort_offsets, 256, 1, 1,
               (T_GLOBAL_PTR(u32) counts, const i32 parts, T_OUT(u32) totals)) {
    T_LOCAL(u32, group_sums, 512);
    T_ITEM(u32, prefix);
    T_ITEM(u32, base);
    const i32 row = T_GX * parts;
    T_PHASE { T_MY(base) = 0; }
    for (i32 first = 0; first < parts; first += 256) {
        T_PHASE { T_MY(prefix) = first + T_LX < parts ? counts[row + first + T_LX] : 0u; }
#include "kernels/group_scan.body.h"
        T_PHASE {
            if (first + T_LX < parts) counts[row + first + T_LX] = T_MY(base) + T_MY(prefix);
            T_MY(base) += group_sums[255];
        }
    }
    T_PHASE {
        if (T_LX == 0) totals[T_GX] = T_MY(base);
    }
}

// An item keeps four digits, or two places, in a word: registers for all would leave few groups
// running at a time.
#define T_DIGIT(k) (T_MY(digits)[(k) / 4] >> (k) % 4 * 8 & 255u)
#define T_PLACE(k) (T_MY(places)[(k) / 2] >> (k) % 2 * 16 & 0xffffu)
// The item's first place in a tile; the others are 32 apart. Its band's part of a table.
#define T_FIRST (T_LX / 32 * (sort_items * 32) + T_LX % 32)
#define T_BAND (T_LX / 32 * sort_digits)

T_GROUP_KERNEL(sort_scatter, 256, 1, 1,
               (T_IN(u32) keys, T_IN(u32) values, const i64 count, const i32 group_tiles,
                const i32 first_bit, const u32 mask, T_IN(u32) offsets, T_IN(u32) totals,
                T_OUT(u32) sorted_keys, T_OUT(u32) sorted_values)) {
    // First the words of lanes with a digit, for the rows of even and of odd number; then a tile's
    // pairs in order.
    T_LOCAL(u32, exchange, 2 * sort_table);
    T_LOCAL(u32, starts, sort_table);  // the place of the next pair with a digit, in each band
    T_LOCAL(u32, group_sums, 512);
    T_LOCAL(u32, shift, sort_digits);  // from a pair's place in the sorted tile to where it goes
    T_ITEM_ARRAY(u32, digits, sort_items / 4);
    T_ITEM_ARRAY(u32, places, sort_items / 2);
    T_ITEM(u32, next);   // where the next pair goes whose digit is the item's number
    T_ITEM(u32, after);  // the place behind the last row's pairs; for its first lane with a digit
    T_ITEM(i32, own);    // the entry of the item's digit in the tables, in the row at hand
    T_ITEM(u32, prefix);
    const i64 part_begin = (i64)group_tiles * sort_tile * T_GX;
    const i64 left = count - part_begin;
    const i32 tiles = (i32)T_MIN((i64)group_tiles, (left + sort_tile - 1) / sort_tile);

    T_PHASE { T_MY(prefix) = totals[T_LX]; }
#include "kernels/group_scan.body.h"
    T_PHASE { T_MY(next) = T_MY(prefix) + offsets[T_LX * T_GROUPS_X + T_GX]; }

    for (i32 tile = 0; tile < tiles; ++tile) {
        const i64 begin = part_begin + (i64)tile * sort_tile;
        const i32 length = (i32)T_MIN((i64)sort_tile, left - (i64)tile * sort_tile);
        T_PHASE {
            for (i32 step = 0; step * 32 < length && step < sort_items; step += sort_step) {
                T_UNROLL
                for (i32 k = 0; k < sort_step; ++k) {
                    const i32 i = T_FIRST + (step + k) * 32;
                    const u32 digit = i < length ? keys[begin + i] >> first_bit & mask : 0u;
                    const u32 others = k % 4 == 0 ? 0u : T_MY(digits)[(step + k) / 4];
                    T_MY(digits)[(step + k) / 4] = others | digit << k % 4 * 8;
                }
            }
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) exchange[k * 256 + T_LX] = 0;
            T_UNROLL
            for (i32 k = 0; k < sort_bands; ++k) starts[k * 256 + T_LX] = 0;
            T_MY(after) = 0;
        }
        // Row by row: each lane marks its digit's word, then counts the lanes before it there.
        for (i32 rows = 0; rows < sort_items; rows += 4) {
            T_UNROLL
            for (i32 k = 0; k < 4; ++k) {
                T_PHASE {
                    const u32 word = T_MY(digits)[rows / 4];
                    if (T_MY(after) != 0) {
                        starts[T_MY(own)] = T_MY(after);
                        exchange[(k + 1) % 2 * sort_table + T_MY(own)] = 0;
                    }
                    T_MY(own) = T_BAND + (i32)(word >> k * 8 & 255u);
                    if (T_FIRST + (rows + k) * 32 < length)
                        T_ATOMIC_OR(&exchange[k % 2 * sort_table + T_MY(own)], 1u << T_LX % 32);
                }
                T_PHASE {
                    const u32 lanes = exchange[k % 2 * sort_table + T_MY(own)];
                    const u32 before = lanes & ((1u << T_LX % 32) - 1u);
                    const u32 start = starts[T_MY(own)];
                    const u32 place = start + (u32)T_POPCOUNT(before);
                    const u32 other = k % 2 == 0 ? 0u : T_MY(places)[(rows + k) / 2];
                    T_MY(places)[(rows + k) / 2] = other | place << k % 2 * 16;
                    const i32 is_first = T_FIRST + (rows + k) * 32 < length && before == 0;
                    T_MY(after) = is_first ? start + (u32)T_POPCOUNT(lanes) : 0u;
                }
            }
        }
        T_PHASE {
            if (T_MY(after) != 0) starts[T_MY(own)] = T_MY(after);
        }
        // From here the item's number is a digit: its counts in the bands become places.
        T_PHASE {
            u32 sum = 0;
            T_UNROLL
            for (i32 band = 0; band < sort_bands; ++band) {
                const u32 counted = starts[band * sort_digits + T_LX];
                starts[band * sort_digits + T_LX] = sum;
                sum += counted;
            }
            T_MY(after) = sum;
            T_MY(prefix) = sum;
        }
#include "kernels/group_scan.body.h"
        T_PHASE {
            T_UNROLL
            for (i32 band = 0; band < sort_bands; ++band)
                starts[band * sort_digits + T_LX] += T_MY(prefix);
            shift[T_LX] = T_MY(next) - T_MY(prefix);
            T_MY(next) += T_MY(after);
        }
        T_PHASE {
            for (i32 step = 0; step * 32 < length && step < sort_items; step += sort_step) {
                T_UNROLL
                for (i32 k = step; k < step + sort_step; ++k) {
                    const u32 place = T_PLACE(k) + starts[T_BAND + (i32)T_DIGIT(k)];
                    const u32 other = k % 2 == 0 ? T_MY(places)[k / 2] & 0xffff0000u
                                                 : T_MY(places)[k / 2] & 0xffffu;
                    T_MY(places)[k / 2] = other | place << k % 2 * 16;
                    const i32 i = T_FIRST + k * 32;
                    if (i < length) exchange[place] = keys[begin + i];
                }
            }
        }
        // The digits of the sorted keys take the place of those before.
        T_PHASE {
            for (i32 step = 0; step * 256 < length; step += sort_step) {
                T_UNROLL
                for (i32 k = step; k < step + sort_step; ++k) {
                    const i32 i = k * 256 + T_LX;
                    const u32 key = i < length ? exchange[i] : 0u;
                    const u32 digit = key >> first_bit & mask;
                    const u32 others = k % 4 == 0 ? 0u : T_MY(digits)[k / 4];
                    T_MY(digits)[k / 4] = others | digit << k % 4 * 8;
                    if (i < length) sorted_keys[shift[digit] + (u32)i] = key;
                }
            }
        }
        T_PHASE {
            for (i32 step = 0; step * 32 < length && step < sort_items; step += sort_step) {
                T_UNROLL
                for (i32 k = step; k < step + sort_step; ++k) {
                    const i32 i = T_FIRST + k * 32;
                    if (i < length) exchange[T_PLACE(k)] = values[begin + i];
                }
            }
        }
        T_PHASE {
            for (i32 step = 0; step * 256 < length; step += sort_step) {
                T_UNROLL
                for (i32 k = step; k < step + sort_step; ++k) {
                    const i32 i = k * 256 + T_LX;
                    if (i < length) sorted_values[shift[T_DIGIT(k)] + (u32)i] = exchange[i];
                }
            }
        }
    }
}

#undef T_BAND
#undef T_FIRST
#undef T_PLACE
#undef T_DIGIT
#include "kernels/end.h"
