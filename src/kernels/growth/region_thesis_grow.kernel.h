// The thesis's region growing, kernel 1: in every tile a region grows from the center, all of its
// neighbors at once in each iteration (Barriuso Medrano 2011, sections 5.2 and 5.3). A group grows
// one tile; the pixels that it owns are a square of `block`, around which the tile has a ring of
// one pixel. Planes and rows are those of region_thesis_pixels.kernel.h; `labels` are in the order
// of the picture, and pixels beyond its width (of padding) have none there.
//
// Three forms give the same bits. The two of the thesis add up the region anew in each iteration:
// by a reduction over 512 places, or by atomics (section 5.2.3); they make all iterations. The
// third keeps what is in the region as bits of rows, adds only what joins, divides only where a
// pixel has to decide, and ends where nothing joins.
#define T_FILE region_thesis_grow
#include "kernels/begin.h"

#include "kernels/growth/region_thesis.h"

// Neighbors that a pixel looks at: all four, or of each axis the one on the side of the seed.
enum {
    region_thesis_left = 1,
    region_thesis_right = 2,
    region_thesis_below = 4,
    region_thesis_above = 8
};
T_FUNCTION u32 region_thesis_sides(const i32 x, const i32 y, const i32 seed, const i32 quadrants) {
    if (!quadrants)
        return region_thesis_left | region_thesis_right | region_thesis_below | region_thesis_above;
    return (u32)((x >= seed ? region_thesis_left : region_thesis_right) |
                 (y >= seed ? region_thesis_below : region_thesis_above));
}

// ---- The fast form -----------------------------------------------------------------------------

// Of iteration k, in turn k % 3: bits of the rows that joined, and what they add to the sums of
// three components and the size.
enum { region_thesis_rows = region_thesis_tile, region_thesis_turns = 3 };

// Bits of the state of a pixel.
enum { region_thesis_near = 1, region_thesis_inside = 2, region_thesis_nobody = 4 };

// Whether one of the neighbors that are looked at is among `rows`; the pixel is bit x of row y.
T_FUNCTION i32 region_thesis_touches(T_LOCAL_PTR(const u32) rows, const i32 x, const i32 y,
                                     const u32 sides) {
    const u32 beside = ((sides & region_thesis_left) != 0 ? 1u << (x - 1) : 0u) |
                       ((sides & region_thesis_right) != 0 ? 1u << (x + 1) : 0u);
    const u32 below = (sides & region_thesis_below) != 0 ? 1u << x : 0u;
    const u32 above = (sides & region_thesis_above) != 0 ? 1u << x : 0u;
    return ((rows[y] & beside) | (rows[y - 1] & below) | (rows[y + 1] & above)) != 0;
}

T_GROUP_KERNEL(region_thesis_grow, region_thesis_items, 1, 1,
               (T_IN(u8) planes, T_OUT(u32) labels, T_OUT(u32) tile_labels, T_OUT(i32) table,
                i32 pitch, i32 width, i32 height, i32 block, i32 stride, i32 iterations,
                i32 quadrants, i64 limit)) {
    T_LOCAL(u32, joined, region_thesis_turns * region_thesis_rows);
    T_LOCAL(i32, added, region_thesis_turns * 4);
    T_ITEM_ARRAY(i32, sums, 4);
    T_ITEM_ARRAY(u32, color, region_thesis_slots);  // a byte a component
    T_ITEM_ARRAY(i32, reach, region_thesis_slots);
    T_ITEM_ARRAY(u32, state, region_thesis_slots);
    T_ITEM_ARRAY(u32, place, region_thesis_slots);  // x, y, sides: a byte each
    T_ITEM(i32, used);
    const i64 plane = (i64)pitch * height;
    const i32 seed = block / 2;
    const i32 tile = T_GY * T_GROUPS_X + T_GX;
    const i32 x0 = T_GX * stride;
    const i32 row0 = T_GY * stride;
    T_PHASE {
        if (T_LI < region_thesis_turns * region_thesis_rows) joined[T_LI] = 0;
        if (T_LI < region_thesis_turns * 4) added[T_LI] = 0;
        T_MY(used) = 0;
        T_UNROLL
        for (i32 c = 0; c < 4; ++c) T_MY(sums)[c] = 0;
        T_UNROLL
        for (i32 s = 0; s < region_thesis_slots; ++s) {
            const i32 k = T_LI + s * region_thesis_items;
            const i32 x = k % block;
            const i32 y = k / block;
            const i32 owned = y < block;
            const i64 at = owned ? (i64)(row0 + 1 + y) * pitch + x0 + 1 + x : 0;
            const u32 c0 = planes[at];
            const u32 c1 = planes[plane + at];
            const u32 c2 = planes[2 * plane + at];
            T_MY(color)[s] = c0 | c1 << 8 | c2 << 16;
            T_MY(reach)[s] = region_thesis_reach((i32)c0, (i32)c1, (i32)c2, limit);
            T_MY(state)[s] = owned ? 0u : (u32)region_thesis_nobody;
            T_MY(place)
            [s] =
                (u32)(x + 1) | (u32)(y + 1) << 8 | region_thesis_sides(x, y, seed, quadrants) << 16;
        }
    }
    // The seed counts as what joined before the first iteration.
    T_PHASE {
        T_UNROLL
        for (i32 s = 0; s < region_thesis_slots; ++s) {
            if (T_LI + s * region_thesis_items == seed * block + seed) {
                T_MY(state)[s] = region_thesis_inside;
                joined[2 * region_thesis_rows + seed + 1] = 1u << (seed + 1);
                for (i32 c = 0; c < 3; ++c)
                    added[2 * 4 + c] = (i32)(T_MY(color)[s] >> 8 * c & 255u);
                added[2 * 4 + 3] = 1;
            }
        }
    }
    i32 k = 0;
    for (i32 growing = 1; k < iterations && growing; ++k) {
        const i32 before = (k + 2) % 3;
        const i32 now = k % 3;
        const i32 next = (k + 1) % 3;
        T_PHASE {
            if (T_LI < region_thesis_rows) joined[next * region_thesis_rows + T_LI] = 0;
            if (T_LI < 4) added[next * 4 + T_LI] = 0;
            if (added[before * 4 + 3] != 0) T_MY(used) = k;
            T_UNROLL
            for (i32 c = 0; c < 4; ++c) T_MY(sums)[c] += added[before * 4 + c];
            T_UNROLL
            for (i32 s = 0; s < region_thesis_slots; ++s) {
                const i32 x = (i32)(T_MY(place)[s] & 255u);
                const i32 y = (i32)(T_MY(place)[s] >> 8 & 255u);
                if (T_MY(state)[s] == 0 &&
                    region_thesis_touches(joined + before * region_thesis_rows, x, y,
                                          T_MY(place)[s] >> 16))
                    T_MY(state)[s] = region_thesis_near;
                if (T_MY(state)[s] == region_thesis_near) {
                    const i32 size = T_MY(sums)[3];
                    const i32 c0 = (i32)(T_MY(color)[s] & 255u);
                    const i32 c1 = (i32)(T_MY(color)[s] >> 8 & 255u);
                    const i32 c2 = (i32)(T_MY(color)[s] >> 16);
                    if (region_thesis_distance2(c0, c1, c2, T_MY(sums)[0] / size,
                                                T_MY(sums)[1] / size,
                                                T_MY(sums)[2] / size) <= T_MY(reach)[s]) {
                        T_MY(state)[s] = region_thesis_inside;
                        T_ATOMIC_OR(&joined[now * region_thesis_rows + y], 1u << x);
                        T_ATOMIC_ADD(&added[now * 4], c0);
                        T_ATOMIC_ADD(&added[now * 4 + 1], c1);
                        T_ATOMIC_ADD(&added[now * 4 + 2], c2);
                        T_ATOMIC_ADD(&added[now * 4 + 3], 1);
                    }
                }
            }
        }
        // Written before the last barrier, and not again before the next one.
        growing = added[before * 4 + 3] != 0;
    }
    T_PHASE {
        const i32 last = (k + 2) % 3;
        const i32 tiles = T_GROUPS_X * T_GROUPS_Y;
        if (T_LI < region_thesis_columns) {
            const i32 c = T_LI == 0 ? 3 : T_LI - 1;
            table[(i64)T_LI * tiles + tile] = T_LI == region_thesis_columns - 1
                                                  ? (added[last * 4 + 3] != 0 ? k : T_MY(used))
                                                  : T_MY(sums)[c] + added[last * 4 + c];
        }
        if (T_LI == 0) tile_labels[tile] = (u32)tile + 1u;
        T_UNROLL
        for (i32 s = 0; s < region_thesis_slots; ++s) {
            const i32 x = x0 + (i32)(T_MY(place)[s] & 255u);
            const i32 row = row0 + (i32)(T_MY(place)[s] >> 8 & 255u);
            if (T_MY(state)[s] != region_thesis_nobody && x < width)
                labels[(i64)(height - 1 - row) * width + x] =
                    T_MY(state)[s] == region_thesis_inside ? (u32)tile + 1u : 0u;
        }
    }
}

// ---- The forms of the thesis -------------------------------------------------------------------

// The power of two that the points of a tile are padded to.
enum { region_thesis_padded = 512 };

#define REGION_THESIS_GROW region_thesis_grow_by_reduction
#define REGION_THESIS_BY_ATOMICS 0
#include "kernels/growth/region_thesis_grow.body.h"

#define REGION_THESIS_GROW region_thesis_grow_by_atomics
#define REGION_THESIS_BY_ATOMICS 1
#include "kernels/growth/region_thesis_grow.body.h"

#include "kernels/end.h"
