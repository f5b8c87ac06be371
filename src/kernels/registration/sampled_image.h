// What samples of an image between its pixels are made of.
#ifndef TESELA_KERNELS_REGISTRATION_SAMPLED_IMAGE_H
#define TESELA_KERNELS_REGISTRATION_SAMPLED_IMAGE_H

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
T_FUNCTION i32 is_in_image(const sampled_image s, const f32 x, const f32 y, const f32 z) {
    return is_within(x, s.size[0], s.margin) && is_within(y, s.size[1], s.margin) &&
           is_within(z, s.size[2], s.margin);
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

// Pixels of values.
T_FUNCTION u8 pixel_u8(const f32 value) { return (u8)whole_pixel(value, 0.0f, 255.0f); }
T_FUNCTION u16 pixel_u16(const f32 value) { return (u16)whole_pixel(value, 0.0f, 65535.0f); }
T_FUNCTION i16 pixel_i16(const f32 value) { return (i16)whole_pixel(value, -32768.0f, 32767.0f); }
T_FUNCTION u32 pixel_u32(const f32 value) { return (u32)value; }
T_FUNCTION f32 pixel_f32(const f32 value) { return value; }

// The pixel nearest to a position on an axis.
T_FUNCTION i32 pixel_at(const f32 at, const i32 size) {
    return T_CLAMP((i32)T_FLOOR(at + 0.5f), 0, size - 1);
}

// The eight pixels around a position: two along x in each of four rows, and the weights of the
// later ones.
typedef struct {
    i64 rows[4];  // where they begin
    i32 x0, x1;
    f32 wx, wy, wz;
} linear_place;

T_FUNCTION linear_place linear_place_at(const sampled_image s, const f32 x, const f32 y,
                                        const f32 z) {
    linear_place place;
    i32 y0, y1, z0, z1;
    place.wx = pixels_around(x, s.size[0], &place.x0, &place.x1);
    place.wy = pixels_around(y, s.size[1], &y0, &y1);
    place.wz = pixels_around(z, s.size[2], &z0, &z1);
    place.rows[0] = ((i64)z0 * s.size[1] + y0) * s.size[0];
    place.rows[1] = ((i64)z0 * s.size[1] + y1) * s.size[0];
    place.rows[2] = ((i64)z1 * s.size[1] + y0) * s.size[0];
    place.rows[3] = ((i64)z1 * s.size[1] + y1) * s.size[0];
    return place;
}

#define SAMPLE_PIXEL u8
#include "kernels/registration/sample_linear.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL u16
#include "kernels/registration/sample_linear.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL i16
#include "kernels/registration/sample_linear.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL f32
#include "kernels/registration/sample_linear.body.h"
#undef SAMPLE_PIXEL

// The value at a position, by linear interpolation, and its slopes along the axes.
T_FUNCTION f32 linear_slopes(T_GLOBAL_PTR(const f32) image, const sampled_image s, const f32 x,
                             const f32 y, const f32 z, f32* slopes) {
    const linear_place place = linear_place_at(s, x, y, z);
    f32 along_x[4], slope_x[4];
    for (i32 k = 0; k < 4; ++k) {
        const f32 left = image[place.rows[k] + place.x0];
        slope_x[k] = image[place.rows[k] + place.x1] - left;
        along_x[k] = left + place.wx * slope_x[k];
    }
    const f32 near_y = along_x[1] - along_x[0], far_y = along_x[3] - along_x[2];
    const f32 near = along_x[0] + place.wy * near_y, far = along_x[2] + place.wy * far_y;
    const f32 near_x = slope_x[0] + place.wy * (slope_x[1] - slope_x[0]);
    const f32 far_x = slope_x[2] + place.wy * (slope_x[3] - slope_x[2]);
    slopes[0] = near_x + place.wz * (far_x - near_x);
    slopes[1] = near_y + place.wz * (far_y - near_y);
    slopes[2] = far - near;
    return near + place.wz * (far - near);
}

#endif
