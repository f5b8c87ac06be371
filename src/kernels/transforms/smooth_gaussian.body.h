// Images of SMOOTH_PIXEL, whole numbers, to single precision and back. Part of
// smooth_gaussian.kernel.h.
#define SMOOTH_TARGET SMOOTH_PIXEL
#define SMOOTH_STORED(v) ((SMOOTH_PIXEL)T_ROUND(v))
#define SMOOTH_SOURCE f32
#include "kernels/transforms/cpu/gaussian_across.body.h"
#include "kernels/transforms/gpu/gaussian_points.body.h"
#undef SMOOTH_SOURCE
#define SMOOTH_SOURCE SMOOTH_PIXEL
#include "kernels/transforms/cpu/gaussian_planes.body.h"
#undef SMOOTH_STORED
#undef SMOOTH_TARGET

#define SMOOTH_TARGET f32
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/cpu/gaussian_planes.body.h"
#include "kernels/transforms/gpu/gaussian_points.body.h"
#undef SMOOTH_STORED
#undef SMOOTH_TARGET
#undef SMOOTH_SOURCE

#undef SMOOTH_PIXEL
