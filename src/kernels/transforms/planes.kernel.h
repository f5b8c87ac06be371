// Images whose channels stand one behind the other, as transforms take them, from interleaved
// pixels and back.
#define T_FILE planes
#include "kernels/begin.h"

typedef struct {
    i64 first;                  // of the frame's pixels, in values
    i32 size[3], padded[3];     // axes of the image and of planes
    i32 channels, transformed;  // values a pixel, and how many of them have planes
} plane_layout;

T_FUNCTION i64 plane_pixel(const plane_layout s, const i32 x, const i32 y, const i32 z) {
    return s.first + (((i64)z * s.size[1] + y) * s.size[0] + x) * s.channels;
}
T_FUNCTION i64 plane_place(const plane_layout s, const i32 channel, const i32 x, const i32 y,
                           const i32 z) {
    return (((i64)channel * s.padded[2] + z) * s.padded[1] + y) * s.padded[0] + x;
}

#define PLANES_PIXEL u8
#define PLANES_PIXEL_OF(value) ((u8)T_ROUND(T_CLAMP(value, 0.0f, 255.0f)))
#include "kernels/transforms/planes.body.h"

#define PLANES_PIXEL u16
#define PLANES_PIXEL_OF(value) ((u16)T_ROUND(T_CLAMP(value, 0.0f, 65535.0f)))
#include "kernels/transforms/planes.body.h"

#define PLANES_PIXEL i16
#define PLANES_PIXEL_OF(value) ((i16)T_ROUND(T_CLAMP(value, -32768.0f, 32767.0f)))
#include "kernels/transforms/planes.body.h"

#define PLANES_PIXEL f32
#define PLANES_PIXEL_OF(value) (value)
#include "kernels/transforms/planes.body.h"

// One channel without padding.
T_KERNEL(planes_channel,
         (T_IN(f32) planes, T_OUT(f32) channel, const plane_layout s, const i32 number)) {
    T_INDEX3(x, y, z);
    channel[((i64)z * s.size[1] + y) * s.size[0] + x] = planes[plane_place(s, number, x, y, z)];
}

// Integers, which have no padding.
T_KERNEL(planes_of_i32, (T_IN(i32) values, T_OUT(i32) planes, const plane_layout s)) {
    T_INDEX3(x, y, slice);
    const i32 channel = slice / s.padded[2], z = slice % s.padded[2];
    planes[plane_place(s, channel, x, y, z)] = values[plane_pixel(s, x, y, z) + channel];
}

// Interleaved values of all channels, without a change.
T_KERNEL(planes_join_f32, (T_IN(f32) planes, T_OUT(f32) values, const plane_layout s)) {
    T_INDEX3(x, y, z);
    const i64 at = plane_pixel(s, x, y, z);
    for (i32 c = 0; c < s.channels; ++c) values[at + c] = planes[plane_place(s, c, x, y, z)];
}
T_KERNEL(planes_join_i32, (T_IN(i32) planes, T_OUT(i32) values, const plane_layout s)) {
    T_INDEX3(x, y, z);
    const i64 at = plane_pixel(s, x, y, z);
    for (i32 c = 0; c < s.channels; ++c) values[at + c] = planes[plane_place(s, c, x, y, z)];
}

// Whole numbers as integers, and integers as floats: exactly up to 2^24.
T_SIMD_KERNEL(planes_round, (T_IN(f32) values, T_OUT(i32) whole)) {
    T_INDEX1(i);
    whole[i] = T_ROUND(values[i]);
}
T_SIMD_KERNEL(planes_widen, (T_IN(i32) whole, T_OUT(f32) values)) {
    T_INDEX1(i);
    values[i] = (f32)whole[i];
}

#include "kernels/end.h"
