// One object, whose state has one bit for each point, `inside`: words of 64 points along x, whose
// bits are set for the points inside the front.
#define T_FILE ftc_bits
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

// The speeds as bits: `switch_in` where they are positive and the object may enter, `switch_out`
// where they are negative, `allowed` where smoothing may add points.
T_KERNEL(ftc_bits_planes,
         (T_IN(u16) levels, T_IN(i32) speeds, T_IN(u32) control, T_OUT(u64) switch_in,
          T_OUT(u64) switch_out, T_OUT(u64) allowed, const ftc_grid grid)) {
    T_INDEX2(w, row);
    if (control[ftc_new_speeds] == 0) return;
    T_GLOBAL_PTR(const u16) line = levels + (i64)row * grid.nx + w * ftc_word;
    const i32 count = T_MIN(ftc_word, grid.nx - w * ftc_word);
    u64 positive = 0;
    u64 negative = 0;
    u64 enterable = 0;
    for (i32 x = 0; x < count; ++x) {
        const u32 level = line[x];
        const i32 speed = speeds[ftc_levels + (level & ftc_level_bits)];
        const u64 may_enter = (level & ftc_no_entry) == 0 ? 1u : 0u;
        positive |= (speed > 0 ? may_enter : 0u) << x;
        negative |= (u64)(speed < 0 ? 1u : 0u) << x;
        enterable |= ((level & ftc_level_bits) == ftc_outside ? 0u : may_enter) << x;
    }
    const i64 at = (i64)row * grid.words + w;
    switch_in[at] = positive;
    switch_out[at] = negative;
    allowed[at] = enterable;
}

T_KERNEL(ftc_bits_pack, (T_IN(u8) labels, T_OUT(u64) inside, const ftc_grid grid)) {
    T_INDEX2(w, row);
    T_GLOBAL_PTR(const u8) line = labels + (i64)row * grid.nx + w * ftc_word;
    const i32 count = T_MIN(ftc_word, grid.nx - w * ftc_word);
    u64 bits = 0;
    for (i32 x = 0; x < count; ++x) bits |= (u64)(line[x] != 0 ? 1u : 0u) << x;
    inside[(i64)row * grid.words + w] = bits;
}

T_KERNEL(ftc_bits_unpack, (T_IN(u64) inside, T_OUT(u8) labels, const ftc_grid grid)) {
    T_INDEX2(x, row);
    const u64 word = inside[(i64)row * grid.words + x / ftc_word];
    labels[(i64)row * grid.nx + x] = (u8)(word >> x % ftc_word & 1u);
}

// Word (w, y, z) of the state; beyond the image `outside`.
T_FUNCTION u64 ftc_word_at(T_GLOBAL_PTR(const u64) inside, const i32 w, const i32 y, const i32 z,
                           const u64 outside, const ftc_grid grid) {
    if (w < 0 || w >= grid.words || y < 0 || y >= grid.ny || z < 0 || z >= grid.nz) return outside;
    return inside[((i64)z * grid.ny + y) * grid.words + w];
}

// The bit of the last point of a row, in its last word.
T_FUNCTION u64 ftc_last_bit(const i32 w, const ftc_grid grid) {
    return w + 1 == grid.words ? (u64)1 << (grid.nx - 1) % ftc_word : 0u;
}

// A word of the state, and the two lists of points that represent the front (Shi and Karl 2008,
// section III).
typedef struct {
    u64 own;
    u64 inner;  // L_in: points inside with a neighbor outside
    u64 outer;  // L_out: points outside with a neighbor inside
} ftc_border;

// Points beyond the image are no neighbors: they count as outside for L_out and as inside for L_in.
// In a row's last word `outer` may have bits beyond the image; switch_in and allowed have none
// there.
T_FUNCTION ftc_border ftc_border_at(T_GLOBAL_PTR(const u64) inside, const i32 w, const i32 y,
                                    const i32 z, const ftc_grid grid) {
    const u64 none = 0;
    const u64 own = ftc_word_at(inside, w, y, z, none, grid);
    const u64 before = ftc_word_at(inside, w - 1, y, z, none, grid) >> (ftc_word - 1);
    const u64 after = ftc_word_at(inside, w + 1, y, z, none, grid) << (ftc_word - 1);
    const u64 low = own << 1 | before;
    const u64 high = own >> 1 | after;
    const u64 first = w == 0 ? 1u : 0u;
    u64 any_neighbor = low | high;
    u64 all_neighbors = (low | first) & (high | ftc_last_bit(w, grid));
    const u64 all = ~none;
    any_neighbor |= ftc_word_at(inside, w, y - 1, z, none, grid);
    all_neighbors &= ftc_word_at(inside, w, y - 1, z, all, grid);
    any_neighbor |= ftc_word_at(inside, w, y + 1, z, none, grid);
    all_neighbors &= ftc_word_at(inside, w, y + 1, z, all, grid);
    any_neighbor |= ftc_word_at(inside, w, y, z - 1, none, grid);
    all_neighbors &= ftc_word_at(inside, w, y, z - 1, all, grid);
    any_neighbor |= ftc_word_at(inside, w, y, z + 1, none, grid);
    all_neighbors &= ftc_word_at(inside, w, y, z + 1, all, grid);
    ftc_border border;
    border.own = own;
    border.inner = own & ~all_neighbors;
    border.outer = ~own & any_neighbor;
    return border;
}

// An evolution step: points of L_out enter the object where its speed is positive, points of L_in
// leave it where the speed is negative. A group takes a tile, an item a word; `moved_word` is the
// control word that tells whether any point moved. Phases:
// 1. clear the counters of the tile;
// 2. switch points, and collect the flags of changes;
// 3. publish the flags, and activate the neighbors of a changed tile.
T_GROUP_KERNEL(ftc_bits_evolve, 8, 8, 1,
               (T_IN(u64) inside, T_IN(u64) switch_in, T_IN(u64) switch_out, T_OUT(u64) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) tile_state, T_GLOBAL_PTR(u32) control,
                const i32 step, const i32 moved_word, const ftc_grid grid)) {
    T_LOCAL(u32, changes, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 is_processed = ftc_may_evolve(active, control, step, tile, tiles);
    // Phase 1.
    T_PHASE {
        if (T_LI == 0) {
            changes[0] = 0;
            active[ftc_active_cleared(step) * tiles + tile] = 0;
        }
    }
    // Phase 2.
    T_PHASE {
        const i32 y = T_GY * ftc_tile_rows + T_LX;
        const i32 z = T_GZ * ftc_tile_rows + T_LY;
        if (is_processed != 0 && y < grid.ny && z < grid.nz) {
            const i64 at = ((i64)z * grid.ny + y) * grid.words + T_GX;
            const ftc_border border = ftc_border_at(inside, T_GX, y, z, grid);
            const u64 changed = (border.outer & switch_in[at]) | (border.inner & switch_out[at]);
            next[at] = border.own ^ changed;
            u32 flags = (border.inner | border.outer) != 0 ? (u32)ftc_has_border : 0u;
            if (changed != 0)
                flags |= ftc_change_flags((i32)(changed & 1u), (i32)(changed >> (ftc_word - 1)),
                                          T_LX, T_LY);
            if (flags != 0) T_ATOMIC_OR(changes, flags);
        }
    }
    // Phase 3.
    T_PHASE {
        if (T_LI == 0 && is_processed != 0) {
            tile_state[ftc_border_list * tiles + tile] = changes[0] & ftc_has_border;
            ftc_activate_neighbors(active, tile_state, step, T_GX, T_GY, T_GZ, changes[0], grid);
            if ((changes[0] & ftc_changed) != 0) T_STORE(u32, control + moved_word, 1u);
        }
    }
}

enum {
    ftc_padded_rows = ftc_tile_rows + 2 * ftc_most_radius,
    ftc_padded_words = 3,  // of 32 points: a tile's row and the padding on both sides
    ftc_patterns = 1 << (2 * ftc_most_radius + 1),
    ftc_smooth_items = 128
};

// Word (w, y, z) of the state, which is extended beyond the image by its outermost points.
T_FUNCTION u64 ftc_word_repeated(T_GLOBAL_PTR(const u64) inside, const i32 w, const i32 y,
                                 const i32 z, const ftc_grid grid) {
    const i64 row =
        ((i64)T_CLAMP(z, 0, grid.nz - 1) * grid.ny + T_CLAMP(y, 0, grid.ny - 1)) * grid.words;
    const u64 none = 0;
    if (w < 0) return (inside[row] & 1u) != 0 ? ~none : none;
    const u64 last_bit = ftc_last_bit(grid.words - 1, grid);
    const u64 last_word = inside[row + grid.words - 1];
    const u64 beyond = (last_word & last_bit) != 0 ? ~none : none;
    if (w >= grid.words) return beyond;
    if (w + 1 == grid.words) return last_word | (beyond & ~(last_bit | (last_bit - 1u)));
    return inside[row + w];
}

// The points of a tile's row with `radius` points of padding on both sides.
T_FUNCTION void ftc_read_row(T_LOCAL_PTR(u32) to, T_GLOBAL_PTR(const u64) inside, const i32 w,
                             const i32 y, const i32 z, const i32 radius, const ftc_grid grid) {
    const u64 own = ftc_word_repeated(inside, w, y, z, grid);
    u64 bits = own;
    u64 after = 0;
    if (radius > 0) {
        bits = own << radius | ftc_word_repeated(inside, w - 1, y, z, grid) >> (ftc_word - radius);
        after = ftc_word_repeated(inside, w + 1, y, z, grid) << radius | own >> (ftc_word - radius);
    }
    to[0] = (u32)bits;
    to[1] = (u32)(bits >> 32);
    to[2] = (u32)after;
}

// The weighted sum of the points inside around point x of a row; `first` is the first row of its
// window. `sums` has the weighted sum of each pattern of points along x, `weights` the weights of
// rows.
T_FUNCTION u32 ftc_smoothed_bits(T_LOCAL_PTR(const u32) first, const i32 x,
                                 T_LOCAL_PTR(const u32) sums, T_GLOBAL_PTR(const u32) weights,
                                 const ftc_smoothing smoothing) {
    const u32 pattern = (1u << (2 * smoothing.rx + 1)) - 1u;
    u32 sum = 0;
    for (i32 dz = 0; dz <= 2 * smoothing.rz; ++dz)
        for (i32 dy = 0; dy <= 2 * smoothing.ry; ++dy) {
            T_LOCAL_PTR(const u32)
            row = first + (dz * ftc_padded_rows + dy) * ftc_padded_words + x / 32;
            const u32 bits = (u32)(((u64)row[1] << 32 | row[0]) >> x % 32);
            sum += *weights++ * sums[bits & pattern];
        }
    return sum;
}

// A smoothing step: points of L_out enter where the smoothed state is above 1/2, points of L_in
// leave where it is below. Phases:
// 1. clear the counters, keep active tiles active;
// 2. find out whether anything within reach changed since this tile was last smoothed;
// 3. copy the state, and list the candidates, points of L_in and L_out, so that items share them
//    evenly;
// 4. read the padded rows of the tile and the table of patterns into local memory;
// 5. smooth at the candidates, and mark those that flip;
// 6. write the words with flipped points, and collect the flags of changes;
// 7. activate the neighbors of a changed tile.
T_GROUP_KERNEL(ftc_bits_smooth, ftc_smooth_items, 1, 1,
               (T_IN(u64) inside, T_IN(u64) allowed, T_IN(u32) sums, T_IN(u32) weights,
                T_OUT(u64) next, T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) tile_state,
                T_IN(u32) control, const i32 step, const ftc_smoothing smoothing,
                const ftc_grid grid)) {
    T_LOCAL(u32, padded, ftc_padded_rows * ftc_padded_rows * ftc_padded_words);
    T_LOCAL(u32, patterns, ftc_patterns);
    T_LOCAL(u16, candidates, ftc_own_points);
    T_LOCAL(u32, flipped, 2 * ftc_own_rows);
    T_LOCAL(u32, needs_smoothing, 1);
    T_LOCAL(u32, count, 1);
    T_LOCAL(u32, changes, 1);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 is_processed =
        ftc_may_smooth(active, tile_state, control[ftc_stop], step, tile, tiles);
    // Phase 1.
    T_PHASE {
        if (T_LI == 0) {
            needs_smoothing[0] = 0;
            count[0] = 0;
            changes[0] = 0;
            ftc_stay_active(active, is_processed, step, tile, tiles);
        }
    }
    // Phase 2.
    T_PHASE {
        if (is_processed != 0 && T_LI < 27 &&
            ftc_changed_since_smoothing(tile_state, T_LI, T_GX, T_GY, T_GZ, grid) != 0)
            T_ATOMIC_OR(needs_smoothing, 1u);
    }
    // Phase 3.
    T_PHASE {
        const i32 y = T_GY * ftc_tile_rows + T_LI % ftc_tile_rows;
        const i32 z = T_GZ * ftc_tile_rows + T_LI / ftc_tile_rows;
        if (T_LI == 0 && needs_smoothing[0] != 0)
            T_STORE(u32, tile_state + ftc_smoothed_list * tiles + tile, (u32)step);
        if (needs_smoothing[0] != 0 && T_LI < ftc_own_rows && y < grid.ny && z < grid.nz) {
            const i64 at = ((i64)z * grid.ny + y) * grid.words + T_GX;
            const ftc_border border = ftc_border_at(inside, T_GX, y, z, grid);
            next[at] = border.own;
            flipped[2 * T_LI] = 0;
            flipped[2 * T_LI + 1] = 0;
            u64 points = (border.outer & allowed[at]) | border.inner;
            const i32 number = T_POPCOUNT((u32)points) + T_POPCOUNT((u32)(points >> 32));
            i32 slot = number > 0 ? (i32)T_ATOMIC_ADD(count, (u32)number) : 0;
            for (; points != 0; points &= points - 1u) {
                const u64 below = (points & (~points + 1u)) - 1u;
                const i32 x = T_POPCOUNT((u32)below) + T_POPCOUNT((u32)(below >> 32));
                candidates[slot++] = (u16)(T_LI * ftc_word + x);
            }
        }
    }
    // Phase 4.
    T_PHASE {
        const i32 width = ftc_tile_rows + 2 * smoothing.ry;
        const i32 rows = count[0] > 0 ? width * (ftc_tile_rows + 2 * smoothing.rz) : 0;
        for (i32 k = T_LI; k < rows; k += ftc_smooth_items)
            ftc_read_row(padded + (k / width * ftc_padded_rows + k % width) * ftc_padded_words,
                         inside, T_GX, T_GY * ftc_tile_rows + k % width - smoothing.ry,
                         T_GZ * ftc_tile_rows + k / width - smoothing.rz, smoothing.rx, grid);
        if (T_LI < 2 << (2 * smoothing.rx)) patterns[T_LI] = sums[T_LI];
    }
    // Phase 5.
    T_PHASE {
        for (i32 k = T_LI; k < (i32)count[0]; k += ftc_smooth_items) {
            const i32 x = candidates[k] % ftc_word;
            const i32 row = candidates[k] / ftc_word;
            T_LOCAL_PTR(const u32)
            first = padded + (row / ftc_tile_rows * ftc_padded_rows + row % ftc_tile_rows) *
                                 ftc_padded_words;
            const u32 smoothed = ftc_smoothed_bits(first, x, patterns, weights, smoothing);
            T_LOCAL_PTR(const u32)
            middle = first + (smoothing.rz * ftc_padded_rows + smoothing.ry) * ftc_padded_words;
            const i32 own_bit = x + smoothing.rx;
            const u32 is_own = middle[own_bit / 32] >> own_bit % 32 & 1u;
            if (is_own != 0 ? smoothed < smoothing.half_sum : smoothed > smoothing.half_sum)
                T_ATOMIC_OR(flipped + 2 * row + x / 32, 1u << x % 32);
        }
    }
    // Phase 6.
    T_PHASE {
        const i32 last = count[0] > 0 ? ftc_own_rows : 0;
        const i32 y = T_LI % ftc_tile_rows;
        const i32 z = T_LI / ftc_tile_rows;
        // Rows beyond the image have nothing in `flipped`.
        if (T_LI < last && T_GY * ftc_tile_rows + y < grid.ny &&
            T_GZ * ftc_tile_rows + z < grid.nz) {
            const u64 changed = (u64)flipped[2 * T_LI + 1] << 32 | flipped[2 * T_LI];
            if (changed != 0) {
                const i64 at =
                    ((i64)(T_GZ * ftc_tile_rows + z) * grid.ny + T_GY * ftc_tile_rows + y) *
                        grid.words +
                    T_GX;
                next[at] = inside[at] ^ changed;
                T_ATOMIC_OR(changes, ftc_change_flags((i32)(changed & 1u),
                                                      (i32)(changed >> (ftc_word - 1)), y, z));
            }
        }
    }
    // Phase 7.
    T_PHASE {
        if (T_LI == 0)
            ftc_activate_neighbors(active, tile_state, step, T_GX, T_GY, T_GZ, changes[0], grid);
    }
}

enum {
    ftc_measure_items = 64,
    ftc_measure_words = 8,  // for each item
    // The sums of an item, beside that of hashes.
    ftc_points = 0,
    ftc_level_sum = 1,
    ftc_level_squares = 2,
    ftc_sums = 3
};

// Sums the hash of the state, the points inside and, if `with_levels`, their levels and the squares
// of these.
T_GROUP_KERNEL(ftc_bits_measure, ftc_measure_items, 1, 1,
               (T_IN(u64) inside, T_IN(u16) levels, T_IN(u32) control, T_OUT(u32) hash,
                T_OUT(u32) sums, const i64 words, const i32 with_levels, const ftc_grid grid)) {
    T_LOCAL(u64, hashes, ftc_measure_items);
    T_LOCAL(u64, parts, ftc_sums * ftc_measure_items);
    const u32 is_processed = control[ftc_stop] == 0 ? 1u : 0u;
    T_PHASE {
        u64 own_hash = 0;
        u64 points = 0;
        u64 sum = 0;
        u64 squares = 0;
        for (i32 k = 0; k < ftc_measure_words; ++k) {
            const i64 at = ((i64)T_GX * ftc_measure_words + k) * ftc_measure_items + T_LX;
            const u64 bits = is_processed != 0 && at < words ? inside[at] : 0u;
            own_hash += ftc_hash(bits, (u64)at);
            points += (u64)(T_POPCOUNT((u32)bits) + T_POPCOUNT((u32)(bits >> 32)));
            if (with_levels != 0 && bits != 0) {
                T_GLOBAL_PTR(const u16)
                line = levels + at / grid.words * grid.nx + at % grid.words * ftc_word;
                for (i32 x = 0; x < ftc_word; ++x)
                    if ((bits >> x & 1u) != 0) {
                        const u64 level = line[x] & ftc_level_bits;
                        sum += level;
                        squares += level * level;
                    }
            }
        }
        hashes[T_LX] = own_hash;
        parts[ftc_sums * T_LX + ftc_points] = points;
        parts[ftc_sums * T_LX + ftc_level_sum] = sum;
        parts[ftc_sums * T_LX + ftc_level_squares] = squares;
    }
    // Items 0 to 2 add up the items' sums, the next one their hashes.
    T_PHASE {
        if (T_LX <= ftc_sums) {
            u64 total = 0;
            for (i32 i = 0; i < ftc_measure_items; ++i)
                total += T_LX == ftc_sums ? hashes[i] : parts[ftc_sums * i + T_LX];
            if (total != 0)
                ftc_add_wide(T_LX == ftc_sums ? hash : sums + ftc_sum_words + 2 * T_LX, total);
        }
    }
}

#include "kernels/end.h"
