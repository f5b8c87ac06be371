// A gradient in the plane, in integers.
#ifndef TESELA_KERNELS_FILTERS_GRADIENT_H
#define TESELA_KERNELS_FILTERS_GRADIENT_H

typedef struct {
    i32 x, y;
} gradient_vector;

T_FUNCTION i64 gradient_square_of(const gradient_vector v) {
    return (i64)v.x * v.x + (i64)v.y * v.y;
}

#endif
