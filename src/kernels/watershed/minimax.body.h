// One connectivity's kernels; minimax.kernel.h sets MINIMAX_NEIGHBORS, their MINIMAX_DIRECTIONS
// from MINIMAX_FIRST_DIRECTION on, MINIMAX_MASK, which has two bits a direction, and the lengths of
// a tile.
#define MINIMAX_NAMED(name) T_JOIN(name, MINIMAX_NEIGHBORS)

// Which steps keep the smallest cost: bits 2k and 2k + 1 of a point's mask say it of those onward
// and backward in its k-th direction.
T_SIMD_KERNEL(MINIMAX_NAMED(minimax_masks_),
              (T_IN(u16) weights, const i64 pitch, T_IN(u16) costs, const i64 pad,
               T_OUT(MINIMAX_MASK) masks, i32 nx, i32 ny)) {
    T_INDEX2(x, row);
    const i64 i = (i64)row * nx + x;
    const u32 cost = costs[pad + i];
    u32 mask = 0;
    T_UNROLL
    for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
        const i64 offset = minimax_offset(MINIMAX_FIRST_DIRECTION + k, nx, ny);
        const u32 onward = weights[k * pitch + pad + i];
        const u32 backward = weights[k * pitch + pad + i - offset];
        const u32 cost_onward = costs[pad + i + offset];
        const u32 cost_backward = costs[pad + i - offset];
        const u32 level_onward = T_MAX(cost, onward);
        const u32 level_backward = T_MAX(cost, backward);
        const u32 keeps_onward =
            (u32)(level_onward == cost_onward) & (u32)(level_onward < minimax_blocked);
        const u32 keeps_backward =
            (u32)(level_backward == cost_backward) & (u32)(level_backward < minimax_blocked);
        mask |= keeps_onward << (2 * k) | keeps_backward << (2 * k + 1);
    }
    masks[i] = (MINIMAX_MASK)mask;
}

enum {
    MINIMAX_NAMED(minimax_tile_x_) = MINIMAX_TILE_X,
    MINIMAX_NAMED(minimax_tile_y_) = MINIMAX_TILE_Y,
    MINIMAX_NAMED(minimax_tile_z_) = MINIMAX_TILE_Z
};

#define MINIMAX_KEYS 0
#include "kernels/watershed/gpu/minimax_tiles.body.h"
#define MINIMAX_KEYS 1
#include "kernels/watershed/gpu/minimax_tiles.body.h"
#if MINIMAX_TILE_Z > 1
    #include "kernels/watershed/cpu/minimax_blocks.body.h"
#endif

#undef MINIMAX_NAMED
#undef MINIMAX_NEIGHBORS
#undef MINIMAX_FIRST_DIRECTION
#undef MINIMAX_DIRECTIONS
#undef MINIMAX_MASK
#undef MINIMAX_TILE_X
#undef MINIMAX_TILE_Y
#undef MINIMAX_TILE_Z
