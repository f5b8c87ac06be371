// Lucas-Kanade optical flow of one scale in double precision, for devices that have it.
#define T_USES_F64
#define T_FILE lucas_kanade_f64
#include "kernels/begin.h"

#define FLOW_REAL f64
#define LUCAS_KANADE_EPSILON 2.220446049250313e-16
#define FLOW_OF(name) T_JOIN(name, _f64)
#define LUCAS_KANADE_SOLVE FLOW_OF(t_solve)
#include "kernels/motion/lucas_kanade.body.h"
#include "kernels/motion/lucas_kanade_thesis.body.h"
#undef FLOW_REAL
#undef LUCAS_KANADE_EPSILON
#undef FLOW_OF
#undef LUCAS_KANADE_SOLVE

#include "kernels/end.h"
