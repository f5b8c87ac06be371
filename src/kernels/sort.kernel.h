// Stable radix sort of pairs, lowest digits first, eight bits a pass, three launches a pass:
// sort_counts counts the digits of each group's part, sort_offsets turns the counts of each digit
// into offsets over the parts, sort_scatter sorts tile by tile in local memory and writes runs of
// equal digits. Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore
// GPUs", IPDPS 2009; the packed counters of an item after Merrill and Grimshaw, "High performance
// and scalable radix sorting", Parallel Processing Letters 21 (2011). No atomics decide an order,
// no sub-groups, no group waits for another.
#define T_FILE sort
#include "kernels/begin.h"

// Fifteen pairs an item: an odd stride reads local memory without bank conflicts, and a place in
// the tile takes twelve bits.
enum { sort_items = 15, sort_tile = 256 * 15, sort_digits = 256 };
// One counter for each item and each two values of four bits, padded against bank conflicts.
enum { sort_lanes = 8, sort_counters = 8 * 256 + 8 * 256 / 32 };

typedef struct {
    u32 at[sort_items];
} SortItems;

T_FUNCTION i32 sort_padded(const i32 counter) { return counter + (counter >> 5); }

// counts[digit * groups + g] = how often a digit stands in part g, which has group_tiles tiles.
T_GROUP_KERNEL(sort_counts, 256, 1, 1,
               (T_IN(u32) keys, const i64 count, const i32 group_tiles, const i32 first_bit,
                const u32 mask, T_OUT(u32) counts)) {
    T_LOCAL(u32, own, sort_digits);
    const i64 part = (i64)group_tiles * sort_tile;
    const i64 begin = part * T_GX;
    const i32 length = (i32)T_MIN(part, count - begin);
    T_PHASE { own[T_LX] = 0; }
    T_PHASE {
        for (i32 i = T_LX; i < length; i += 256)
            T_ATOMIC_ADD(&own[(keys[begin + i] >> first_bit) & mask], 1u);
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

T_GROUP_KERNEL(sort_scatter, 256, 1, 1,
               (T_IN(u32) keys, T_IN(u32) values, const i64 count, const i32 group_tiles,
                const i32 first_bit, const i32 bits, T_IN(u32) offsets, T_IN(u32) totals,
                T_OUT(u32) sorted_keys, T_OUT(u32) sorted_values)) {
    T_LOCAL(u32, exchange, sort_tile);
    T_LOCAL(u32, counters, sort_counters);
    T_LOCAL(u32, group_sums, 512);
    T_LOCAL(u32, next, sort_digits);   // where the next pair of a digit goes
    T_LOCAL(u32, shift, sort_digits);  // from a pair's place in the sorted tile to where it goes
    T_ITEM(SortItems, entries);
    T_ITEM(u32, prefix);
    const u32 mask = (1u << bits) - 1u;
    const i64 part_begin = (i64)group_tiles * sort_tile * T_GX;
    const i64 left = count - part_begin;
    const i32 tiles = (i32)T_MIN((i64)group_tiles, (left + sort_tile - 1) / sort_tile);

    T_PHASE { T_MY(prefix) = totals[T_LX]; }
#include "kernels/group_scan.body.h"
    T_PHASE { next[T_LX] = T_MY(prefix) + offsets[T_LX * T_GROUPS_X + T_GX]; }

    for (i32 tile = 0; tile < tiles; ++tile) {
        const i64 begin = part_begin + (i64)tile * sort_tile;
        const i32 length = (i32)T_MIN((i64)sort_tile, left - (i64)tile * sort_tile);
        // An entry is digit << 16 | place in the unsorted tile. What lies behind the end sorts
        // last.
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 key = i < length ? keys[begin + i] : 0xffffffffu;
                exchange[i] = ((key >> first_bit) & mask) << 16 | (u32)i;
            }
        }
        // Sort the entries by four bits of the digit, twice. Lane n counts the values n and n + 8
        // in the low and the high half of a word, for each item of its own.
        for (i32 bit = 16; bit < 16 + bits; bit += 4) {
            T_PHASE {
                for (i32 lane = 0; lane < sort_lanes; ++lane)
                    counters[sort_padded(lane * 256 + T_LX)] = 0;
                for (i32 k = 0; k < sort_items; ++k) {
                    const u32 entry = exchange[T_LX * sort_items + k];
                    const i32 lane = (i32)(entry >> bit) & 7;
                    const u32 upper = (entry >> bit & 8u) * 2u;
                    const i32 counter = sort_padded(lane * 256 + T_LX);
                    const u32 before = counters[counter];
                    counters[counter] = before + (1u << upper);
                    T_MY(entries).at[k] = (before >> upper & 15u) << 24 | entry;
                }
            }
            T_PHASE {
                u32 sum = 0;
                for (i32 n = 0; n < sort_lanes; ++n)
                    sum += counters[sort_padded(T_LX * sort_lanes + n)];
                T_MY(prefix) = sum;
            }
#include "kernels/group_scan.body.h"
            T_PHASE {
                // The high halves follow all the low ones.
                u32 sum = T_MY(prefix) + (group_sums[255] << 16);
                for (i32 n = 0; n < sort_lanes; ++n) {
                    const i32 counter = sort_padded(T_LX * sort_lanes + n);
                    const u32 counted = counters[counter];
                    counters[counter] = sum;
                    sum += counted;
                }
            }
            T_PHASE {
                for (i32 k = 0; k < sort_items; ++k) {
                    const u32 entry = T_MY(entries).at[k];
                    const i32 lane = (i32)(entry >> bit) & 7;
                    const u32 upper = (entry >> bit & 8u) * 2u;
                    const u32 first = counters[sort_padded(lane * 256 + T_LX)] >> upper & 0xffffu;
                    exchange[first + (entry >> 24)] = entry & 0xffffffu;
                }
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 entry = exchange[i];
                const u32 digit = entry >> 16;
                T_MY(entries).at[k] = entry;
                if (i < length && (i == 0 || exchange[i - 1] >> 16 != digit))
                    shift[digit] = next[digit] - (u32)i;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 digit = T_MY(entries).at[k] >> 16;
                if (i < length && (i == length - 1 || exchange[i + 1] >> 16 != digit))
                    next[digit] = shift[digit] + (u32)i + 1u;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                exchange[i] = i < length ? keys[begin + i] : 0u;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 entry = T_MY(entries).at[k];
                if (i < length)
                    sorted_keys[shift[entry >> 16] + (u32)i] = exchange[entry & 0xffffu];
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                exchange[i] = i < length ? values[begin + i] : 0u;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < sort_items; ++k) {
                const i32 i = k * 256 + T_LX;
                const u32 entry = T_MY(entries).at[k];
                if (i < length)
                    sorted_values[shift[entry >> 16] + (u32)i] = exchange[entry & 0xffffu];
            }
        }
    }
}

#include "kernels/end.h"
