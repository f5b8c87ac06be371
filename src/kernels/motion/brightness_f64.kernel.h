// Gray values and colors on one scale (tesela/brightness.h), to the bits of the host's.
#define T_FILE brightness_f64
#define T_USES_F64
#include "kernels/begin.h"

typedef struct {
    f64 lowest, unit, least, most;  // of values to brightness
    f64 red, green, blue;           // weights of luma
    i64 first;                      // where the result begins, in floats
    i32 stride, channels;           // values a pixel of the image and of the result
    i32 is_luma, unused;            // one channel made of three; so that the size is that of f64
} brightness_scale;

#define BRIGHTNESS_PIXEL u8
#include "kernels/motion/brightness.body.h"
#define BRIGHTNESS_PIXEL u16
#include "kernels/motion/brightness.body.h"
#define BRIGHTNESS_PIXEL i16
#include "kernels/motion/brightness.body.h"
#define BRIGHTNESS_PIXEL f32
#include "kernels/motion/brightness.body.h"

// Steps of 16 bits from `lowest` on, none of which is below 0, to the nearest.
T_KERNEL(brightness_steps, (T_IN(f32) gray, T_OUT(u16) steps, const f64 lowest, const f64 scale)) {
    T_INDEX1(i);
    const f64 value = ((f64)gray[i] - lowest) * scale;
    const i32 whole = (i32)value;
    steps[i] = (u16)(whole + (value - (f64)whole >= 0.5));
}

#include "kernels/end.h"
