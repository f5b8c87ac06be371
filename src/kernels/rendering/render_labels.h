// Labels at places, by their smoothed shares (render_shares.kernel.h).
#ifndef TESELA_KERNELS_RENDER_LABELS_H
#define TESELA_KERNELS_RENDER_LABELS_H

#include "kernels/rendering/render_place.h"

// The shares in a voxel, of 27: of the label that it shows, of the other visible label that has
// most of it, of all that are not visible; and the other label.
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
    T_GLOBAL_PTR(const f32) looks;
    T_GLOBAL_PTR(const i32) slots;
    u32 visible;  // labels from 1 to this
} render_labels;

// The share of a visible label in a voxel.
T_FUNCTION u32 render_share(const render_labels* pool, const i64 voxel, const u32 label) {
    const u32 shares = pool->shares[voxel];
    return pool->labels[voxel] == label ? render_own_share(shares)
           : shares >> 16 == label      ? render_other_share(shares)
                                        : 0u;
}

// What lies on the two sides of a surface; 0 stands for all that is not visible.
typedef struct {
    u32 from, to;
} render_sides;

// By how much the shares of the farther or visible side are larger than those of the other, between
// eight voxels.
T_FUNCTION f32 render_excess(const render_labels* pool, const render_grid* grid,
                             const render_sides* sides, const f32* place) {
    const i64 origin = render_origin_at(pool->slots, grid, place);
    const render_cell cell = render_cell_of(place);
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

// The share of a visible label at a place, between eight voxels.
T_FUNCTION f32 render_share_at(const render_labels* pool, const i64 origin, const render_cell* cell,
                               const u32 label) {
    f32 share = 0.0f;
    T_UNROLL
    for (i32 corner = 0; corner < 8; ++corner)
        share += render_corner_weight(cell, corner) *
                 (f32)render_share(pool, origin + render_corner(cell, corner), label);
    return share;
}

// The visible label that has most of a place, or 0 where none is near.
T_FUNCTION u32 render_strongest(const render_labels* pool, const render_grid* grid,
                                const f32* place) {
    const i64 origin = render_origin_at(pool->slots, grid, place);
    const render_cell cell = render_cell_of(place);
    u32 strongest = 0;
    f32 most = -1.0f;  // not yet known
    for (i32 corner = 0; corner < 8; ++corner) {
        const i64 voxel = origin + render_corner(&cell, corner);
        const u32 own = pool->labels[voxel];
        const u32 label = own - 1u < pool->visible ? own : pool->shares[voxel] >> 16;
        if (label == 0 || label == strongest) continue;
        if (strongest == 0) {
            strongest = label;
            continue;
        }
        if (most < 0.0f) most = render_share_at(pool, origin, &cell, strongest);
        const f32 share = render_share_at(pool, origin, &cell, label);
        if (share > most) {
            most = share;
            strongest = label;
        }
    }
    return strongest;
}

// The visible label at a place, or 0 where those that are not visible have more of it. So a surface
// has no groove where labels touch.
T_FUNCTION u32 render_label_at(const render_labels* pool, const render_grid* grid,
                               const f32* place) {
    const render_sides any = {0, 0};
    return render_excess(pool, grid, &any, place) >= 0.0f ? render_strongest(pool, grid, place) : 0;
}

#endif
