// Smoothing by a Gaussian along an axis, of integers.
#define T_FILE gaussian
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

enum {
    gaussian_taps = 8,   // the largest radius for which all is unrolled
    gaussian_bits = 16,  // of a sum's fraction
    gaussian_half = 1 << 15
};

#define GAUSSIAN_VALUE u16
#define GAUSSIAN_OF(name) T_JOIN(name, _u16)
#include "kernels/filters/gaussian.body.h"
#undef GAUSSIAN_OF
#undef GAUSSIAN_VALUE

#define GAUSSIAN_VALUE u32
#define GAUSSIAN_OF(name) T_JOIN(name, _u32)
#include "kernels/filters/gaussian.body.h"
#undef GAUSSIAN_OF
#undef GAUSSIAN_VALUE

#include "kernels/end.h"
