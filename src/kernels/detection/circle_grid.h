// Where circles are looked for, and how the cells of votes and the bits of edges lie in memory.
#ifndef TESELA_KERNELS_DETECTION_CIRCLE_GRID_H
#define TESELA_KERNELS_DETECTION_CIRCLE_GRID_H

// Cells may go beyond the image by outside_x and outside_y. A row of cells, and of bits, takes
// `words` words of 32; a slice takes cells_y rows of cells and slice_rows rows of bits. `lead`
// words of zeros stand before the bits.
typedef struct {
    i64 lead;
    i32 nx, ny, cells_x, cells_y, outside_x, outside_y, words, slice_rows;
    i32 reach;  // of the largest ring along either axis
    i32 spare;
} circle_grid;

typedef struct {
    i32 x, y, slice;
} circle_place;

typedef struct {
    u32 least_votes, share, capacity;
    i32 radius, present, spare;
} circle_maxima_limits;

// x, y (both i32), slice, number of the radius, votes, points of the ring inside the image.
enum { circle_maximum_words = 6 };

T_FUNCTION i64 circle_cell(const circle_grid grid, const i32 x, const i32 y, const i32 slice) {
    return ((i64)slice * grid.cells_y + y) * grid.words * 32 + x;
}

#endif
