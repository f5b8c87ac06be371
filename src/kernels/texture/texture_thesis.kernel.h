// Stages of a thesis on texture (Ruiz Sanchez 2015, chapter 4): colors, co-occurrence matrices of
// pixels and their right neighbors, patterns and their histogram, each in the ways that it
// compares. Tiles are of L*, a* and b* planes of nx x ny bytes.
#define T_FILE texture_thesis
#include "kernels/begin.h"
#include "kernels/texture/lbp_square.h"
#include "kernels/texture/tile_color.h"

// ---- Colors ------------------------------------------------------------------------------------

T_FUNCTION void texture_thesis_write(T_GLOBAL_PTR(u8) planes, const i64 i, const i64 points,
                                     const tile_color color) {
    planes[i] = color.l;
    planes[points + i] = color.a;
    planes[2 * points + i] = color.b;
}

// Pixels of `stride` floats.
T_KERNEL(texture_thesis_floats,
         (T_IN(f32) pixels, T_OUT(u8) planes, const i64 points, const i32 stride)) {
    T_INDEX1(i);
    const i64 at = (i64)i * stride;
    texture_thesis_write(planes, i, points,
                         tile_color_of((u8)pixels[at], (u8)pixels[at + 1], (u8)pixels[at + 2]));
}

// Pixels of four bytes, which a group reads into its own memory first. Phases:
// 1. read;
// 2. convert.
T_GROUP_KERNEL(texture_thesis_staged, 256, 1, 1,
               (T_IN(u32) pixels, T_OUT(u8) planes, const i64 points)) {
    T_LOCAL(u32, words, 256);
    T_PHASE {
        const i64 i = (i64)T_GX * 256 + T_LI;
        words[T_LI] = i < points ? pixels[i] : 0;
    }
    T_PHASE {
        const i64 i = (i64)T_GX * 256 + T_LI;
        const u32 word = words[T_LI];
        if (i < points)
            texture_thesis_write(
                planes, i, points,
                tile_color_of((u8)(word & 255u), (u8)(word >> 8 & 255u), (u8)(word >> 16 & 255u)));
    }
}

// ---- Matrices ----------------------------------------------------------------------------------

T_FUNCTION i32 texture_thesis_level(const u8 value, const i32 levels) {
    return (i32)value * levels >> 8;
}

// Element `cell` of plane `plane` alone: pairs for which a predicate holds, as a picture is drawn
// and its visible pixels are counted. Phases:
// 1. clear;
// 2. count;
// 3. add.
T_GROUP_KERNEL(texture_thesis_predicate, 256, 1, 1,
               (T_IN(u8) planes, T_GLOBAL_PTR(u32) counts, const i32 nx, const i32 ny,
                const i32 levels, const i32 plane, const i32 cell)) {
    T_LOCAL(u32, own, 1);
    T_PHASE {
        if (T_LI == 0) own[0] = 0;
    }
    T_PHASE {
        const i32 pairs = (nx - 1) * ny;
        u32 count = 0;
        for (i32 i = T_GX * 256 + T_LI; i < pairs; i += T_GROUPS_X * 256) {
            T_GLOBAL_PTR(const u8)
            const at = planes + (i64)plane * nx * ny + (i64)(i / (nx - 1)) * nx + i % (nx - 1);
            const i32 pair =
                texture_thesis_level(at[0], levels) * levels + texture_thesis_level(at[1], levels);
            count += pair == cell ? 1u : 0u;
        }
        if (count != 0) T_ATOMIC_ADD(own, count);
    }
    T_PHASE {
        if (T_LI == 0) T_ATOMIC_ADD(counts + ((i64)plane * levels * levels + cell), own[0]);
    }
}

// All matrices in the device's memory.
T_KERNEL(texture_thesis_pairs, (T_IN(u8) planes, T_GLOBAL_PTR(u32) counts, const i32 nx,
                                const i32 ny, const i32 levels)) {
    T_INDEX3(x, y, plane);
    const i64 at = ((i64)plane * ny + y) * nx + x;
    const i32 pair = texture_thesis_level(planes[at], levels) * levels +
                     texture_thesis_level(planes[at + 1], levels);
    T_ATOMIC_ADD(counts + ((i64)plane * levels * levels + pair), 1u);
}

// Private matrices of bytes for 4, 8 and 16 levels, of as many items as have room.
enum { texture_thesis_most_pairs = 255 };  // of an item, whose counts are bytes

#define TEXTURE_LEVELS 4
#define TEXTURE_ITEMS 256
#include "kernels/texture/texture_thesis_matrices.body.h"
#undef TEXTURE_LEVELS
#undef TEXTURE_ITEMS
#define TEXTURE_LEVELS 8
#define TEXTURE_ITEMS 256
#include "kernels/texture/texture_thesis_matrices.body.h"
#undef TEXTURE_LEVELS
#undef TEXTURE_ITEMS
#define TEXTURE_LEVELS 16
#define TEXTURE_ITEMS 64
#include "kernels/texture/texture_thesis_matrices.body.h"
#undef TEXTURE_LEVELS
#undef TEXTURE_ITEMS

// ---- Patterns ----------------------------------------------------------------------------------

// 16 x 16 codes, of which the items at the edges also read the pixels beside theirs. Phases:
// 1. read;
// 2. compare.
T_GROUP_KERNEL(texture_thesis_halo, 16, 16, 1,
               (T_IN(u8) plane, T_OUT(u8) codes, const i32 nx, const i32 ny)) {
    T_LOCAL(u8, tile, 18 * 18);
    T_PHASE {
        for (i32 v = T_LY == 0 ? -1 : 0; v <= (T_LY == 15 ? 1 : 0); ++v)
            for (i32 u = T_LX == 0 ? -1 : 0; u <= (T_LX == 15 ? 1 : 0); ++u) {
                const i32 x = T_GX * 16 + T_LX + 1 + u, y = T_GY * 16 + T_LY + 1 + v;
                if (x < nx && y < ny)
                    tile[(T_LY + 1 + v) * 18 + T_LX + 1 + u] = plane[(i64)y * nx + x];
            }
    }
    T_PHASE {
        const i32 x = T_GX * 16 + T_LX, y = T_GY * 16 + T_LY;
        const i32 at = (T_LY + 1) * 18 + T_LX + 1;
        if (x < nx - 2 && y < ny - 2) codes[(i64)y * (nx - 2) + x] = LBP_SQUARE_CODE(tile, at, 18);
    }
}

// Overlapped blocks of 8 x 8 to 20 x 20 pixels.
#define TEXTURE_SIDE 8
#define TEXTURE_ITEMS 64
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#undef TEXTURE_ITEMS
#define TEXTURE_SIDE 10
#define TEXTURE_ITEMS 100
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#undef TEXTURE_ITEMS
#define TEXTURE_SIDE 12
#define TEXTURE_ITEMS 144
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#undef TEXTURE_ITEMS
#define TEXTURE_SIDE 14
#define TEXTURE_ITEMS 196
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#undef TEXTURE_ITEMS
#define TEXTURE_SIDE 16
#define TEXTURE_ITEMS 256
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#define TEXTURE_SIDE 18
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#define TEXTURE_SIDE 20
#include "kernels/texture/texture_thesis_blocks.body.h"
#undef TEXTURE_SIDE
#undef TEXTURE_ITEMS

// ---- Histogram ---------------------------------------------------------------------------------

// In the device's memory.
T_KERNEL(texture_thesis_histogram, (T_IN(u8) codes, T_GLOBAL_PTR(u32) counts)) {
    T_INDEX1(i);
    T_ATOMIC_ADD(counts + codes[i], 1u);
}

// Counts of each 32 items in the memory of their group, so that they do not meet those of others.
// Phases:
// 1. clear;
// 2. count;
// 3. add.
T_GROUP_KERNEL(texture_thesis_warps, 256, 1, 1,
               (T_IN(u8) codes, T_GLOBAL_PTR(u32) counts, const i64 points)) {
    T_LOCAL(u32, own, 8 * 256);
    T_PHASE {
        for (i32 part = 0; part < 8; ++part) own[part * 256 + T_LI] = 0;
    }
    T_PHASE {
        for (i64 i = (i64)T_GX * 256 + T_LI; i < points; i += (i64)T_GROUPS_X * 256)
            T_ATOMIC_ADD(own + ((T_LI >> 5) * 256 + codes[i]), 1u);
    }
    T_PHASE {
        u32 sum = 0;
        for (i32 part = 0; part < 8; ++part) sum += own[part * 256 + T_LI];
        if (sum != 0) T_ATOMIC_ADD(counts + T_LI, sum);
    }
}

#include "kernels/end.h"
