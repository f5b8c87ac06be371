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

// Linear interpolation.
T_KERNEL(sample_linear, (T_IN(f32) image, T_IN(f32) points, T_OUT(f32) sampled, sampled_image s)) {
    T_INDEX1(i);
    const f32 x = points[i], y = points[s.count + i], z = points[2 * s.count + i];
    const i64 at = (i64)i * s.channels;
    if (!(is_within(x, s.size[0], s.margin) && is_within(y, s.size[1], s.margin) &&
          is_within(z, s.size[2], s.margin))) {
        for (i32 c = 0; c < s.channels; ++c) sampled[at + c] = s.outside;
        return;
    }
    i32 x0, x1, y0, y1, z0, z1;
    const f32 wx = pixels_around(x, s.size[0], &x0, &x1);
    const f32 wy = pixels_around(y, s.size[1], &y0, &y1);
    const f32 wz = pixels_around(z, s.size[2], &z0, &z1);
    const i64 rows[4] = {
        ((i64)z0 * s.size[1] + y0) * s.size[0], ((i64)z0 * s.size[1] + y1) * s.size[0],
        ((i64)z1 * s.size[1] + y0) * s.size[0], ((i64)z1 * s.size[1] + y1) * s.size[0]};
    for (i32 c = 0; c < s.channels; ++c) {
        f32 along_x[4];
        for (i32 k = 0; k < 4; ++k) {
            const f32 left = image[(rows[k] + x0) * s.channels + c];
            along_x[k] = left + wx * (image[(rows[k] + x1) * s.channels + c] - left);
        }
        const f32 near = along_x[0] + wy * (along_x[1] - along_x[0]);
        const f32 far = along_x[2] + wy * (along_x[3] - along_x[2]);
        sampled[at + c] = near + wz * (far - near);
    }
}

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
