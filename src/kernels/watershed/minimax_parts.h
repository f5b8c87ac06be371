// Lists of the parts of an image that a round of minimax growth relaxes.
#ifndef TESELA_KERNELS_MINIMAX_PARTS_H
#define TESELA_KERNELS_MINIMAX_PARTS_H

enum {
    minimax_items = 64,  // of a group that relaxes tiles
    // `counters`: how many parts a round has, in a ring of rounds; rounds with any; visits of
    // parts.
    minimax_ring = 32,
    minimax_rounds = minimax_ring,
    minimax_visits = minimax_ring + 1,
    minimax_counters = minimax_ring + 2
};
#define minimax_blocked 0xffffu  // weight of no step, cost of a point that none reaches
#define minimax_levels 0x10000u  // of costs
#define minimax_unreached 0x7fffffffffffffffull
#define minimax_hop 0x100000000ull

// The part in which a point stands; parts measure part_x x part_y x part_z.
T_FUNCTION i32 minimax_part(const i32 x, const i32 y, const i32 z, const i32 part_x,
                            const i32 part_y, const i32 part_z, const i32 parts_x,
                            const i32 parts_y) {
    return (z / part_z * parts_y + y / part_y) * parts_x + x / part_x;
}

// An image cut into tiles. `links` has a plane of `pitch` elements for each direction; `pad`
// elements come before the first point of each, and before the first value.
typedef struct {
    i64 pitch, pad;
    i32 nx, ny, nz;
    i32 tiles, tiles_x, tiles_y;
} minimax_tiles_job;

// A point of a tile in the image: `index` is where its value stands.
typedef struct {
    i32 x, y, z;
    i32 inside;  // of the image
    i64 index;
} minimax_place;

// Puts a part on the list of a round, once. `lists` has for each part the last round for which it
// was listed, plus one, and behind them two lists, of even and odd rounds.
T_FUNCTION void minimax_list_part(T_GLOBAL_PTR(u32) lists, T_GLOBAL_PTR(u32) counters,
                                  const i32 parts, const i32 part, const i32 round) {
    const u32 stamp = (u32)round + 1u;
    if (T_LOAD(u32, lists + part) < stamp && T_ATOMIC_MAX(lists + part, stamp) < stamp) {
        const u32 place = T_ATOMIC_ADD(counters + round % minimax_ring, 1u);
        lists[(i64)(1 + round % 2) * parts + place] = (u32)part;
    }
}

// What the first item of a round does: counts it, and empties the counter of the round after next.
T_FUNCTION void minimax_count_round(T_GLOBAL_PTR(u32) counters, const i32 round, const u32 count) {
    counters[(round + 2) % minimax_ring] = 0;
    if (count > 0) {
        counters[minimax_rounds] += 1;
        counters[minimax_visits] += count;
    }
}

#endif
