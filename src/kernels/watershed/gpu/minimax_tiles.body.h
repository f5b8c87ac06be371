// Relaxes tiles of costs (MINIMAX_KEYS 0) or of keys (MINIMAX_KEYS 1), a group each, in local
// memory. A tile holds its own points and those around them, which belong to its neighbors: as
// these are lowered along, they tell which neighbors have to go on. The points fall in lines along
// a direction, that are scanned to and fro, an item a line; so no two items meet, and a value
// crosses the tile at once.
#if MINIMAX_KEYS
    #define MINIMAX_VALUE u64
    #define MINIMAX_LINK MINIMAX_MASK
    #define MINIMAX_LINKS 1
    #define MINIMAX_HIGHEST minimax_unreached
    #define MINIMAX_NO_LINK 0
    #define MINIMAX_TILE_PITCH \
        (MINIMAX_TILE_X + 1)  // rows begin in different banks of local memory
    #define MINIMAX_RELAXED(name) T_JOIN(MINIMAX_NAMED(minimax_key_), name)
#else
    #define MINIMAX_VALUE u16
    #define MINIMAX_LINK u16
    #define MINIMAX_LINKS MINIMAX_DIRECTIONS
    #define MINIMAX_HIGHEST minimax_blocked
    #define MINIMAX_NO_LINK minimax_blocked
    #define MINIMAX_TILE_PITCH (MINIMAX_TILE_X + 2)
    #define MINIMAX_RELAXED(name) T_JOIN(MINIMAX_NAMED(minimax_cost_), name)
#endif
#define MINIMAX_TILE_WORDS (MINIMAX_TILE_PITCH * MINIMAX_TILE_Y * MINIMAX_TILE_Z)
#define MINIMAX_TILE_POINTS (MINIMAX_TILE_X * MINIMAX_TILE_Y * MINIMAX_TILE_Z)

// What the next cell of a line is offered by cell `from` in the k-th direction, onward or backward;
// `low` is the one of the two that comes before the other.
#if MINIMAX_KEYS
    #define MINIMAX_OFFER(value, k, from, low, backward) \
        (links[from] >> (2 * (k) + (backward)) & 1 ? (value) + minimax_hop : MINIMAX_HIGHEST)
#else
    #define MINIMAX_OFFER(value, k, from, low, backward) \
        ((u16)T_MAX(value, links[(k)*MINIMAX_TILE_WORDS + (low)]))
#endif

// Scans line `line` of a tile in its k-th direction onward and back. Gives whether a value changed.
T_FUNCTION u32 MINIMAX_RELAXED(_scan)(T_LOCAL_PTR(MINIMAX_VALUE) values,
                                      T_LOCAL_PTR(const MINIMAX_LINK) links, const i32 k,
                                      const i32 line) {
    const i32 dx = minimax_dx[MINIMAX_FIRST_DIRECTION + k];
    const i32 dy = minimax_dy[MINIMAX_FIRST_DIRECTION + k];
    const i32 dz = minimax_dz[MINIMAX_FIRST_DIRECTION + k];
    // Along the last axis in which a direction goes, lines are as long as the tile; along others
    // they come in again at the opposite face, but nothing passes there.
    const i32 length = dz ? MINIMAX_TILE_Z : dy ? MINIMAX_TILE_Y : MINIMAX_TILE_X;
    i32 x = dy || dz ? line % MINIMAX_TILE_X : 0;
    i32 y = dz ? line / MINIMAX_TILE_X : dy ? 0 : line % MINIMAX_TILE_Y;
    i32 z = dz ? 0 : dy ? line / MINIMAX_TILE_X : line / MINIMAX_TILE_Y;
    i32 at = (z * MINIMAX_TILE_Y + y) * MINIMAX_TILE_PITCH + x;
    MINIMAX_VALUE value = values[at];
    u32 changed = 0;
    for (i32 step = 1; step < length; ++step) {
        const i32 next_x = (x + dx) & (MINIMAX_TILE_X - 1);
        const i32 next_y = (y + dy) & (MINIMAX_TILE_Y - 1);
        const i32 next = ((z + dz) * MINIMAX_TILE_Y + next_y) * MINIMAX_TILE_PITCH + next_x;
        const i32 joined = next_x == x + dx && next_y == y + dy;
        const MINIMAX_VALUE offer = MINIMAX_OFFER(value, k, at, at, 0);
        value = values[next];
        if (joined && offer < value) {
            value = offer;
            values[next] = offer;
            changed = 1;
        }
        at = next;
        x = next_x;
        y = next_y;
        z += dz;
    }
    for (i32 step = 1; step < length; ++step) {
        const i32 next_x = (x - dx) & (MINIMAX_TILE_X - 1);
        const i32 next_y = (y - dy) & (MINIMAX_TILE_Y - 1);
        const i32 next = ((z - dz) * MINIMAX_TILE_Y + next_y) * MINIMAX_TILE_PITCH + next_x;
        const i32 joined = next_x == x - dx && next_y == y - dy;
        const MINIMAX_VALUE offer = MINIMAX_OFFER(value, k, at, next, 1);
        value = values[next];
        if (joined && offer < value) {
            value = offer;
            values[next] = offer;
            changed = 1;
        }
        at = next;
        x = next_x;
        y = next_y;
        z -= dz;
    }
    return changed;
}

// Round `round` of the relaxation. `links` are the weights or the masks, `values` the costs or
// keys.
T_GROUP_KERNEL(MINIMAX_RELAXED(_tiles), minimax_items, 1, 1,
               (T_IN(MINIMAX_LINK) links, T_GLOBAL_PTR(MINIMAX_VALUE) values,
                const minimax_tiles_job job, const i32 round, T_GLOBAL_PTR(u32) lists,
                T_GLOBAL_PTR(u32) counters)) {
    T_LOCAL(MINIMAX_VALUE, tile_values, MINIMAX_TILE_WORDS);
    T_LOCAL(MINIMAX_LINK, tile_links, MINIMAX_LINKS * MINIMAX_TILE_WORDS);
    T_LOCAL(u32, changed, 2);
    const u32 count = T_LOAD(u32, counters + round % minimax_ring);
    T_PHASE {
        if (T_GX == 0 && T_LX == 0) minimax_count_round(counters, round, count);
    }
    for (u32 n = (u32)T_GX; n < count; n += (u32)T_GROUPS_X) {
        const i32 tile = (i32)lists[(i64)(1 + round % 2) * job.tiles + n];
        const i32 x0 = tile % job.tiles_x * (MINIMAX_TILE_X - 2) - 1;
        const i32 y0 = tile / job.tiles_x % job.tiles_y * (MINIMAX_TILE_Y - 2) - 1;
        const i32 z0 =
            MINIMAX_TILE_Z > 1 ? tile / job.tiles_x / job.tiles_y * (MINIMAX_TILE_Z - 2) - 1 : 0;
        T_PHASE {
            if (T_LX < 2) changed[T_LX] = 0;
            for (i32 c = T_LX; c < MINIMAX_TILE_POINTS; c += minimax_items) {
                const i32 x = x0 + c % MINIMAX_TILE_X;
                const i32 y = y0 + c / MINIMAX_TILE_X % MINIMAX_TILE_Y;
                const i32 z = z0 + c / (MINIMAX_TILE_X * MINIMAX_TILE_Y);
                const i32 inside =
                    x >= 0 && x < job.nx && y >= 0 && y < job.ny && z >= 0 && z < job.nz;
                const i64 i = job.pad + ((i64)z * job.ny + y) * job.nx + x;
                const i32 at = c / MINIMAX_TILE_X * MINIMAX_TILE_PITCH + c % MINIMAX_TILE_X;
                tile_values[at] =
                    inside ? T_LOAD(MINIMAX_VALUE, values + i) : (MINIMAX_VALUE)MINIMAX_HIGHEST;
                for (i32 k = 0; k < MINIMAX_LINKS; ++k)
                    tile_links[k * MINIMAX_TILE_WORDS + at] =
                        inside ? links[k * job.pitch + i] : (MINIMAX_LINK)MINIMAX_NO_LINK;
            }
        }
        u32 goes_on = 1;
        for (i32 turn = 0; goes_on; ++turn) {
            T_UNROLL
            for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
                T_PHASE {
                    const i32 direction = MINIMAX_FIRST_DIRECTION + k;
                    const i32 length = minimax_dz[direction]   ? MINIMAX_TILE_Z
                                       : minimax_dy[direction] ? MINIMAX_TILE_Y
                                                               : MINIMAX_TILE_X;
                    if (k == 0 && T_LX == 0) changed[(turn + 1) % 2] = 0;
                    u32 any = 0;
                    for (i32 line = T_LX; line < MINIMAX_TILE_POINTS / length;
                         line += minimax_items)
                        any |= MINIMAX_RELAXED(_scan)(tile_values, tile_links, k, line);
                    if (any) T_ATOMIC_OR(&changed[turn % 2], 1u);
                }
            }
            T_PHASE {}  // all have said whether they changed anything
            goes_on = changed[turn % 2];
        }
        T_PHASE {
            for (i32 c = T_LX; c < MINIMAX_TILE_POINTS; c += minimax_items) {
                const i32 tx = c % MINIMAX_TILE_X;
                const i32 ty = c / MINIMAX_TILE_X % MINIMAX_TILE_Y;
                const i32 tz = c / (MINIMAX_TILE_X * MINIMAX_TILE_Y);
                const i32 x = x0 + tx;
                const i32 y = y0 + ty;
                const i32 z = z0 + tz;
                const i32 inside =
                    x >= 0 && x < job.nx && y >= 0 && y < job.ny && z >= 0 && z < job.nz;
                const i64 i = job.pad + ((i64)z * job.ny + y) * job.nx + x;
                const MINIMAX_VALUE value =
                    tile_values[c / MINIMAX_TILE_X * MINIMAX_TILE_PITCH + tx];
                const i32 own = tx > 0 && tx < MINIMAX_TILE_X - 1 && ty > 0 &&
                                ty < MINIMAX_TILE_Y - 1 && tz >= T_MIN(1, MINIMAX_TILE_Z - 1) &&
                                tz <= T_MAX(MINIMAX_TILE_Z - 2, 0);
                if (inside && value < T_LOAD(MINIMAX_VALUE, values + i)) {
                    if (own)
                        T_STORE(MINIMAX_VALUE, values + i, value);
                    else
                        minimax_list_part(
                            lists, counters, job.tiles,
                            minimax_part(x, y, z, MINIMAX_TILE_X - 2, MINIMAX_TILE_Y - 2,
                                         T_MAX(MINIMAX_TILE_Z - 2, 1), job.tiles_x, job.tiles_y),
                            round + 1);
                }
            }
        }
    }
}

#undef MINIMAX_KEYS
#undef MINIMAX_VALUE
#undef MINIMAX_LINK
#undef MINIMAX_LINKS
#undef MINIMAX_HIGHEST
#undef MINIMAX_NO_LINK
#undef MINIMAX_TILE_PITCH
#undef MINIMAX_TILE_WORDS
#undef MINIMAX_TILE_POINTS
#undef MINIMAX_OFFER
#undef MINIMAX_RELAXED
