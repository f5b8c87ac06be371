// Smoothing by a Gaussian, in single precision, of images of all types. Borders are replicated. On
// every device a value is summed from the center outward, along x, then y, then z.
#define T_FILE smooth_gaussian
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/transforms/cpu/gaussian_lines.h"

// SMOOTH_STORED(v) makes a SMOOTH_TARGET of a value; SMOOTH_OF(name) appends both types to a name.
#define SMOOTH_OF(name) T_JOIN(name, T_JOIN(_, T_JOIN(SMOOTH_SOURCE, T_JOIN(_, SMOOTH_TARGET))))

#define SMOOTH_SOURCE f32
#define SMOOTH_TARGET f32
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/cpu/gaussian_across.body.h"
#include "kernels/transforms/cpu/gaussian_planes.body.h"
#include "kernels/transforms/gpu/gaussian_points.body.h"
#undef SMOOTH_STORED
#undef SMOOTH_TARGET
#undef SMOOTH_SOURCE

#define SMOOTH_PIXEL u8
#include "kernels/transforms/smooth_gaussian.body.h"
#define SMOOTH_PIXEL u16
#include "kernels/transforms/smooth_gaussian.body.h"
#define SMOOTH_PIXEL i16
#include "kernels/transforms/smooth_gaussian.body.h"

#undef SMOOTH_OF

#include "kernels/end.h"
