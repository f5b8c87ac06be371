// Pixels to gray levels: integers from 0 to 255 or 65535, one plane for each channel.
#define T_FILE gray_levels
#include "kernels/begin.h"

#define GRAY_PIXEL u8
#define GRAY_LEVEL(v, lowest, scale) ((u32)(v))
#include "kernels/thresholds/gray_levels.body.h"

#define GRAY_PIXEL u16
#define GRAY_LEVEL(v, lowest, scale) ((u32)(v))
#include "kernels/thresholds/gray_levels.body.h"

#define GRAY_PIXEL i16
#define GRAY_LEVEL(v, lowest, scale) ((u32)((i32)(v) + 32768))
#include "kernels/thresholds/gray_levels.body.h"

#define GRAY_PIXEL f32
#define GRAY_LEVEL(v, lowest, scale) \
    ((u32)T_ROUND(T_CLAMP(((v) - (lowest)) * (scale), 0.0f, 65535.0f)))
#include "kernels/thresholds/gray_levels.body.h"

// Levels of a plane, of which `lowest` comes to `place` and `lowest + span` to `place + extent`;
// what is beyond 16 bits is clamped. In place.
T_KERNEL(levels_stretch, (T_GLOBAL_PTR(u32) levels, const i64 plane, const i64 lowest,
                          const i64 span, const i64 place, const i64 extent)) {
    T_INDEX1(i);
    const i64 away = ((i64)levels[plane + i] - lowest) * extent;
    const i64 level = place + (away + (away < 0 ? -span : span) / 2) / span;
    levels[plane + i] = (u32)T_CLAMP(level, (i64)0, (i64)65535);
}

#include "kernels/end.h"
