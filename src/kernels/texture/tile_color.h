// L*a*b* of tiles in bytes.
#ifndef TESELA_KERNELS_TEXTURE_TILE_COLOR_H
#define TESELA_KERNELS_TEXTURE_TILE_COLOR_H

#include "kernels/color.h"

// To the nearest byte; v + 0.5 is not below 0.
T_FUNCTION u8 tile_byte(const f32 v) { return (u8)(i32)T_CLAMP(v + 0.5f, 0.0f, 255.0f); }

// 255 L* / 100, a* + 128 and b* + 128 of sRGB, as bytes.
typedef struct {
    u8 l, a, b;
} tile_color;

T_FUNCTION tile_color tile_color_of(const u8 red, const u8 green, const u8 blue) {
    const f32 r = t_linear_of_srgb((f32)red * (1.0f / 255.0f));
    const f32 g = t_linear_of_srgb((f32)green * (1.0f / 255.0f));
    const f32 b = t_linear_of_srgb((f32)blue * (1.0f / 255.0f));
    const f32 x = t_lab_foot(t_x_of_rgb(r, g, b) * (1.0f / COLOR_WHITE_X));
    const f32 y = t_lab_foot(t_y_of_rgb(r, g, b));
    const f32 z = t_lab_foot(t_z_of_rgb(r, g, b) * (1.0f / COLOR_WHITE_Z));
    tile_color color;
    color.l = tile_byte((116.0f * y - 16.0f) * 2.55f);
    color.a = tile_byte(500.0f * (x - y) + 128.0f);
    color.b = tile_byte(200.0f * (y - z) + 128.0f);
    return color;
}

#endif
