// Minimax growth: every point gets the smallest key (cost, hops, label) with which a seed reaches
// it, where the cost of a path is its largest step. Keys of this order do not relax together: a
// path that costs more may have fewer hops and is no use to the points behind. So there are two
// relaxations, each of which only ever lowers values towards the one fixed point they have, in
// whatever order:
//   1. costs: cost(q) <= max(cost(p), weight(p, q));
//   2. hops and labels, as (hops << 32) + label, over the steps p -> q that keep the smallest cost,
//      max(cost(p), weight(p, q)) == cost(q): key(q) <= key(p) + (1 << 32).
// That the second gives the flood's answer: docs/region-growing.md.
//
// The image is cut into parts, each of which is relaxed by itself until nothing changes: tiles by a
// group in local memory on a GPU (gpu/minimax_tiles.body.h); on a CPU blocks of a volume by one
// item with a queue (cpu/minimax_blocks.h), and of a picture by rows (cpu/minimax_rows.h). A round
// relaxes the parts on a list; a part of which a neighbor could lower a value goes on the list of
// the next.
//
// Steps go in directions, of which each stands for two opposite neighbors, onward and backward.
// They are indices into minimax_dx, dy and dz: 1 and 2 in images with 4 neighbors, 1 to 4 with 8,
// 0 to 2 with 6, 0 to 8 with 18, all with 26. `weights` holds one plane of points a direction:
// of the step from a point onward, minimax_blocked where there is no such step. Before each plane,
// and behind the last, stand `pad` blocked ones; `costs` begins and ends with as many words that
// nobody looks at. So steps need no bounds.
#define T_FILE minimax
#include "kernels/begin.h"
#include "kernels/watershed/minimax_parts.h"

T_CONSTANT(i32, minimax_dx, 13) = {0, 1, 0, 1, -1, 1, -1, 0, 0, 1, -1, 1, -1};
T_CONSTANT(i32, minimax_dy, 13) = {0, 0, 1, 1, 1, 0, 0, 1, -1, 1, 1, -1, -1};
T_CONSTANT(i32, minimax_dz, 13) = {1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

// Of a step, in points.
T_FUNCTION i64 minimax_offset(const i32 direction, const i32 nx, const i32 ny) {
    return ((i64)minimax_dz[direction] * ny + minimax_dy[direction]) * nx + minimax_dx[direction];
}

#include "kernels/watershed/cpu/minimax_blocks.h"

// ---- Before and after ---------------------------------------------------------------------------

// Points of seeds cost nothing.
T_SIMD_KERNEL(minimax_start_costs, (T_IN(u32) seeds, T_OUT(u16) costs, const i64 pad)) {
    T_INDEX1(i);
    costs[pad + i] = (u16)(seeds[i] != 0 ? 0 : minimax_blocked);
}

T_SIMD_KERNEL(minimax_start_keys, (T_IN(u32) seeds, T_OUT(u64) keys)) {
    T_INDEX1(i);
    keys[i] = seeds[i] != 0 ? (u64)seeds[i] : minimax_unreached;
}

// Lists the parts that hold seeds.
T_KERNEL(minimax_list_seeds,
         (T_IN(u32) seeds, const i32 nx, const i32 ny, const i32 part_x, const i32 part_y,
          const i32 part_z, const i32 parts, const i32 parts_x, const i32 parts_y,
          T_GLOBAL_PTR(u32) lists, T_GLOBAL_PTR(u32) counters)) {
    T_INDEX2(x, row);
    if (seeds[(i64)row * nx + x] != 0) {
        const i32 part =
            minimax_part(x, row % ny, row / ny, part_x, part_y, part_z, parts_x, parts_y);
        minimax_list_part(lists, counters, parts, part, 0);
    }
}

// Lists all parts.
T_KERNEL(minimax_list_all, (const i32 parts, T_GLOBAL_PTR(u32) lists, T_GLOBAL_PTR(u32) counters)) {
    T_INDEX1(part);
    minimax_list_part(lists, counters, parts, part, 0);
}

T_SIMD_KERNEL(minimax_labels, (T_IN(u64) keys, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = keys[i] >= minimax_unreached ? 0u : (u32)keys[i];
}

T_SIMD_KERNEL(minimax_hops, (T_IN(u64) keys, T_OUT(u32) hops)) {
    T_INDEX1(i);
    hops[i] = keys[i] >= minimax_unreached ? 0xffffffffu : (u32)(keys[i] >> 32);
}

T_SIMD_KERNEL(minimax_pad_costs, (T_IN(u16) costs, const i64 pad, T_OUT(u16) padded)) {
    T_INDEX1(i);
    padded[pad + i] = costs[i];
}

T_SIMD_KERNEL(minimax_costs, (T_IN(u16) padded, const i64 pad, T_OUT(u16) costs)) {
    T_INDEX1(i);
    costs[i] = padded[pad + i];
}

// ---- By connectivity ----------------------------------------------------------------------------

// A tile is MINIMAX_TILE_X x MINIMAX_TILE_Y x MINIMAX_TILE_Z points, of which the outermost belong
// to its neighbors.
#define MINIMAX_NEIGHBORS 4
#define MINIMAX_FIRST_DIRECTION 1
#define MINIMAX_DIRECTIONS 2
#define MINIMAX_MASK u8
#define MINIMAX_TILE_X 32
#define MINIMAX_TILE_Y 32
#define MINIMAX_TILE_Z 1
#include "kernels/watershed/minimax.body.h"

#define MINIMAX_NEIGHBORS 8
#define MINIMAX_FIRST_DIRECTION 1
#define MINIMAX_DIRECTIONS 4
#define MINIMAX_MASK u8
#define MINIMAX_TILE_X 32
#define MINIMAX_TILE_Y 32
#define MINIMAX_TILE_Z 1
#include "kernels/watershed/minimax.body.h"

#define MINIMAX_NEIGHBORS 6
#define MINIMAX_FIRST_DIRECTION 0
#define MINIMAX_DIRECTIONS 3
#define MINIMAX_MASK u8
#define MINIMAX_TILE_X 16
#define MINIMAX_TILE_Y 16
#define MINIMAX_TILE_Z 8
#include "kernels/watershed/minimax.body.h"

#define MINIMAX_NEIGHBORS 18
#define MINIMAX_FIRST_DIRECTION 0
#define MINIMAX_DIRECTIONS 9
#define MINIMAX_MASK u32
#define MINIMAX_TILE_X 16
#define MINIMAX_TILE_Y 8
#define MINIMAX_TILE_Z 8
#include "kernels/watershed/minimax.body.h"

#define MINIMAX_NEIGHBORS 26
#define MINIMAX_FIRST_DIRECTION 0
#define MINIMAX_DIRECTIONS 13
#define MINIMAX_MASK u32
#define MINIMAX_TILE_X 16
#define MINIMAX_TILE_Y 8
#define MINIMAX_TILE_Z 8
#include "kernels/watershed/minimax.body.h"

#include "kernels/end.h"
