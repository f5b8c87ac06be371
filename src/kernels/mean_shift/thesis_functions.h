// Functions that the kernels of the thesis's variant share (Martin Gaspar 2011, sections 4.2.2
// and 4.2.3).
#ifndef TESELA_KERNELS_THESIS_FUNCTIONS_H
#define TESELA_KERNELS_THESIS_FUNCTIONS_H

// The grid's three axes: the lowest coordinate, the length of a cell and the number of cells.
typedef struct {
    i32 lowest[3], edge[3], count[3];
} thesis_cells;

// Along one axis of the grid: the cell of a coordinate, 0..count-1 (eq. 4.8, clamped as its errata
// ask). `edge` is a cell's length.
T_FUNCTION i32 thesis_cell(i32 value, i32 lowest, i32 edge, i32 count) {
    const u32 cell = ((u32)value - (u32)lowest) / (u32)edge;
    return cell < (u32)count ? (i32)cell : count - 1;
}

// Number of cells along one axis: floor of the extent, plus one (eq. 4.6, mended: the printed
// ceiling leaves the highest point out where the extent is a whole number of edges).
T_FUNCTION i64 thesis_cell_count(i32 lowest, i32 highest, i32 edge) {
    return (i64)(((u32)highest - (u32)lowest) / (u32)edge) + 1;
}

// The number of a cell (eq. 4.7); the product of the counts is below 2^32.
T_FUNCTION u32 thesis_hash(i32 cell_0, i32 cell_1, i32 cell_2, i32 count_1, i32 count_2) {
    return ((u32)cell_0 * (u32)count_1 + (u32)cell_1) * (u32)count_2 + (u32)cell_2;
}

// The cell of a point's grid coordinates along each axis.
T_FUNCTION void thesis_place(const thesis_cells* cells, const i32* coordinates, i32* place) {
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis)
        place[axis] = thesis_cell(coordinates[axis], cells->lowest[axis], cells->edge[axis],
                                  cells->count[axis]);
}

// sum / count, rounded to the nearest, halves up.
T_FUNCTION i32 thesis_mean(i64 sum, i64 count) {
    const i64 numerator = 2 * sum + count;
    const i64 denominator = 2 * count;
    i64 quotient = numerator / denominator;
    if (quotient * denominator > numerator) --quotient;  // division truncates toward zero
    return (i32)quotient;
}

#endif
