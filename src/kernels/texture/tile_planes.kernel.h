// Tiles as planes of bytes: gray values, or L*, a* and b* of colors, and gray levels of them.
#define T_FILE tile_planes
#include "kernels/begin.h"
#include "kernels/color.h"

// To the nearest byte; v + 0.5 is not below 0.
T_FUNCTION u8 tile_byte(const f32 v) { return (u8)(i32)T_CLAMP(v + 0.5f, 0.0f, 255.0f); }

// 255 L* / 100, a* + 128 and b* + 128 of sRGB (spec 003, section 4.2). A tile's pixels are `stride`
// bytes each, its planes stand one behind the other.
T_SIMD_KERNEL(tile_lab, (T_IN(u8) pixels, T_OUT(u8) planes, const i32 points, const i32 stride)) {
    T_INDEX2(i, tile);
    const i64 pixel = ((i64)tile * points + i) * stride;
    const f32 r = t_linear_of_srgb((f32)pixels[pixel] * (1.0f / 255.0f));
    const f32 g = t_linear_of_srgb((f32)pixels[pixel + 1] * (1.0f / 255.0f));
    const f32 b = t_linear_of_srgb((f32)pixels[pixel + 2] * (1.0f / 255.0f));
    const f32 x = t_lab_foot(t_x_of_rgb(r, g, b) * (1.0f / T_WHITE_X));
    const f32 y = t_lab_foot(t_y_of_rgb(r, g, b));
    const f32 z = t_lab_foot(t_z_of_rgb(r, g, b) * (1.0f / T_WHITE_Z));
    const i64 own = (i64)tile * 3 * points + i;
    planes[own] = tile_byte((116.0f * y - 16.0f) * 2.55f);
    planes[own + points] = tile_byte(500.0f * (x - y) + 128.0f);
    planes[own + 2 * (i64)points] = tile_byte(200.0f * (y - z) + 128.0f);
}

// Gray levels of 16 bits, or of 8 where `shift` is 0, as bytes.
T_SIMD_KERNEL(tile_bytes, (T_IN(u32) levels, T_OUT(u8) planes, const i32 shift)) {
    T_INDEX1(i);
    planes[i] = (u8)(levels[i] >> shift);
}

// `levels` steps of equal width: of all 256 values, and on planes of a* and b* of the 2^shift
// values around 128; what lies beyond belongs to the first and the last.
T_SIMD_KERNEL(tile_levels, (T_IN(u8) planes, T_OUT(u8) levels, const i32 points, const i32 channels,
                            const i32 count, const i32 shift)) {
    T_INDEX2(i, plane);
    const i64 at = (i64)plane * points + i;
    const i32 narrow = plane % channels != 0 ? shift : 8;
    const i32 width = 1 << narrow;
    const i32 value = T_CLAMP((i32)planes[at] - 128 + width / 2, 0, width - 1);
    levels[at] = (u8)((value * count) >> narrow);
}

#include "kernels/end.h"
