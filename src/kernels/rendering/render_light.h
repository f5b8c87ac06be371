// Tables and light.
#ifndef TESELA_KERNELS_RENDER_LIGHT_H
#define TESELA_KERNELS_RENDER_LIGHT_H

#include "kernels/rendering/render_types.h"

// The two nodes of a table between which a place lies, and the weight of the second.
typedef struct {
    f32 low[4], high[4];
    f32 weight;
} render_nodes;

T_FUNCTION render_nodes render_nodes_at(T_GLOBAL_PTR(const f32) table, const f32 place) {
    render_nodes nodes;
    const f32 within = T_CLAMP(place, 0.0f, (f32)render_table_nodes);
    const i32 node = T_MIN((i32)within, render_table_nodes - 1);
    nodes.weight = within - (f32)node;
    T_READ_FOUR(nodes.low, table + 4 * node);
    T_READ_FOUR(nodes.high, table + 4 * node + 4);
    return nodes;
}
T_FUNCTION f32 render_between(const render_nodes* nodes, const i32 c) {
    return T_FMA(nodes->weight, nodes->high[c] - nodes->low[c], nodes->low[c]);
}

// Between the nodes of one of the two tables that are beside each other: 0 the opacity of a step by
// that of the reference length, 1 the gradient's opacity.
T_FUNCTION f32 render_look_up_beside(T_GLOBAL_PTR(const f32) tables, const i32 which,
                                     const f32 place) {
    const f32 within = T_CLAMP(place, 0.0f, (f32)render_table_nodes);
    const i32 node = T_MIN((i32)within, render_table_nodes - 1);
    const f32 low = tables[2 * node + which];
    const f32 high = tables[2 * node + 2 + which];
    return T_FMA(within - (f32)node, high - low, low);
}

// The gradient in values per mm from that in values per voxel: its length, and its part along the
// ray, as a share of the length.
typedef struct {
    f32 length, along;
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
    slope.along = slope.length > 0.0f ? along / slope.length : 1.0f;
    return slope;
}

// A lamp at the eye lights a surface whose normal has this cosine to the ray: ambient, diffuse, and
// specular of exponent 16 (J. F. Blinn, 1977; with the lamp at the eye both models are alike).
T_FUNCTION void render_lit(const render_style* style, const f32 cosine, f32* color) {
    const f32 squared = cosine * cosine;
    const f32 fourth = squared * squared;
    const f32 eighth = fourth * fourth;
    const f32 shine = style->specular * (eighth * eighth);
    const f32 matt = style->ambient + style->diffuse * cosine;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) {
        const f32 lit = T_FMA(matt, color[c], shine);
        color[c] = T_MIN(lit, 1.0f);
    }
}

// What a ray has gathered, front to back.
typedef struct {
    f32 color[3];
    f32 passes;  // the share of light that still passes
    f32 depth;   // -1: not yet
} render_gathered;

#define RENDER_OPAQUE (1.0f / 1024.0f)

T_FUNCTION render_gathered render_nothing(void) {
    const render_gathered nothing = {{0.0f, 0.0f, 0.0f}, 1.0f, -1.0f};
    return nothing;
}
T_FUNCTION void render_add(render_gathered* gathered, const f32* color, const f32 opacity,
                           const f32 t) {
    const f32 share = gathered->passes * opacity;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) gathered->color[c] = T_FMA(share, color[c], gathered->color[c]);
    gathered->passes -= share;
    if (gathered->depth < 0.0f && gathered->passes <= 0.5f) gathered->depth = t;
}
// Red, green, blue times opacity, and opacity; and the depth. A ray that was ended counts as
// opaque.
T_FUNCTION void render_write(const render_gathered* gathered, const i64 at,
                             T_GLOBAL_PTR(f32) pixels, T_GLOBAL_PTR(f32) depth) {
    const f32 opacity = 1.0f - gathered->passes;
    const f32 full = gathered->passes < RENDER_OPAQUE && opacity > 0.0f ? 1.0f / opacity : 1.0f;
    const f32 four[4] = {gathered->color[0] * full, gathered->color[1] * full,
                         gathered->color[2] * full, opacity * full};
    T_WRITE_FOUR(pixels + 4 * at, four);
    depth[at] = gathered->depth;
}

#endif
