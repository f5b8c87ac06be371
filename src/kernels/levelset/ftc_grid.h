// Fronts by the fast two-cycle method: what its kernels share. Tiles are of 64 x 8 x 8 points.
//
// Each step reads the state before it and writes the state behind it into another buffer. A tile is
// active where it or a tile beside it changed in the last step; others are alike in both buffers.
// `active` has three lists of flags, one a tile: of this step, of the next one, and of the one
// behind that, which is cleared meanwhile. `marks` has three lists: whether a border runs through a
// tile, the last step in which it changed, and the last one in which smoothing looked at it.
// Smoothing that moved nothing moves nothing again until something near changes.
#ifndef TESELA_KERNELS_FTC_GRID_H
#define TESELA_KERNELS_FTC_GRID_H

enum {
    ftc_word = 64,
    ftc_tile_rows = 8,  // along y and z
    ftc_own_rows = 64,  // of a tile
    ftc_own_points = 4096,
    ftc_most_radius = 3,    // of smoothing
    ftc_levels = 1024,      // of values
    ftc_outside = 1023,     // the level of points that no object may hold
    ftc_no_entry = 0x8000,  // beside the level: objects may not enter, but stay
    ftc_level_bits = 0x3ff,
    ftc_objects = 256,  // with that of free points, 0

    // Control words.
    ftc_stop = 0,        // why, 0 while it runs
    ftc_stop_round = 1,  // the last round
    ftc_period = 2,      // of rounds, where a state came back
    ftc_new_speeds = 3,  // in this round
    ftc_step_moved = 8,  // of the steps of a round, as many as ftc_most_steps
    ftc_most_steps = 64,
    ftc_hashes = 80,  // of the last rounds, two words each
    ftc_history = 24,
    ftc_control_words = 128,

    // Why.
    ftc_stable = 1,
    ftc_came_back = 2,
    ftc_too_large = 3,

    // Sums of an object: number of points, sum of levels, of their squares; two words each.
    ftc_sum_words = 6
};

typedef struct {
    i32 nx, ny, nz;
    i32 words;  // of a row
    i32 tiles_y, tiles_z;
} ftc_grid;

typedef struct {
    i32 rx, ry, rz;  // radius
    u32 middle;      // of the sum of all weights
} ftc_smoothing;

T_FUNCTION i32 ftc_tiles(const ftc_grid grid) { return grid.words * grid.tiles_y * grid.tiles_z; }

T_FUNCTION i32 ftc_tile(const i32 w, const i32 ty, const i32 tz, const ftc_grid grid) {
    return (tz * grid.tiles_y + ty) * grid.words + w;
}

// What the items of a tile tell each other.
enum {
    ftc_has_border = 1,
    ftc_changed = 2,
    ftc_at_sides = 4  // a change at the low side along x, then the high one; along y; along z
};

// Of a change at row y, z of a tile.
T_FUNCTION u32 ftc_told(const i32 low_x, const i32 high_x, const i32 y, const i32 z) {
    u32 told = ftc_changed;
    if (low_x) told |= ftc_at_sides;
    if (high_x) told |= ftc_at_sides << 1;
    if (y == 0) told |= ftc_at_sides << 2;
    if (y == ftc_tile_rows - 1) told |= ftc_at_sides << 3;
    if (z == 0) told |= ftc_at_sides << 4;
    if (z == ftc_tile_rows - 1) told |= ftc_at_sides << 5;
    return told;
}

// Where tile (w, ty, tz) changed, it, and those at the sides that are told, are active in the next
// step.
T_FUNCTION void ftc_wake(T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) marks, const i32 step,
                         const i32 w, const i32 ty, const i32 tz, const u32 told,
                         const ftc_grid grid) {
    if ((told & ftc_changed) == 0) return;
    T_STORE(u32, marks + ftc_tiles(grid) + ftc_tile(w, ty, tz, grid), (u32)step);
    T_GLOBAL_PTR(u32) flags = active + (step + 1) % 3 * ftc_tiles(grid);
    T_STORE(u32, flags + ftc_tile(w, ty, tz, grid), 1u);
    const u32 sides = told / ftc_at_sides;
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

// Whether neighbor `number` of 27, the tile itself among them, changed since smoothing looked at
// the tile; it reaches no farther.
T_FUNCTION u32 ftc_fresh(T_GLOBAL_PTR(const u32) marks, const i32 number, const i32 w, const i32 ty,
                         const i32 tz, const ftc_grid grid) {
    const i32 tiles = ftc_tiles(grid);
    const i32 nw = w + number % 3 - 1;
    const i32 ny = ty + number / 3 % 3 - 1;
    const i32 nz = tz + number / 9 - 1;
    if (nw < 0 || nw >= grid.words || ny < 0 || ny >= grid.tiles_y || nz < 0 || nz >= grid.tiles_z)
        return 0u;
    const u32 changed = T_LOAD(u32, marks + tiles + ftc_tile(nw, ny, nz, grid));
    return changed >= T_LOAD(u32, marks + 2 * tiles + ftc_tile(w, ty, tz, grid)) ? 1u : 0u;
}

// Whether a step of smoothing looks at a tile: one that the data may still move, or with a border.
T_FUNCTION u32 ftc_may_smooth(T_GLOBAL_PTR(const u32) active, T_GLOBAL_PTR(const u32) marks,
                              const u32 stop, const i32 step, const i32 tile, const i32 tiles) {
    const u32 is_active = T_LOAD(u32, active + step % 3 * tiles + tile);
    return stop == 0 && (is_active | T_LOAD(u32, marks + tile)) != 0 ? 1u : 0u;
}

// What the data may still move stays active behind a step of smoothing that `runs`.
T_FUNCTION void ftc_stay_active(T_GLOBAL_PTR(u32) active, const u32 runs, const i32 step,
                                const i32 tile, const i32 tiles) {
    active[(step + 2) % 3 * tiles + tile] = 0;
    if (runs != 0 && T_LOAD(u32, active + step % 3 * tiles + tile) != 0)
        T_STORE(u32, active + (step + 1) % 3 * tiles + tile, 1u);
}

// sum += v, of 64 bits in two words.
T_FUNCTION void ftc_add_wide(T_GLOBAL_PTR(u32) sum, const u64 v) {
    const u32 low = (u32)v;
    const u32 before = T_ATOMIC_ADD(sum, low);
    const u32 high = (u32)(v >> 32) + (before + low < low ? 1u : 0u);
    if (high != 0) T_ATOMIC_ADD(sum + 1, high);
}

// Of 64 bits of the state at place i; of none set 0.
T_FUNCTION u64 ftc_hash(const u64 bits, const u64 i) {
    u64 h = (bits ^ (i * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 31) * 0x94d049bb133111ebu;
    return bits == 0 ? 0u : h ^ h >> 29;
}

#endif
