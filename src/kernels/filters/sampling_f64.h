// sampling.body.h for f64.
#ifndef TESELA_KERNELS_FILTERS_SAMPLING_F64_H
#define TESELA_KERNELS_FILTERS_SAMPLING_F64_H

#include "kernels/filters/borders.h"

#define T_REAL f64
#define T_OF(name) T_JOIN(name, _f64)
#include "kernels/filters/sampling.body.h"
#undef T_OF
#undef T_REAL

#endif
