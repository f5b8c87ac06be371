// Where the rows of tridiagonal systems stand, and how kernels share them.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H

enum {
    tridiagonal_group = 256,    // items of a group
    tridiagonal_rows_f32 = 16,  // rows that an item of a group holds
    tridiagonal_rows_f64 = 8,
    tridiagonal_lanes = 32,      // lines that an item without a group takes side by side
    tridiagonal_tile_rows = 64,  // rows that it reads at once
    tridiagonal_ends = 7         // numbers that are left of a part
};

// Lines (TridiagonalLines in tesela/tridiagonal.h) in parts, whose places are counted by three
// axes: one of them counts the parts of a line, the others lines. A line that is not cut is one
// part. Rows of the last part that lie beyond the line are those of the identity.
typedef struct {
    i64 stride;                 // elements from one row to the next
    i64 counts[3], strides[3];  // parts along each axis, elements from one to the next
    i64 ends[3];                // the same in buffers with one number for each part, line by line
    i64 rows, part;             // of a line, of a part
    i32 part_axis;              // that counts the parts of a line
    i32 chunks;                 // items that share a part, of a group
    i32 together;               // parts that a group takes along axis 0
    i32 is_beside;              // whether rows lie farther apart than neighbors along axis 0
} tridiagonal_layout;

// One part: its first row's element, its number in its line and among all, its rows that exist.
typedef struct {
    i64 first, number;
    i64 at_end, rows;
} tridiagonal_part;

T_FUNCTION tridiagonal_part tridiagonal_part_at(const i64 x, const i64 y, const i64 z,
                                                const tridiagonal_layout lines) {
    tridiagonal_part part;
    part.first = x * lines.strides[0] + y * lines.strides[1] + z * lines.strides[2];
    part.at_end = x * lines.ends[0] + y * lines.ends[1] + z * lines.ends[2];
    part.number = lines.part_axis == 0 ? x : lines.part_axis == 1 ? y : z;
    part.rows = T_MIN(lines.rows - part.number * lines.part, lines.part);
    return part;
}

#endif
