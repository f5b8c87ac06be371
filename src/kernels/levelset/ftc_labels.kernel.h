// Fronts of several objects, of which each point has the label: a byte, 0 where it is free.
#define T_FILE ftc_labels
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

enum { ftc_neighbors = 6, ftc_label_rows = 4, ftc_label_group = 64 * 4 };  // items

T_FUNCTION i64 ftc_place(const i32 x, const i32 y, const i32 z, const ftc_grid grid) {
    return ((i64)z * grid.ny + y) * grid.nx + x;
}

// The labels of the neighbors, of which those outside of the image have the point's own. Gives
// whether any is another one.
T_FUNCTION i32 ftc_labels_around(T_GLOBAL_PTR(const u8) labels, const i32 x, const i32 y,
                                 const i32 z, const ftc_grid grid, u32* around) {
    const i64 at = ftc_place(x, y, z, grid);
    const i64 plane = (i64)grid.nx * grid.ny;
    const u32 own = labels[at];
    around[0] = x > 0 ? labels[at - 1] : own;
    around[1] = x + 1 < grid.nx ? labels[at + 1] : own;
    around[2] = y > 0 ? labels[at - grid.nx] : own;
    around[3] = y + 1 < grid.ny ? labels[at + grid.nx] : own;
    around[4] = z > 0 ? labels[at - plane] : own;
    around[5] = z + 1 < grid.nz ? labels[at + plane] : own;
    u32 differs = 0;
    for (i32 n = 0; n < ftc_neighbors; ++n) differs |= around[n] ^ own;
    return differs != 0;
}

// The label that a point at a border takes: of its neighbors' objects the one with the highest
// speed, the lowest label of equal ones, where that is positive and above its own object's.
T_FUNCTION u32 ftc_winner(T_GLOBAL_PTR(const i32) speeds, const u32 level, const u32 own,
                          const u32* around) {
    T_GLOBAL_PTR(const i32) column = speeds + (level & ftc_level_bits);
    const i32 stays = own != 0 ? column[own * ftc_levels] : 0;
    u32 winner = own != 0 && stays < 0 ? 0u : own;
    if ((level & ftc_no_entry) != 0) return winner;
    i32 best = T_MAX(stays, 0);
    u32 best_label = ftc_objects;
    for (i32 n = 0; n < ftc_neighbors; ++n) {
        const u32 label = around[n];
        if (label == 0 || label == own) continue;
        const i32 speed = column[label * ftc_levels];
        if (speed > best || (speed == best && label < best_label && best_label < ftc_objects)) {
            best = speed;
            best_label = label;
        }
    }
    return best_label < ftc_objects ? best_label : winner;
}

// A step by the data. A group takes a tile; `moved` is the control word that tells whether any
// point did.
T_GROUP_KERNEL(ftc_labels_front, ftc_word, ftc_label_rows, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(i32) speeds, T_OUT(u8) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) marks, T_GLOBAL_PTR(u32) control,
                const i32 step, const i32 moved, const ftc_grid grid)) {
    T_LOCAL(u32, borders, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 runs =
        T_LOAD(u32, control + ftc_stop) == 0 && T_LOAD(u32, active + step % 3 * tiles + tile) != 0
            ? 1u
            : 0u;
    T_PHASE {
        if (T_LI == 0) {
            borders[0] = 0;
            active[(step + 2) % 3 * tiles + tile] = 0;
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        for (i32 k = T_LY; runs != 0 && k < ftc_tile_rows * ftc_tile_rows; k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                const i64 at = ftc_place(x, y, z, grid);
                const u32 own = labels[at];
                u32 around[ftc_neighbors];
                u32 label = own;
                if (ftc_labels_around(labels, x, y, z, grid, around)) {
                    T_ATOMIC_OR(borders, 1u);
                    label = ftc_winner(speeds, levels[at], own, around);
                }
                next[at] = (u8)label;
                if (label != own) {
                    ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, k % ftc_tile_rows,
                             k / ftc_tile_rows, T_LX == 0, T_LX == ftc_word - 1, grid);
                    T_STORE(u32, control + moved, 1u);
                }
            }
        }
    }
    T_PHASE {
        if (T_LI == 0 && runs != 0) marks[tile] = borders[0];
    }
}

enum {
    ftc_near_width = ftc_word + 2 * ftc_most_radius,
    ftc_near_rows = ftc_tile_rows + 2 * ftc_most_radius
};

// A tile's row of labels, from x on, with `r` points more on both sides.
T_FUNCTION void ftc_read_near(T_LOCAL_PTR(u8) to, T_GLOBAL_PTR(const u8) line, const i32 x,
                              const i32 nx, const i32 r) {
    const i32 own = T_MIN(ftc_word, nx - x);
    for (i32 k = 0; k < r; ++k) to[k] = line[T_MAX(x + k - r, 0)];
    for (i32 k = 0; k < own; ++k) to[r + k] = line[x + k];
    for (i32 k = r + own; k < ftc_word + 2 * r; ++k) to[k] = line[T_MIN(x + k - r, nx - 1)];
}

// The smoothed set of the object `label`, of which `first` is the farthest point before. `weights`
// are those of distances along x, y and z, each axis from -radius on.
T_FUNCTION u32 ftc_smoothed(T_LOCAL_PTR(const u8) first, T_GLOBAL_PTR(const u32) weights,
                            const u32 label, const ftc_smoothing s) {
    T_GLOBAL_PTR(const u32) along_y = weights + 2 * s.rx + 1;
    T_GLOBAL_PTR(const u32) along_z = along_y + 2 * s.ry + 1;
    u32 sum = 0;
    for (i32 dz = 0; dz <= 2 * s.rz; ++dz)
        for (i32 dy = 0; dy <= 2 * s.ry; ++dy) {
            T_LOCAL_PTR(const u8) row = first + (dz * ftc_near_rows + dy) * ftc_near_width;
            u32 part = 0;
            for (i32 dx = 0; dx <= 2 * s.rx; ++dx) part += row[dx] == label ? weights[dx] : 0u;
            sum += part * along_y[dy] * along_z[dz];
        }
    return sum;
}

// The label of a point at a border behind a step of smoothing. At most one object is above a half.
T_FUNCTION u32 ftc_smoother(T_LOCAL_PTR(const u8) first, const u32 level,
                            T_GLOBAL_PTR(const u32) weights, const u32 own, const u32* around,
                            const ftc_smoothing smoothing) {
    if (own != 0 && ftc_smoothed(first, weights, own, smoothing) >= smoothing.middle) return own;
    if ((level & ftc_no_entry) != 0 || (level & ftc_level_bits) == ftc_outside) return 0;
    u32 label = 0;
    for (i32 n = 0; n < ftc_neighbors && label == 0; ++n)
        if (around[n] != 0 && around[n] != own &&
            ftc_smoothed(first, weights, around[n], smoothing) > smoothing.middle)
            label = around[n];
    return label;
}

// A step of smoothing: a point at a border goes to the neighbor's object whose smoothed set is
// above a half, and becomes free where that of its own is below. Labels of the tile and of what is
// near it are read once; beyond the image stand the outermost points.
T_GROUP_KERNEL(ftc_labels_smooth, ftc_word, ftc_label_rows, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) weights, T_OUT(u8) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) marks, T_IN(u32) control,
                const i32 step, const ftc_smoothing smoothing, const ftc_grid grid)) {
    T_LOCAL(u8, near, ftc_near_width * ftc_near_rows * ftc_near_rows);
    T_LOCAL(u32, fresh, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 runs = ftc_may_smooth(active, marks, control[ftc_stop], step, tile, tiles);
    T_PHASE {
        if (T_LI == 0) {
            fresh[0] = 0;
            ftc_stay_active(active, runs, step, tile, tiles);
        }
    }
    T_PHASE {
        if (runs != 0 && T_LI < 27 && ftc_fresh(marks, T_LI, T_GX, T_GY, T_GZ, grid) != 0)
            T_ATOMIC_OR(fresh, 1u);
    }
    T_PHASE {
        if (T_LI == 0 && fresh[0] != 0) T_STORE(u32, marks + 2 * tiles + tile, (u32)step);
        const i32 height = ftc_tile_rows + 2 * smoothing.ry;
        const i32 rows = fresh[0] != 0 ? height * (ftc_tile_rows + 2 * smoothing.rz) : 0;
        for (i32 row = T_LI; row < rows; row += ftc_label_group) {
            const i32 y = T_GY * ftc_tile_rows + row % height - smoothing.ry;
            const i32 z = T_GZ * ftc_tile_rows + row / height - smoothing.rz;
            T_GLOBAL_PTR(const u8)
            line =
                labels + ftc_place(0, T_CLAMP(y, 0, grid.ny - 1), T_CLAMP(z, 0, grid.nz - 1), grid);
            ftc_read_near(near + (row / height * ftc_near_rows + row % height) * ftc_near_width,
                          line, T_GX * ftc_word, grid.nx, smoothing.rx);
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        for (i32 k = T_LY; fresh[0] != 0 && k < ftc_tile_rows * ftc_tile_rows;
             k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                const i64 at = ftc_place(x, y, z, grid);
                const u32 own = labels[at];
                u32 around[ftc_neighbors];
                u32 label = own;
                if (ftc_labels_around(labels, x, y, z, grid, around))
                    label =
                        ftc_smoother(near +
                                         (k / ftc_tile_rows * ftc_near_rows + k % ftc_tile_rows) *
                                             ftc_near_width +
                                         T_LX,
                                     levels[at], weights, own, around, smoothing);
                next[at] = (u8)label;
                if (label != own)
                    ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, k % ftc_tile_rows,
                             k / ftc_tile_rows, T_LX == 0, T_LX == ftc_word - 1, grid);
            }
        }
    }
}

enum { ftc_label_points = 64, ftc_label_items = 64 };

// Adds up the hash of the labels, and points and levels of each object. An item takes points that
// follow one another.
T_KERNEL(ftc_labels_measure, (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) control, T_OUT(u32) hash,
                              T_OUT(u32) sums, const i64 points)) {
    T_INDEX1(item);
    if (control[ftc_stop] != 0) return;
    const i64 first = (i64)item * ftc_label_points;
    const i32 count = (i32)T_MIN(points - first, (i64)ftc_label_points);
    u64 total = 0;
    u64 eight = 0;
    u32 label = 0;
    u32 number = 0;
    u32 sum = 0;
    u32 squares = 0;
    for (i32 k = 0; k <= count; ++k) {
        const u32 here = k < count ? labels[first + k] : 0u;
        if (here != label || k == count) {
            if (label != 0) {
                ftc_add_wide(sums + label * ftc_sum_words, number);
                ftc_add_wide(sums + label * ftc_sum_words + 2, sum);
                ftc_add_wide(sums + label * ftc_sum_words + 4, squares);
            }
            label = here;
            number = 0;
            sum = 0;
            squares = 0;
        }
        if (here != 0) {
            const u32 level = levels[first + k] & ftc_level_bits;
            ++number;
            sum += level;
            squares += level * level;
        }
        eight = eight << 8 | here;
        if (k % 8 == 7 || k == count) {
            total += ftc_hash(eight, (u64)(first + k));
            eight = 0;
        }
    }
    if (total != 0) ftc_add_wide(hash, total);
}

#include "kernels/end.h"
