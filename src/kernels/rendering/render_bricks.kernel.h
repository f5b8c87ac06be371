// Cuts volumes into bricks, finds the blocks that can be seen and how far away they are, and turns
// accumulated colors into pictures.
#define T_FILE render_bricks
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/rendering/render_position.h"
#include "kernels/rendering/render_range.h"

#define RENDER_BODY "kernels/rendering/render_ranges.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

// Infinity becomes NaN, which compares unequal to itself, so that samples recognize it.
T_FUNCTION f32 render_finite(const f32 value) { return value + (value - value); }

#define RENDER_CONVERT(voxels, at) (voxels[at])
#define RENDER_INPUT u8
#define RENDER_VALUE u8
#define RENDER_OF(name) T_JOIN(name, _u8)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_VALUE
#undef RENDER_INPUT
#define RENDER_INPUT u16
#define RENDER_VALUE u16
#define RENDER_OF(name) T_JOIN(name, _u16)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#undef RENDER_CONVERT

// Signed values are stored from 0 on.
#define RENDER_CONVERT(voxels, at) ((u16)((i32)voxels[at] + 32768))
#define RENDER_INPUT i16
#define RENDER_OF(name) T_JOIN(name, _i16)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#undef RENDER_VALUE
#undef RENDER_CONVERT
#define RENDER_CONVERT(voxels, at) ((u8)((i32)voxels[at] + 128))
#define RENDER_INPUT i8
#define RENDER_VALUE u8
#define RENDER_OF(name) T_JOIN(name, _i8)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_VALUE
#undef RENDER_INPUT
#undef RENDER_CONVERT

#define RENDER_CONVERT(voxels, at) render_finite((f32)voxels[at])
#define RENDER_VALUE f32
#define RENDER_INPUT f32
#define RENDER_OF(name) T_JOIN(name, _f32)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#define RENDER_INPUT u32
#define RENDER_OF(name) T_JOIN(name, _u32)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#define RENDER_INPUT i32
#define RENDER_OF(name) T_JOIN(name, _i32)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#undef RENDER_VALUE
#undef RENDER_CONVERT

// Interleaved red, green and blue; the luminance of ITU-R BT.709 goes into the highest byte.
T_FUNCTION u32 render_packed(const u32 red, const u32 green, const u32 blue) {
    const u32 luminance = (red * 13933u + green * 46871u + blue * 4732u + 32768u) >> 16;
    return red | green << 8 | blue << 16 | luminance << 24;
}
#define RENDER_VALUE u32
#define RENDER_CONVERT(voxels, at) \
    render_packed(voxels[3 * (at)], voxels[3 * (at) + 1], voxels[3 * (at) + 2])
#define RENDER_INPUT u8
#define RENDER_OF(name) T_JOIN(name, _rgb8)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#undef RENDER_CONVERT
#define RENDER_CONVERT(voxels, at)                                            \
    render_packed((u32)voxels[3 * (at)] >> 8, (u32)voxels[3 * (at) + 1] >> 8, \
                  (u32)voxels[3 * (at) + 2] >> 8)
#define RENDER_INPUT u16
#define RENDER_OF(name) T_JOIN(name, _rgb16)
#include "kernels/rendering/render_cut.body.h"
#undef RENDER_OF
#undef RENDER_INPUT
#undef RENDER_CONVERT
#undef RENDER_VALUE

// The start of the distance map: 0 where some value of a block has opacity, else render_max_skip.
// `visible_below[i]` counts the nodes below i of the table whose opacity is above 0.
T_KERNEL(render_mark_empty, (T_IN(f32) ranges, T_IN(u32) visible_below, const f32 scale,
                             const f32 offset, T_OUT(u8) distance_map)) {
    T_INDEX1(block);
    const f32 lowest = ranges[2 * block];
    const f32 highest = ranges[2 * block + 1];
    const f32 nodes = (f32)render_table_nodes;
    const f32 from = T_FMA(lowest, scale, offset);
    const f32 to = T_FMA(highest, scale, offset);
    const i32 first = (i32)T_CLAMP(from, 0.0f, nodes);
    const i32 last = T_MIN((i32)T_CLAMP(to, 0.0f, nodes) + 1, render_table_nodes);
    const i32 is_empty =
        lowest > highest || visible_below[last + 1] == visible_below[first] ? 1 : 0;
    distance_map[block] = (u8)(is_empty * render_max_skip);
}

// The same for surfaces: 0 where an isosurface or a border between labels runs through a block.
T_KERNEL(render_mark_without_surface,
         (T_IN(f32) ranges, T_IN(f32) label_ranges, const i32 has_labels, const render_style style,
          T_OUT(u8) distance_map)) {
    T_INDEX1(block);
    i32 seen = has_labels ? (label_ranges[2 * block] < label_ranges[2 * block + 1] ? 1 : 0) : 0;
    for (i32 i = 0; i < style.surfaces; ++i)
        seen |= (ranges[2 * block] <= style.isovalue[i] ? 1 : 0) &
                (ranges[2 * block + 1] >= style.isovalue[i] ? 1 : 0);
    distance_map[block] = (u8)((1 - seen) * render_max_skip);
}

// The distance map for space leaping (D. Cohen, Z. Sheffer, "Proximity clouds", The Visual Computer
// 11, 1994): the chessboard distance in blocks to the nearest visible one, at most render_max_skip.
// Three launches, one along each axis, make it from the marks of empty blocks.
T_KERNEL(render_distance_map,
         (T_IN(u8) previous, const render_grid grid, const i32 axis, T_OUT(u8) distance_map)) {
    T_INDEX3(x, y, z);
    const i32 at = axis == 0 ? x : axis == 1 ? y : z;
    const i64 step = axis == 0   ? 1
                     : axis == 1 ? grid.blocks[0]
                                 : (i64)grid.blocks[0] * grid.blocks[1];
    const i64 here = ((i64)z * grid.blocks[1] + y) * grid.blocks[0] + x;
    i32 least = previous[here];
    for (i32 k = 1; k < least; ++k) {
        i32 neighbor = render_max_skip;
        if (at >= k) neighbor = previous[here - k * step];
        if (at + k < grid.blocks[axis]) neighbor = T_MIN(neighbor, (i32)previous[here + k * step]);
        least = T_MIN(least, T_MAX(k, neighbor));
    }
    distance_map[here] = (u8)least;
}

// Bytes of the picture from accumulated colors, over the background where there is one.
T_KERNEL(render_picture, (T_IN(f32) pixels, const f32 red, const f32 green, const f32 blue,
                          const i32 channels, T_OUT(u8) picture)) {
    T_INDEX1(i);
    const f32 background[3] = {red, green, blue};
    const f32 opacity = pixels[4 * (i64)i + 3];
    T_GLOBAL_PTR(u8) to = picture + channels * (i64)i;
    for (i32 c = 0; c < 3; ++c) {
        const f32 accumulated = pixels[4 * (i64)i + c];
        const f32 over = channels == 3 ? accumulated + (1.0f - opacity) * background[c]
                                       : (opacity > 0.0f ? accumulated / opacity : 0.0f);
        to[c] = (u8)T_ROUND(T_CLAMP(over, 0.0f, 1.0f) * 255.0f);
    }
    if (channels == 4) to[3] = (u8)T_ROUND(T_CLAMP(opacity, 0.0f, 1.0f) * 255.0f);
}

#include "kernels/end.h"
