// Relaxes blocks, an item each; minimax.body.h says what is set.

T_GROUP_KERNEL(MINIMAX_NAMED(minimax_cost_blocks_), 1, 1, 1,
               (T_IN(u16) weights, T_GLOBAL_PTR(u16) padded_costs, const minimax_blocks_job job,
                const i32 round, T_GLOBAL_PTR(u32) lists, T_GLOBAL_PTR(u32) counters,
                T_GLOBAL_PTR(u16) neighbors, T_GLOBAL_PTR(u16) heads, T_GLOBAL_PTR(u32) filled)) {
    const u32 count = T_LOAD(u32, counters + round % minimax_ring);
    T_PHASE {
        if (T_GX == 0) minimax_count_round(counters, round, count);
        // A group takes blocks that follow one another, neighbors mostly: values run on through
        // them in one round. Its lists are empty again after a block, and serve the next one.
        const i64 first_entry = (i64)count * T_GX / T_GROUPS_X;
        const i64 end_entry = (i64)count * (T_GX + 1) / T_GROUPS_X;
        for (i64 entry = first_entry; entry < end_entry; ++entry) {
            const minimax_block block = minimax_block_of(job, round, (i32)entry, lists, counters);
            const i32 end = 1 << (job.shift_x + job.shift_y + job.shift_z);
            minimax_buckets buckets;
            buckets.neighbors = neighbors + (i64)T_GX * end * 2;
            buckets.heads = heads + (i64)T_GX * minimax_levels;
            buckets.filled = filled + (i64)T_GX * minimax_filled_words;
            T_GLOBAL_PTR(u16) costs = padded_costs + job.pad;
            T_GLOBAL_PTR(const u16) weights_here = weights + job.pad;
            const minimax_steps steps =
                minimax_steps_of(block, MINIMAX_FIRST_DIRECTION, 2 * MINIMAX_DIRECTIONS, job.pitch);
            if (buckets.filled[minimax_filled_words - 1] == 0) {
                buckets.filled[minimax_filled_words - 1] = 1;
                for (i32 n = 0; n < 2 * end; ++n) buckets.neighbors[n] = minimax_unlisted;
            }
            if (round == 0)
                for (i32 n = minimax_next(block, 0, 0); n < end;
                     n = minimax_next(block, n + 1, 0)) {
                    const u32 cost = costs[minimax_point(block, n)];
                    if (cost != minimax_blocked) minimax_put(buckets, (u32)n, cost);
                }
            // What the neighbors of the block offer.
            for (i32 n = minimax_next(block, 0, 1); n < end; n = minimax_next(block, n + 1, 1)) {
                const i64 p = minimax_point(block, n);
                const u32 faces = minimax_faces(block, n);
                for (i32 k = 0; k < 2 * MINIMAX_DIRECTIONS; ++k) {
                    const u32 weight = weights_here[p + steps.weight[k]];
                    if ((faces & steps.leaves[k]) != 0 && weight < minimax_blocked) {
                        const u32 cost = T_LOAD(u16, costs + p + steps.offset[k]);
                        const u32 offer = T_MAX(cost, weight);
                        if (offer < costs[p])
                            minimax_lower_cost(buckets, costs, p, (u32)n, offer, minimax_levels,
                                               minimax_no_point);
                    }
                }
            }
            for (u32 level = minimax_lowest(buckets, 0); level < minimax_levels;
                 level = minimax_lowest(buckets, level)) {
                u32 top = buckets.heads[level];
                buckets.filled[level >> 5] &= ~(1u << (level & 31u));
                while (top != minimax_no_point) {
                    const i32 n = (i32)top;
                    const i64 p = minimax_point(block, n);
                    top = buckets.neighbors[2 * n];
                    buckets.neighbors[2 * n] = minimax_unlisted;
                    const u32 faces = minimax_faces(block, n);
                    for (i32 k = 0; k < 2 * MINIMAX_DIRECTIONS; ++k) {
                        const i64 q = p + steps.offset[k];
                        const u32 weight = weights_here[p + steps.weight[k]];
                        const u32 offer = T_MAX(level, weight);
                        if (offer < T_LOAD(u16, costs + q)) {
                            if ((faces & steps.leaves[k]) == 0)
                                top = minimax_lower_cost(buckets, costs, q,
                                                         (u32)(n + steps.number[k]), offer, level,
                                                         top);
                            else
                                minimax_list_beside(block, n, MINIMAX_FIRST_DIRECTION, k);
                        }
                    }
                }
            }
        }
    }
}

T_GROUP_KERNEL(MINIMAX_NAMED(minimax_key_blocks_), 1, 1, 1,
               (T_IN(MINIMAX_MASK) masks, T_GLOBAL_PTR(u64) keys, const minimax_blocks_job job,
                const i32 round, T_GLOBAL_PTR(u32) lists, T_GLOBAL_PTR(u32) counters,
                T_GLOBAL_PTR(u16) queue)) {
    const u32 count = T_LOAD(u32, counters + round % minimax_ring);
    T_PHASE {
        if (T_GX == 0) minimax_count_round(counters, round, count);
        if ((u32)T_GX < count) {
            const minimax_block block = minimax_block_of(job, round, T_GX, lists, counters);
            const i32 end = 1 << (job.shift_x + job.shift_y + job.shift_z);
            const minimax_steps steps =
                minimax_steps_of(block, MINIMAX_FIRST_DIRECTION, 2 * MINIMAX_DIRECTIONS, 0);
            minimax_fifo fifo;
            fifo.points = queue + (i64)block.part * end;
            fifo.head = 0;
            fifo.tail = 0;
            fifo.last = (u32)end - 1;
            if (round == 0)
                for (i32 n = minimax_next(block, 0, 0); n < end;
                     n = minimax_next(block, n + 1, 0)) {
                    const i64 p = minimax_point(block, n);
                    const u64 key = keys[p];
                    if (key < minimax_unreached)
                        fifo = minimax_lower_key(fifo, keys, p, (u32)n, 0, key);
                }
            // What the neighbors of the block offer.
            for (i32 n = minimax_next(block, 0, 1); n < end; n = minimax_next(block, n + 1, 1)) {
                const i64 p = minimax_point(block, n);
                const u32 faces = minimax_faces(block, n);
                for (i32 k = 0; k < 2 * MINIMAX_DIRECTIONS; ++k) {
                    const i64 q = p + steps.offset[k];
                    // From there the step goes the other way.
                    if ((faces & steps.leaves[k]) != 0 && q >= 0 &&
                        q < (i64)job.nx * job.ny * job.nz && (masks[q] >> (k ^ 1) & 1)) {
                        const u64 key = keys[p];
                        const u64 offer = (T_LOAD(u64, keys + q) & ~minimax_queued) + minimax_hop;
                        if (offer < (key & ~minimax_queued))
                            fifo = minimax_lower_key(fifo, keys, p, (u32)n, key, offer);
                    }
                }
            }
            while (fifo.head != fifo.tail) {
                const i32 n = fifo.points[fifo.head & fifo.last];
                ++fifo.head;
                const i64 p = minimax_point(block, n);
                const u64 own = keys[p] & ~minimax_queued;
                T_STORE(u64, keys + p, own);
                const u64 offer = own + minimax_hop;
                const u32 mask = masks[p];
                const u32 faces = minimax_faces(block, n);
                for (i32 k = 0; k < 2 * MINIMAX_DIRECTIONS; ++k) {
                    if (mask >> k & 1) {
                        const i64 q = p + steps.offset[k];
                        const u64 key = T_LOAD(u64, keys + q);
                        if (offer < (key & ~minimax_queued)) {
                            if ((faces & steps.leaves[k]) == 0)
                                fifo = minimax_lower_key(fifo, keys, q, (u32)(n + steps.number[k]),
                                                         key, offer);
                            else
                                minimax_list_beside(block, n, MINIMAX_FIRST_DIRECTION, k);
                        }
                    }
                }
            }
        }
    }
}
