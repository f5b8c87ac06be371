// Lucas-Kanade optical flow of one scale in double precision, for devices that have it.
#define T_USES_F64
#define T_FILE lucas_kanade_f64
#include "kernels/begin.h"

#define T_REAL f64
#define T_EPSILON 2.220446049250313e-16
#define T_OF(name) T_JOIN(name, _f64)
#define T_SOLVE T_OF(t_solve)
#include "kernels/motion/lucas_kanade.body.h"
#include "kernels/motion/lucas_kanade_thesis.body.h"
#undef T_REAL
#undef T_EPSILON
#undef T_OF
#undef T_SOLVE

#include "kernels/end.h"
