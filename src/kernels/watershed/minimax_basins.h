// Costs of a picture by merging basins (O. Boruvka's minimum spanning tree, 1926), the way of many
// groups of items.
//
// Basins, at first the points, each join the one behind their lowest exit, until all that can have
// joined the source, which is all seeds. A path from a point to the source leaves every basin that
// the point was ever part of, and over their lowest exits it comes there: so the highest of these
// exits is the point's cost. It does not matter which of several lowest exits a basin takes, but in
// a turn all have to put them in one order, lest they join in a ring.
//
// Tiles merge theirs by themselves first (minimax_basins.body.h); then a graph is merged, with the
// source as basin 0, whose edges' ends are points at first, then basins.
#ifndef TESELA_KERNELS_MINIMAX_BASINS_H
#define TESELA_KERNELS_MINIMAX_BASINS_H

enum {
    minimax_basin_side = 32,  // of a tile
    minimax_basin_points = minimax_basin_side * minimax_basin_side,
    minimax_basin_items = 256,
    minimax_basin_share = minimax_basin_points / minimax_basin_items,
    minimax_source = minimax_basin_points,  // as the root of a tile's points that seeds reached
    // `counters`: basins, edges, and the last round in which a basin had an exit, plus one.
    minimax_graph_counters = 3
};
#define minimax_no_exit 0xffffffffu
#define minimax_no_basin 0xffffffffu  // of a point without a way out of its tile

// A picture in `tiles_x` tiles a row, what stands before its weights (minimax.kernel.h), and for
// how many basins there is room in the graph.
typedef struct {
    i64 pitch, pad;
    i32 nx, ny, tiles_x, most_basins;
} minimax_basins_job;

T_FUNCTION i32 minimax_in_tile(const i32 x, const i32 y) {
    return x >= 0 && x < minimax_basin_side && y >= 0 && y < minimax_basin_side;
}

T_FUNCTION i32 minimax_basin_offset(const i32 direction) {
    return minimax_dy[direction] * minimax_basin_side + minimax_dx[direction];
}

// Steps of a tile are put in order by numbers that are scattered, lest basins of a plateau all join
// the same way, in a long line. There are 2^14 at most.
T_FUNCTION u32 minimax_exit_number(const u32 step) { return step * 0x2c1bu & 0x3fffu; }

T_FUNCTION u32 minimax_exit_step(const u32 number) { return number * 0xe13u & 0x3fffu; }

// A node is the number of another, and above its 16 bits the highest exit on the way there. Follows
// it to the root, which leads to itself.
T_FUNCTION u32 minimax_root(T_LOCAL_PTR(const u32) tree, u32 node) {
    u32 above = tree[node & 0xffffu];
    while (((above ^ node) & 0xffffu) != 0) {
        const u32 highest = T_MAX(node >> 16, above >> 16);
        node = highest << 16 | (above & 0xffffu);
        above = tree[node & 0xffffu];
    }
    return node;
}

// ---- In a tile ----------------------------------------------------------------------------------

// A tile, and what its group has in local memory.
typedef struct {
    i32 x0, y0;                // where it begins
    T_LOCAL_PTR(u32) tree;     // of points: the root, above that the highest exit on the way there
    T_LOCAL_PTR(u32) lowest;   // of roots: the lowest exit, weight and number
    T_LOCAL_PTR(u32) outward;  // of roots: the lowest weight out of the tile; then edges
    T_LOCAL_PTR(u32) counted;  // basins and edges
    T_LOCAL_PTR(u32) first;    // their places among all
} minimax_basins_tile;

// An item's points take their new roots. Unless edges are being listed in `outward`, these get the
// lowest weights out of the tile.
T_FUNCTION void minimax_take_roots(const minimax_basins_tile tile, const i32 listing,
                                   const i32 item, const u32* next) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const u32 c = (u32)(j * minimax_basin_items + item);
        const u32 root = next[j] & 0xffffu;
        tile.tree[c] = next[j];
        tile.lowest[c] = minimax_no_exit;
        if (!listing && root != c && root != minimax_source && tile.outward[c] != minimax_blocked) {
            T_ATOMIC_MIN(tile.outward + root, tile.outward[c]);
            tile.outward[c] = minimax_blocked;
        }
    }
}

// Numbers the basins that have an exit out of the tile, in `lowest`.
T_FUNCTION void minimax_number_basins(const minimax_basins_tile tile, const i32 item) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const u32 c = (u32)(j * minimax_basin_items + item);
        if (tile.tree[c] == c && tile.outward[c] != minimax_blocked)
            tile.lowest[c] = T_ATOMIC_ADD(&tile.counted[0], 1u);
    }
}

// Writes the basins of an item's points, and what they cost so far, and makes the basins' entries
// in the graph ready.
T_FUNCTION void minimax_write_basins(const minimax_basins_job job, const minimax_basins_tile tile,
                                     const i32 item, T_GLOBAL_PTR(u16) costs,
                                     T_GLOBAL_PTR(u32) basins, T_GLOBAL_PTR(u32) parents,
                                     T_GLOBAL_PTR(u32) exits, T_GLOBAL_PTR(u32) ways) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const i32 c = j * minimax_basin_items + item;
        const i32 x = tile.x0 + c % minimax_basin_side;
        const i32 y = tile.y0 + c / minimax_basin_side;
        const u32 root = tile.tree[c] & 0xffffu;
        u32 basin = minimax_no_basin;
        if (root == minimax_source)
            basin = 0;
        else if (tile.outward[root] != minimax_blocked)
            basin = tile.first[0] + tile.lowest[root];
        if (x < job.nx && y < job.ny) {
            basins[(i64)y * job.nx + x] = basin;
            costs[job.pad + (i64)y * job.nx + x] = (u16)(tile.tree[c] >> 16);
            if (root == (u32)c && basin != minimax_no_basin) {
                parents[basin] = basin;
                for (i32 parity = 0; parity < 2; ++parity) {
                    exits[(i64)parity * job.most_basins + basin] = minimax_no_exit;
                    ways[(i64)parity * job.most_basins + basin] = minimax_no_exit;
                }
            }
        }
    }
}

// ---- In the graph -------------------------------------------------------------------------------

T_FUNCTION u32 minimax_root_basin(T_GLOBAL_PTR(const u32) parents, u32 basin) {
    for (u32 parent = parents[basin]; parent != basin; parent = parents[basin]) basin = parent;
    return basin;
}

// The lowest weight of each basin's exits. `exits` and `ways` have `most` words for even rounds and
// for odd ones, of which the others are made ready by minimax_join.
T_KERNEL(minimax_lowest_exits,
         (T_IN(u32) basins, T_IN(u32) parents, T_IN(u16) weights, const i32 round, const i32 most,
          T_IN(u32) counters, T_OUT(u32) from, T_OUT(u32) to, T_GLOBAL_PTR(u32) exits)) {
    T_INDEX1(e);
    if ((u32)e >= counters[1]) return;
    u32 a = from[e];
    u32 b = to[e];
    if (a == b) return;
    a = minimax_root_basin(parents, round == 0 ? basins[a] : a);
    b = minimax_root_basin(parents, round == 0 ? basins[b] : b);
    from[e] = a;
    to[e] = b;
    const u32 weight = weights[e];
    T_GLOBAL_PTR(u32) here = exits + (i64)(round % 2) * most;
    if (a != b && a != 0) T_ATOMIC_MIN(here + a, weight);
    if (a != b && b != 0) T_ATOMIC_MIN(here + b, weight);
}

// Of the lowest exits the first.
T_KERNEL(minimax_choose_ways,
         (T_IN(u32) from, T_IN(u32) to, T_IN(u16) weights, T_IN(u32) exits, const i32 round,
          const i32 most, T_IN(u32) counters, T_GLOBAL_PTR(u32) ways)) {
    T_INDEX1(e);
    if ((u32)e >= counters[1]) return;
    const u32 a = from[e];
    const u32 b = to[e];
    if (a == b) return;
    const u32 weight = weights[e];
    const i64 begin = (i64)(round % 2) * most;
    if (a != 0 && exits[begin + a] == weight) T_ATOMIC_MIN(ways + begin + a, (u32)e);
    if (b != 0 && exits[begin + b] == weight) T_ATOMIC_MIN(ways + begin + b, (u32)e);
}

// Basins join the one behind their lowest exit; of two that chose the same the first stays.
T_KERNEL(minimax_join,
         (T_IN(u32) from, T_IN(u32) to, const i32 round, const i32 most, T_OUT(u32) exits,
          T_OUT(u32) ways, T_OUT(u32) parents, T_OUT(u16) heights, T_GLOBAL_PTR(u32) counters)) {
    T_INDEX1(n);
    const u32 basin = (u32)n;
    if (basin >= counters[0]) return;
    const i64 begin = (i64)(round % 2) * most;
    const i64 other_begin = (i64)((round + 1) % 2) * most;
    exits[other_begin + basin] = minimax_no_exit;
    ways[other_begin + basin] = minimax_no_exit;
    const u32 way = ways[begin + basin];
    if (basin == 0 || way == minimax_no_exit) return;
    const u32 last = (u32)round + 1;
    if (T_LOAD(u32, counters + 2) != last) T_STORE(u32, counters + 2, last);
    const u32 other = from[way] == basin ? to[way] : from[way];
    if (other > basin && ways[begin + other] == way) return;
    parents[basin] = other;
    heights[basin] = (u16)exits[begin + basin];
}

// costs[b] = the highest exit on the way from basin b to the source.
T_KERNEL(minimax_basin_costs,
         (T_IN(u32) parents, T_IN(u16) heights, T_IN(u32) counters, T_OUT(u32) costs)) {
    T_INDEX1(n);
    if ((u32)n >= counters[0]) return;
    u32 cost = 0;
    u32 basin = (u32)n;
    for (u32 parent = parents[basin]; parent != basin; parent = parents[basin]) {
        const u32 height = heights[basin];
        cost = T_MAX(cost, height);
        basin = parent;
    }
    costs[n] = basin == 0 ? cost : minimax_blocked;
}

// Points cost what their basin costs, or more, if they had to leave a higher one.
T_KERNEL(minimax_point_costs,
         (T_IN(u32) basins, T_IN(u32) basin_costs, const i64 pad, T_OUT(u16) costs)) {
    T_INDEX1(i);
    const u32 basin = basins[i];
    const u32 cost = basin == minimax_no_basin ? minimax_blocked : basin_costs[basin];
    const u32 so_far = costs[pad + i];
    costs[pad + i] = (u16)T_MAX(so_far, cost);
}

#endif
