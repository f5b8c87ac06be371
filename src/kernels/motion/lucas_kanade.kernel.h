// Lucas-Kanade optical flow of one scale in single precision.
#define T_FILE lucas_kanade
#include "kernels/begin.h"

#define T_REAL f32
#define T_EPSILON 1.1920929e-7f
#define T_OF(name) T_JOIN(name, _f32)
#define T_SOLVE T_OF(t_solve)
#include "kernels/motion/lucas_kanade.body.h"
#include "kernels/motion/lucas_kanade_thesis.body.h"
#undef T_REAL
#undef T_EPSILON
#undef T_OF
#undef T_SOLVE

#include "kernels/end.h"
