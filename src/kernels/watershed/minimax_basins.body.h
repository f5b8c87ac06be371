// Merges the basins of a tile of a picture, a group each, in local memory, as far as that can be
// told from the tile: minimax_basins.h says how, minimax.body.h what is set. A basin waits where
// its lowest exit leads out of the tile. What remains is a graph of few basins: the steps out of
// the tile, and those between basins of the tile by which they would go on to merge without the
// others.

T_GROUP_KERNEL(MINIMAX_NAMED(minimax_basins_), minimax_basin_items, 1, 1,
               (T_IN(u16) weights, T_IN(u32) seeds, const minimax_basins_job job, T_OUT(u16) costs,
                T_OUT(u32) basins, T_OUT(u32) parents, T_OUT(u32) exits, T_OUT(u32) ways,
                T_OUT(u32) from, T_OUT(u32) to, T_OUT(u16) edge_weights,
                T_GLOBAL_PTR(u32) counters)) {
    // Of each point: the root of its basin, and above that the highest exit on the way there.
    T_LOCAL(u32, tree, minimax_basin_points + 1);
    T_LOCAL(u32, lowest, minimax_basin_points);   // of roots: the lowest exit, weight and number
    T_LOCAL(u32, outward, minimax_basin_points);  // of roots: the lowest weight out of the tile
    T_LOCAL(u32, joined, 2);
    T_LOCAL(u32, counted, 2);  // basins and edges
    T_LOCAL(u32, first, 2);    // their places among all
    T_ITEM_ARRAY(u16, step, minimax_basin_share * MINIMAX_DIRECTIONS);
    T_ITEM_ARRAY(u32, next, minimax_basin_share);
    const i32 x0 = T_GX % job.tiles_x * minimax_basin_side;
    const i32 y0 = T_GX / job.tiles_x * minimax_basin_side;
    T_PHASE {
        if (T_LX < 2) {
            joined[T_LX] = 0;
            counted[T_LX] = 0;
            first[T_LX] = 0;
        }
        if (T_LX == 0) tree[minimax_source] = minimax_source;
        if (T_GX == 0 && T_LX == 0) parents[0] = 0;
        T_UNROLL
        for (i32 j = 0; j < minimax_basin_share; ++j) {
            const i32 c = j * minimax_basin_items + T_LX;
            const i32 tx = c % minimax_basin_side;
            const i32 ty = c / minimax_basin_side;
            const i32 inside = x0 + tx < job.nx && y0 + ty < job.ny;
            const i64 i = (i64)(y0 + ty) * job.nx + x0 + tx;
            u32 out = minimax_blocked;
            T_UNROLL
            for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
                const i32 dx = minimax_dx[MINIMAX_FIRST_DIRECTION + k];
                const i32 dy = minimax_dy[MINIMAX_FIRST_DIRECTION + k];
                const u32 onward = inside ? weights[k * job.pitch + job.pad + i] : minimax_blocked;
                const i32 stays = minimax_in_tile(tx + dx, ty + dy);
                T_MY(step)[j * MINIMAX_DIRECTIONS + k] = (u16)(stays ? onward : minimax_blocked);
                if (!stays) out = T_MIN(out, onward);
                if (inside && !minimax_in_tile(tx - dx, ty - dy)) {
                    const u32 backward =
                        weights[k * job.pitch + job.pad + i - ((i64)dy * job.nx + dx)];
                    out = T_MIN(out, backward);
                }
            }
            tree[c] = inside && seeds[i] != 0 ? (u32)minimax_source : (u32)c;
            lowest[c] = minimax_no_exit;
            outward[c] = out;
        }
    }
    // At first only basins of which the tile tells; then all, to list the edges.
    i32 listing = 0;
    for (i32 turn = 0; listing < 2; ++turn) {
        T_PHASE {  // the lowest exit of each basin
            if (T_LX == 0) joined[(turn + 1) % 2] = 0;
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j) {
                const i32 c = j * minimax_basin_items + T_LX;
                const u32 a = tree[c] & 0xffffu;
                T_UNROLL
                for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
                    const u32 weight = T_MY(step)[j * MINIMAX_DIRECTIONS + k];
                    if (weight != minimax_blocked) {
                        const u32 b =
                            tree[c + minimax_basin_offset(MINIMAX_FIRST_DIRECTION + k)] & 0xffffu;
                        const u32 exit =
                            weight << 16 | minimax_exit_number((u32)(c * MINIMAX_DIRECTIONS + k));
                        if (a != b && a != minimax_source) T_ATOMIC_MIN(lowest + a, exit);
                        if (a != b && b != minimax_source) T_ATOMIC_MIN(lowest + b, exit);
                    }
                }
            }
        }
        T_PHASE {  // where it leads; of two that chose the same the first stays
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j) {
                const u32 c = (u32)(j * minimax_basin_items + T_LX);
                const u32 exit = lowest[c];
                T_MY(next)[j] = c;
                if ((tree[c] & 0xffffu) == c && exit != minimax_no_exit &&
                    (listing || exit >> 16 <= outward[c])) {
                    const u32 number = minimax_exit_step(exit & 0xffffu);
                    const i32 p = (i32)(number / MINIMAX_DIRECTIONS);
                    const i32 direction =
                        MINIMAX_FIRST_DIRECTION + (i32)(number % MINIMAX_DIRECTIONS);
                    const u32 a = tree[p] & 0xffffu;
                    const u32 b = tree[p + minimax_basin_offset(direction)] & 0xffffu;
                    const u32 other = a == c ? b : a;
                    const i32 stays = other != minimax_source && other > c &&
                                      lowest[other] == exit &&
                                      (listing || exit >> 16 <= outward[other]);
                    if (!stays) {
                        T_MY(next)[j] = (exit & 0xffff0000u) | other;
                        T_ATOMIC_OR(&joined[turn % 2], 1u);
                        if (listing) outward[T_ATOMIC_ADD(&counted[1], 1u)] = number;
                    }
                }
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j) {
                const u32 c = (u32)(j * minimax_basin_items + T_LX);
                if (T_MY(next)[j] != c) tree[c] = T_MY(next)[j];
            }
        }
        T_PHASE {  // points look for their new root
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j)
                T_MY(next)[j] = minimax_root(tree, tree[j * minimax_basin_items + T_LX]);
        }
        T_PHASE {
            T_UNROLL
            for (i32 j = 0; j < minimax_basin_share; ++j) {
                const u32 c = (u32)(j * minimax_basin_items + T_LX);
                const u32 root = T_MY(next)[j] & 0xffffu;
                tree[c] = T_MY(next)[j];
                lowest[c] = minimax_no_exit;
                if (!listing && root != c && root != minimax_source &&
                    outward[c] != minimax_blocked) {
                    T_ATOMIC_MIN(outward + root, outward[c]);
                    outward[c] = minimax_blocked;
                }
            }
        }
        if (joined[turn % 2] == 0) ++listing;
        if (joined[turn % 2] == 0 && listing == 1) {
            T_PHASE {  // basins that have an exit get numbers
                T_UNROLL
                for (i32 j = 0; j < minimax_basin_share; ++j) {
                    const u32 c = (u32)(j * minimax_basin_items + T_LX);
                    if (tree[c] == c && outward[c] != minimax_blocked)
                        lowest[c] = T_ATOMIC_ADD(&counted[0], 1u);
                }
            }
            T_PHASE {
                if (T_LX == 0) first[0] = T_ATOMIC_ADD(counters, counted[0]);
            }
            T_PHASE {
                T_UNROLL
                for (i32 j = 0; j < minimax_basin_share; ++j) {
                    const i32 c = j * minimax_basin_items + T_LX;
                    const i32 x = x0 + c % minimax_basin_side;
                    const i32 y = y0 + c / minimax_basin_side;
                    const u32 root = tree[c] & 0xffffu;
                    u32 basin = minimax_no_basin;
                    if (root == minimax_source)
                        basin = 0;
                    else if (outward[root] != minimax_blocked)
                        basin = first[0] + lowest[root];
                    if (x < job.nx && y < job.ny) {
                        basins[(i64)y * job.nx + x] = basin;
                        costs[job.pad + (i64)y * job.nx + x] = (u16)(tree[c] >> 16);
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
            T_PHASE {
                T_UNROLL
                for (i32 j = 0; j < minimax_basin_share; ++j)
                    lowest[j * minimax_basin_items + T_LX] = minimax_no_exit;
            }
        }
    }
    T_PHASE {  // edges out of the tile
        T_UNROLL
        for (i32 j = 0; j < minimax_basin_share; ++j) {
            const i32 c = j * minimax_basin_items + T_LX;
            const i32 tx = c % minimax_basin_side;
            const i32 ty = c / minimax_basin_side;
            T_UNROLL
            for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k)
                if (x0 + tx < job.nx && y0 + ty < job.ny &&
                    !minimax_in_tile(tx + minimax_dx[MINIMAX_FIRST_DIRECTION + k],
                                     ty + minimax_dy[MINIMAX_FIRST_DIRECTION + k]) &&
                    weights[k * job.pitch + job.pad + (i64)(y0 + ty) * job.nx + x0 + tx] !=
                        minimax_blocked)
                    outward[T_ATOMIC_ADD(&counted[1], 1u)] = (u32)(c * MINIMAX_DIRECTIONS + k);
        }
    }
    T_PHASE {
        if (T_LX == 0) first[1] = T_ATOMIC_ADD(counters + 1, counted[1]);
    }
    T_PHASE {
        for (u32 e = (u32)T_LX; e < counted[1]; e += minimax_basin_items) {
            const i32 c = (i32)(outward[e] / MINIMAX_DIRECTIONS);
            const i32 k = (i32)(outward[e] % MINIMAX_DIRECTIONS);
            const i32 direction = MINIMAX_FIRST_DIRECTION + k;
            const i64 i = (i64)(y0 + c / minimax_basin_side) * job.nx + x0 + c % minimax_basin_side;
            from[first[1] + e] = (u32)i;
            to[first[1] + e] =
                (u32)(i + (i64)minimax_dy[direction] * job.nx + minimax_dx[direction]);
            edge_weights[first[1] + e] = weights[k * job.pitch + job.pad + i];
        }
    }
}
