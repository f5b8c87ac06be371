// Growth of all regions at once. A point without a region joins the one whose mean is closest to it
// among those of its neighbors that joined in the round before; of equal ones that of the smallest
// number. Means are those that the regions began with, so that the order of points has no say.
//
// `state` of a point is 16 times the number of its region, from 1, plus the lowest bits of the
// round in which it joined; 0 is no region. Points of a round wait for those of the round before
// alone: what is older would have taken them already, or never will. So a round works in place.
#define T_FILE region_growth
#include "kernels/begin.h"
#include "kernels/region_graph.h"

// A group of 32 x 8 items looks at a tile of so many points of a slice: most tiles are done after
// few rounds, and the fewer there are, the sooner a round is over.
enum {
    region_growth_items_x = 32,
    region_growth_items_y = 8,
    region_growth_x = 64,
    region_growth_y = 32,
    region_growth_ages = 16,  // rounds that a state tells apart
    // In pictures a group goes through so many rounds, in local memory, with a rim as wide.
    region_growth_rounds_of_tile = 8,
    region_growth_wide = region_growth_x + 2 * region_growth_rounds_of_tile,
    region_growth_high = region_growth_y + 2 * region_growth_rounds_of_tile,
    region_growth_cells = region_growth_wide * region_growth_high,
    region_growth_cells_of_item =
        region_growth_cells / (region_growth_items_x * region_growth_items_y)
};

T_FUNCTION i32 region_growth_state(const i32 region, const i32 round) {
    return region * region_growth_ages + (round & (region_growth_ages - 1));
}
T_FUNCTION i32 region_growth_region(const i32 state) { return state / region_growth_ages; }
// Whether a point joined in the round before; much older ones may seem to, and change nothing.
T_FUNCTION i32 region_growth_is_fresh(const i32 state, const i32 round) {
    return state > 0 && ((state - round + 1) & (region_growth_ages - 1)) == 0;
}

// Seeds as regions: the components of a mask that are on it.
T_SIMD_KERNEL(region_growth_seeds, (T_IN(u8) mask, T_IN(u32) labels, T_OUT(i32) regions)) {
    T_INDEX1(i);
    regions[i] = mask[i] ? (i32)labels[i] : 0;
}

// Seeds as regions and, so that means can be taken of all, points without a seed as region `none`.
T_SIMD_KERNEL(region_growth_given, (T_OUT(u32) labels, T_OUT(i32) regions, u32 none)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    regions[i] = (i32)label;
    labels[i] = label == 0 ? none : label;
}

// From regions to the labels that `names` has for them.
T_KERNEL(region_growth_name, (T_IN(i32) regions, T_IN(u32) names, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = regions[i] == 0 ? 0u : names[regions[i] - 1];
}

T_KERNEL(region_growth_means, (T_IN(u32) statistics, T_OUT(i32) mean, i32 channels)) {
    T_INDEX1(r);
    region_set_mean(statistics, mean, channels, r);
}

// From regions, in place.
T_SIMD_KERNEL(region_growth_begin, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] * region_growth_ages;
}

// Before rounds under another limit: all that have joined did so in round 0.
T_SIMD_KERNEL(region_growth_restart, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] & ~(region_growth_ages - 1);
}

// To regions, in place.
T_SIMD_KERNEL(region_growth_end, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] / region_growth_ages;
}

T_FUNCTION i64 region_growth_distance2(T_GLOBAL_PTR(const i32) features,
                                       T_GLOBAL_PTR(const i32) mean, const i64 points,
                                       const i32 channels, const i64 i, const i32 region) {
    i64 distance2 = 0;
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const i64 d = (i64)features[c * points + i] - mean[(region - 1) * (i64)channels + c];
            distance2 += d * d;
        }
    }
    return distance2;
}

// The region that a point joins in a round, 0 for none. Distances are at most sqrt(limit2);
// neighbors differ along at most `axes` axes.
T_FUNCTION i32 region_growth_choice(T_GLOBAL_PTR(i32) state, T_GLOBAL_PTR(const i32) features,
                                    T_GLOBAL_PTR(const i32) mean, const i64 points,
                                    const i64 limit2, const i32 channels, const i32 round,
                                    const i32 axes, const i32 x, const i32 y, const i32 z,
                                    const i32 t, const i32 nx, const i32 ny, const i32 nz,
                                    const i32 nt) {
    const i64 i = (((i64)t * nz + z) * ny + y) * nx + x;
    i32 region = 0;
    i64 closest = 0;
    for (i32 dt = t > 0 ? -1 : 0; dt <= (t + 1 < nt ? 1 : 0); ++dt)
        for (i32 dz = z > 0 ? -1 : 0; dz <= (z + 1 < nz ? 1 : 0); ++dz)
            for (i32 dy = y > 0 ? -1 : 0; dy <= (y + 1 < ny ? 1 : 0); ++dy) {
                const i64 row = i + (((i64)dt * nz + dz) * ny + dy) * nx;
                const i32 reach = axes - T_ABS(dy) - T_ABS(dz) - T_ABS(dt);
                if (reach < 0) continue;
                const i32 first = reach > 0 && x > 0 ? -1 : 0;
                const i32 last = reach > 0 && x + 1 < nx ? 1 : 0;
                for (i32 dx = first; dx <= last; ++dx) {
                    const i32 other = T_LOAD(i32, state + row + dx);
                    const i32 offered = region_growth_region(other);
                    if (!region_growth_is_fresh(other, round) || offered == region) continue;
                    const i64 distance2 =
                        region_growth_distance2(features, mean, points, channels, i, offered);
                    if (distance2 > limit2) continue;
                    if (region == 0 || distance2 < closest ||
                        (distance2 == closest && offered < region)) {
                        region = offered;
                        closest = distance2;
                    }
                }
            }
    return region;
}

// One round. A tile is looked at where a point joined in it or beside it in the round before;
// `changed` has the last such round of each tile, `last` that of the image.
T_GROUP_KERNEL(region_growth_round, region_growth_items_x, region_growth_items_y, 1,
               (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean, T_OUT(i32) changed,
                T_OUT(i32) last, i64 points, i64 limit2, i32 channels, i32 round, i32 axes, i32 nx,
                i32 ny, i32 nz, i32 nt)) {
    T_LOCAL(u32, is_active, 1);
    const i32 z = T_GZ % nz;
    const i32 t = T_GZ / nz;
    const i64 tile = ((i64)T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    T_PHASE {
        if (T_LI == 0) is_active[0] = 0;
    }
    T_PHASE {
        if (T_LI < 81) {
            const i32 x = T_GX + T_LI % 3 - 1;
            const i32 y = T_GY + T_LI / 3 % 3 - 1;
            const i32 dz = T_LI / 9 % 3 - 1;
            const i32 dt = T_LI / 27 - 1;
            if (x >= 0 && x < T_GROUPS_X && y >= 0 && y < T_GROUPS_Y && z + dz >= 0 &&
                z + dz < nz && t + dt >= 0 && t + dt < nt) {
                const i64 other = (((i64)T_GZ + dt * nz + dz) * T_GROUPS_Y + y) * T_GROUPS_X + x;
                if (T_LOAD(i32, changed + other) >= round - 1) T_ATOMIC_OR(&is_active[0], 1u);
            }
        }
    }
    T_PHASE {
        const i32 end_x = is_active[0] ? T_MIN((T_GX + 1) * region_growth_x, nx) : 0;
        const i32 end_y = is_active[0] ? T_MIN((T_GY + 1) * region_growth_y, ny) : 0;
        for (i32 y = T_GY * region_growth_y + T_LY; y < end_y; y += region_growth_items_y)
            for (i32 x = T_GX * region_growth_x + T_LX; x < end_x; x += region_growth_items_x) {
                const i64 i = ((i64)T_GZ * ny + y) * nx + x;
                const i32 region =
                    T_LOAD(i32, state + i) != 0
                        ? 0
                        : region_growth_choice(state, features, mean, points, limit2, channels,
                                               round, axes, x, y, z, t, nx, ny, nz, nt);
                if (region != 0) {
                    T_STORE(i32, state + i, region_growth_state(region, round));
                    T_STORE(i32, changed + tile, round);
                    if (T_LOAD(i32, last) != round) T_STORE(i32, last, round);
                }
            }
    }
}

// The region that a cell of a tile joins in a round, 0 for none; the cell stands inside its rim.
T_FUNCTION i32 region_growth_choice_of_cell(T_LOCAL_PTR(const i32) cells,
                                            T_GLOBAL_PTR(const i32) features,
                                            T_GLOBAL_PTR(const i32) mean, const i64 points,
                                            const i64 limit2, const i32 channels, const i32 round,
                                            const i32 axes, const i32 cell, const i64 i) {
    i32 region = 0;
    i64 closest = 0;
    for (i32 dy = -1; dy <= 1; ++dy) {
        const i32 reach = axes > T_ABS(dy) ? 1 : 0;
        for (i32 dx = -reach; dx <= reach; ++dx) {
            const i32 other = cells[cell + dy * region_growth_wide + dx];
            const i32 offered = region_growth_region(other);
            if (!region_growth_is_fresh(other, round) || offered == region) continue;
            const i64 distance2 =
                region_growth_distance2(features, mean, points, channels, i, offered);
            if (distance2 > limit2) continue;
            if (region == 0 || distance2 < closest || (distance2 == closest && offered < region)) {
                region = offered;
                closest = distance2;
            }
        }
    }
    return region;
}

// Several rounds of a picture, the first of them `round`. A tile is looked at where a point joined
// in it or beside it in the round before, or joins while this is looked up. The rim is computed as
// well, each round one cell less of it; points of it that their own group has written already are
// what they would be here.
T_GROUP_KERNEL(region_growth_rounds, region_growth_items_x, region_growth_items_y, 1,
               (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean, T_OUT(i32) changed,
                T_OUT(i32) last, i64 points, i64 limit2, i32 channels, i32 round, i32 axes, i32 nx,
                i32 ny)) {
    T_LOCAL(i32, cells, region_growth_cells);  // -1 beyond the image
    T_LOCAL(u32, is_active, 1);
    T_LOCAL(i32, joined, 1);  // the last round in which a point of the tile's own did
    T_ITEM_ARRAY(i32, chosen, region_growth_cells_of_item);
    const i32 x0 = T_GX * region_growth_x - region_growth_rounds_of_tile;
    const i32 y0 = T_GY * region_growth_y - region_growth_rounds_of_tile;
    T_PHASE {
        if (T_LI == 0) {
            is_active[0] = 0;
            joined[0] = 0;
        }
    }
    T_PHASE {
        const i32 x = T_GX + T_LI % 3 - 1;
        const i32 y = T_GY + T_LI / 3 - 1;
        if (T_LI < 9 && x >= 0 && x < T_GROUPS_X && y >= 0 && y < T_GROUPS_Y &&
            T_LOAD(i32, changed + (i64)y * T_GROUPS_X + x) >= round - 1)
            T_ATOMIC_OR(&is_active[0], 1u);
    }
    T_PHASE {
        for (i32 k = 0; k < region_growth_cells_of_item && is_active[0]; ++k) {
            const i32 cell = k * region_growth_items_x * region_growth_items_y + T_LI;
            const i32 x = x0 + cell % region_growth_wide;
            const i32 y = y0 + cell / region_growth_wide;
            cells[cell] =
                x >= 0 && x < nx && y >= 0 && y < ny ? T_LOAD(i32, state + (i64)y * nx + x) : -1;
        }
    }
    for (i32 step = 1; step <= region_growth_rounds_of_tile; ++step) {
        T_PHASE {
            for (i32 k = 0; k < region_growth_cells_of_item && is_active[0]; ++k) {
                const i32 cell = k * region_growth_items_x * region_growth_items_y + T_LI;
                const i32 cx = cell % region_growth_wide;
                const i32 cy = cell / region_growth_wide;
                const i32 margin = T_MIN(T_MIN(cx, region_growth_wide - 1 - cx),
                                         T_MIN(cy, region_growth_high - 1 - cy));
                T_MY(chosen)
                [k] = margin >= step && cells[cell] == 0
                          ? region_growth_choice_of_cell(cells, features, mean, points, limit2,
                                                         channels, round + step - 1, axes, cell,
                                                         (i64)(y0 + cy) * nx + x0 + cx)
                          : 0;
            }
        }
        T_PHASE {
            for (i32 k = 0; k < region_growth_cells_of_item && is_active[0]; ++k) {
                const i32 cell = k * region_growth_items_x * region_growth_items_y + T_LI;
                const i32 cx = cell % region_growth_wide - region_growth_rounds_of_tile;
                const i32 cy = cell / region_growth_wide - region_growth_rounds_of_tile;
                if (T_MY(chosen)[k] != 0) {
                    const i32 joins = region_growth_state(T_MY(chosen)[k], round + step - 1);
                    cells[cell] = joins;
                    if (cx >= 0 && cx < region_growth_x && cy >= 0 && cy < region_growth_y) {
                        T_STORE(i32,
                                state + (i64)(T_GY * region_growth_y + cy) * nx +
                                    T_GX * region_growth_x + cx,
                                joins);
                        T_ATOMIC_MAX(&joined[0], round + step - 1);
                    }
                }
            }
        }
    }
    T_PHASE {
        if (T_LI == 0 && joined[0] != 0) {
            T_STORE(i32, changed + (i64)T_GY * T_GROUPS_X + T_GX, joined[0]);
            T_ATOMIC_MAX(last, joined[0]);
        }
    }
}

// The same by lists, for processors: the first round looks at all points, the others at neighbors
// of those that joined in the round before. Who joins is listed for the next round.
T_FUNCTION void region_growth_join(T_GLOBAL_PTR(i32) state, T_GLOBAL_PTR(const i32) features,
                                   T_GLOBAL_PTR(const i32) mean, T_GLOBAL_PTR(u32) joined,
                                   T_GLOBAL_PTR(u32) joined_count, const i64 points,
                                   const i64 limit2, const i32 channels, const i32 round,
                                   const i32 axes, const i32 x, const i32 y, const i32 z,
                                   const i32 t, const i32 nx, const i32 ny, const i32 nz,
                                   const i32 nt) {
    const i64 i = (((i64)t * nz + z) * ny + y) * nx + x;
    const i32 region = region_growth_choice(state, features, mean, points, limit2, channels, round,
                                            axes, x, y, z, t, nx, ny, nz, nt);
    T_STORE(i32, state + i, region == 0 ? 0 : region_growth_state(region, round));
    if (region != 0) joined[T_ATOMIC_ADD(joined_count, 1u)] = (u32)i;
}

T_KERNEL(region_growth_first, (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean,
                               T_OUT(u32) joined, T_OUT(u32) joined_count, i64 points, i64 limit2,
                               i32 channels, i32 axes, i32 nx, i32 ny, i32 nz, i32 nt)) {
    T_INDEX2(x, row);
    if (T_LOAD(i32, state + (i64)row * nx + x) == 0)
        region_growth_join(state, features, mean, joined, joined_count, points, limit2, channels, 1,
                           axes, x, row % ny, row / ny % nz, row / ny / nz, nx, ny, nz, nt);
}

T_KERNEL(region_growth_next, (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean, T_IN(u32) fresh,
                              T_OUT(u32) joined, T_OUT(u32) joined_count, i64 points, i64 limit2,
                              i32 channels, i32 round, i32 axes, i32 nx, i32 ny, i32 nz, i32 nt)) {
    T_INDEX1(k);
    const i32 at = (i32)fresh[k];
    const i32 x0 = at % nx;
    const i32 y0 = at / nx % ny;
    const i32 z0 = at / nx / ny % nz;
    const i32 t0 = at / nx / ny / nz;
    for (i32 t = T_MAX(t0 - 1, 0); t <= T_MIN(t0 + 1, nt - 1); ++t)
        for (i32 z = T_MAX(z0 - 1, 0); z <= T_MIN(z0 + 1, nz - 1); ++z)
            for (i32 y = T_MAX(y0 - 1, 0); y <= T_MIN(y0 + 1, ny - 1); ++y)
                for (i32 x = T_MAX(x0 - 1, 0); x <= T_MIN(x0 + 1, nx - 1); ++x) {
                    const i64 i = (((i64)t * nz + z) * ny + y) * nx + x;
                    // Only one item looks at a point at a time; -1 says so.
                    if (T_LOAD(i32, state + i) == 0 && T_ATOMIC_CAS(state + i, 0, -1) == 0)
                        region_growth_join(state, features, mean, joined, joined_count, points,
                                           limit2, channels, round, axes, x, y, z, t, nx, ny, nz,
                                           nt);
                }
}

#include "kernels/end.h"
