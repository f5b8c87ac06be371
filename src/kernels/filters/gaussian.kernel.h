// Smoothing by a Gaussian along an axis, of integers.
#define T_FILE gaussian
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

enum {
    gaussian_taps = 8,   // the largest radius for which all is unrolled
    gaussian_bits = 16,  // of a sum's fraction
    gaussian_half = 1 << 15
};

#define T_VALUE u16
#define T_OF(name) T_JOIN(name, _u16)
#include "kernels/filters/gaussian.body.h"
#undef T_OF
#undef T_VALUE

#define T_VALUE u32
#define T_OF(name) T_JOIN(name, _u32)
#include "kernels/filters/gaussian.body.h"
#undef T_OF
#undef T_VALUE

#include "kernels/end.h"
