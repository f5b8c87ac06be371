// Which labels a map has, and of each object the number of its points, its box and the sums of its
// indices and of their products.
#define T_FILE measure_objects
#include "kernels/begin.h"

#include "kernels/measuring/measure_tiles.h"

// highest[0] = the highest label.
T_KERNEL(measure_highest, (T_IN(u32) labels, const measure_map map, T_GLOBAL_PTR(u32) highest)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    u32 most = 0;
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        T_GLOBAL_PTR(const u32) points = labels + (i64)measure_row(map, row) * map.nx;
        for (i32 x = tile.first; x < tile.end; ++x) most = T_MAX(most, points[x]);
    }
    measure_raise(highest, most);
}

// Sets the bits of the labels that occur; 0 is none.
T_KERNEL(measure_present, (T_IN(u32) labels, const measure_map map, T_GLOBAL_PTR(u32) present)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    u32 last = 0;
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        T_GLOBAL_PTR(const u32) points = labels + (i64)measure_row(map, row) * map.nx;
        for (i32 x = tile.first; x < tile.end; ++x) {
            const u32 label = points[x];
            if (label == last || label == 0) continue;
            const u32 bit = 1u << (label & 31u);
            if ((T_LOAD(u32, present + (label >> 5)) & bit) == 0)
                T_ATOMIC_OR(present + (label >> 5), bit);
            last = label;
        }
    }
}

T_KERNEL(measure_count_bits, (T_IN(u32) present, T_OUT(u32) counts)) {
    T_INDEX1(word);
    counts[word] = (u32)T_POPCOUNT(present[word]);
}

// numbered[n] = the label of object n.
T_KERNEL(measure_list_labels, (T_IN(u32) present, T_IN(u32) before, T_GLOBAL_PTR(u32) numbered)) {
    T_INDEX1(word);
    u32 left = present[word];
    for (u32 n = before[word]; left != 0; ++n) {
        const u32 lowest = left & (0u - left);
        numbered[n] = (u32)word * 32u + (u32)T_HIGHEST_BIT(lowest);
        left ^= lowest;
    }
}

// Points of one object that follow one another in a tile.
typedef struct {
    u64 sum[3], square[3], product[3];  // x, y, z; xx, yy, zz; xy, xz, yz
    u32 label, points;
    i32 first[3], last[3];
} measure_sums;

T_FUNCTION measure_sums measure_no_sums(const u32 label) {
    measure_sums sums;
    sums.label = label;
    sums.points = 0;
    for (i32 a = 0; a < 3; ++a) {
        sums.sum[a] = 0;
        sums.square[a] = 0;
        sums.product[a] = 0;
        sums.first[a] = 0x7fffffff;
        sums.last[a] = -1;
    }
    return sums;
}

// Adds the run [first, end) of a row. The sum of squares of `count` indices around their mean is
// count (count^2 - 1) / 12.
T_FUNCTION void measure_add_run(measure_sums* sums, const i32 first, const i32 end, const i32 row,
                                const measure_map map) {
    const u64 count = (u64)(end - first);
    const u64 ends = (u64)first + (u64)(end - 1);
    const u64 y = (u64)(row % map.ny);
    const u64 z = (u64)(row / map.ny);
    const u64 x_sum = count * ends / 2;
    sums->points += (u32)count;
    sums->sum[0] += x_sum;
    sums->sum[1] += count * y;
    sums->sum[2] += count * z;
    sums->square[0] += (count * ends * ends + count * (count * count - 1) / 3) / 4;
    sums->square[1] += count * y * y;
    sums->square[2] += count * z * z;
    sums->product[0] += x_sum * y;
    sums->product[1] += x_sum * z;
    sums->product[2] += count * y * z;
    sums->first[0] = T_MIN(sums->first[0], first);
    sums->last[0] = T_MAX(sums->last[0], end - 1);
    sums->first[1] = T_MIN(sums->first[1], (i32)y);
    sums->last[1] = T_MAX(sums->last[1], (i32)y);
    sums->first[2] = T_MIN(sums->first[2], (i32)z);
    sums->last[2] = T_MAX(sums->last[2], (i32)z);
}

// The words of a record, for two or three axes: the number of points; of each axis n - 1 - lowest
// and highest index; the sums of indices, of two words each; those of squares, then of products, of
// three each. All are 0 of an object without points, and only grow.
enum { measure_words_2d = 1 + 4 + 4 + 9, measure_words_3d = 1 + 6 + 6 + 18 };

T_FUNCTION void measure_add_sums(const measure_sums sums, const measure_map map,
                                 T_GLOBAL_PTR(u32) record) {
    const i32 lengths[3] = {map.nx, map.ny, map.nz};
    const i32 axes = map.axes;
    T_GLOBAL_PTR(u32) box = record + 1;
    T_GLOBAL_PTR(u32) indices = box + 2 * axes;
    T_GLOBAL_PTR(u32) squares = indices + 2 * axes;
    T_GLOBAL_PTR(u32) products = squares + 3 * axes;
    T_ATOMIC_ADD(record, sums.points);
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        if (a >= axes) continue;
        measure_raise(box + 2 * a, (u32)(lengths[a] - 1 - sums.first[a]));
        measure_raise(box + 2 * a + 1, (u32)sums.last[a]);
        measure_add_two(indices + 2 * a, sums.sum[a]);
        measure_add_three(squares + 3 * a, sums.square[a]);
        if (a < 2 * axes - 3) measure_add_three(products + 3 * a, sums.product[a]);
    }
}

// Adds up the records of all objects, which are 0 before. A tile has at most 2^18 points, an axis
// 2^21: so no sum of a tile exceeds 62 bits.
T_KERNEL(measure_sum_up, (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before,
                          const measure_map map, T_GLOBAL_PTR(u32) records)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    const i32 words = map.axes == 3 ? measure_words_3d : measure_words_2d;
    measure_sums sums = measure_no_sums(0);
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        T_GLOBAL_PTR(const u32) points = labels + (i64)measure_row(map, row) * map.nx;
        i32 end = 0;
        for (i32 first = tile.first; first < tile.end; first = end) {
            end = measure_run_end(points, first, tile.end);
            const u32 label = points[first];
            if (label == 0) continue;
            if (label != sums.label) {
                if (sums.label != 0)
                    measure_add_sums(
                        sums, map,
                        records + (i64)words * measure_number(present, before, sums.label));
                sums = measure_no_sums(label);
            }
            measure_add_run(&sums, first, end, measure_row(map, row), map);
        }
    }
    if (sums.label != 0)
        measure_add_sums(sums, map,
                         records + (i64)words * measure_number(present, before, sums.label));
}

#include "kernels/end.h"
