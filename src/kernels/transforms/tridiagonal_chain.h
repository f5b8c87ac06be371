// Blocks of tridiagonal systems (tridiagonal_blocks.body.h): their values, and chains of them.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_CHAIN_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_CHAIN_H

#include "kernels/transforms/tridiagonal_layout.h"

// The coefficients of an equation, or of an unknown in terms of others.
enum {
    tridiagonal_before,  // of the first pair
    tridiagonal_first,
    tridiagonal_last,  // of the last pair
    tridiagonal_after,
    tridiagonal_right,  // hand side
    tridiagonal_terms,
    tridiagonal_block = 2 * tridiagonal_terms,  // values of a block
    tridiagonal_state = 4                       // values of the pairs on both sides of a block
};

// Blocks of several lines in a group: value k of slot s is tree[k * tridiagonal_group + s].
enum {
    tridiagonal_tree = tridiagonal_block * (i32)tridiagonal_group,
    // Both unknowns of the pairs before each block and behind the last one of each line.
    tridiagonal_pairs = 2 * (i32)tridiagonal_group,
    tridiagonal_tree_values = tridiagonal_tree + 2 * tridiagonal_pairs
};

// Chains of blocks, one for each line.
typedef struct {
    i64 lines, blocks;  // of a line
    i32 slots;          // blocks of a line in a group
    i32 lines_per_group;
    i32 is_whole;  // whether a group has all blocks of its lines
    i32 is_periodic, is_swapped, reserved;
} tridiagonal_chain;

// Four equations of three pairs: those of the first pair, of the pair between, of the last.
enum { tridiagonal_equations = 4, tridiagonal_columns = 7, tridiagonal_between = 2 };

// Of the equations under way, where they have no third unknown.
enum { tridiagonal_here, tridiagonal_next, tridiagonal_value, tridiagonal_under_way };

// The item's place in a group of chains: its line among the group's, and its slot.
typedef struct {
    i64 at;  // of its block among all
    i32 line, slot;
    i32 slots;  // that have a block
    i32 is_used;
} tridiagonal_chain_item;

#endif
