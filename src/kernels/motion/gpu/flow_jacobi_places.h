// Where the fields of a tile are.
#ifndef TESELA_KERNELS_FLOW_JACOBI_PLACES_H
#define TESELA_KERNELS_FLOW_JACOBI_PLACES_H

// Columns beside the middle of a tile that so many steps spoil, and some more so that they end
// where an item does.
T_FUNCTION i32 flow_jacobi_halo(const i32 steps, const i32 columns) {
    return (steps + columns - 1) / columns * columns;
}

#endif
