// The hidden first argument of every kernel under CUDA: what the dialect's ids are counted against.
#ifndef TESELA_KERNELS_CUDA_RANGE_H
#define TESELA_KERNELS_CUDA_RANGE_H

// Threads of a block of an item kernel; the shape follows the range.
#define T_ITEM_BLOCK 256

// The whole range, in items or groups, and where this launch begins: the grid's y and z axes end at
// 65535, so a long range takes several launches.
struct T_Range {
    int size_x, size_y, size_z, first_y, first_z;
};

#endif
