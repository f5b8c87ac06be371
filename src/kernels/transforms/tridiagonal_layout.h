// Memory layout of tridiagonal systems, and how kernels divide them.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H

enum {
    tridiagonal_group = 256,    // items of a group
    tridiagonal_rows_f32 = 16,  // rows that an item of a group holds
    tridiagonal_rows_f64 = 8,
    tridiagonal_lanes = 32,        // lines that an item without a group takes side by side
    tridiagonal_tile_rows = 64,    // rows that it reads at once
    tridiagonal_kept_chunks = 32,  // times tridiagonal_rows: rows whose pivots it keeps
    tridiagonal_system = 3 * tridiagonal_group  // values of a group's reduced system
};

// The coefficients of row r: a x[r-1] + b x[r] + c x[r+1] = d.
enum { tridiagonal_a, tridiagonal_b, tridiagonal_c, tridiagonal_d, tridiagonal_coefficients };

// What a part is reduced to: x_first = value - left x_before - right x_last, and its last row.
enum {
    tridiagonal_first_left,
    tridiagonal_first_right,
    tridiagonal_first_value,
    tridiagonal_last_a,
    tridiagonal_last_b,
    tridiagonal_last_c,
    tridiagonal_last_d,
    tridiagonal_reduced_values
};

// Lines (TridiagonalLines in tesela/tridiagonal.h) in parts. A line that is not cut is one part.
// Rows of the last part that lie beyond the line are those of the identity.
//     line   |------ part 0 ------|------ part 1 ------|   each part ends with its separator
//     part   |chunk|chunk|...                              in a group, one chunk for each item
// Parts are counted along three axes: one of them counts the parts of a line, the others lines.
typedef struct {
    i64 stride;                 // elements from one row to the next
    i64 counts[3], strides[3];  // parts along each axis, elements from one to the next
    i64 index_strides[3];       // the same in buffers with one number for each part, line by line
    i64 rows, part;             // of a line, of a part
    i32 part_axis;              // that counts the parts of a line
    i32 chunks;                 // of a part in a group, one for each item
    i32 parts_per_group;        // along axis 0
    i32 is_interleaved;         // whether rows lie farther apart than neighbors along axis 0
    i32 is_periodic;            // x before the first row is that of the last one, and the reverse
    i32 is_swapped;             // whether rows beyond the line, where they are wires, are odd
} tridiagonal_layout;

typedef struct {
    i64 first;   // the element of the part's first row
    i64 number;  // of the part in its line
    i64 index;   // of the part among all
    i64 rows;    // that exist
} tridiagonal_part;

T_FUNCTION tridiagonal_part tridiagonal_part_at(const i64 x, const i64 y, const i64 z,
                                                const tridiagonal_layout layout) {
    tridiagonal_part part;
    part.first = x * layout.strides[0] + y * layout.strides[1] + z * layout.strides[2];
    part.index =
        x * layout.index_strides[0] + y * layout.index_strides[1] + z * layout.index_strides[2];
    part.number = layout.part_axis == 0 ? x : layout.part_axis == 1 ? y : z;
    part.rows = T_MIN(layout.rows - part.number * layout.part, layout.part);
    return part;
}

#endif
