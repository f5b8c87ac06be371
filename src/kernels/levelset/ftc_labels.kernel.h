// Several objects, whose state is the label of each point: a byte, 0 where the point is free.
#define T_FILE ftc_labels
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

enum { ftc_neighbors = 6, ftc_label_rows = 4, ftc_label_group = 64 * 4 };  // items

T_FUNCTION i64 ftc_index(const i32 x, const i32 y, const i32 z, const ftc_grid grid) {
    return ((i64)z * grid.ny + y) * grid.nx + x;
}

// The labels of the neighbors; outside of the image, the point's own. Returns whether any differs.
T_FUNCTION i32 ftc_neighbor_labels(T_GLOBAL_PTR(const u8) labels, const i32 x, const i32 y,
                                   const i32 z, const ftc_grid grid, u32* neighbors) {
    const i64 at = ftc_index(x, y, z, grid);
    const i64 plane = (i64)grid.nx * grid.ny;
    const u32 own = labels[at];
    neighbors[0] = x > 0 ? labels[at - 1] : own;
    neighbors[1] = x + 1 < grid.nx ? labels[at + 1] : own;
    neighbors[2] = y > 0 ? labels[at - grid.nx] : own;
    neighbors[3] = y + 1 < grid.ny ? labels[at + grid.nx] : own;
    neighbors[4] = z > 0 ? labels[at - plane] : own;
    neighbors[5] = z + 1 < grid.nz ? labels[at + plane] : own;
    u32 differs = 0;
    for (i32 n = 0; n < ftc_neighbors; ++n) differs |= neighbors[n] ^ own;
    return differs != 0;
}

// The label that a border point takes: that of the neighboring object with the highest speed, if
// this is positive and above the speed of its own object. The lowest label wins a tie.
T_FUNCTION u32 ftc_winner(T_GLOBAL_PTR(const i32) speeds, const u32 level, const u32 own,
                          const u32* neighbors) {
    T_GLOBAL_PTR(const i32) column = speeds + (level & ftc_level_bits);
    const i32 own_speed = own != 0 ? column[own * ftc_levels] : 0;
    u32 winner = own != 0 && own_speed < 0 ? 0u : own;
    if ((level & ftc_no_entry) != 0) return winner;
    i32 best = T_MAX(own_speed, 0);
    u32 best_label = ftc_objects;
    for (i32 n = 0; n < ftc_neighbors; ++n) {
        const u32 label = neighbors[n];
        if (label == 0 || label == own) continue;
        const i32 speed = column[label * ftc_levels];
        if (speed > best || (speed == best && label < best_label && best_label < ftc_objects)) {
            best = speed;
            best_label = label;
        }
    }
    return best_label < ftc_objects ? best_label : winner;
}

// An evolution step. A group takes a tile; `moved_word` is the control word that says whether any
// point moved.
T_GROUP_KERNEL(ftc_labels_evolve, ftc_word, ftc_label_rows, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(i32) speeds, T_OUT(u8) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) tile_state, T_GLOBAL_PTR(u32) control,
                const i32 step, const i32 moved_word, const ftc_grid grid)) {
    T_LOCAL(u32, changes, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 is_processed = ftc_may_evolve(active, control, step, tile, tiles);
    T_PHASE {
        if (T_LI == 0) {
            changes[0] = 0;
            active[ftc_active_cleared(step) * tiles + tile] = 0;
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        u32 flags = 0;
        for (i32 k = T_LY; is_processed != 0 && k < ftc_own_rows; k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                const i64 at = ftc_index(x, y, z, grid);
                const u32 own = labels[at];
                u32 neighbors[ftc_neighbors];
                u32 label = own;
                if (ftc_neighbor_labels(labels, x, y, z, grid, neighbors)) {
                    flags |= ftc_has_border;
                    label = ftc_winner(speeds, levels[at], own, neighbors);
                }
                next[at] = (u8)label;
                if (label != own)
                    flags |= ftc_change_flags(T_LX == 0, T_LX == ftc_word - 1, k % ftc_tile_rows,
                                              k / ftc_tile_rows);
            }
        }
        if (flags != 0) T_ATOMIC_OR(changes, flags);
    }
    T_PHASE {
        if (T_LI == 0 && is_processed != 0) {
            tile_state[ftc_border_list * tiles + tile] = changes[0] & ftc_has_border;
            ftc_activate_neighbors(active, tile_state, step, T_GX, T_GY, T_GZ, changes[0], grid);
            if ((changes[0] & ftc_changed) != 0) T_STORE(u32, control + moved_word, 1u);
        }
    }
}

enum {
    ftc_padded_width = ftc_word + 2 * ftc_most_radius,
    ftc_padded_height = ftc_tile_rows + 2 * ftc_most_radius,
    ftc_padded_plane = ftc_padded_width * ftc_padded_height
};

// As ftc_neighbor_labels, from the padded tile. Along an axis without smoothing, which has no
// padding, the point's own label.
T_FUNCTION i32 ftc_padded_neighbors(T_LOCAL_PTR(const u8) here, const ftc_smoothing smoothing,
                                    u32* neighbors) {
    const i32 x = smoothing.rx > 0 ? 1 : 0;
    const i32 y = smoothing.ry > 0 ? ftc_padded_width : 0;
    const i32 z = smoothing.rz > 0 ? ftc_padded_plane : 0;
    const u32 own = here[0];
    neighbors[0] = here[-x];
    neighbors[1] = here[x];
    neighbors[2] = here[-y];
    neighbors[3] = here[y];
    neighbors[4] = here[-z];
    neighbors[5] = here[z];
    u32 differs = 0;
    for (i32 n = 0; n < ftc_neighbors; ++n) differs |= neighbors[n] ^ own;
    return differs != 0;
}

// The weighted sum of the points with `label` in the window that begins at `first`. `weights` are
// those of distances along x, y and z, from -radius to radius on each axis.
T_FUNCTION u32 ftc_smoothed_sum(T_LOCAL_PTR(const u8) first, T_GLOBAL_PTR(const u32) weights,
                                const u32 label, const ftc_smoothing s) {
    T_GLOBAL_PTR(const u32) along_y = weights + 2 * s.rx + 1;
    T_GLOBAL_PTR(const u32) along_z = along_y + 2 * s.ry + 1;
    u32 sum = 0;
    for (i32 dz = 0; dz <= 2 * s.rz; ++dz)
        for (i32 dy = 0; dy <= 2 * s.ry; ++dy) {
            T_LOCAL_PTR(const u8) row = first + dz * ftc_padded_plane + dy * ftc_padded_width;
            u32 part = 0;
            for (i32 dx = 0; dx <= 2 * s.rx; ++dx) part += row[dx] == label ? weights[dx] : 0u;
            sum += part * along_y[dy] * along_z[dz];
        }
    return sum;
}

// The index of point x of row k in the padded tile.
T_FUNCTION i32 ftc_padded_index(const i32 x, const i32 k, const ftc_smoothing smoothing) {
    return (k / ftc_tile_rows + smoothing.rz) * ftc_padded_plane +
           (k % ftc_tile_rows + smoothing.ry) * ftc_padded_width + smoothing.rx + x;
}

// The label of a border point after a smoothing step. At most one object is above 1/2.
T_FUNCTION u32 ftc_smoothed_label(T_LOCAL_PTR(const u8) here, const u32 level,
                                  T_GLOBAL_PTR(const u32) weights, const ftc_smoothing s) {
    T_LOCAL_PTR(const u8)
    first = here - s.rz * ftc_padded_plane - s.ry * ftc_padded_width - s.rx;
    const u32 own = here[0];
    if (own != 0 && ftc_smoothed_sum(first, weights, own, s) >= s.half_sum) return own;
    if ((level & ftc_no_entry) != 0 || (level & ftc_level_bits) == ftc_outside) return 0;
    u32 neighbors[ftc_neighbors];
    ftc_padded_neighbors(here, s, neighbors);
    u32 label = 0;
    u32 seen = own;
    for (i32 n = 0; n < ftc_neighbors && label == 0; ++n) {
        if (neighbors[n] == 0 || neighbors[n] == own || neighbors[n] == seen) continue;
        seen = neighbors[n];
        if (ftc_smoothed_sum(first, weights, seen, s) > s.half_sum) label = seen;
    }
    return label;
}

// A smoothing step: a border point goes to the neighboring object whose smoothed set is above 1/2,
// and becomes free where that of its own object is below. Phases:
// 1. clear the counters, keep active tiles active;
// 2. find out whether anything within reach changed since this tile was last smoothed;
// 3. read the padded tile, which is extended beyond the image by its outermost points;
// 4. list the candidates, points at borders, so that items share them evenly; copy the others;
// 5. smooth at the candidates, write their labels, and collect the flags of changes;
// 6. activate the neighbors of a changed tile.
T_GROUP_KERNEL(ftc_labels_smooth, ftc_word, ftc_label_rows, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) weights, T_OUT(u8) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) tile_state, T_IN(u32) control,
                const i32 step, const ftc_smoothing smoothing, const ftc_grid grid)) {
    T_LOCAL(u8, padded, ftc_padded_plane * ftc_padded_height);
    T_LOCAL(u16, candidates, ftc_own_points);
    T_LOCAL(u32, needs_smoothing, 1);
    T_LOCAL(u32, count, 1);
    T_LOCAL(u32, changes, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 is_processed =
        ftc_may_smooth(active, tile_state, control[ftc_stop], step, tile, tiles);
    T_PHASE {
        if (T_LI == 0) {
            needs_smoothing[0] = 0;
            count[0] = 0;
            changes[0] = 0;
            ftc_stay_active(active, is_processed, step, tile, tiles);
        }
    }
    T_PHASE {
        if (is_processed != 0 && T_LI < 27 &&
            ftc_changed_since_smoothing(tile_state, T_LI, T_GX, T_GY, T_GZ, grid) != 0)
            T_ATOMIC_OR(needs_smoothing, 1u);
    }
    T_PHASE {
        if (T_LI == 0 && needs_smoothing[0] != 0)
            T_STORE(u32, tile_state + ftc_smoothed_list * tiles + tile, (u32)step);
        const i32 height = ftc_tile_rows + 2 * smoothing.ry;
        const i32 rows = needs_smoothing[0] != 0 ? height * (ftc_tile_rows + 2 * smoothing.rz) : 0;
        for (i32 row = T_LY; row < rows; row += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + row % height - smoothing.ry;
            const i32 z = T_GZ * ftc_tile_rows + row / height - smoothing.rz;
            T_GLOBAL_PTR(const u8)
            line =
                labels + ftc_index(0, T_CLAMP(y, 0, grid.ny - 1), T_CLAMP(z, 0, grid.nz - 1), grid);
            T_LOCAL_PTR(u8)
            to = padded + row / height * ftc_padded_plane + row % height * ftc_padded_width;
            for (i32 k = T_LX; k < ftc_word + 2 * smoothing.rx; k += ftc_word)
                to[k] = line[T_CLAMP(T_GX * ftc_word + k - smoothing.rx, 0, grid.nx - 1)];
        }
    }
    T_PHASE {
        const i32 x = T_GX * ftc_word + T_LX;
        const i32 last = needs_smoothing[0] != 0 ? ftc_own_rows : 0;
        for (i32 k = T_LY; k < last; k += ftc_label_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % ftc_tile_rows;
            const i32 z = T_GZ * ftc_tile_rows + k / ftc_tile_rows;
            if (x < grid.nx && y < grid.ny && z < grid.nz) {
                T_LOCAL_PTR(const u8)
                here = padded + ftc_padded_index(T_LX, k, smoothing);
                u32 neighbors[ftc_neighbors];
                if (ftc_padded_neighbors(here, smoothing, neighbors))
                    candidates[T_ATOMIC_ADD(count, 1u)] = (u16)(k * ftc_word + T_LX);
                else
                    next[ftc_index(x, y, z, grid)] = here[0];
            }
        }
    }
    T_PHASE {
        u32 flags = 0;
        for (i32 i = T_LI; i < (i32)count[0]; i += ftc_label_group) {
            const i32 k = candidates[i] / ftc_word;
            const i32 x = candidates[i] % ftc_word;
            const i64 at = ftc_index(T_GX * ftc_word + x, T_GY * ftc_tile_rows + k % ftc_tile_rows,
                                     T_GZ * ftc_tile_rows + k / ftc_tile_rows, grid);
            T_LOCAL_PTR(const u8) here = padded + ftc_padded_index(x, k, smoothing);
            const u32 label = ftc_smoothed_label(here, levels[at], weights, smoothing);
            next[at] = (u8)label;
            if (label != here[0])
                flags |= ftc_change_flags(x == 0, x == ftc_word - 1, k % ftc_tile_rows,
                                          k / ftc_tile_rows);
        }
        if (flags != 0) T_ATOMIC_OR(changes, flags);
    }
    T_PHASE {
        if (T_LI == 0)
            ftc_activate_neighbors(active, tile_state, step, T_GX, T_GY, T_GZ, changes[0], grid);
    }
}

enum { ftc_label_points = 64, ftc_label_items = 64 };  // points of an item, items of a group

// Sums eight points from `first` on, run by run, as most have the same label.
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

// Sums the hash of the labels, and for each object its points and, if `with_levels`, their levels.
// The sums of a group fit into 32 bits.
T_GROUP_KERNEL(ftc_labels_measure, ftc_label_items, 1, 1,
               (T_IN(u8) labels, T_IN(u16) levels, T_IN(u32) control, T_OUT(u32) hash,
                T_OUT(u32) sums, const i64 points, const i32 with_levels, const i32 objects)) {
    T_LOCAL(u32, own, 3 * ftc_objects);
    T_LOCAL(u64, hashes, ftc_label_items);
    const i32 rounds = control[ftc_stop] == 0 ? ftc_label_points / 8 : 0;
    T_PHASE {
        for (i32 k = T_LX; k < 3 * (objects + 1); k += ftc_label_items) own[k] = 0;
    }
    T_PHASE {
        u64 total = 0;
        for (i32 k = 0; k < rounds; ++k) {
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
