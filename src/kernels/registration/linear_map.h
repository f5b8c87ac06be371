// Affine maps of points.
#ifndef TESELA_KERNELS_REGISTRATION_LINEAR_MAP_H
#define TESELA_KERNELS_REGISTRATION_LINEAR_MAP_H

// Rows of a matrix, each with its translation.
typedef struct {
    f32 row_x[4], row_y[4], row_z[4];
} linear_map;

T_FUNCTION f32 linear_row(const f32* row, const f32 x, const f32 y, const f32 z) {
    return row[0] * x + row[1] * y + row[2] * z + row[3];
}

#endif
