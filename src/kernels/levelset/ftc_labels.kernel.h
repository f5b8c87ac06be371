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
    T_LOCAL(u32, told, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 runs =
        T_LOAD(u32, control + ftc_stop) == 0 && T_LOAD(u32, active + step % 3 * tiles + tile) != 0
            ? 1u
            : 0u;
    T_PHASE {
        if (T_LI == 0) {
            told[0] = 0;
            active[(step + 2) % 3 * tiles + tile] = 0;
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        u32 tell = 0;
        for (i32 k = T_LY; runs != 0 && k < ftc_own_rows; k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                const i64 at = ftc_place(x, y, z, grid);
                const u32 own = labels[at];
                u32 around[ftc_neighbors];
                u32 label = own;
                if (ftc_labels_around(labels, x, y, z, grid, around)) {
                    tell |= ftc_has_border;
                    label = ftc_winner(speeds, levels[at], own, around);
                }
                next[at] = (u8)label;
                if (label != own)
                    tell |= ftc_told(T_LX == 0, T_LX == ftc_word - 1, k % ftc_tile_rows,
                                     k / ftc_tile_rows);
            }
        }
        if (tell != 0) T_ATOMIC_OR(told, tell);
    }
    T_PHASE {
        if (T_LI == 0 && runs != 0) {
            marks[tile] = told[0] & ftc_has_border;
            ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, told[0], grid);
            if ((told[0] & ftc_changed) != 0) T_STORE(u32, control + moved, 1u);
        }
    }
}

enum {
    ftc_near_width = ftc_word + 2 * ftc_most_radius,
    ftc_near_height = ftc_tile_rows + 2 * ftc_most_radius,
    ftc_near_plane = ftc_near_width * ftc_near_height
};

// The labels of the neighbors as ftc_labels_around has them, from what is near a tile. Along an
// axis without smoothing there are none.
T_FUNCTION i32 ftc_near_around(T_LOCAL_PTR(const u8) here, const ftc_smoothing smoothing,
                               u32* around) {
    const i32 x = smoothing.rx > 0 ? 1 : 0;
    const i32 y = smoothing.ry > 0 ? ftc_near_width : 0;
    const i32 z = smoothing.rz > 0 ? ftc_near_plane : 0;
    const u32 own = here[0];
    around[0] = here[-x];
    around[1] = here[x];
    around[2] = here[-y];
    around[3] = here[y];
    around[4] = here[-z];
    around[5] = here[z];
    u32 differs = 0;
    for (i32 n = 0; n < ftc_neighbors; ++n) differs |= around[n] ^ own;
    return differs != 0;
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
            T_LOCAL_PTR(const u8) row = first + dz * ftc_near_plane + dy * ftc_near_width;
            u32 part = 0;
            for (i32 dx = 0; dx <= 2 * s.rx; ++dx) part += row[dx] == label ? weights[dx] : 0u;
            sum += part * along_y[dy] * along_z[dz];
        }
    return sum;
}

// Where point x of row k of a tile stands.
T_FUNCTION i32 ftc_near_place(const i32 x, const i32 k, const ftc_smoothing smoothing) {
    return (k / ftc_tile_rows + smoothing.rz) * ftc_near_plane +
           (k % ftc_tile_rows + smoothing.ry) * ftc_near_width + smoothing.rx + x;
}

// The label of a point at a border behind a step of smoothing. At most one object is above a half.
T_FUNCTION u32 ftc_smoother(T_LOCAL_PTR(const u8) here, const u32 level,
                            T_GLOBAL_PTR(const u32) weights, const ftc_smoothing s) {
    T_LOCAL_PTR(const u8)
    first = here - s.rz * ftc_near_plane - s.ry * ftc_near_width - s.rx;
    const u32 own = here[0];
    if (own != 0 && ftc_smoothed(first, weights, own, s) >= s.middle) return own;
    if ((level & ftc_no_entry) != 0 || (level & ftc_level_bits) == ftc_outside) return 0;
    u32 around[ftc_neighbors];
    ftc_near_around(here, s, around);
    u32 label = 0;
    u32 seen = own;
    for (i32 n = 0; n < ftc_neighbors && label == 0; ++n) {
        if (around[n] == 0 || around[n] == own || around[n] == seen) continue;
        seen = around[n];
        if (ftc_smoothed(first, weights, seen, s) > s.middle) label = seen;
    }
    return label;
}

// A step of smoothing: a point at a border goes to the neighbor's object whose smoothed set is
// above a half, and becomes free where that of its own is below. Labels of the tile and of what is
// near it are read once; beyond the image stand the outermost points. Points at borders are listed,
// so that all items have as many of them.
T_GROUP_KERNEL(ftc_labels_smooth, ftc_word, ftc_label_rows, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) weights, T_OUT(u8) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) marks, T_IN(u32) control,
                const i32 step, const ftc_smoothing smoothing, const ftc_grid grid)) {
    T_LOCAL(u8, near, ftc_near_plane * ftc_near_height);
    T_LOCAL(u16, open, ftc_own_points);
    T_LOCAL(u32, fresh, 1);
    T_LOCAL(u32, count, 1);
    T_LOCAL(u32, told, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 runs = ftc_may_smooth(active, marks, control[ftc_stop], step, tile, tiles);
    T_PHASE {
        if (T_LI == 0) {
            fresh[0] = 0;
            count[0] = 0;
            told[0] = 0;
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
        for (i32 row = T_LY; row < rows; row += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + row % height - smoothing.ry;
            const i32 z = T_GZ * ftc_tile_rows + row / height - smoothing.rz;
            T_GLOBAL_PTR(const u8)
            line =
                labels + ftc_place(0, T_CLAMP(y, 0, grid.ny - 1), T_CLAMP(z, 0, grid.nz - 1), grid);
            T_LOCAL_PTR(u8)
            to = near + row / height * ftc_near_plane + row % height * ftc_near_width;
            for (i32 k = T_LX; k < ftc_word + 2 * smoothing.rx; k += ftc_word)
                to[k] = line[T_CLAMP(T_GX * ftc_word + k - smoothing.rx, 0, grid.nx - 1)];
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        const i32 last = fresh[0] != 0 ? ftc_own_rows : 0;
        for (i32 k = T_LY; k < last; k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                T_LOCAL_PTR(const u8)
                here = near + ftc_near_place(T_LX, k, smoothing);
                u32 around[ftc_neighbors];
                if (ftc_near_around(here, smoothing, around))
                    open[T_ATOMIC_ADD(count, 1u)] = (u16)(k * ftc_word + T_LX);
                else
                    next[ftc_place(x, y, z, grid)] = here[0];
            }
        }
    }
    T_PHASE {
        u32 tell = 0;
        for (i32 i = T_LI; i < (i32)count[0]; i += ftc_label_group) {
            const i32 k = open[i] / ftc_word;
            const i32 x = open[i] % ftc_word;
            const i64 at = ftc_place(T_GX * ftc_word + x, T_GY * ftc_tile_rows + k % ftc_tile_rows,
                                     T_GZ * ftc_tile_rows + k / ftc_tile_rows, grid);
            T_LOCAL_PTR(const u8) here = near + ftc_near_place(x, k, smoothing);
            const u32 label = ftc_smoother(here, levels[at], weights, smoothing);
            next[at] = (u8)label;
            if (label != here[0])
                tell |= ftc_told(x == 0, x == ftc_word - 1, k % ftc_tile_rows, k / ftc_tile_rows);
        }
        if (tell != 0) T_ATOMIC_OR(told, tell);
    }
    T_PHASE {
        if (T_LI == 0) ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, told[0], grid);
    }
}

enum { ftc_label_points = 64, ftc_label_items = 64 };  // an item's, turn by turn

// Eight points from `first` on, of which mostly all have one label.
T_FUNCTION void ftc_measure_eight(T_GLOBAL_PTR(const u8) labels, T_GLOBAL_PTR(const u16) levels,
                                  const i64 first, const i64 points, const i32 with_levels,
                                  T_LOCAL_PTR(u32) own, u64* hash) {
    u64 eight = 0;
    u32 label = 0;
    u32 number = 0;
    u32 sum = 0;
    u32 squares = 0;
    for (i32 k = 0; k <= 8; ++k) {
        const u32 here = k < 8 && first + k < points ? labels[first + k] : 0u;
        if (here != label && label != 0) {
            T_ATOMIC_ADD(own + 3 * label, number);
            if (with_levels != 0) T_ATOMIC_ADD(own + 3 * label + 1, sum);
            if (with_levels != 0) T_ATOMIC_ADD(own + 3 * label + 2, squares);
            number = 0;
            sum = 0;
            squares = 0;
        }
        label = here;
        if (here == 0) continue;
        eight |= (u64)here << 8 * k;
        const u32 level = with_levels != 0 ? levels[first + k] & ftc_level_bits : 0u;
        ++number;
        sum += level;
        squares += level * level;
    }
    *hash += ftc_hash(eight, (u64)first);
}

// Adds up the hash of the labels, and of each object points and, where they are wanted, levels. The
// sums of a group fit into 32 bits.
T_GROUP_KERNEL(ftc_labels_measure, ftc_label_items, 1, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) control, T_OUT(u32) hash,
                T_OUT(u32) sums, const i64 points, const i32 with_levels, const i32 objects)) {
    T_LOCAL(u32, own, 3 * ftc_objects);
    T_LOCAL(u64, hashes, ftc_label_items);
    const i32 turns = control[ftc_stop] == 0 ? ftc_label_points / 8 : 0;
    T_PHASE {
        for (i32 k = T_LX; k < 3 * (objects + 1); k += ftc_label_items) own[k] = 0;
    }
    T_PHASE {
        u64 total = 0;
        for (i32 k = 0; k < turns; ++k) {
            const i64 first = ((i64)T_GX * ftc_label_points + k * 8) * ftc_label_items + T_LX * 8;
            ftc_measure_eight(labels, levels, first, points, with_levels, own, &total);
        }
        hashes[T_LX] = total;
    }
    T_PHASE {
        for (i32 k = T_LX; k < 3 * objects; k += ftc_label_items)
            if (own[3 + k] != 0) ftc_add_wide(sums + ftc_sum_words + 2 * k, own[3 + k]);
        if (T_LX == 0) {
            u64 total = 0;
            for (i32 i = 0; i < ftc_label_items; ++i) total += hashes[i];
            if (total != 0) ftc_add_wide(hash, total);
        }
    }
}

#include "kernels/end.h"
