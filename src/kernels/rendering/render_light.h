// Tables of colors and opacities, shading, and accumulation along rays.
#ifndef TESELA_KERNELS_RENDER_LIGHT_H
#define TESELA_KERNELS_RENDER_LIGHT_H

#include "kernels/rendering/render_types.h"

// The two nodes of a table between which a position lies, and the weight of the second.
typedef struct {
    f32 low[4], high[4];
    f32 weight;
} render_nodes;

T_FUNCTION render_nodes render_nodes_at(T_GLOBAL_PTR(const f32) table, const f32 position) {
    render_nodes nodes;
    const f32 within = T_CLAMP(position, 0.0f, (f32)render_table_nodes);
    const i32 node = T_MIN((i32)within, render_table_nodes - 1);
    nodes.weight = within - (f32)node;
    T_READ_FOUR(nodes.low, table + 4 * node);
    T_READ_FOUR(nodes.high, table + 4 * node + 4);
    return nodes;
}
T_FUNCTION f32 render_interpolate(const render_nodes* nodes, const i32 c) {
    return T_FMA(nodes->weight, nodes->high[c] - nodes->low[c], nodes->low[c]);
}

// Interpolates in a column of the opacity tables, which are interleaved.
T_FUNCTION f32 render_opacity_at(T_GLOBAL_PTR(const f32) tables, const i32 column,
                                 const f32 position) {
    const f32 within = T_CLAMP(position, 0.0f, (f32)render_table_nodes);
    const i32 node = T_MIN((i32)within, render_table_nodes - 1);
    const f32 low = tables[2 * node + column];
    const f32 high = tables[2 * node + 2 + column];
    return T_FMA(within - (f32)node, high - low, low);
}

// The gradient in values per mm, made from that in values per voxel: its length, and the cosine of
// the angle between it and the ray, without sign.
typedef struct {
    f32 length, cosine;
} render_slope;

T_FUNCTION render_slope render_slope_of(const f32* gradient, const f32* to_voxel,
                                        const f32* direction) {
    f32 mm[3];
    T_UNROLL
    for (i32 a = 0; a < 3; ++a)
        mm[a] = gradient[0] * to_voxel[a] + gradient[1] * to_voxel[3 + a] +
                gradient[2] * to_voxel[6 + a];
    render_slope slope;
    slope.length = T_SQRT(mm[0] * mm[0] + mm[1] * mm[1] + mm[2] * mm[2]);
    const f32 along = T_ABS(mm[0] * direction[0] + mm[1] * direction[1] + mm[2] * direction[2]);
    slope.cosine = slope.length > 0.0f ? along / slope.length : 1.0f;
    return slope;
}

// Shades a surface lit by a headlight; `cosine` is that of the normal and the ray. Ambient,
// diffuse, and specular of exponent 16 (J. F. Blinn, 1977; for a headlight his model and Phong's
// are alike).
T_FUNCTION void render_shade(const render_style* style, const f32 cosine, f32* color) {
    const f32 squared = cosine * cosine;
    const f32 fourth = squared * squared;
    const f32 eighth = fourth * fourth;
    const f32 highlight = style->specular * (eighth * eighth);
    const f32 matte = style->ambient + style->diffuse * cosine;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) {
        const f32 lit = T_FMA(matte, color[c], highlight);
        color[c] = T_MIN(lit, 1.0f);
    }
}

// Color and transmittance accumulated along a ray, front to back.
typedef struct {
    f32 color[3];
    f32 transmittance;  // of all that lies in front: 1 - accumulated opacity
    f32 depth;          // -1: none yet
} render_accumulated;

// A ray ends where its transmittance is below this (early ray termination).
#define RENDER_OPAQUE (1.0f / 1024.0f)

T_FUNCTION render_accumulated render_nothing_yet(void) {
    const render_accumulated nothing = {{0.0f, 0.0f, 0.0f}, 1.0f, -1.0f};
    return nothing;
}
T_FUNCTION void render_accumulate(render_accumulated* accumulated, const f32* color,
                                  const f32 opacity, const f32 t) {
    const f32 share = accumulated->transmittance * opacity;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c)
        accumulated->color[c] = T_FMA(share, color[c], accumulated->color[c]);
    accumulated->transmittance -= share;
    if (accumulated->depth < 0.0f && accumulated->transmittance <= 0.5f) accumulated->depth = t;
}
// Premultiplied red, green and blue, opacity, and depth. A ray that ended early counts as opaque.
T_FUNCTION void render_write(const render_accumulated* accumulated, const i64 at,
                             T_GLOBAL_PTR(f32) pixels, T_GLOBAL_PTR(f32) depth) {
    const f32 opacity = 1.0f - accumulated->transmittance;
    const f32 full =
        accumulated->transmittance < RENDER_OPAQUE && opacity > 0.0f ? 1.0f / opacity : 1.0f;
    const f32 four[4] = {accumulated->color[0] * full, accumulated->color[1] * full,
                         accumulated->color[2] * full, opacity * full};
    T_WRITE_FOUR(pixels + 4 * at, four);
    depth[at] = accumulated->depth;
}

#endif
