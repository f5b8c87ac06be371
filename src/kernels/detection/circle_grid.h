// Where circles are searched for, and the layout of accumulator cells and of bits of edges.
#ifndef TESELA_KERNELS_DETECTION_CIRCLE_GRID_H
#define TESELA_KERNELS_DETECTION_CIRCLE_GRID_H

// Cells may extend beyond the image by margin_x and margin_y. A row of cells, and of bits, takes
// `words` words of 32; a slice takes cells_y rows of cells and slice_rows rows of bits. `pad_words`
// words of zeros come before the bits.
typedef struct {
    i64 pad_words;
    i32 nx, ny, cells_x, cells_y, margin_x, margin_y, words, slice_rows;
    i32 reach;  // of the largest ring along either axis
    i32 padding;
} circle_grid;

typedef struct {
    i32 x, y, slice;
} circle_place;

// Whether there are votes of the next smaller and the next larger radius.
enum { circle_has_smaller = 1, circle_has_larger = 2 };

typedef struct {
    u32 least_votes;
    u32 share;     // of the ring's points inside the image, times 65536: the least
    u32 capacity;  // of the list of maxima
    i32 radius_index, neighbors;
    i32 padding;
} circle_maxima_limits;

// A maximum: x, y (both i32), slice, index of the radius, votes, points of the ring in the image.
enum { circle_maximum_words = 6 };

T_FUNCTION i64 circle_cell(const circle_grid grid, const i32 x, const i32 y, const i32 slice) {
    return ((i64)slice * grid.cells_y + y) * grid.words * 32 + x;
}

#endif
