// Pictures in blocks of rows, of which all points are relaxed at once: the way of a processor with
// vectors. A row is closed in steps of 1, 2, 4, ... points, onward and backward; what it then has
// lower than before it offers to the rows above and below. Rows that were lowered wait as bits of a
// word, and are visited downward and upward in turns.
//
// A block's points stand together, row by row, also those beyond the image, which are blocked. Of
// neighboring blocks one is relaxed at a time: a round has four launches, each with the blocks of
// one color. So a block may look at what its neighbors have; it marks those of their rows that it
// could lower, and in their turn they take it.
#ifndef TESELA_KERNELS_MINIMAX_ROWS_H
#define TESELA_KERNELS_MINIMAX_ROWS_H

#include "kernels/vectors.h"
#include "kernels/watershed/minimax_parts.h"

enum {
    minimax_block_shift_x = 5,
    minimax_block_shift_y = 6,
    minimax_row_points = 1 << minimax_block_shift_x,
    minimax_block_rows = 1 << minimax_block_shift_y,
    // `counters`: visits of blocks, whether a key came close to the highest there is, and the
    // highest label.
    minimax_row_visits = 0,
    minimax_row_overflow,
    minimax_row_label,
    minimax_row_counters
};

T_CONSTANT(u32, minimax_row_bits, minimax_row_points) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// The place of a point of a picture of so many blocks along x.
T_FUNCTION i64 minimax_row_place(const i32 x, const i32 y, const i32 blocks_x) {
    const i64 block = (i64)(y >> minimax_block_shift_y) * blocks_x + (x >> minimax_block_shift_x);
    const i64 row = (block << minimax_block_shift_y) + (y & (minimax_block_rows - 1));
    return (row << minimax_block_shift_x) + (x & (minimax_row_points - 1));
}

// A block: its first point in the picture, and where that stands.
typedef struct {
    i32 x0, y0, nx, ny, blocks_x;
    i64 first;
} minimax_row_block;

T_FUNCTION minimax_row_block minimax_row_block_of(const i32 nx, const i32 ny, const i32 column,
                                                  const i32 line) {
    minimax_row_block block;
    block.x0 = column << minimax_block_shift_x;
    block.y0 = line << minimax_block_shift_y;
    block.nx = nx;
    block.ny = ny;
    block.blocks_x = ((nx - 1) >> minimax_block_shift_x) + 1;
    block.first = minimax_row_place(block.x0, block.y0, block.blocks_x);
    return block;
}

// The row of another block above the first one or below the last one; -1 where there is none, or
// for other rows.
T_FUNCTION i64 minimax_row_beyond(const minimax_row_block block, const i32 row, const i32 up) {
    const i32 y = up ? block.y0 - 1 : block.y0 + minimax_block_rows;
    const i32 outermost = up ? 0 : minimax_block_rows - 1;
    return row == outermost && y >= 0 && y < block.ny
               ? minimax_row_place(block.x0, y, block.blocks_x)
               : (i64)-1;
}

// A step through a side of a block, between the outermost point of a row and the point of another
// block that is `side` to the right and `dy` below; side is 1 or -1. Directions have numbers from 0
// on: (1, 0), (0, 1), (1, 1), (-1, 1).
typedef struct {
    i64 own, other;         // places; `other` is -1 where there is no such point
    i32 direction, onward;  // whether it goes onward from the block's point
} minimax_side_step;

T_FUNCTION minimax_side_step minimax_side_step_of(const minimax_row_block block, const i32 row,
                                                  const i32 side, const i32 dy) {
    const i32 x = block.x0 + (side < 0 ? 0 : minimax_row_points - 1);
    const i32 y = block.y0 + row + dy;
    const i32 inside = x + side >= 0 && x + side < block.nx && y >= 0 && y < block.ny;
    minimax_side_step step;
    step.own = minimax_row_place(x, block.y0 + row, block.blocks_x);
    step.other = inside ? minimax_row_place(x + side, y, block.blocks_x) : (i64)-1;
    step.direction = dy == 0 ? 0 : side == dy ? 2 : 3;
    step.onward = dy > 0 || (dy == 0 && side > 0);
    return step;
}

T_FUNCTION u64 minimax_row_bit(const i32 row) { return (u64)1 << row; }

T_FUNCTION i32 minimax_first_row(const u64 rows) {
    const u32 low = (u32)rows;
    const u32 high = (u32)(rows >> 32);
    return low != 0 ? T_HIGHEST_BIT(low & (0u - low)) : 32 + T_HIGHEST_BIT(high & (0u - high));
}

T_FUNCTION i32 minimax_last_row(const u64 rows) {
    const u32 high = (u32)(rows >> 32);
    return high != 0 ? 32 + T_HIGHEST_BIT(high) : T_HIGHEST_BIT((u32)rows);
}

// Those of the rows that a sweep still comes to.
T_FUNCTION u64 minimax_rows_ahead(const u64 rows, const i32 row, const i32 upward) {
    return upward ? rows & (minimax_row_bit(row) - 1)
                  : rows & ~(minimax_row_bit(row) | (minimax_row_bit(row) - 1));
}

// `marks` has two words a block: the rows of it that wait.
T_FUNCTION void minimax_mark_row(T_GLOBAL_PTR(u32) marks, const i64 place) {
    const i64 row = place >> minimax_block_shift_x;
    T_ATOMIC_OR(marks + (row >> 5), 1u << (row & 31));
}

T_FUNCTION u64 minimax_take_marks(T_GLOBAL_PTR(u32) marks, const minimax_row_block block) {
    T_GLOBAL_PTR(u32) own = marks + block.first / minimax_row_points / 32;
    const u64 rows = (u64)own[1] << 32 | own[0];
    own[0] = 0;
    own[1] = 0;
    return rows;
}

// A row of a block into `row`, with a point before and one behind; blocked beyond the picture.
T_FUNCTION void minimax_row_with_ends(T_GLOBAL_PTR(const u16) cells, const i32 column, const i32 y,
                                      const i32 nx, const i32 ny, u16* row) {
    const i32 blocks_x = ((nx - 1) >> minimax_block_shift_x) + 1;
    const i32 inside = y >= 0 && y < ny;
    const i64 place = minimax_row_place(column << minimax_block_shift_x, inside ? y : 0, blocks_x);
    const i32 block = minimax_row_points * minimax_block_rows;
    row[0] =
        inside && column > 0 ? cells[place - block + minimax_row_points - 1] : (u16)minimax_blocked;
    T_SIMD_FOR(x, 0, minimax_row_points)
    row[1 + x] = (u16)(cells[place + x] | (inside ? 0 : minimax_blocked));
    row[1 + minimax_row_points] =
        inside && column < blocks_x - 1 ? cells[place + block] : (u16)minimax_blocked;
}

// Bits of the points of a row that a step from the neighbor keeps at their cost. Of rows with ends;
// the neighbor of a point is `dx` beside its place in its row, the step's weight `weight_dx`.
T_FUNCTION u32 minimax_entered(const u16* costs, const u16* neighbors, const i32 dx,
                               const u16* weights, const i32 weight_dx) {
    u32 mask = 0;
    T_SIMD_FOR(x, 1, minimax_row_points + 1) {
        const u32 cost = costs[x];
        const u32 level = T_MAX(neighbors[x + dx], weights[x + weight_dx]);
        const u32 enters = (u32)(level == cost) & (u32)(cost != minimax_blocked);
        mask |= (0u - enters) & minimax_row_bits[x - 1];
    }
    return mask;
}

#define MINIMAX_CELL u16
#define MINIMAX_CELLS V_U16
#define MINIMAX_CELL_WIDTH V_WIDTH_U16
#define MINIMAX_KEYS 0
#include "kernels/watershed/cpu/minimax_row.body.h"
#define MINIMAX_CELL u32
#define MINIMAX_CELLS V_U32
#define MINIMAX_CELL_WIDTH V_WIDTH
#define MINIMAX_KEYS 1
#include "kernels/watershed/cpu/minimax_row.body.h"
#define MINIMAX_CELL u64
#define MINIMAX_CELLS V_U64
#define MINIMAX_CELL_WIDTH V_WIDTH_U64
#define MINIMAX_KEYS 1
#include "kernels/watershed/cpu/minimax_row.body.h"

// The lowest costs that steps along the row give, of which weights[x] leads from x to x + 1.
T_FUNCTION minimax_row_u16 minimax_close_costs(const minimax_row_u16 costs,
                                               const minimax_row_u16 weights) {
    minimax_row_u16 backward_weights = weights;
    minimax_row_u16 onward = costs;
    minimax_row_u16 backward = costs;
    T_UNROLL
    for (i32 k = 0; k < minimax_block_shift_x; ++k) {
        const i32 distance = 1 << k;
        const minimax_row_u16 onward_weights =
            minimax_row_onward_u16(backward_weights, distance, minimax_blocked);
        onward = minimax_row_lower_u16(
            onward, minimax_row_higher_u16(
                        minimax_row_onward_u16(onward, distance, minimax_blocked), onward_weights));
        backward = minimax_row_lower_u16(
            backward,
            minimax_row_higher_u16(minimax_row_backward_u16(backward, distance, minimax_blocked),
                                   backward_weights));
        // Of steps of twice the length: the higher of two of this.
        backward_weights = minimax_row_higher_u16(
            backward_weights,
            minimax_row_backward_u16(backward_weights, distance, minimax_blocked));
    }
    return minimax_row_lower_u16(onward, backward);
}

#endif
