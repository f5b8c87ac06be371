// Pixels to fixed-point features and back. A feature plane holds i32 units of 2^-k; planes stand
// one after the other.
#define T_FILE features
#include "kernels/begin.h"
#include "kernels/color.h"

#define T_PIXEL u8
#define T_OF_F32(value) ((u8)T_ROUND(T_CLAMP(value, 0.0f, 255.0f)))
#include "kernels/mean_shift/features.body.h"

#define T_PIXEL u16
#define T_OF_F32(value) ((u16)T_ROUND(T_CLAMP(value, 0.0f, 65535.0f)))
#include "kernels/mean_shift/features.body.h"

#define T_PIXEL i16
#define T_OF_F32(value) ((i16)T_ROUND(T_CLAMP(value, -32768.0f, 32767.0f)))
#include "kernels/mean_shift/features.body.h"

#define T_PIXEL f32
#define T_OF_F32(value) (value)
#include "kernels/mean_shift/features.body.h"

#include "kernels/end.h"
