// flow_sampling.body.h for f32.
#ifndef TESELA_KERNELS_FLOW_SAMPLING_F32_H
#define TESELA_KERNELS_FLOW_SAMPLING_F32_H

#define T_REAL f32
#define T_OF(name) T_JOIN(name, _f32)
#include "kernels/flow_sampling.body.h"
#undef T_OF
#undef T_REAL

#endif
