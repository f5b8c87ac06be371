// Pixels to gray levels: integers from 0 to 255 or 65535, one plane for each channel.
#define T_FILE gray_levels
#include "kernels/begin.h"

#define T_PIXEL u8
#define T_LEVEL(v, lowest, scale) ((u32)(v))
#include "kernels/thresholds/gray_levels.body.h"

#define T_PIXEL u16
#define T_LEVEL(v, lowest, scale) ((u32)(v))
#include "kernels/thresholds/gray_levels.body.h"

#define T_PIXEL i16
#define T_LEVEL(v, lowest, scale) ((u32)((i32)(v) + 32768))
#include "kernels/thresholds/gray_levels.body.h"

#define T_PIXEL f32
#define T_LEVEL(v, lowest, scale) \
    ((u32)T_ROUND(T_CLAMP(((v) - (lowest)) * (scale), 0.0f, 65535.0f)))
#include "kernels/thresholds/gray_levels.body.h"

#include "kernels/end.h"
