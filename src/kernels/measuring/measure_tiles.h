// Tiles of a label map, each of which one item walks run by run, and the numbers of its objects:
// how many lower labels there are.
#ifndef TESELA_KERNELS_MEASURE_TILES_H
#define TESELA_KERNELS_MEASURE_TILES_H

// A map of one slice or several, whose rows follow one another. A box in it is measured, with the
// points around it as neighbors: it begins at (x, y, z), and its rows lie in tiles of `tile_x`
// points of `tile_rows` rows.
typedef struct {
    i32 nx, ny, nz;
    i32 x, y, z;
    i32 box_nx, box_ny, box_nz;
    i32 tile_x, tile_rows;
    i32 axes;  // 2, or 3 of a volume
} measure_map;

typedef struct {
    i32 first, end;          // points of a row of the map
    i32 first_row, end_row;  // of the box, of all its slices
} measure_tile;

T_FUNCTION measure_tile measure_tile_of(const measure_map map, const i32 column, const i32 line) {
    const i64 end = (i64)(column + 1) * map.tile_x;
    const i64 end_row = (i64)(line + 1) * map.tile_rows;
    const measure_tile tile = {map.x + column * map.tile_x,
                               map.x + (i32)T_MIN(end, (i64)map.box_nx), line * map.tile_rows,
                               (i32)T_MIN(end_row, (i64)map.box_ny * map.box_nz)};
    return tile;
}

// The row of the map of a row of the box, counted through all slices.
T_FUNCTION i32 measure_row(const measure_map map, const i32 row) {
    if (map.box_ny == map.ny) return map.z * map.ny + row;
    return (map.z + row / map.box_ny) * map.ny + map.y + row % map.box_ny;
}

// The end of the run of equal labels that begins at `first`, before `end`.
T_FUNCTION i32 measure_run_end(T_GLOBAL_PTR(const u32) row, const i32 first, const i32 end) {
    i32 x = first + 1;
    while (x < end && row[x] == row[first]) ++x;
    return x;
}

// A bit for each label that occurs, in words, and how many bits come before each word.
T_FUNCTION u32 measure_number(T_GLOBAL_PTR(const u32) present, T_GLOBAL_PTR(const u32) before,
                              const u32 label) {
    const u32 lower = (1u << (label & 31u)) - 1u;
    return before[label >> 5] + (u32)T_POPCOUNT(present[label >> 5] & lower);
}

// Words to which all items add: a maximum, and sums of two and of three words, the low one first.
T_FUNCTION void measure_raise(T_GLOBAL_PTR(u32) word, const u32 value) {
    if (T_LOAD(u32, word) < value) T_ATOMIC_MAX(word, value);
}
T_FUNCTION u64 measure_add_low(T_GLOBAL_PTR(u32) word, const u64 value) {
    const u32 low = (u32)value;
    const u32 carry = T_ATOMIC_ADD(word, low) + low < low ? 1u : 0u;
    return (value >> 32) + carry;
}
T_FUNCTION void measure_add_two(T_GLOBAL_PTR(u32) words, const u64 value) {
    const u32 high = (u32)measure_add_low(words, value);
    if (high != 0) T_ATOMIC_ADD(words + 1, high);
}
T_FUNCTION void measure_add_three(T_GLOBAL_PTR(u32) words, const u64 value) {
    const u64 high = measure_add_low(words, value);
    if (high != 0) measure_add_two(words + 1, high);
}

#endif
