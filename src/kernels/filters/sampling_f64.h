// sampling.body.h for f64.
#ifndef TESELA_KERNELS_FILTERS_SAMPLING_F64_H
#define TESELA_KERNELS_FILTERS_SAMPLING_F64_H

#include "kernels/filters/borders.h"

#define SAMPLING_REAL f64
#define SAMPLING_OF(name) T_JOIN(name, _f64)
#include "kernels/filters/sampling.body.h"
#undef SAMPLING_OF
#undef SAMPLING_REAL

#endif
