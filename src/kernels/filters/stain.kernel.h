// Color deconvolution (Ruifrok and Johnston, 2001): optical densities, from tables, times a matrix,
// and back to pixels.
#define T_FILE stain
#include "kernels/begin.h"
#include "kernels/exp_of_minus.h"

// m[3 k + c]: what density k adds to result c. white[c]: the density of the background below the
// highest value.
typedef struct {
    f32 m[9], white[3];
} stain_weights;

typedef struct {
    f32 r, g, b;
} stain_density;

T_FUNCTION f32 stain_weighted(const stain_density density, const stain_weights weights,
                              const i32 c) {
    return weights.m[c] * density.r + weights.m[3 + c] * density.g + weights.m[6 + c] * density.b;
}

#define STAIN_PIXEL u8
#define STAIN_LEVELS 256
#include "kernels/filters/stain.body.h"

#define STAIN_PIXEL u16
#define STAIN_LEVELS 65536
#include "kernels/filters/stain.body.h"

#include "kernels/end.h"
