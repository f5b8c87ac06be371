// The thesis's region growing, kernels 0, 3 and 4: colors to Y'CbCr planes, regions painted, and
// planes to colors (Barriuso Medrano 2011, sections 3.3.2 and 5.5.2). Planes are bytes, one plane a
// component, of `height` rows of `pitch` places. Their rows are in the order of processing, which
// is that of a BMP file: row 0 is the bottom of the picture.
#define T_FILE region_thesis_pixels
#include "kernels/begin.h"

#include "kernels/growth/region_thesis.h"
#include "kernels/growth/region_thesis_color.h"

// Kernel 0, over all places of the planes. Padding is black. `rgb` is interleaved.
T_KERNEL(region_thesis_to_planes,
         (T_IN(u8) rgb, T_OUT(u8) planes, i32 pitch, i32 width, i32 height, i32 studio)) {
    T_INDEX2(x, row);
    const i64 plane = (i64)pitch * height;
    const i64 pixel = 3 * ((i64)(height - 1 - row) * width + x);
    const i32 inside = x < width;
    i32 ycc[3];
    region_thesis_to_ycc(inside ? rgb[pixel] : 0, inside ? rgb[pixel + 1] : 0,
                         inside ? rgb[pixel + 2] : 0, studio, ycc);
    for (i32 c = 0; c < 3; ++c) planes[c * plane + (i64)row * pitch + x] = (u8)ycc[c];
}

// Kernel 4.
T_KERNEL(region_thesis_to_picture,
         (T_IN(u8) planes, T_OUT(u8) rgb, i32 pitch, i32 width, i32 height, i32 studio)) {
    T_INDEX2(x, row);
    const i64 plane = (i64)pitch * height;
    const i64 at = (i64)row * pitch + x;
    i32 color[3];
    region_thesis_to_rgb(planes[at], planes[plane + at], planes[2 * plane + at], studio, color);
    for (i32 c = 0; c < 3; ++c) rgb[3 * ((i64)(height - 1 - row) * width + x) + c] = (u8)color[c];
}

// ---- Kernel 3 ----------------------------------------------------------------------------------

// A color for each label below 2^18: levels are four apart, so that rounding in Y'CbCr of full
// range, which moves them by at most one, leaves them distinct.
T_FUNCTION void region_thesis_palette(const u32 label, const i32 studio, i32* ycc) {
    u32 hash = label & 0x3ffffu;  // each step is a bijection of 18 bits
    hash = (hash * 0x2c1b5u) & 0x3ffffu;
    hash ^= hash >> 9;
    hash = (hash * 0x1d4a9u) & 0x3ffffu;
    hash ^= hash >> 10;
    region_thesis_to_ycc((i32)(2 + 4 * (hash & 63u)), (i32)(2 + 4 * (hash >> 6 & 63u)),
                         (i32)(2 + 4 * (hash >> 12)), studio, ycc);
}

// The label that a pixel has in the end: that of the tile of whose region it is, or 0 where it is
// of none or no tile owns it. `labels` are in the order of the picture.
T_FUNCTION u32 region_thesis_final(T_GLOBAL_PTR(const u32) labels,
                                   T_GLOBAL_PTR(const u32) tile_labels, const i64 pixel,
                                   const i32 x, const i32 row, const i32 nx, const i32 ny,
                                   const i32 block, const i32 stride) {
    const i32 owned = region_thesis_owner(x, stride, block, nx) >= 0 &&
                      region_thesis_owner(row, stride, block, ny) >= 0;
    const u32 tile = owned ? labels[pixel] : 0u;
    return tile > 0 ? tile_labels[tile - 1] : 0u;
}

T_KERNEL(region_thesis_paint,
         (T_OUT(u32) labels, T_IN(u32) tile_labels, T_OUT(u8) planes, i32 pitch, i32 width,
          i32 height, i32 nx, i32 ny, i32 block, i32 stride, i32 studio)) {
    T_INDEX2(x, row);
    const i64 pixel = (i64)(height - 1 - row) * width + x;
    const u32 label =
        region_thesis_final(labels, tile_labels, pixel, x, row, nx, ny, block, stride);
    labels[pixel] = label;
    if (label == 0) return;
    i32 ycc[3];
    region_thesis_palette(label, studio, ycc);
    for (i32 c = 0; c < 3; ++c) planes[c * (i64)pitch * height + (i64)row * pitch + x] = (u8)ycc[c];
}

// The same with the mean of the region, from `region_sums`: for each label a size and the sums of
// three components, each of a low and a high word.
T_KERNEL(region_thesis_paint_means,
         (T_OUT(u32) labels, T_IN(u32) tile_labels, T_IN(u32) region_sums, T_OUT(u8) planes,
          i32 pitch, i32 width, i32 height, i32 nx, i32 ny, i32 block, i32 stride)) {
    T_INDEX2(x, row);
    const i64 pixel = (i64)(height - 1 - row) * width + x;
    const u32 label =
        region_thesis_final(labels, tile_labels, pixel, x, row, nx, ny, block, stride);
    labels[pixel] = label;
    if (label == 0) return;
    T_GLOBAL_PTR(const u32) sums = region_sums + 7 * ((i64)label - 1);
    for (i32 c = 0; c < 3; ++c) {
        const u64 sum = (u64)sums[2 + 2 * c] << 32 | sums[1 + 2 * c];
        planes[c * (i64)pitch * height + (i64)row * pitch + x] = (u8)(sum / sums[0]);
    }
}

// Adds each tile to its region; `region_sums` are 0 before.
T_KERNEL(region_thesis_region_sums,
         (T_IN(i32) table, T_IN(u32) tile_labels, T_OUT(u32) region_sums, i32 tiles)) {
    T_INDEX1(tile);
    T_GLOBAL_PTR(u32) sums = region_sums + 7 * ((i64)tile_labels[tile] - 1);
    T_ATOMIC_ADD(sums, (u32)table[tile]);
    for (i32 c = 0; c < 3; ++c) {
        const u32 value = (u32)table[(i64)(1 + c) * tiles + tile];
        const u32 before = T_ATOMIC_ADD(sums + 1 + 2 * c, value);
        if (before + value < value) T_ATOMIC_ADD(sums + 2 + 2 * c, 1u);
    }
}

#include "kernels/end.h"
