// Pixels to fixed-point features and back. A feature plane holds i32 units of 2^-k; planes stand
// one after the other.
#define T_FILE features
#include "kernels/begin.h"
#include "kernels/color.h"

#define FEATURES_PIXEL u8
#define FEATURES_PIXEL_OF(value) ((u8)T_ROUND(T_CLAMP(value, 0.0f, 255.0f)))
#include "kernels/mean_shift/features.body.h"

#define FEATURES_PIXEL u16
#define FEATURES_PIXEL_OF(value) ((u16)T_ROUND(T_CLAMP(value, 0.0f, 65535.0f)))
#include "kernels/mean_shift/features.body.h"

#define FEATURES_PIXEL i16
#define FEATURES_PIXEL_OF(value) ((i16)T_ROUND(T_CLAMP(value, -32768.0f, 32767.0f)))
#include "kernels/mean_shift/features.body.h"

#define FEATURES_PIXEL f32
#define FEATURES_PIXEL_OF(value) (value)
#include "kernels/mean_shift/features.body.h"

#include "kernels/end.h"
