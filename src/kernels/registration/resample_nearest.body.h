// Part of resample.kernel.h, once for each SAMPLE_PIXEL: the channels of the pixel nearest to a
// position.
T_FUNCTION void T_JOIN(sample_nearest_at_, SAMPLE_PIXEL)(T_GLOBAL_PTR(const SAMPLE_PIXEL) image,
                                                         T_GLOBAL_PTR(SAMPLE_PIXEL) sampled,
                                                         const sampled_image s, const f32 x,
                                                         const f32 y, const f32 z) {
    if (!is_in_image(s, x, y, z)) {
        for (i32 c = 0; c < s.channels; ++c) sampled[c] = T_JOIN(pixel_, SAMPLE_PIXEL)(s.outside);
        return;
    }
    const i64 row = (i64)pixel_at(z, s.size[2]) * s.size[1] + pixel_at(y, s.size[1]);
    const i64 pixel = row * s.size[0] + pixel_at(x, s.size[0]);
    for (i32 c = 0; c < s.channels; ++c) sampled[c] = image[pixel * s.channels + c];
}

#define RESAMPLE_METHOD nearest
#include "kernels/registration/resample_grid.body.h"
#undef RESAMPLE_METHOD
