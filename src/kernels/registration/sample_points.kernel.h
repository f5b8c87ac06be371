// Images sampled between their pixels. Points are in pixels, stored as all x, all y, all z.
#define T_FILE sample_points
#include "kernels/begin.h"

typedef struct {
    i64 count;  // of points
    i32 size[3];
    i32 channels;
    f32 margin;   // distance that the image extends beyond its outermost pixels
    f32 outside;  // value beyond that
} sampled_image;

T_FUNCTION i32 is_within(const f32 at, const i32 size, const f32 margin) {
    return at >= -margin && at <= (f32)(size - 1) + margin;
}

// The two pixels around a position on an axis; gives the weight of the second.
T_FUNCTION f32 pixels_around(const f32 at, const i32 size, i32* first, i32* second) {
    const f32 inside = T_CLAMP(at, 0.0f, (f32)(size - 1));
    *first = (i32)inside;
    *second = T_MIN(*first + 1, size - 1);
    return inside - (f32)*first;
}

// To the nearest whole number, of halves the one away from 0, in the range of a pixel.
T_FUNCTION i32 whole_pixel(const f32 value, const f32 lowest, const f32 highest) {
    const f32 within = T_CLAMP(value, lowest, highest);
    const i32 whole = (i32)within;
    const f32 part = within - (f32)whole;
    return whole + (part >= 0.5f) - (part <= -0.5f);
}

#define SAMPLE_PIXEL u8
#define SAMPLE_PIXEL_OF(value) ((u8)whole_pixel(value, 0.0f, 255.0f))
#include "kernels/registration/sample_linear.body.h"

#define SAMPLE_PIXEL u16
#define SAMPLE_PIXEL_OF(value) ((u16)whole_pixel(value, 0.0f, 65535.0f))
#include "kernels/registration/sample_linear.body.h"

#define SAMPLE_PIXEL i16
#define SAMPLE_PIXEL_OF(value) ((i16)whole_pixel(value, -32768.0f, 32767.0f))
#include "kernels/registration/sample_linear.body.h"

#define SAMPLE_PIXEL f32
#define SAMPLE_PIXEL_OF(value) (value)
#include "kernels/registration/sample_linear.body.h"

// The nearest pixel, of labels; 0 outside.
T_KERNEL(sample_nearest, (T_IN(u32) image, T_IN(f32) points, T_OUT(u32) sampled, sampled_image s)) {
    T_INDEX1(i);
    const f32 x = points[i], y = points[s.count + i], z = points[2 * s.count + i];
    u32 label = 0;
    if (is_within(x, s.size[0], s.margin) && is_within(y, s.size[1], s.margin) &&
        is_within(z, s.size[2], s.margin)) {
        const i32 px = T_CLAMP((i32)T_FLOOR(x + 0.5f), 0, s.size[0] - 1);
        const i32 py = T_CLAMP((i32)T_FLOOR(y + 0.5f), 0, s.size[1] - 1);
        const i32 pz = T_CLAMP((i32)T_FLOOR(z + 0.5f), 0, s.size[2] - 1);
        label = image[((i64)pz * s.size[1] + py) * s.size[0] + px];
    }
    sampled[i] = label;
}

// `weight` where a point is within the image, 0 elsewhere.
T_KERNEL(points_within, (T_IN(f32) weight, T_IN(f32) points, T_OUT(f32) within, sampled_image s)) {
    T_INDEX1(i);
    const i32 inside = is_within(points[i], s.size[0], s.margin) &&
                       is_within(points[s.count + i], s.size[1], s.margin) &&
                       is_within(points[2 * s.count + i], s.size[2], s.margin);
    within[i] = inside ? weight[i] : 0.0f;
}

#include "kernels/end.h"
