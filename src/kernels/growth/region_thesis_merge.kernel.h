// The thesis's region growing, kernel 2: labels of similar neighboring tiles become one (Barriuso
// Medrano 2011, sections 5.4 and 5.5). One group goes in windows of `side` tiles a side over the
// grid of tiles, `nx` by `ny`; neighbor windows share a row or column, so that labels are carried
// along. Means are those that the tiles were left with by kernel 1, so that the order of windows
// decides nothing but the number of steps.
//
// Tile 0 is at the lower left, x fastest. On its way right and up, a tile takes the lowest of its
// own label and those of its left and lower neighbors where it is similar to them; on the way left
// and down, of its right and upper ones. All tiles of a window take a step at once, `steps` times.
#define T_FILE region_thesis_merge
#include "kernels/begin.h"

#include "kernels/growth/region_thesis.h"

enum { region_thesis_window = region_thesis_block * region_thesis_block };

// Whether a tile takes the label of its neighbor: |tile - neighbor| / |tile| below the threshold;
// symmetric: over the smaller of the two norms. Means are truncated. `limit` as for growth.
T_FUNCTION i32 region_thesis_similar(T_GLOBAL_PTR(const i32) table, const i32 tiles,
                                     const i32 neighbor, const i32 tile, const i32 symmetric,
                                     const i64 limit) {
    i32 own[3], other[3];
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) {
        own[c] = table[(i64)(1 + c) * tiles + tile] / table[tile];
        other[c] = table[(i64)(1 + c) * tiles + neighbor] / table[neighbor];
    }
    i32 reach = region_thesis_reach(own[0], own[1], own[2], limit);
    if (symmetric) reach = T_MIN(reach, region_thesis_reach(other[0], other[1], other[2], limit));
    return region_thesis_distance2(own[0], own[1], own[2], other[0], other[1], other[2]) <= reach;
}

// `passes` is 1 for right and up alone, 2 for both; a round is all passes over all windows, and
// there are more of them, up to `rounds`, while labels change. `told[0]` is the number of rounds
// that changed a label.
// An item keeps to its tiles in all windows, whose place in a window is that in the grid modulo
// `side`: it reads no label in device memory that another item writes.
T_GROUP_KERNEL(region_thesis_merge, region_thesis_items, 1, 1,
               (T_IN(i32) table, T_OUT(u32) tile_labels, T_OUT(u32) told, i32 nx, i32 ny, i32 side,
                i32 steps, i32 passes, i32 rounds, i32 symmetric, i64 limit)) {
    T_LOCAL(u32, window, 2 * region_thesis_window);  // labels before a step and after it, in turn
    T_LOCAL(u32, changed, 3);                        // whether step k did anything, in [k % 3]
    T_LOCAL(u32, moved, 2);                          // whether round k did anything, in [k % 2]
    T_ITEM_ARRAY(i32, tile, region_thesis_slots);    // -1: none
    T_ITEM_ARRAY(i32, along, region_thesis_slots);   // place of the neighbor to take from, or own
    T_ITEM_ARRAY(i32, across, region_thesis_slots);
    const i32 stride = side - 1;
    const i32 windows_x = T_MAX(1, (nx - 1 + stride - 1) / stride);
    const i32 windows_y = T_MAX(1, (ny - 1 + stride - 1) / stride);
    const i32 windows = windows_x * windows_y;
    T_PHASE {
        if (T_LI < 2) moved[T_LI] = 0;
    }
    i32 round = 0;
    for (i32 going = 1; going && round < rounds; ++round) {
        for (i32 turn = 0; turn < passes * windows; ++turn) {
            const i32 way = turn < windows ? -1 : 1;  // where labels come from
            const i32 number = turn < windows ? turn : 2 * windows - 1 - turn;
            const i32 x0 = number % windows_x * stride;
            const i32 y0 = number / windows_x * stride;
            T_PHASE {
                if (T_LI < 3) changed[T_LI] = 0;
                for (i32 s = 0; s < region_thesis_slots; ++s) {
                    const i32 place = T_LI + s * region_thesis_items;
                    const i32 sx = place % side;
                    const i32 sy = place / side;
                    // The tile of the window with this place modulo `side`.
                    const i32 x = x0 + (sx - x0 % side + side) % side;
                    const i32 y = y0 + (sy - y0 % side + side) % side;
                    const i32 inside = sy < side && x < nx && y < ny;
                    const i32 own = y * nx + x;
                    const i32 from_x = x + way;
                    const i32 from_y = y + way;
                    T_MY(tile)[s] = inside ? own : -1;
                    T_MY(along)[s] = place;
                    T_MY(across)[s] = place;
                    if (inside) {
                        window[place] = tile_labels[own];
                        if (from_x >= x0 && from_x < T_MIN(x0 + side, nx) &&
                            region_thesis_similar(table, nx * ny, own + way, own, symmetric, limit))
                            T_MY(along)[s] = sy * side + from_x % side;
                        if (from_y >= y0 && from_y < T_MIN(y0 + side, ny) &&
                            region_thesis_similar(table, nx * ny, own + way * nx, own, symmetric,
                                                  limit))
                            T_MY(across)[s] = from_y % side * side + sx;
                    }
                }
            }
            i32 step = 0;
            for (i32 stepping = 1; stepping && step < steps; ++step) {
                const i32 before = step % 2 * region_thesis_window;
                const i32 after = region_thesis_window - before;
                T_PHASE {
                    if (T_LI == 0) changed[(step + 1) % 3] = 0;
                    T_UNROLL
                    for (i32 s = 0; s < region_thesis_slots; ++s) {
                        if (T_MY(tile)[s] >= 0) {
                            const i32 place = T_LI + s * region_thesis_items;
                            const u32 own = window[before + place];
                            const u32 left = window[before + T_MY(along)[s]];
                            const u32 below = window[before + T_MY(across)[s]];
                            const u32 lowest = T_MIN(own, T_MIN(left, below));
                            window[after + place] = lowest;
                            if (lowest != own) T_ATOMIC_OR(&changed[step % 3], 1u);
                        }
                    }
                }
                // Written before the last barrier, and not again before the next one.
                stepping = step == 0 || changed[(step + 2) % 3] != 0;
            }
            T_PHASE {
                for (i32 s = 0; s < region_thesis_slots; ++s) {
                    const i32 own = T_MY(tile)[s];
                    if (own >= 0) {
                        const u32 label = window[step % 2 * region_thesis_window + T_LI +
                                                 s * region_thesis_items];
                        if (label != tile_labels[own]) {
                            tile_labels[own] = label;
                            T_ATOMIC_OR(&moved[round % 2], 1u);
                        }
                    }
                }
            }
        }
        T_PHASE {
            if (T_LI == 0) moved[(round + 1) % 2] = 0;
        }
        going = moved[round % 2] != 0;
    }
    T_PHASE {
        if (T_LI == 0) told[0] = (u32)round - (moved[(round + 1) % 2] != 0 ? 0u : 1u);
    }
}

// ---- Merging without a window ------------------------------------------------------------------

T_FUNCTION u32 region_thesis_root(T_GLOBAL_PTR(u32) tile_labels, u32 tile) {
    u32 up = T_LOAD(u32, tile_labels + tile) - 1;
    while (up != tile) {
        tile = up;
        up = T_LOAD(u32, tile_labels + tile) - 1;
    }
    return tile;
}

// Union-find over the whole grid at once: a label less one is the tile above. Tiles are joined with
// their left and lower neighbors where one of the two is similar to the other.
T_KERNEL(region_thesis_join,
         (T_IN(i32) table, T_OUT(u32) tile_labels, i32 nx, i32 ny, i32 symmetric, i64 limit)) {
    T_INDEX2(x, y);
    for (i32 axis = 0; axis < 2; ++axis) {
        const i32 own = y * nx + x;
        const i32 other = axis == 0 ? own - 1 : own - nx;
        if ((axis == 0 ? x : y) == 0) continue;
        if (!region_thesis_similar(table, nx * ny, other, own, symmetric, limit) &&
            !region_thesis_similar(table, nx * ny, own, other, symmetric, limit))
            continue;
        u32 a = region_thesis_root(tile_labels, (u32)own);
        u32 b = region_thesis_root(tile_labels, (u32)other);
        while (a != b) {
            const u32 low = T_MIN(a, b);
            const u32 high = T_MAX(a, b);
            const u32 before = T_ATOMIC_MIN(tile_labels + high, low + 1) - 1;
            a = region_thesis_root(tile_labels, low);
            // Where another item has joined `high` elsewhere meanwhile, its tree joins too.
            b = before == high ? a : region_thesis_root(tile_labels, before);
        }
    }
}

// Other items shorten the way meanwhile, which changes no end.
T_KERNEL(region_thesis_flatten, (T_OUT(u32) tile_labels)) {
    T_INDEX1(tile);
    T_STORE(u32, tile_labels + tile, region_thesis_root(tile_labels, (u32)tile) + 1);
}

#include "kernels/end.h"
