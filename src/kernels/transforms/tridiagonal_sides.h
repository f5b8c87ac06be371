// Right-hand sides of one matrix: where they are, and what is kept of the matrix.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_SIDES_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_SIDES_H

#include "kernels/transforms/tridiagonal_chain.h"

enum {
    tridiagonal_sides_group = 32,     // sides of a group
    tridiagonal_chunks_of_group = 8,  // chunks of TRIDIAGONAL_ROWS rows of each
    tridiagonal_sides_pitch = tridiagonal_sides_group + 1,  // avoids bank conflicts
    tridiagonal_sides_rows = 7 * tridiagonal_tile_rows,     // of a chunk without groups
    tridiagonal_exchanged_rows = 16,  // of a side that are contiguous, read or written at once
    tridiagonal_children = 32         // blocks that are joined one by one
};

// What is kept of a row: the power of two that scales it, and how its elimination turned the
// right-hand sides of the two equations under way and its own into two others and a pivot's.
enum {
    tridiagonal_factor_power,
    tridiagonal_factor_one,  // as in tridiagonal_pivot_step
    tridiagonal_factor_two,
    tridiagonal_factor_inverse,  // of the pivot
    tridiagonal_factor_next,     // coefficients of the pivot
    tridiagonal_factor_after,
    tridiagonal_factor_choice,  // takes_one + 2 takes_row
    tridiagonal_factor_reserved,
    tridiagonal_factors,
    // No row is eliminated by the first two of a chunk: they keep their scaled coefficients of the
    // pair before the chunk, and the first one the powers of two that scale the block's equations.
    tridiagonal_start_before = tridiagonal_factor_one,
    tridiagonal_start_first = tridiagonal_factor_two,
    tridiagonal_start_scale_one = tridiagonal_factor_next,
    tridiagonal_start_scale_two = tridiagonal_factor_after
};

// What is kept of two blocks that were joined: the right-hand sides of the block of both and of the
// pair between, by those of the four equations; and the pair's coefficients.
enum { tridiagonal_join_map = 0, tridiagonal_join_pair = 16, tridiagonal_join_values = 24 };

// As TridiagonalLines, all of one matrix.
typedef struct {
    i64 rows, stride;
    i64 counts[2], strides[2];
    i32 chunk;  // rows of a block
    i32 is_interleaved;
} tridiagonal_sides;

T_FUNCTION i64 tridiagonal_count_of(const tridiagonal_sides sides) {
    return sides.counts[0] * sides.counts[1];
}
// The first element of a side.
T_FUNCTION i64 tridiagonal_side_at(const i64 side, const tridiagonal_sides sides) {
    return side % sides.counts[0] * sides.strides[0] + side / sides.counts[0] * sides.strides[1];
}

#endif
