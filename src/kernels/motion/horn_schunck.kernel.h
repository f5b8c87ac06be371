// Horn-Schunck with pyramid and warping, as in the thesis (docs/optical-flow.md).
// B. K. P. Horn, B. G. Schunck, "Determining optical flow", Artificial Intelligence 17, 1981.
#define T_FILE horn_schunck
#include "kernels/begin.h"
#include "kernels/filters/sampling_f32.h"
#include "kernels/motion/flow_margin.h"

#define FLOW_REAL f32
#define FLOW_OF(name) T_JOIN(name, _f32)
#include "kernels/motion/horn_schunck.body.h"
#undef FLOW_OF
#undef FLOW_REAL

#include "kernels/end.h"
