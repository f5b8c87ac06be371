// Which points are edges, by their gradient and those across.
#ifndef TESELA_KERNELS_THRESHOLDS_EDGE_KINDS_H
#define TESELA_KERNELS_THRESHOLDS_EDGE_KINDS_H

// Classes of points.
enum { edges_none = 0, edges_weak = 1, edges_strong = 2 };

// Which neighbors are across an edge: those in the row, on the falling diagonal, in the column, on
// the rising diagonal. The components are at most 2^18 apart from 0, as Sobel's mask makes them of
// 16 bits: 32 bits tell exactly on which side of 22.5 and 67.5 degrees they are.
T_FUNCTION i32 edges_direction(const gradient_vector v) {
    const i32 across = T_ABS(v.x), along = T_ABS(v.y);
    const u32 slope = (u32)across * 13573u;  // by the tangent of 22.5 degrees, in 2^-15
    const i32 diagonal = (v.x < 0) == (v.y < 0) ? 1 : 3;
    const i32 steep = along > 2 * across + (i32)(slope >> 15) ? 2 : diagonal;
    return along >= (i32)((slope + 32767u) >> 15) ? steep : 0;
}

// Of two equal neighbors across an edge the second stays.
T_FUNCTION u8 edges_kind(const i64 own, const i64 before, const i64 behind, const i64 low,
                         const i64 high) {
    const i32 stays = (own >= low) & (own != 0) & (own > before) & (own >= behind);
    return (u8)(stays ? own >= high ? edges_strong : edges_weak : edges_none);
}

#endif
