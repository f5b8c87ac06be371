// Smoothing by a Gaussian along an axis, in single precision, of images of all types. Borders are
// replicated.
#define T_FILE smooth_gaussian
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

// Lines of `n` values that are `step` apart; `step` lines are beside each other. Of each line the
// `inside` values whose neighbors all exist are left out, or are the only ones. `weights` are those
// at distances 0 to `radius`.

enum { gaussian_strip = 256 };  // values that an item of the CPU takes

// SMOOTH_STORED(v) makes a value of the result.
#define SMOOTH_SOURCE u8
#define SMOOTH_TARGET f32
#define SMOOTH_OF(name) T_JOIN(name, _u8_f32)
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/smooth_gaussian.body.h"
#define SMOOTH_SOURCE f32
#define SMOOTH_TARGET u8
#define SMOOTH_OF(name) T_JOIN(name, _f32_u8)
#define SMOOTH_STORED(v) ((u8)T_ROUND(v))
#include "kernels/transforms/smooth_gaussian.body.h"

#define SMOOTH_SOURCE u16
#define SMOOTH_TARGET f32
#define SMOOTH_OF(name) T_JOIN(name, _u16_f32)
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/smooth_gaussian.body.h"
#define SMOOTH_SOURCE f32
#define SMOOTH_TARGET u16
#define SMOOTH_OF(name) T_JOIN(name, _f32_u16)
#define SMOOTH_STORED(v) ((u16)T_ROUND(v))
#include "kernels/transforms/smooth_gaussian.body.h"

#define SMOOTH_SOURCE i16
#define SMOOTH_TARGET f32
#define SMOOTH_OF(name) T_JOIN(name, _i16_f32)
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/smooth_gaussian.body.h"
#define SMOOTH_SOURCE f32
#define SMOOTH_TARGET i16
#define SMOOTH_OF(name) T_JOIN(name, _f32_i16)
#define SMOOTH_STORED(v) ((i16)T_ROUND(v))
#include "kernels/transforms/smooth_gaussian.body.h"

#define SMOOTH_SOURCE f32
#define SMOOTH_TARGET f32
#define SMOOTH_OF(name) T_JOIN(name, _f32_f32)
#define SMOOTH_STORED(v) (v)
#include "kernels/transforms/smooth_gaussian.body.h"

#include "kernels/end.h"
