// Part of components.kernel.h: what tiles add up of their components, and the records that are made
// of it. Records stand in planes: for each axis of the image four words a component, n - 1 -
// lowest, highest, and the low and the high word of the sum of indices; then their areas. So all
// words of a component of no points are 0 and grow.
#ifndef TESELA_KERNELS_COMPONENTS_MEASURES_H
#define TESELA_KERNELS_COMPONENTS_MEASURES_H

enum {
    // Words of local memory for sums: of as many roots of a tile at a time as have room.
    components_sum_words = 1920,
    // What a tile has of a component whose root is in another tile stands in an entry: its number,
    // its tile, and its sums.
    components_shared_words = 8,
    components_shared_hashes_log2 = 9,
    components_shared_hashes = 1 << components_shared_hashes_log2
};
// In place of the number of a tile's root: this, and the root's place in the list of the tile's
// roots. Numbers are below it.
#define components_unnumbered 0x80000000u

// Four words that stand side by side, at a multiple of 16 bytes.
typedef struct {
    u32 word[4];
} components_four;

// The dialect moves four f32 at once; as bits they may be anything.
T_FUNCTION void components_write_four(T_GLOBAL_PTR(u32) to, const components_four four) {
    f32 values[4];
    T_UNROLL
    for (i32 w = 0; w < 4; ++w) values[w] = T_FROM_BITS(four.word[w]);
    T_WRITE_FOUR((T_GLOBAL_PTR(f32))to, values);
}
// Those of a component in a plane. With the place as a product of 64 bits nvcc makes a kernel that
// takes 1.2 times as long.
T_FUNCTION T_GLOBAL_PTR(u32) components_four_at(T_GLOBAL_PTR(u32) plane, const u32 component) {
    return ((T_GLOBAL_PTR(components_four))plane)[component].word;
}
T_FUNCTION components_four components_read_four(T_GLOBAL_PTR(const u32) from) {
    f32 values[4];
    components_four four;
    T_READ_FOUR(values, (T_GLOBAL_PTR(const f32))from);
    T_UNROLL
    for (i32 w = 0; w < 4; ++w) four.word[w] = T_BITS(values[w]);
    return four;
}

// What a tile has of a component. `counts`: the area times 2^17 and twice the sum of x; `rows`: the
// sum of z times 2^16 and that of y; `columns`: bits of those it stands in. Of a picture `extent`
// has the last row; of a volume the bits of rows. All in the tile.
typedef struct {
    u32 counts, rows, columns, extent[2];
    i32 first_row;
} components_part;

T_FUNCTION i32 components_lowest_bit(const u32 bits) { return T_HIGHEST_BIT(bits & (0u - bits)); }

T_FUNCTION u32 components_area(const components_part part) { return part.counts >> 17; }

T_FUNCTION components_four components_axis_words(const i32 n, const i32 begin, const i32 low,
                                                 const i32 high, const u32 area, const u32 sum) {
    const u64 total = (u64)area * (u32)begin + sum;
    const components_four words = {
        {(u32)(n - 1 - begin - low), (u32)(begin + high), (u32)total, (u32)(total >> 32)}};
    return words;
}

// The words of axis `a` (0: x to 3: t), which has n points, of a part of a tile that begins there
// at `begin`.
T_FUNCTION components_four components_axis_of(const components_part part, const i32 a, const i32 n,
                                              const i32 begin, const i32 is_volume) {
    const u32 area = components_area(part);
    if (a == 0)
        return components_axis_words(n, begin, components_lowest_bit(part.columns),
                                     T_HIGHEST_BIT(part.columns), area,
                                     (part.counts & 0x1ffffu) >> 1);
    if (a == 1 && !is_volume)
        return components_axis_words(n, begin, part.first_row, (i32)part.extent[0], area,
                                     part.rows);
    if (a == 1) {
        u32 rows = part.extent[0] | part.extent[1];
        rows |= rows >> 16;
        rows = (rows | rows >> 8) & 0xffu;
        return components_axis_words(n, begin, components_lowest_bit(rows), T_HIGHEST_BIT(rows),
                                     area, part.rows & 0xffffu);
    }
    if (a == 2) {
        const i32 last = part.extent[1] != 0 ? 32 + T_HIGHEST_BIT(part.extent[1])
                                             : T_HIGHEST_BIT(part.extent[0]);
        return components_axis_words(n, begin, part.first_row >> 3, last >> 3, area,
                                     part.rows >> 16);
    }
    return components_axis_words(n, begin, 0, 0, area, 0u);
}

// The plane of axis `a` of the tiles, of those of an image: a byte of `planes` each.
T_FUNCTION i64 components_plane(const u32 planes, const i32 a, const u32 count) {
    return (i64)(planes >> 8 * a & 0xffu) * 4 * count;
}

T_FUNCTION u32 components_number_hash(const u32 number) {
    return number * 2654435761u >> (32 - components_shared_hashes_log2);
}

#endif
