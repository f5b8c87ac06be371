// Tiles as planes of bytes: gray values, or L*, a* and b* of colors, and gray levels of them.
#define T_FILE tile_planes
#include "kernels/begin.h"
#include "kernels/texture/tile_color.h"

// One of `count` steps of equal width of the 2^narrow values around 128; what lies beyond belongs
// to the first and the last.
T_FUNCTION u8 tile_level(const u8 value, const i32 count, const i32 narrow) {
    const i32 width = 1 << narrow;
    return (u8)((T_CLAMP((i32)value - 128 + width / 2, 0, width - 1) * count) >> narrow);
}

// A tile's pixels are `stride` bytes each, its planes stand one behind the other.
T_SIMD_KERNEL(tile_lab, (T_IN(u8) pixels, T_OUT(u8) planes, const i32 points, const i32 stride)) {
    T_INDEX2(i, tile);
    const i64 pixel = ((i64)tile * points + i) * stride;
    const tile_color color = tile_color_of(pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]);
    const i64 own = (i64)tile * 3 * points + i;
    planes[own] = color.l;
    planes[own + points] = color.a;
    planes[own + 2 * (i64)points] = color.b;
}

// The same and their levels at once, as below: a launch over bytes alone costs a GPU nearly as
// much.
T_SIMD_KERNEL(tile_lab_levels,
              (T_IN(u8) pixels, T_OUT(u8) planes, T_OUT(u8) levels, const i32 points,
               const i32 stride, const i32 count, const i32 shift)) {
    T_INDEX2(i, tile);
    const i64 pixel = ((i64)tile * points + i) * stride;
    const tile_color color = tile_color_of(pixels[pixel], pixels[pixel + 1], pixels[pixel + 2]);
    const i64 own = (i64)tile * 3 * points + i;
    planes[own] = color.l;
    planes[own + points] = color.a;
    planes[own + 2 * (i64)points] = color.b;
    levels[own] = tile_level(color.l, count, 8);
    levels[own + points] = tile_level(color.a, count, shift);
    levels[own + 2 * (i64)points] = tile_level(color.b, count, shift);
}

// Gray levels of 16 bits, or of 8 where `shift` is 0, as bytes.
T_SIMD_KERNEL(tile_bytes, (T_IN(u32) levels, T_OUT(u8) planes, const i32 shift)) {
    T_INDEX1(i);
    planes[i] = (u8)(levels[i] >> shift);
}

// Levels of all 256 values, and on planes of a* and b* of the 2^shift values around 128.
T_SIMD_KERNEL(tile_levels, (T_IN(u8) planes, T_OUT(u8) levels, const i32 points, const i32 channels,
                            const i32 count, const i32 shift)) {
    T_INDEX2(i, plane);
    const i64 at = (i64)plane * points + i;
    levels[at] = tile_level(planes[at], count, plane % channels != 0 ? shift : 8);
}

#include "kernels/end.h"
