// Stable radix sort of pairs, lowest digits first, eight bits a pass, three launches a pass:
// sort_counts counts the digits of each group's part, sort_offsets turns the counts of each digit
// into offsets over the parts, sort_scatter sorts tile by tile in local memory and writes runs of
// equal digits. Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore
// GPUs", IPDPS 2009; the packed counters of an item after Merrill and Grimshaw, "High performance
// and scalable radix sorting", Parallel Processing Letters 21 (2011). No atomics decide an order,
// no sub-groups, no group waits for another.
#define T_FILE sort
#include "kernels/begin.h"

// A place in the tile takes twelve bits.
enum { sort_items = 16, sort_tile = 256 * 16, sort_digits = 256 };
// A word of two counters for each item and each two values of four bits.
enum { sort_lanes = 8, sort_counters = 8 * 256 };

// Local memory has a gap of one word behind each 32, so that items that read 8 or 16 words of their
// own do not meet in a bank. SORT_STRIPED is element k * 256 + T_LX, SORT_BLOCKED is element
// T_LX * n + k.
#define SORT_PADDED(element) ((element) + ((element) >> 5))
#define SORT_STRIPED(k) ((k)*264 + SORT_PADDED(T_LX))
#define SORT_BLOCKED(n, k) (SORT_PADDED(T_LX * (n)) + (k))

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
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    T_ITEM(u32, base);
    const i32 row = T_GX * parts;
    T_PHASE { T_MY(base) = 0; }
    for (i32 first = 0; first < parts; first += 256) {
        T_PHASE { T_MY(prefix) = first + T_LX < parts ? counts[row + first + T_LX] : 0u; }
#include "kernels/primitives/group_scan.body.h"
        T_PHASE {
            if (first + T_LX < parts) counts[row + first + T_LX] = T_MY(base) + T_MY(prefix);
            T_MY(base) += group_sums[255];
        }
    }
    T_PHASE {
        if (T_LX == 0) totals[T_GX] = T_MY(base);
    }
}

T_GROUP_KERNEL(sort_scatter, 256, 1, 1,
               (T_IN(u32) keys, T_IN(u32) values, const i64 count, const i32 group_tiles,
                const i32 first_bit, const u32 mask, T_IN(u32) offsets, T_IN(u32) totals,
                T_OUT(u32) sorted_keys, T_OUT(u32) sorted_values)) {
    T_LOCAL(u32, exchange, sort_tile + sort_tile / 32);
    T_LOCAL(u32, counters, sort_counters + sort_counters / 32);
    T_LOCAL(u32, group_sums, 272);
    T_LOCAL(u32, first, sort_digits);  // the digit's first pair and the one behind its last
    T_LOCAL(u32, behind, sort_digits);
    T_LOCAL(u32, shift, sort_digits);  // from a pair's place in the sorted tile to where it goes
    T_ITEM_ARRAY(u32, entry, sort_items);
    T_ITEM(u32, next);  // where the next pair goes whose digit is the item's number
    T_ITEM(u32, prefix);
    const i64 part_begin = (i64)group_tiles * sort_tile * T_GX;
    const i64 left = count - part_begin;
    const i32 tiles = (i32)T_MIN((i64)group_tiles, (left + sort_tile - 1) / sort_tile);

    T_PHASE { T_MY(prefix) = totals[T_LX]; }
#include "kernels/primitives/group_scan.body.h"
    T_PHASE { T_MY(next) = T_MY(prefix) + offsets[T_LX * T_GROUPS_X + T_GX]; }

    for (i32 tile = 0; tile < tiles; ++tile) {
        const i64 begin = part_begin + (i64)tile * sort_tile;
        const i32 length = (i32)T_MIN((i64)sort_tile, left - (i64)tile * sort_tile);
        // An entry is digit << 16 | place in the unsorted tile. What lies behind the end sorts
        // last.
        T_PHASE {
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                T_MY(entry)[k] = i < length ? keys[begin + i] >> first_bit & mask : mask;
            }
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                exchange[SORT_STRIPED(k)] = T_MY(entry)[k] << 16 | (u32)i;
            }
            first[T_LX] = 0;
            behind[T_LX] = 0;
        }
        // Sort the entries by four bits of the digit, twice.
        for (i32 bit = 16; bit < 24; bit += 4) {
            // How often each value stands in an item's entries, in four bits of a word each; the
            // last entry, with which one could overflow, comes later. Lane n of the counters holds
            // the values n and n + 8, in its low and its high half.
            T_PHASE {
                u64 counted = 0;
                T_UNROLL
                for (i32 k = 0; k < sort_items; ++k) {
                    const u32 e = exchange[SORT_BLOCKED(sort_items, k)];
                    const u32 at = (e >> bit & 15u) * 4u;
                    T_MY(entry)[k] = ((u32)(counted >> at) & 15u) << 24 | e;
                    if (k < sort_items - 1) counted += (u64)1 << at;
                }
                const u32 low = (u32)counted;
                const u32 high = (u32)(counted >> 32);
                T_UNROLL
                for (i32 lane = 0; lane < sort_lanes; ++lane)
                    counters[SORT_STRIPED(lane)] =
                        (low >> lane * 4 & 15u) | (high >> lane * 4 & 15u) << 16;
                const u32 last = T_MY(entry)[sort_items - 1] >> bit;
                counters[SORT_STRIPED((i32)(last & 7u))] += 1u << (last & 8u) * 2u;
            }
            T_PHASE {
                u32 sum = 0;
                T_UNROLL
                for (i32 n = 0; n < sort_lanes; ++n) sum += counters[SORT_BLOCKED(sort_lanes, n)];
                T_MY(prefix) = sum;
            }
#include "kernels/primitives/group_scan.body.h"
            T_PHASE {
                // The high halves follow all the low ones.
                u32 sum = T_MY(prefix) + (group_sums[255] << 16);
                T_UNROLL
                for (i32 n = 0; n < sort_lanes; ++n) {
                    const i32 counter = SORT_BLOCKED(sort_lanes, n);
                    const u32 counted = counters[counter];
                    counters[counter] = sum;
                    sum += counted;
                }
            }
            T_PHASE {
                T_UNROLL
                for (i32 k = 0; k < sort_items; ++k) {
                    const u32 e = T_MY(entry)[k];
                    const u32 value = e >> bit;
                    const u32 start = counters[SORT_STRIPED((i32)(value & 7u))];
                    const u32 place = (start >> (value & 8u) * 2u & 0xffffu) + (e >> 24);
                    exchange[SORT_PADDED((i32)place)] = e & 0xffffffu;
                }
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 e = exchange[SORT_STRIPED(k)];
                T_MY(entry)[k] = e;
                const u32 before =
                    i == 0 ? e : exchange[SORT_STRIPED(k) - (T_LX % 32 == 0 ? 2 : 1)];
                if (i < length && before >> 16 != e >> 16) {
                    first[e >> 16] = (u32)i;
                    behind[before >> 16] = (u32)i;
                }
                if (i == length - 1) behind[e >> 16] = (u32)length;
            }
        }
        T_PHASE {
            shift[T_LX] = T_MY(next) - first[T_LX];
            T_MY(next) += behind[T_LX] - first[T_LX];
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                if (i < length) exchange[SORT_STRIPED(k)] = keys[begin + i];
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                if (i < length) {
                    const u32 key = exchange[SORT_PADDED((i32)(T_MY(entry)[k] & 0xffffu))];
                    sorted_keys[shift[key >> first_bit & mask] + (u32)i] = key;
                }
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                if (i < length) exchange[SORT_STRIPED(k)] = values[begin + i];
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 e = T_MY(entry)[k];
                if (i < length)
                    sorted_values[shift[e >> 16] + (u32)i] =
                        exchange[SORT_PADDED((i32)(e & 0xffffu))];
            }
        }
    }
}

#undef SORT_BLOCKED
#undef SORT_STRIPED
#undef SORT_PADDED
#include "kernels/end.h"
