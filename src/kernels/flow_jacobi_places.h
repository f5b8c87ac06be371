// Where the fields of a tile are.
#ifndef TESELA_KERNELS_FLOW_JACOBI_PLACES_H
#define TESELA_KERNELS_FLOW_JACOBI_PLACES_H

// Mirrored at both ends as often as it takes.
T_FUNCTION i32 flow_folded(const i32 at, const i32 length) {
    const i32 turn = at % (2 * length);
    const i32 place = turn < 0 ? turn + 2 * length : turn;
    return place < length ? place : 2 * length - 1 - place;
}

// Columns beside the middle of a tile that so many steps spoil, and some more so that they end
// where an item does.
T_FUNCTION i32 flow_jacobi_halo(const i32 steps, const i32 columns) {
    return (steps + columns - 1) / columns * columns;
}

#endif
