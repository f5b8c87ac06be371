// Merges the basins of a tile of a picture, a group each, in local memory, as far as that can be
// told from the tile: minimax_basins.h says how, minimax.body.h what is set. A basin waits where
// its lowest exit leads out of the tile. What remains is a graph of few basins: the steps out of
// the tile, and those between basins of the tile by which they would go on to merge without the
// others.

#define MINIMAX_READ_TILE MINIMAX_NAMED(minimax_read_tile_)
#define MINIMAX_FIND_EXITS MINIMAX_NAMED(minimax_find_exits_)
#define MINIMAX_CHOOSE MINIMAX_NAMED(minimax_choose_)
#define MINIMAX_LIST_BORDERS MINIMAX_NAMED(minimax_list_borders_)
#define MINIMAX_WRITE_EDGES MINIMAX_NAMED(minimax_write_edges_)

// Reads an item's points: the weights of their steps onward that stay in the tile, and the lowest
// of those that leave it. Each point is a basin, or a seed.
T_FUNCTION void MINIMAX_READ_TILE(const minimax_basins_job job, const minimax_basins_tile tile,
                                  T_GLOBAL_PTR(const u16) weights, T_GLOBAL_PTR(const u32) seeds,
                                  const i32 item, u16* steps) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const i32 c = j * minimax_basin_items + item;
        const i32 tx = c % minimax_basin_side;
        const i32 ty = c / minimax_basin_side;
        const i32 inside = tile.x0 + tx < job.nx && tile.y0 + ty < job.ny;
        const i64 i = (i64)(tile.y0 + ty) * job.nx + tile.x0 + tx;
        u32 out = minimax_blocked;
        T_UNROLL
        for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
            const i32 dx = minimax_dx[MINIMAX_FIRST_DIRECTION + k];
            const i32 dy = minimax_dy[MINIMAX_FIRST_DIRECTION + k];
            const u32 onward = inside ? weights[k * job.pitch + job.pad + i] : minimax_blocked;
            const i32 stays = minimax_in_tile(tx + dx, ty + dy);
            steps[j * MINIMAX_DIRECTIONS + k] = (u16)(stays ? onward : minimax_blocked);
            if (!stays) out = T_MIN(out, onward);
            if (inside && !minimax_in_tile(tx - dx, ty - dy)) {
                const u32 backward = weights[k * job.pitch + job.pad + i - ((i64)dy * job.nx + dx)];
                out = T_MIN(out, backward);
            }
        }
        tile.tree[c] = inside && seeds[i] != 0 ? (u32)minimax_source : (u32)c;
        tile.lowest[c] = minimax_no_exit;
        tile.outward[c] = out;
    }
}

// Finds the lowest exit of each basin.
T_FUNCTION void MINIMAX_FIND_EXITS(const minimax_basins_tile tile, const u16* steps,
                                   const i32 item) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const i32 c = j * minimax_basin_items + item;
        const u32 a = tile.tree[c] & 0xffffu;
        T_UNROLL
        for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
            const u32 weight = steps[j * MINIMAX_DIRECTIONS + k];
            if (weight != minimax_blocked) {
                const u32 b =
                    tile.tree[c + minimax_basin_offset(MINIMAX_FIRST_DIRECTION + k)] & 0xffffu;
                const u32 exit =
                    weight << 16 | minimax_exit_number((u32)(c * MINIMAX_DIRECTIONS + k));
                if (a != b && a != minimax_source) T_ATOMIC_MIN(tile.lowest + a, exit);
                if (a != b && b != minimax_source) T_ATOMIC_MIN(tile.lowest + b, exit);
            }
        }
    }
}

// Chooses where basins join: behind their lowest exits, if these are not out of the tile, or if
// edges are listed; of two that chose the same the first stays. Sets `joined` if any does.
T_FUNCTION void MINIMAX_CHOOSE(const minimax_basins_tile tile, const i32 listing, const i32 item,
                               T_LOCAL_PTR(u32) joined, u32* next) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const u32 c = (u32)(j * minimax_basin_items + item);
        const u32 exit = tile.lowest[c];
        next[j] = c;
        if ((tile.tree[c] & 0xffffu) == c && exit != minimax_no_exit &&
            (listing || exit >> 16 <= tile.outward[c])) {
            const u32 number = minimax_exit_step(exit & 0xffffu);
            const i32 p = (i32)(number / MINIMAX_DIRECTIONS);
            const i32 direction = MINIMAX_FIRST_DIRECTION + (i32)(number % MINIMAX_DIRECTIONS);
            const u32 a = tile.tree[p] & 0xffffu;
            const u32 b = tile.tree[p + minimax_basin_offset(direction)] & 0xffffu;
            const u32 other = a == c ? b : a;
            const i32 stays = other != minimax_source && other > c && tile.lowest[other] == exit &&
                              (listing || exit >> 16 <= tile.outward[other]);
            if (!stays) {
                next[j] = (exit & 0xffff0000u) | other;
                T_ATOMIC_OR(joined, 1u);
                if (listing) tile.outward[T_ATOMIC_ADD(&tile.counted[1], 1u)] = number;
            }
        }
    }
}

// Lists the edges out of the tile.
T_FUNCTION void MINIMAX_LIST_BORDERS(const minimax_basins_job job, const minimax_basins_tile tile,
                                     T_GLOBAL_PTR(const u16) weights, const i32 item) {
    T_UNROLL
    for (i32 j = 0; j < minimax_basin_share; ++j) {
        const i32 c = j * minimax_basin_items + item;
        const i32 tx = c % minimax_basin_side;
        const i32 ty = c / minimax_basin_side;
        const i64 i = (i64)(tile.y0 + ty) * job.nx + tile.x0 + tx;
        T_UNROLL
        for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k)
            if (tile.x0 + tx < job.nx && tile.y0 + ty < job.ny &&
                !minimax_in_tile(tx + minimax_dx[MINIMAX_FIRST_DIRECTION + k],
                                 ty + minimax_dy[MINIMAX_FIRST_DIRECTION + k]) &&
                weights[k * job.pitch + job.pad + i] != minimax_blocked)
                tile.outward[T_ATOMIC_ADD(&tile.counted[1], 1u)] =
                    (u32)(c * MINIMAX_DIRECTIONS + k);
    }
}

// Writes the edges that the tile has listed.
T_FUNCTION void MINIMAX_WRITE_EDGES(const minimax_basins_job job, const minimax_basins_tile tile,
                                    T_GLOBAL_PTR(const u16) weights, const i32 item,
                                    T_GLOBAL_PTR(u32) from, T_GLOBAL_PTR(u32) to,
                                    T_GLOBAL_PTR(u16) edge_weights) {
    const u32 first = tile.first[1];
    for (u32 e = (u32)item; e < tile.counted[1]; e += minimax_basin_items) {
        const i32 c = (i32)(tile.outward[e] / MINIMAX_DIRECTIONS);
        const i32 k = (i32)(tile.outward[e] % MINIMAX_DIRECTIONS);
        const i32 direction = MINIMAX_FIRST_DIRECTION + k;
        const i64 i =
            (i64)(tile.y0 + c / minimax_basin_side) * job.nx + tile.x0 + c % minimax_basin_side;
        from[first + e] = (u32)i;
        to[first + e] = (u32)(i + (i64)minimax_dy[direction] * job.nx + minimax_dx[direction]);
        edge_weights[first + e] = weights[k * job.pitch + job.pad + i];
    }
}

// The phases:
//   1. the tile is read, and each point is a basin.
// In each turn,
//   2. basins look for their lowest exits,
//   3. choose the basins behind them,
//   4. and join these;
//   5. points look for their new roots,
//   6. and take them.
// Once the tile can tell of no basin any more where it joins,
//   7. basins with an exit get numbers, and points their basins and costs.
// Turns go on to list the edges between these basins. In the end,
//   8. edges out of the tile are listed,
//   9. and all edges written.
T_GROUP_KERNEL(MINIMAX_NAMED(minimax_basins_), minimax_basin_items, 1, 1,
               (T_IN(u16) weights, T_IN(u32) seeds, const minimax_basins_job job, T_OUT(u16) costs,
                T_OUT(u32) basins, T_OUT(u32) parents, T_OUT(u32) exits, T_OUT(u32) ways,
                T_OUT(u32) from, T_OUT(u32) to, T_OUT(u16) edge_weights,
                T_GLOBAL_PTR(u32) counters)) {
    T_LOCAL(u32, tree, minimax_basin_points + 1);
    T_LOCAL(u32, lowest, minimax_basin_points);
    T_LOCAL(u32, outward, minimax_basin_points);
    T_LOCAL(u32, joined, 2);
    T_LOCAL(u32, counted, 2);
    T_LOCAL(u32, first, 2);
    T_ITEM_ARRAY(u16, steps, minimax_basin_share * MINIMAX_DIRECTIONS);
    T_ITEM_ARRAY(u32, next, minimax_basin_share);
    const minimax_basins_tile tile = {T_GX % job.tiles_x * minimax_basin_side,
                                      T_GX / job.tiles_x * minimax_basin_side,
                                      tree,
                                      lowest,
                                      outward,
                                      counted,
                                      first};
    T_PHASE {
        if (T_LX < 2) {
            joined[T_LX] = 0;
            counted[T_LX] = 0;
            first[T_LX] = 0;
        }
        if (T_LX == 0) tree[minimax_source] = minimax_source;
        if (T_GX == 0 && T_LX == 0) parents[0] = 0;
        MINIMAX_READ_TILE(job, tile, weights, seeds, T_LX, T_MY(steps));
    }
    i32 listing = 0;
    for (i32 turn = 0; listing < 2; ++turn) {
        T_PHASE {
            if (T_LX == 0) joined[(turn + 1) % 2] = 0;
            MINIMAX_FIND_EXITS(tile, T_MY(steps), T_LX);
        }
        T_PHASE { MINIMAX_CHOOSE(tile, listing, T_LX, &joined[turn % 2], T_MY(next)); }
        T_PHASE {
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j) {
                const u32 c = (u32)(j * minimax_basin_items + T_LX);
                if (T_MY(next)[j] != c) tree[c] = T_MY(next)[j];
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j)
                T_MY(next)[j] = minimax_root(tree, tree[j * minimax_basin_items + T_LX]);
        }
        T_PHASE { minimax_take_roots(tile, listing, T_LX, T_MY(next)); }
        if (joined[turn % 2] == 0) ++listing;
        if (joined[turn % 2] == 0 && listing == 1) {
            T_PHASE { minimax_number_basins(tile, T_LX); }
            T_PHASE {
                if (T_LX == 0) first[0] = T_ATOMIC_ADD(counters, counted[0]);
            }
            T_PHASE { minimax_write_basins(job, tile, T_LX, costs, basins, parents, exits, ways); }
            T_PHASE {
                T_UNROLL
                for (i32 j = 0; j < minimax_basin_share; ++j)
                    lowest[j * minimax_basin_items + T_LX] = minimax_no_exit;
            }
        }
    }
    T_PHASE { MINIMAX_LIST_BORDERS(job, tile, weights, T_LX); }
    T_PHASE {
        if (T_LX == 0) first[1] = T_ATOMIC_ADD(counters + 1, counted[1]);
    }
    T_PHASE { MINIMAX_WRITE_EDGES(job, tile, weights, T_LX, from, to, edge_weights); }
}

#undef MINIMAX_WRITE_EDGES
#undef MINIMAX_LIST_BORDERS
#undef MINIMAX_CHOOSE
#undef MINIMAX_FIND_EXITS
#undef MINIMAX_READ_TILE
