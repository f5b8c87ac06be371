// What the direct sum of one moment is called with.
#ifndef TESELA_KERNELS_TRANSFORMS_ZERNIKE_THESIS_MOMENT_H
#define TESELA_KERNELS_TRANSFORMS_ZERNIKE_THESIS_MOMENT_H

typedef struct {
    i64 points;
    i32 p, q;
    i32 first_term;  // of its terms
    i32 padding;
} zernike_thesis_moment;

#endif
