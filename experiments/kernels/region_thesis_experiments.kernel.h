// Kernels of the thesis's experiments other than its region growing (Barriuso Medrano 2011):
// brightness by one or several pixels an item, conversions by block and layout, and growth over the
// whole image.
#define T_FILE region_thesis_experiments
#include "kernels/begin.h"

#include "kernels/growth/region_thesis.h"
#include "kernels/growth/region_thesis_color.h"

// ---- EXP-1 -------------------------------------------------------------------------------------

// The thesis's groups have 22 x 22 items; there are at most 256 here. A region of 126 x 126 bytes
// is the largest square in 16 KiB.
enum { region_thesis_bright_side = 16, region_thesis_bright_region = 126 };

// One pixel an item.
T_GROUP_KERNEL(region_thesis_brighten_one, region_thesis_bright_side, region_thesis_bright_side, 1,
               (T_IN(u8) pixels, T_OUT(u8) brighter, i32 pitch, i32 width, i32 height, i32 more)) {
    T_LOCAL(u8, bytes, region_thesis_bright_side * region_thesis_bright_side);
    T_PHASE {
        const i32 x = T_GX * region_thesis_bright_side + T_LX;
        const i32 y = T_GY * region_thesis_bright_side + T_LY;
        if (x < width && y < height)
            bytes[T_LI] = (u8)T_CLAMP(pixels[(i64)y * pitch + x] + more, 0, 255);
    }
    T_PHASE {
        const i32 x = T_GX * region_thesis_bright_side + T_LX;
        const i32 y = T_GY * region_thesis_bright_side + T_LY;
        if (x < width && y < height) brighter[(i64)y * pitch + x] = bytes[T_LI];
    }
}

// Several: the group goes over a larger square.
T_GROUP_KERNEL(region_thesis_brighten_several, region_thesis_bright_side, region_thesis_bright_side,
               1,
               (T_IN(u8) pixels, T_OUT(u8) brighter, i32 pitch, i32 width, i32 height, i32 more)) {
    T_LOCAL(u8, bytes, region_thesis_bright_region * region_thesis_bright_region);
    T_PHASE {
        for (i32 v = T_LY; v < region_thesis_bright_region; v += region_thesis_bright_side) {
            for (i32 u = T_LX; u < region_thesis_bright_region; u += region_thesis_bright_side) {
                const i32 x = T_GX * region_thesis_bright_region + u;
                const i32 y = T_GY * region_thesis_bright_region + v;
                if (x < width && y < height) {
                    const i32 at = v * region_thesis_bright_region + u;
                    bytes[at] = (u8)T_CLAMP(pixels[(i64)y * pitch + x] + more, 0, 255);
                    brighter[(i64)y * pitch + x] = bytes[at];
                }
            }
        }
    }
}

// ---- EXP-8 -------------------------------------------------------------------------------------

#define BLOCKS_KERNEL region_thesis_planes_by_16
#define BLOCKS_SIDE 16
#define BLOCKS_ROWS 16
#define BLOCKS_STEP 1
#include "region_thesis_blocks.body.h"

#define BLOCKS_KERNEL region_thesis_planes_by_20
#define BLOCKS_SIDE 20
#define BLOCKS_ROWS 10
#define BLOCKS_STEP 1
#include "region_thesis_blocks.body.h"

#define BLOCKS_KERNEL region_thesis_interleaved_by_16
#define BLOCKS_SIDE 16
#define BLOCKS_ROWS 16
#define BLOCKS_STEP 3
#include "region_thesis_blocks.body.h"

// ---- Growth over the whole image ---------------------------------------------------------------

// A step of all regions at once (after M. Hofmann, A. Binna, "Massive parallel image processing",
// HSR Rapperswil, 2010): a pixel of no region joins that of its neighbors' regions whose mean is
// closest, the lowest of equals, where it is close enough. `means` has three values a region;
// labels are those of the step before, and after it; `joined` counts.
T_KERNEL(region_thesis_global_step,
         (T_IN(u8) planes, T_IN(u32) labels, T_IN(i32) means, T_OUT(u32) after, T_OUT(u32) joined,
          i32 pitch, i32 width, i32 height, i64 limit)) {
    T_INDEX2(x, row);
    const i64 plane = (i64)pitch * height;
    const i64 at = (i64)row * pitch + x;
    u32 best = labels[at];
    if (best == 0) {
        const i32 c0 = planes[at];
        const i32 c1 = planes[plane + at];
        const i32 c2 = planes[2 * plane + at];
        i32 closest = region_thesis_reach(c0, c1, c2, limit);
        for (i32 side = 0; side < 4; ++side) {
            const i32 nx = x + (side == 0 ? -1 : side == 1 ? 1 : 0);
            const i32 ny = row + (side == 2 ? -1 : side == 3 ? 1 : 0);
            const i32 inside = nx >= 0 && nx < width && ny >= 0 && ny < height;
            const u32 label = inside ? labels[(i64)ny * pitch + nx] : 0u;
            if (label != 0) {
                T_GLOBAL_PTR(const i32) mean = means + 3 * ((i64)label - 1);
                const i32 distance = region_thesis_distance2(c0, c1, c2, mean[0], mean[1], mean[2]);
                if (distance < closest || (distance == closest && (best == 0 || label < best))) {
                    closest = distance;
                    best = label;
                }
            }
        }
        if (best != 0) T_ATOMIC_ADD(joined, 1u);
    }
    after[at] = best;
}

#include "kernels/end.h"
