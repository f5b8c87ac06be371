// Where the rows of tridiagonal systems stand.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_LAYOUT_H

enum { tridiagonal_part = 16 };  // rows of the parts that long lines are cut into

// As TridiagonalLines (tesela/tridiagonal.h).
typedef struct {
    i64 stride;
    i64 counts[2], strides[2];
    i64 rows;
} tridiagonal_layout;

#endif
