// Relaxes tiles of costs (MINIMAX_KEYS 0) or of keys (MINIMAX_KEYS 1), a group each, in local
// memory. A tile holds its own points and those around them, which belong to its neighbors: as
// these are lowered too, they tell which neighbors have to be relaxed again. The points fall in
// lines along a direction that are scanned to and fro, one item a line: so no two items meet, and a
// value crosses the tile at once.
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

// Where cell `c` of a tile stands in local memory.
#define MINIMAX_TILE_PLACE(c) (c / MINIMAX_TILE_X * MINIMAX_TILE_PITCH + c % MINIMAX_TILE_X)

// Scans line `line` of a tile in its k-th direction onward and back: each value is lowered to what
// the one before it offers. Returns whether a value changed. Along the last axis in which a
// direction goes, lines are as long as the tile; along the others they come in again at the
// opposite face, but nothing passes there. Lengths of tiles are powers of two.
T_FUNCTION u32 MINIMAX_RELAXED(_scan)(T_LOCAL_PTR(MINIMAX_VALUE) values,
                                      T_LOCAL_PTR(const MINIMAX_LINK) links, const i32 k,
                                      const i32 line) {
    const i32 direction = MINIMAX_FIRST_DIRECTION + k;
    const i32 along_y = minimax_dy[direction], along_z = minimax_dz[direction];
    const i32 length = along_z ? MINIMAX_TILE_Z : along_y ? MINIMAX_TILE_Y : MINIMAX_TILE_X;
    i32 x = along_y || along_z ? line % MINIMAX_TILE_X : 0;
    i32 y = along_z ? line / MINIMAX_TILE_X : along_y ? 0 : line % MINIMAX_TILE_Y;
    i32 z = along_z ? 0 : along_y ? line / MINIMAX_TILE_X : line / MINIMAX_TILE_Y;
    i32 at = (z * MINIMAX_TILE_Y + y) * MINIMAX_TILE_PITCH + x;
    MINIMAX_VALUE value = values[at];
    u32 changed = 0;
    T_UNROLL
    for (i32 backward = 0; backward < 2; ++backward) {
        const i32 sign = backward ? -1 : 1;
        for (i32 step = 1; step < length; ++step) {
            const i32 beside_x = x + sign * minimax_dx[direction];
            const i32 beside_y = y + sign * along_y;
            x = beside_x & (MINIMAX_TILE_X - 1);
            y = beside_y & (MINIMAX_TILE_Y - 1);
            z += sign * along_z;
            const i32 joined = x == beside_x && y == beside_y;
            const i32 next = (z * MINIMAX_TILE_Y + y) * MINIMAX_TILE_PITCH + x;
            const MINIMAX_VALUE offer =
                MINIMAX_OFFER(value, k, at, (backward ? next : at), backward);
            value = values[next];
            if (joined && offer < value) {
                value = offer;
                values[next] = offer;
                changed = 1;
            }
            at = next;
        }
    }
    return changed;
}

// Scans the lines of a tile in its k-th direction, an item a line. Returns whether one of the
// item's values changed.
T_FUNCTION u32 MINIMAX_RELAXED(_scan_lines)(T_LOCAL_PTR(MINIMAX_VALUE) values,
                                            T_LOCAL_PTR(const MINIMAX_LINK) links, const i32 k,
                                            const i32 item) {
    const i32 direction = MINIMAX_FIRST_DIRECTION + k;
    const i32 length = minimax_dz[direction]   ? MINIMAX_TILE_Z
                       : minimax_dy[direction] ? MINIMAX_TILE_Y
                                               : MINIMAX_TILE_X;
    u32 changed = 0;
    for (i32 line = item; line < MINIMAX_TILE_POINTS / length; line += minimax_items)
        changed |= MINIMAX_RELAXED(_scan)(values, links, k, line);
    return changed;
}

// The point of the image at cell `c` of the tile that begins at `first`.
T_FUNCTION minimax_place MINIMAX_RELAXED(_place)(const minimax_tiles_job job,
                                                 const minimax_place first, const i32 c) {
    minimax_place place;
    place.x = first.x + c % MINIMAX_TILE_X;
    place.y = first.y + c / MINIMAX_TILE_X % MINIMAX_TILE_Y;
    place.z = first.z + c / (MINIMAX_TILE_X * MINIMAX_TILE_Y);
    place.inside = place.x >= 0 && place.x < job.nx && place.y >= 0 && place.y < job.ny &&
                   place.z >= 0 && place.z < job.nz;
    place.index = job.pad + ((i64)place.z * job.ny + place.y) * job.nx + place.x;
    return place;
}

// Loads a tile's values and links.
T_FUNCTION void MINIMAX_RELAXED(_load)(T_IN(MINIMAX_LINK) links, T_GLOBAL_PTR(MINIMAX_VALUE) values,
                                       const minimax_tiles_job job, const minimax_place first,
                                       const i32 item, T_LOCAL_PTR(MINIMAX_VALUE) tile_values,
                                       T_LOCAL_PTR(MINIMAX_LINK) tile_links) {
    for (i32 c = item; c < MINIMAX_TILE_POINTS; c += minimax_items) {
        const minimax_place place = MINIMAX_RELAXED(_place)(job, first, c);
        const i32 at = MINIMAX_TILE_PLACE(c);
        tile_values[at] = place.inside ? T_LOAD(MINIMAX_VALUE, values + place.index)
                                       : (MINIMAX_VALUE)MINIMAX_HIGHEST;
        for (i32 k = 0; k < MINIMAX_LINKS; ++k)
            tile_links[k * MINIMAX_TILE_WORDS + at] =
                place.inside ? links[k * job.pitch + place.index] : (MINIMAX_LINK)MINIMAX_NO_LINK;
    }
}

// Stores the tile's own points that were lowered, and lists the neighbors whose points could be.
T_FUNCTION void MINIMAX_RELAXED(_store)(T_LOCAL_PTR(const MINIMAX_VALUE) tile_values,
                                        const minimax_tiles_job job, const minimax_place first,
                                        const i32 item, const i32 round,
                                        T_GLOBAL_PTR(MINIMAX_VALUE) values, T_GLOBAL_PTR(u32) lists,
                                        T_GLOBAL_PTR(u32) counters) {
    for (i32 c = item; c < MINIMAX_TILE_POINTS; c += minimax_items) {
        const minimax_place place = MINIMAX_RELAXED(_place)(job, first, c);
        const MINIMAX_VALUE value = tile_values[MINIMAX_TILE_PLACE(c)];
        if (!place.inside || value >= T_LOAD(MINIMAX_VALUE, values + place.index)) continue;
        const i32 x = place.x - first.x, y = place.y - first.y, z = place.z - first.z;
        const i32 own = x > 0 && x < MINIMAX_TILE_X - 1 && y > 0 && y < MINIMAX_TILE_Y - 1 &&
                        z >= T_MIN(1, MINIMAX_TILE_Z - 1) && z <= T_MAX(MINIMAX_TILE_Z - 2, 0);
        if (own)
            T_STORE(MINIMAX_VALUE, values + place.index, value);
        else
            minimax_list_part(
                lists, counters, job.tiles,
                minimax_part(place.x, place.y, place.z, MINIMAX_TILE_X - 2, MINIMAX_TILE_Y - 2,
                             T_MAX(MINIMAX_TILE_Z - 2, 1), job.tiles_x, job.tiles_y),
                round + 1);
    }
}

// Round `round` of the relaxation. `links` are the weights or the masks, `values` the costs or
// keys. Phases: the first group counts the round; then for each tile that is listed
//   1. it is loaded;
//   2. until nothing changes, its lines are scanned in one direction after the other;
//   3. its own points are stored and neighbors are listed for the next round.
T_GROUP_KERNEL(MINIMAX_RELAXED(_tiles), minimax_items, 1, 1,
               (T_IN(MINIMAX_LINK) links, T_GLOBAL_PTR(MINIMAX_VALUE) values,
                const minimax_tiles_job job, const i32 round, T_GLOBAL_PTR(u32) lists,
                T_GLOBAL_PTR(u32) counters)) {
    T_LOCAL(MINIMAX_VALUE, tile_values, MINIMAX_TILE_WORDS);
    T_LOCAL(MINIMAX_LINK, tile_links, MINIMAX_LINKS * MINIMAX_TILE_WORDS);
    T_LOCAL(u32, changed, 2);  // in this scan of all directions, and in the next one
    const u32 count = T_LOAD(u32, counters + round % minimax_ring);
    T_PHASE {
        if (T_GX == 0 && T_LX == 0) minimax_count_round(counters, round, count);
    }
    for (u32 n = (u32)T_GX; n < count; n += (u32)T_GROUPS_X) {
        const i32 tile = (i32)lists[(i64)(1 + round % 2) * job.tiles + n];
        minimax_place first;  // the tile's first cell: one before its own points, in z of volumes
        first.x = tile % job.tiles_x * (MINIMAX_TILE_X - 2) - 1;
        first.y = tile / job.tiles_x % job.tiles_y * (MINIMAX_TILE_Y - 2) - 1;
        first.z =
            MINIMAX_TILE_Z > 1 ? tile / job.tiles_x / job.tiles_y * (MINIMAX_TILE_Z - 2) - 1 : 0;
        T_PHASE {
            if (T_LX < 2) changed[T_LX] = 0;
            MINIMAX_RELAXED(_load)(links, values, job, first, T_LX, tile_values, tile_links);
        }
        u32 goes_on = 1;
        for (i32 scan = 0; goes_on; ++scan) {
            T_UNROLL
            for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
                T_PHASE {
                    if (k == 0 && T_LX == 0) changed[(scan + 1) % 2] = 0;
                    if (MINIMAX_RELAXED(_scan_lines)(tile_values, tile_links, k, T_LX))
                        T_ATOMIC_OR(&changed[scan % 2], 1u);
                }
            }
            T_PHASE {}  // a barrier: `changed` is complete
            goes_on = changed[scan % 2];
        }
        T_PHASE {
            MINIMAX_RELAXED(_store)(tile_values, job, first, T_LX, round, values, lists, counters);
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
#undef MINIMAX_TILE_PLACE
#undef MINIMAX_RELAXED
