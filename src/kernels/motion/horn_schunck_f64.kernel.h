// As horn_schunck.kernel.h, in double precision.
#define T_FILE horn_schunck_f64
#define T_USES_F64
#include "kernels/begin.h"
#include "kernels/filters/sampling_f64.h"
#include "kernels/motion/flow_margin.h"

#define FLOW_REAL f64
#define FLOW_OF(name) T_JOIN(name, _f64)
#include "kernels/motion/horn_schunck.body.h"
#undef FLOW_OF
#undef FLOW_REAL

#include "kernels/end.h"
