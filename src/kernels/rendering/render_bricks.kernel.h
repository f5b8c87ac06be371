// Volumes to bricks, what is seen of their blocks, and pictures of what rays gathered.
#define T_FILE render_bricks
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/rendering/render_place.h"

#define RENDER_BODY "kernels/rendering/render_ranges.body.h"
#include "kernels/rendering/render_all.body.h"
#undef RENDER_BODY

// Infinity becomes NaN, which samples tell by comparing.
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

// Red, green and blue beside each other; the luminance of ITU-R BT.709 on top.
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

// Whether values of a block have any opacity: 0 if they have, else render_most_away. `before[i]` is
// the number of nodes below i of the table whose opacity is above 0.
T_KERNEL(render_hidden,
         (T_IN(f32) ranges, T_IN(u32) before, const f32 scale, const f32 offset, T_OUT(u8) away)) {
    T_INDEX1(block);
    const f32 lowest = ranges[2 * block];
    const f32 highest = ranges[2 * block + 1];
    const f32 nodes = (f32)render_table_nodes;
    const f32 from = T_FMA(lowest, scale, offset);
    const f32 to = T_FMA(highest, scale, offset);
    const i32 first = (i32)T_CLAMP(from, 0.0f, nodes);
    const i32 last = T_MIN((i32)T_CLAMP(to, 0.0f, nodes) + 1, render_table_nodes);
    const i32 is_hidden = lowest > highest || before[last + 1] == before[first] ? 1 : 0;
    away[block] = (u8)(is_hidden * render_most_away);
}

// The same for surfaces that run through a block: of a value, or a border of labels.
T_KERNEL(render_hidden_surfaces, (T_IN(f32) ranges, T_IN(f32) label_ranges, const i32 has_labels,
                                  const render_style style, T_OUT(u8) away)) {
    T_INDEX1(block);
    i32 seen = has_labels ? (label_ranges[2 * block] < label_ranges[2 * block + 1] ? 1 : 0) : 0;
    for (i32 i = 0; i < style.surfaces; ++i)
        seen |= (ranges[2 * block] <= style.isovalue[i] ? 1 : 0) &
                (ranges[2 * block + 1] >= style.isovalue[i] ? 1 : 0);
    away[block] = (u8)((1 - seen) * render_most_away);
}

// How many blocks away the nearest is that is seen, along the axis along which this is farthest; at
// most render_most_away. Three launches make it of 0 and render_most_away, one for each axis.
T_KERNEL(render_away, (T_IN(u8) before, const render_grid grid, const i32 axis, T_OUT(u8) away)) {
    T_INDEX3(x, y, z);
    const i32 at = axis == 0 ? x : axis == 1 ? y : z;
    const i64 step = axis == 0   ? 1
                     : axis == 1 ? grid.blocks[0]
                                 : (i64)grid.blocks[0] * grid.blocks[1];
    const i64 here = ((i64)z * grid.blocks[1] + y) * grid.blocks[0] + x;
    i32 least = before[here];
    for (i32 k = 1; k < least; ++k) {
        i32 beside = render_most_away;
        if (at >= k) beside = before[here - k * step];
        if (at + k < grid.blocks[axis]) beside = T_MIN(beside, (i32)before[here + k * step]);
        least = T_MIN(least, T_MAX(k, beside));
    }
    away[here] = (u8)least;
}

// Numbers of bytes from what rays gathered, over a background where there is one.
T_KERNEL(render_picture, (T_IN(f32) pixels, const f32 red, const f32 green, const f32 blue,
                          const i32 channels, T_OUT(u8) picture)) {
    T_INDEX1(i);
    const f32 background[3] = {red, green, blue};
    const f32 opacity = pixels[4 * (i64)i + 3];
    T_GLOBAL_PTR(u8) to = picture + channels * (i64)i;
    for (i32 c = 0; c < 3; ++c) {
        const f32 gathered = pixels[4 * (i64)i + c];
        const f32 over = channels == 3 ? gathered + (1.0f - opacity) * background[c]
                                       : (opacity > 0.0f ? gathered / opacity : 0.0f);
        to[c] = (u8)T_ROUND(T_CLAMP(over, 0.0f, 1.0f) * 255.0f);
    }
    if (channels == 4) to[3] = (u8)T_ROUND(T_CLAMP(opacity, 0.0f, 1.0f) * 255.0f);
}

#include "kernels/end.h"
