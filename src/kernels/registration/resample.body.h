// Part of resample.kernel.h, once for each SAMPLE_PIXEL that has values between pixels.
#define RESAMPLE_METHOD linear
#include "kernels/registration/resample_grid.body.h"
#undef RESAMPLE_METHOD

// The channels of a pixel at a position, by cubic interpolation.
T_FUNCTION void T_JOIN(sample_cubic_at_, SAMPLE_PIXEL)(T_GLOBAL_PTR(const SAMPLE_PIXEL) image,
                                                       T_GLOBAL_PTR(SAMPLE_PIXEL) sampled,
                                                       const sampled_image s, const f32 x,
                                                       const f32 y, const f32 z) {
    if (!is_in_image(s, x, y, z)) {
        for (i32 c = 0; c < s.channels; ++c) sampled[c] = T_JOIN(pixel_, SAMPLE_PIXEL)(s.outside);
        return;
    }
    i32 px[4], py[4], pz[4];
    f32 wx[4], wy[4], wz[4];
    cubic_pixels(x, s.size[0], px, wx);
    cubic_pixels(y, s.size[1], py, wy);
    cubic_pixels(z, s.size[2], pz, wz);
    // In a picture all four slices are one, on which the second weight is 1.
    const i32 begin = s.size[2] == 1, end = s.size[2] == 1 ? 2 : 4;
    for (i32 c = 0; c < s.channels; ++c) {
        f32 sum = 0;
        for (i32 k = begin; k < end; ++k)
            for (i32 j = 0; j < 4; ++j) {
                T_GLOBAL_PTR(const SAMPLE_PIXEL)
                row = image + ((i64)pz[k] * s.size[1] + py[j]) * s.size[0] * s.channels + c;
                f32 along_x = 0;
                for (i32 i = 0; i < 4; ++i) along_x += wx[i] * (f32)row[px[i] * s.channels];
                sum += wz[k] * wy[j] * along_x;
            }
        sampled[c] = T_JOIN(pixel_, SAMPLE_PIXEL)(sum);
    }
}
#define RESAMPLE_METHOD cubic
#include "kernels/registration/resample_grid.body.h"
#undef RESAMPLE_METHOD
