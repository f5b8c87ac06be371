// As zernike_thesis.kernel.h, in double precision.
#define T_FILE zernike_thesis_f64
#define T_USES_F64
#include "kernels/begin.h"
#include "kernels/transforms/zernike_thesis_moment.h"

#define ZERNIKE_VALUE f64
#define ZERNIKE_OF(name) T_JOIN(name, _f64)
#include "kernels/transforms/zernike_thesis.body.h"
#undef ZERNIKE_OF
#undef ZERNIKE_VALUE

#include "kernels/end.h"
