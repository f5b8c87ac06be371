// The fast two-cycle method (Shi and Karl 2008, tesela/level_set.h): definitions that its kernels
// share. Tiles are of 64 x 8 x 8 points.
//
// Each step reads one buffer of the state and writes another one. A tile is active if it or an
// adjacent tile changed in the last step; inactive tiles are equal in both buffers. `active` has
// three lists of flags, with one flag for each tile: for this step, for the next one, and for the
// one after that, which is cleared meanwhile; they rotate with the steps. `tile_state` has the
// three lists below. A tile that smoothing left unchanged is skipped until something within reach
// changes.
#ifndef TESELA_KERNELS_FTC_GRID_H
#define TESELA_KERNELS_FTC_GRID_H

enum {
    ftc_word = 64,
    ftc_tile_rows = 8,  // along y and z
    ftc_own_rows = 64,  // of a tile
    ftc_own_points = 4096,
    ftc_most_radius = 3,    // of the smoothing kernel
    ftc_levels = 1024,      // of values
    ftc_outside = 1023,     // the level of points that no object may occupy
    ftc_no_entry = 0x8000,  // flag in addition to the level: objects may not enter, but may stay
    ftc_level_bits = 0x3ff,
    ftc_objects = 256,  // including 0, free points

    // Lists of `tile_state`, each with one word for each tile.
    ftc_border_list = 0,    // whether the border of an object runs through the tile
    ftc_changed_list = 1,   // the last step that changed it
    ftc_smoothed_list = 2,  // the last smoothing step that processed it

    // Control words.
    ftc_stop = 0,        // the reason why the run ended, 0 while it runs
    ftc_stop_round = 1,  // the last round
    ftc_period = 2,      // of the limit cycle, in rounds
    ftc_new_speeds = 3,  // whether speeds changed in this round
    ftc_step_moved =
        8,  // ftc_most_steps flags: whether an evolution step of this round moved a point
    ftc_most_steps = 64,
    ftc_hashes = 80,  // of the states of the last rounds, two words each
    ftc_history = 24,
    ftc_control_words = 128,

    // Reasons.
    ftc_stable = 1,
    ftc_limit_cycle = 2,
    ftc_too_large = 3,

    // Sums over an object: number of points, sum of levels, sum of their squares; two words each.
    ftc_sum_words = 6
};

typedef struct {
    i32 nx, ny, nz;
    i32 words;  // of a row, which are also the tiles along x
    i32 tiles_y, tiles_z;
} ftc_grid;

typedef struct {
    i32 rx, ry, rz;  // radius
    u32 half_sum;    // half of the sum of all weights
} ftc_smoothing;

// The lists of `active`.
T_FUNCTION i32 ftc_active_now(const i32 step) { return step % 3; }
T_FUNCTION i32 ftc_active_next(const i32 step) { return (step + 1) % 3; }
T_FUNCTION i32 ftc_active_cleared(const i32 step) { return (step + 2) % 3; }

T_FUNCTION i32 ftc_tiles(const ftc_grid grid) { return grid.words * grid.tiles_y * grid.tiles_z; }

T_FUNCTION i32 ftc_tile(const i32 w, const i32 ty, const i32 tz, const ftc_grid grid) {
    return (tz * grid.tiles_y + ty) * grid.words + w;
}

// Flags of a tile that its items set.
enum {
    ftc_has_border = 1,
    ftc_changed = 2,
    ftc_at_sides = 4  // bits 2 to 7: changed at the low, at the high side along x, y and z
};

// The flags of a change in row y, z of a tile.
T_FUNCTION u32 ftc_change_flags(const i32 low_x, const i32 high_x, const i32 y, const i32 z) {
    u32 flags = ftc_changed;
    if (low_x) flags |= ftc_at_sides;
    if (high_x) flags |= ftc_at_sides << 1;
    if (y == 0) flags |= ftc_at_sides << 2;
    if (y == ftc_tile_rows - 1) flags |= ftc_at_sides << 3;
    if (z == 0) flags |= ftc_at_sides << 4;
    if (z == ftc_tile_rows - 1) flags |= ftc_at_sides << 5;
    return flags;
}

// Where tile (w, ty, tz) changed, it becomes active in the next step, and so do the neighbors at
// the sides where it changed.
T_FUNCTION void ftc_activate_neighbors(T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) tile_state,
                                       const i32 step, const i32 w, const i32 ty, const i32 tz,
                                       const u32 changes, const ftc_grid grid) {
    if ((changes & ftc_changed) == 0) return;
    T_STORE(u32, tile_state + ftc_changed_list * ftc_tiles(grid) + ftc_tile(w, ty, tz, grid),
            (u32)step);
    T_GLOBAL_PTR(u32) flags = active + ftc_active_next(step) * ftc_tiles(grid);
    T_STORE(u32, flags + ftc_tile(w, ty, tz, grid), 1u);
    const u32 sides = changes / ftc_at_sides;
    if ((sides & 1u) != 0 && w > 0) T_STORE(u32, flags + ftc_tile(w - 1, ty, tz, grid), 1u);
    if ((sides & 2u) != 0 && w + 1 < grid.words)
        T_STORE(u32, flags + ftc_tile(w + 1, ty, tz, grid), 1u);
    if ((sides & 4u) != 0 && ty > 0) T_STORE(u32, flags + ftc_tile(w, ty - 1, tz, grid), 1u);
    if ((sides & 8u) != 0 && ty + 1 < grid.tiles_y)
        T_STORE(u32, flags + ftc_tile(w, ty + 1, tz, grid), 1u);
    if ((sides & 16u) != 0 && tz > 0) T_STORE(u32, flags + ftc_tile(w, ty, tz - 1, grid), 1u);
    if ((sides & 32u) != 0 && tz + 1 < grid.tiles_z)
        T_STORE(u32, flags + ftc_tile(w, ty, tz + 1, grid), 1u);
}

// Whether tile `number` of the 27 within the reach of smoothing, which include the tile itself,
// changed since the tile was last smoothed.
T_FUNCTION u32 ftc_changed_since_smoothing(T_GLOBAL_PTR(const u32) tile_state, const i32 number,
                                           const i32 w, const i32 ty, const i32 tz,
                                           const ftc_grid grid) {
    const i32 tiles = ftc_tiles(grid);
    const i32 nw = w + number % 3 - 1;
    const i32 ny = ty + number / 3 % 3 - 1;
    const i32 nz = tz + number / 9 - 1;
    if (nw < 0 || nw >= grid.words || ny < 0 || ny >= grid.tiles_y || nz < 0 || nz >= grid.tiles_z)
        return 0u;
    const u32 changed =
        T_LOAD(u32, tile_state + ftc_changed_list * tiles + ftc_tile(nw, ny, nz, grid));
    return changed >=
                   T_LOAD(u32, tile_state + ftc_smoothed_list * tiles + ftc_tile(w, ty, tz, grid))
               ? 1u
               : 0u;
}

// Whether an evolution step processes a tile: an active one, while the run lasts.
T_FUNCTION u32 ftc_may_evolve(T_GLOBAL_PTR(const u32) active, T_GLOBAL_PTR(const u32) control,
                              const i32 step, const i32 tile, const i32 tiles) {
    return T_LOAD(u32, control + ftc_stop) == 0 &&
                   T_LOAD(u32, active + ftc_active_now(step) * tiles + tile) != 0
               ? 1u
               : 0u;
}

// Whether a smoothing step considers a tile: an active one, or one with a border.
T_FUNCTION u32 ftc_may_smooth(T_GLOBAL_PTR(const u32) active, T_GLOBAL_PTR(const u32) tile_state,
                              const u32 stop, const i32 step, const i32 tile, const i32 tiles) {
    const u32 is_active = T_LOAD(u32, active + ftc_active_now(step) * tiles + tile);
    return stop == 0 && (is_active | T_LOAD(u32, tile_state + ftc_border_list * tiles + tile)) != 0
               ? 1u
               : 0u;
}

// Active tiles stay active over a smoothing step, because evolution may still move them.
T_FUNCTION void ftc_stay_active(T_GLOBAL_PTR(u32) active, const u32 is_processed, const i32 step,
                                const i32 tile, const i32 tiles) {
    active[ftc_active_cleared(step) * tiles + tile] = 0;
    if (is_processed != 0 && T_LOAD(u32, active + ftc_active_now(step) * tiles + tile) != 0)
        T_STORE(u32, active + ftc_active_next(step) * tiles + tile, 1u);
}

// sum += v, where the sum has 64 bits in two words.
T_FUNCTION void ftc_add_wide(T_GLOBAL_PTR(u32) sum, const u64 v) {
    const u32 low = (u32)v;
    const u32 before = T_ATOMIC_ADD(sum, low);
    const u32 high = (u32)(v >> 32) + (before + low < low ? 1u : 0u);
    if (high != 0) T_ATOMIC_ADD(sum + 1, high);
}

// The hash of 64 bits of the state at index i; 0 if none is set.
T_FUNCTION u64 ftc_hash(const u64 bits, const u64 i) {
    u64 h = (bits ^ (i * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 31) * 0x94d049bb133111ebu;
    return bits == 0 ? 0u : h ^ h >> 29;
}

#endif
