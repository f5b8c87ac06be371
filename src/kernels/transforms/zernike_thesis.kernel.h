// Zernike moments of a thesis in single precision.
#define T_FILE zernike_thesis
#include "kernels/begin.h"
#include "kernels/transforms/zernike_thesis_moment.h"

#define ZERNIKE_VALUE f32
#define ZERNIKE_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/zernike_thesis.body.h"
#undef ZERNIKE_OF
#undef ZERNIKE_VALUE

#include "kernels/end.h"
