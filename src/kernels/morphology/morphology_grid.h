// Places of rows in an image, as the kernels of morphology take them.
#ifndef TESELA_KERNELS_MORPHOLOGY_GRID_H
#define TESELA_KERNELS_MORPHOLOGY_GRID_H

// Of an image of nx * ny * nz points. `pitch`: words of 64 points in a row of a plane of bits, of
// which the last may be empty.
typedef struct {
    i32 nx, ny, nz, pitch;
} morphology_grid;

// A run of a structuring element: points at most `half` along x from a point y and z away.
enum { morphology_y, morphology_z, morphology_half, morphology_run_words };

#endif
