// Sums, extremes and ranks of an image's values in each object. Values are keys of 32 bits in the
// order of the values: unsigned integers as they are, signed ones from the lowest of their type on,
// floats by their bits.
#define T_FILE measure_intensities
#include "kernels/begin.h"

#include "kernels/measuring/measure_tiles.h"

#define measure_sign 0x80000000u

T_FUNCTION u32 measure_key_of_float(const f32 value) {
    const u32 bits = T_BITS(value + 0.0f);
    return (bits & measure_sign) != 0 ? ~bits : bits | measure_sign;
}
T_FUNCTION f32 measure_float_of_key(const u32 key) {
    return T_FROM_BITS((key & measure_sign) != 0 ? key ^ measure_sign : ~key);
}

#define MEASURE_PIXEL u8
#define MEASURE_KEY(value) ((u32)(value))
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL u16
#define MEASURE_KEY(value) ((u32)(value))
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL u32
#define MEASURE_KEY(value) (value)
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL i8
#define MEASURE_KEY(value) ((u32)((value) + 128))
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL i16
#define MEASURE_KEY(value) ((u32)((value) + 32768))
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL i32
#define MEASURE_KEY(value) ((u32)(value) ^ measure_sign)
#include "kernels/measuring/measure_keys.body.h"
#define MEASURE_PIXEL f32
#define MEASURE_KEY(value) measure_key_of_float(value)
#include "kernels/measuring/measure_keys.body.h"

// How keys are summed up: as they are where `scale` is 0, otherwise as floats times `scale`, a
// power of two that makes integers of 31 bits of them, from 2^31 on.
T_FUNCTION u32 measure_summand(const u32 key, const f32 scale) {
    return scale == 0.0f ? key : (u32)T_ROUND(measure_float_of_key(key) * scale) ^ measure_sign;
}

// The words of a record: the highest of the keys' complements, the highest key; the sum of summands
// in two, of their squares in three words.
enum { measure_intensity_words = 2 + 2 + 3 };

typedef struct {
    u64 sum, square_low, square_high;
    u32 label, lowest, highest;
} measure_values;

T_FUNCTION measure_values measure_no_values(const u32 label) {
    const measure_values values = {0, 0, 0, label, 0xffffffffu, 0};
    return values;
}
T_FUNCTION void measure_end_values(const measure_values values, T_GLOBAL_PTR(const u32) present,
                                   T_GLOBAL_PTR(const u32) before, T_GLOBAL_PTR(u32) records) {
    if (values.label == 0) return;
    T_GLOBAL_PTR(u32)
    record = records + (i64)measure_intensity_words * measure_number(present, before, values.label);
    measure_raise(record, ~values.lowest);
    measure_raise(record + 1, values.highest);
    measure_add_two(record + 2, values.sum);
    measure_add_three(record + 4, values.square_low);
    if (values.square_high != 0) measure_add_two(record + 5, values.square_high);
}

// Adds up the records of all objects, which are 0 before.
T_KERNEL(measure_intensity_sums,
         (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before, T_IN(u32) keys,
          const measure_map map, const f32 scale, T_GLOBAL_PTR(u32) records)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    measure_values values = measure_no_values(0);
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        const i64 start = (i64)measure_row(map, row) * map.nx;
        for (i32 x = tile.first; x < tile.end; ++x) {
            const u32 label = labels[start + x];
            if (label == 0) continue;
            if (label != values.label) {
                measure_end_values(values, present, before, records);
                values = measure_no_values(label);
            }
            const u32 key = keys[start + x];
            const u64 summand = measure_summand(key, scale);
            const u64 square = summand * summand;
            values.lowest = T_MIN(values.lowest, key);
            values.highest = T_MAX(values.highest, key);
            values.sum += summand;
            values.square_low += (u32)square;
            values.square_high += square >> 32;
        }
    }
    measure_end_values(values, present, before, records);
}

// range[0] = the highest complement of a key in an object, range[1] = the highest key.
T_KERNEL(measure_key_range,
         (T_IN(u32) labels, T_IN(u32) keys, const measure_map map, T_GLOBAL_PTR(u32) range)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    u32 lowest = 0xffffffffu;
    u32 highest = 0;
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        const i64 start = (i64)measure_row(map, row) * map.nx;
        for (i32 x = tile.first; x < tile.end; ++x) {
            const u32 key = keys[start + x];
            const i32 counts = labels[start + x] != 0;
            lowest = counts ? T_MIN(lowest, key) : lowest;
            highest = counts ? T_MAX(highest, key) : highest;
        }
    }
    measure_raise(range, ~lowest);
    measure_raise(range + 1, highest);
}

// Brings the keys of an object together, in any order: those of object n come to places from
// starts[n] on. `filled` is 0 before, and how many came afterwards.
T_KERNEL(measure_gather,
         (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before, T_IN(u32) keys, T_IN(u32) starts,
          const measure_map map, T_GLOBAL_PTR(u32) filled, T_GLOBAL_PTR(u32) gathered)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        const i64 start = (i64)measure_row(map, row) * map.nx;
        i32 end = 0;
        for (i32 first = tile.first; first < tile.end; first = end) {
            end = measure_run_end(labels + start, first, tile.end);
            const u32 label = labels[start + first];
            if (label == 0) continue;
            const u32 number = measure_number(present, before, label);
            const i64 to = (i64)starts[number] + T_ATOMIC_ADD(filled + number, (u32)(end - first));
            for (i32 x = first; x < end; ++x) gathered[to + x - first] = keys[start + x];
        }
    }
}

// Of sorted keys those at `percents` of the way from the first to the last, and the next ones.
enum { measure_percentiles = 5 };
typedef struct {
    u32 percents[measure_percentiles];
} measure_ranks;

T_FUNCTION u32 measure_rank(const u32 percent, const u32 count) {
    return (u32)((u64)(count - 1u) * percent / 100u);
}
T_FUNCTION u32 measure_middle(const u32 low, const u32 high) { return low + (high - low) / 2; }

// ranked[n][p] = the key at that rank, and the next one. By halves of the interval of keys.
T_KERNEL(measure_select, (T_IN(u32) gathered, T_IN(u32) starts, T_IN(u32) intensities,
                          const measure_ranks ranks, T_GLOBAL_PTR(u32) ranked)) {
    T_INDEX1(n);
    T_GLOBAL_PTR(const u32) keys = gathered + starts[n];
    const u32 count = starts[n + 1] - starts[n];
    T_GLOBAL_PTR(u32) to = ranked + (i64)n * (2 * measure_percentiles);
    for (i32 p = 0; p < measure_percentiles; ++p) {
        const u32 rank = measure_rank(ranks.percents[p], count);
        u32 low = ~intensities[(i64)n * measure_intensity_words];
        u32 high = intensities[(i64)n * measure_intensity_words + 1];
        while (low < high) {
            const u32 middle = measure_middle(low, high);
            u32 below = 0;
            T_SIMD_FOR(k, 0, (i32)count)
            below += keys[k] <= middle ? 1u : 0u;
            if (below > rank)
                high = middle;
            else
                low = middle + 1;
        }
        u32 up_to = 0;
        u32 next = 0xffffffffu;  // from low + 1; keys up to `low` wrap beyond all others
        T_SIMD_FOR(k, 0, (i32)count) {
            up_to += keys[k] <= low ? 1u : 0u;
            next = T_MIN(next, keys[k] - (low + 1u));
        }
        to[2 * p] = low;
        to[2 * p + 1] = up_to > rank + 1 || rank + 1 == count ? low : low + 1u + next;
    }
}

// The same by a group of items.
T_GROUP_KERNEL(measure_select_together, 64, 1, 1,
               (T_IN(u32) gathered, T_IN(u32) starts, T_IN(u32) intensities,
                const measure_ranks ranks, T_GLOBAL_PTR(u32) ranked)) {
    T_LOCAL(u32, below, 32 * measure_percentiles);
    T_LOCAL(u32, bounds, 2);
    T_LOCAL(u32, ends, 2);
    const u32 start = starts[T_GX];
    const u32 count = starts[T_GX + 1] - start;
    const u32 lowest = ~intensities[(i64)T_GX * measure_intensity_words];
    const u32 highest = intensities[(i64)T_GX * measure_intensity_words + 1];
    const i32 steps = highest > lowest ? T_HIGHEST_BIT(highest - lowest) + 1 : 0;
    T_PHASE {
        for (i32 k = T_LI; k < 32 * measure_percentiles; k += 64) below[k] = 0;
    }
    for (i32 p = 0; p < measure_percentiles; ++p) {
        const u32 rank = measure_rank(ranks.percents[p], count);
        T_PHASE {
            if (T_LI == 0) {
                bounds[0] = lowest;
                bounds[1] = highest;
                ends[0] = 0;
                ends[1] = 0xffffffffu;
            }
        }
        for (i32 step = 0; step < steps; ++step) {
            T_PHASE {
                const u32 middle = measure_middle(bounds[0], bounds[1]);
                u32 found = 0;
                for (u32 k = (u32)T_LI; k < count; k += 64)
                    found += gathered[start + k] <= middle ? 1u : 0u;
                if (found != 0) T_ATOMIC_ADD(below + (p * 32 + step), found);
            }
            T_PHASE {
                if (T_LI == 0 && bounds[0] < bounds[1]) {
                    const u32 middle = measure_middle(bounds[0], bounds[1]);
                    if (below[p * 32 + step] > rank)
                        bounds[1] = middle;
                    else
                        bounds[0] = middle + 1;
                }
            }
        }
        T_PHASE {
            const u32 own = bounds[0];
            u32 found = 0;
            u32 next = 0xffffffffu;
            for (u32 k = (u32)T_LI; k < count; k += 64) {
                const u32 key = gathered[start + k];
                found += key <= own ? 1u : 0u;
                next = key > own ? T_MIN(next, key) : next;
            }
            if (found != 0) T_ATOMIC_ADD(ends, found);
            if (next != 0xffffffffu) T_ATOMIC_MIN(ends + 1, next);
        }
        T_PHASE {
            if (T_LI == 0) {
                const u32 own = bounds[0];
                T_GLOBAL_PTR(u32) to = ranked + ((i64)T_GX * measure_percentiles + p) * 2;
                to[0] = own;
                to[1] = ends[0] > rank + 1 || rank + 1 == count ? own : ends[1];
            }
        }
    }
}

#include "kernels/end.h"
