// Images sampled between their pixels. Points are in pixels, stored as all x, all y, all z.
#define T_FILE sample_points
#include "kernels/begin.h"
#include "kernels/registration/sampled_image.h"

#define SAMPLE_PIXEL u8
#include "kernels/registration/sample_points.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL u16
#include "kernels/registration/sample_points.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL i16
#include "kernels/registration/sample_points.body.h"
#undef SAMPLE_PIXEL
#define SAMPLE_PIXEL f32
#include "kernels/registration/sample_points.body.h"
#undef SAMPLE_PIXEL

// The nearest pixel, of labels; 0 outside.
T_KERNEL(sample_nearest, (T_IN(u32) image, T_IN(f32) points, T_OUT(u32) sampled, sampled_image s)) {
    T_INDEX1(i);
    const f32 x = points[i], y = points[s.count + i], z = points[2 * s.count + i];
    u32 label = 0;
    if (is_in_image(s, x, y, z))
        label =
            image[((i64)pixel_at(z, s.size[2]) * s.size[1] + pixel_at(y, s.size[1])) * s.size[0] +
                  pixel_at(x, s.size[0])];
    sampled[i] = label;
}

// `weight` where a point is within the image, 0 elsewhere.
T_KERNEL(points_within, (T_IN(f32) weight, T_IN(f32) points, T_OUT(f32) within, sampled_image s)) {
    T_INDEX1(i);
    const i32 inside = is_in_image(s, points[i], points[s.count + i], points[2 * s.count + i]);
    within[i] = inside ? weight[i] : 0.0f;
}

#include "kernels/end.h"
