// Lucas-Kanade optical flow of one scale in single precision.
#define T_FILE lucas_kanade
#include "kernels/begin.h"

#define FLOW_REAL f32
#define LUCAS_KANADE_EPSILON 1.1920929e-7f
#define FLOW_OF(name) T_JOIN(name, _f32)
#define LUCAS_KANADE_SOLVE FLOW_OF(t_solve)
#include "kernels/motion/lucas_kanade.body.h"
#include "kernels/motion/lucas_kanade_thesis.body.h"
#undef FLOW_REAL
#undef LUCAS_KANADE_EPSILON
#undef FLOW_OF
#undef LUCAS_KANADE_SOLVE

#include "kernels/end.h"
