// Labels at positions between voxels, by their smoothed shares (render_shares.kernel.h).
#ifndef TESELA_KERNELS_RENDER_LABELS_H
#define TESELA_KERNELS_RENDER_LABELS_H

#include "kernels/rendering/render_position.h"

// The shares of a voxel, in 27ths: of its own label, of the other visible label that has the
// largest share, and of all hidden labels; and the number of that other label.
T_FUNCTION u32 render_packed_shares(const u32 own, const u32 other, const u32 hidden,
                                    const u32 label) {
    return own | other << 5 | hidden << 10 | label << 16;
}
T_FUNCTION u32 render_own_share(const u32 shares) { return shares & 31u; }
T_FUNCTION u32 render_other_share(const u32 shares) { return (shares >> 5) & 31u; }
T_FUNCTION u32 render_hidden_share(const u32 shares) { return (shares >> 10) & 31u; }

typedef struct {
    T_GLOBAL_PTR(const u16) labels;
    T_GLOBAL_PTR(const u32) shares;
    T_GLOBAL_PTR(const f32) label_colors;
    T_GLOBAL_PTR(const i32) page_table;
    u32 visible;  // labels from 1 to this
} render_labels;

// The share of a visible label in a voxel.
T_FUNCTION u32 render_share(const render_labels* pool, const i64 voxel, const u32 label) {
    const u32 shares = pool->shares[voxel];
    return pool->labels[voxel] == label ? render_own_share(shares)
           : shares >> 16 == label      ? render_other_share(shares)
                                        : 0u;
}

// The labels on the two sides of a surface; 0 is all hidden ones.
typedef struct {
    u32 from, to;
} render_sides;

// The share of the farther side, or of all visible labels, minus that of the other side,
// interpolated between eight voxels. The surface is where this is 0.
T_FUNCTION f32 render_excess(const render_labels* pool, const render_grid* grid,
                             const render_sides* sides, const f32* position) {
    const i64 origin = render_origin_at(pool->page_table, grid, position);
    const render_cell cell = render_cell_of(position);
    const i32 hides = sides->from == 0 || sides->to == 0 ? 1 : 0;
    f32 excess = 0.0f;
    T_UNROLL
    for (i32 corner = 0; corner < 8; ++corner) {
        const i64 voxel = origin + render_corner(&cell, corner);
        const i32 here =
            hides ? render_whole_share - 2 * (i32)render_hidden_share(pool->shares[voxel])
                  : (i32)render_share(pool, voxel, sides->to) -
                        (i32)render_share(pool, voxel, sides->from);
        excess += render_corner_weight(&cell, corner) * (f32)here;
    }
    return excess;
}

// The share of a visible label at a position, interpolated between eight voxels.
T_FUNCTION f32 render_share_at(const render_labels* pool, const i64 origin, const render_cell* cell,
                               const u32 label) {
    f32 share = 0.0f;
    T_UNROLL
    for (i32 corner = 0; corner < 8; ++corner)
        share += render_corner_weight(cell, corner) *
                 (f32)render_share(pool, origin + render_corner(cell, corner), label);
    return share;
}

// The visible label with the largest share at a position, or 0 where none is near.
T_FUNCTION u32 render_dominant_label(const render_labels* pool, const render_grid* grid,
                                     const f32* position) {
    const i64 origin = render_origin_at(pool->page_table, grid, position);
    const render_cell cell = render_cell_of(position);
    u32 dominant = 0;
    f32 most = -1.0f;  // not yet known
    for (i32 corner = 0; corner < 8; ++corner) {
        const i64 voxel = origin + render_corner(&cell, corner);
        const u32 own = pool->labels[voxel];
        const u32 label = own - 1u < pool->visible ? own : pool->shares[voxel] >> 16;
        if (label == 0 || label == dominant) continue;
        if (dominant == 0) {
            dominant = label;
            continue;
        }
        if (most < 0.0f) most = render_share_at(pool, origin, &cell, dominant);
        const f32 share = render_share_at(pool, origin, &cell, label);
        if (share > most) {
            most = share;
            dominant = label;
        }
    }
    return dominant;
}

// The visible label at a position, or 0 where hidden labels have the larger share. All visible
// labels count together, so that a surface has no groove where two of them touch.
T_FUNCTION u32 render_label_at(const render_labels* pool, const render_grid* grid,
                               const f32* position) {
    const render_sides any = {0, 0};
    return render_excess(pool, grid, &any, position) >= 0.0f
               ? render_dominant_label(pool, grid, position)
               : 0;
}

// The same in a block that no border between labels runs through: all of its voxels have the label.
T_FUNCTION u32 render_uniform_label(const render_labels* pool, const render_grid* grid,
                                    const f32* position) {
    const i64 origin = render_origin_at(pool->page_table, grid, position);
    const u32 label = pool->labels[origin + render_nearest(position)];
    return label - 1u < pool->visible ? label : 0u;
}

#endif
