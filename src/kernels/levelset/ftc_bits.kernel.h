// Fronts of one object, of which each point is a bit: words of 64 points along x.
#define T_FILE ftc_bits
#include "kernels/begin.h"
#include "kernels/levelset/ftc_grid.h"

// Bits of the planes of speeds: `join` where the object may come, `leave` where it has to go,
// `enter` where smoothing may bring it.
T_KERNEL(ftc_bits_planes, (T_IN(u16) levels, T_IN(i32) speeds, T_IN(u32) control, T_OUT(u64) join,
                           T_OUT(u64) leave, T_OUT(u64) enter, const ftc_grid grid)) {
    T_INDEX2(w, row);
    if (control[ftc_new_speeds] == 0) return;
    T_GLOBAL_PTR(const u16) line = levels + (i64)row * grid.nx + w * ftc_word;
    const i32 count = T_MIN(ftc_word, grid.nx - w * ftc_word);
    u64 joins = 0;
    u64 leaves = 0;
    u64 enters = 0;
    for (i32 x = 0; x < count; ++x) {
        const u32 level = line[x];
        const i32 speed = speeds[ftc_levels + (level & ftc_level_bits)];
        const u64 may_enter = (level & ftc_no_entry) == 0 ? 1u : 0u;
        joins |= (speed > 0 ? may_enter : 0u) << x;
        leaves |= (u64)(speed < 0 ? 1u : 0u) << x;
        enters |= ((level & ftc_level_bits) == ftc_outside ? 0u : may_enter) << x;
    }
    const i64 at = (i64)row * grid.words + w;
    join[at] = joins;
    leave[at] = leaves;
    enter[at] = enters;
}

T_KERNEL(ftc_bits_pack, (T_IN(u8) labels, T_OUT(u64) set, const ftc_grid grid)) {
    T_INDEX2(w, row);
    T_GLOBAL_PTR(const u8) line = labels + (i64)row * grid.nx + w * ftc_word;
    const i32 count = T_MIN(ftc_word, grid.nx - w * ftc_word);
    u64 bits = 0;
    for (i32 x = 0; x < count; ++x) bits |= (u64)(line[x] != 0 ? 1u : 0u) << x;
    set[(i64)row * grid.words + w] = bits;
}

T_KERNEL(ftc_bits_unpack, (T_IN(u64) set, T_OUT(u8) labels, const ftc_grid grid)) {
    T_INDEX2(x, row);
    const u64 word = set[(i64)row * grid.words + x / ftc_word];
    labels[(i64)row * grid.nx + x] = (u8)(word >> x % ftc_word & 1u);
}

// Word (w, y, z) of the set; of places outside of the image `outside`.
T_FUNCTION u64 ftc_word_at(T_GLOBAL_PTR(const u64) set, const i32 w, const i32 y, const i32 z,
                           const u64 outside, const ftc_grid grid) {
    if (w < 0 || w >= grid.words || y < 0 || y >= grid.ny || z < 0 || z >= grid.nz) return outside;
    return set[((i64)z * grid.ny + y) * grid.words + w];
}

// The bit of the last point of a row, in its last word.
T_FUNCTION u64 ftc_last_bit(const i32 w, const ftc_grid grid) {
    return w + 1 == grid.words ? (u64)1 << (grid.nx - 1) % ftc_word : 0u;
}

typedef struct {
    u64 own;
    u64 beside;  // a neighbor is in the set
    u64 within;  // all neighbors are
} ftc_surroundings;

T_FUNCTION ftc_surroundings ftc_around(T_GLOBAL_PTR(const u64) set, const i32 w, const i32 y,
                                       const i32 z, const ftc_grid grid) {
    ftc_surroundings around;
    const u64 none = 0;
    const u64 own = ftc_word_at(set, w, y, z, none, grid);
    const u64 before = ftc_word_at(set, w - 1, y, z, none, grid) >> (ftc_word - 1);
    const u64 behind = ftc_word_at(set, w + 1, y, z, none, grid) << (ftc_word - 1);
    const u64 low = own << 1 | before;
    const u64 high = own >> 1 | behind;
    const u64 first = w == 0 ? 1u : 0u;
    around.own = own;
    around.beside = low | high;
    around.within = (low | first) & (high | ftc_last_bit(w, grid));
    const u64 all = ~none;
    around.beside |= ftc_word_at(set, w, y - 1, z, none, grid);
    around.within &= ftc_word_at(set, w, y - 1, z, all, grid);
    around.beside |= ftc_word_at(set, w, y + 1, z, none, grid);
    around.within &= ftc_word_at(set, w, y + 1, z, all, grid);
    around.beside |= ftc_word_at(set, w, y, z - 1, none, grid);
    around.within &= ftc_word_at(set, w, y, z - 1, all, grid);
    around.beside |= ftc_word_at(set, w, y, z + 1, none, grid);
    around.within &= ftc_word_at(set, w, y, z + 1, all, grid);
    return around;
}

// A step by the data: free points beside the object join it where its speed is positive, points of
// its border leave it where it is negative. A group takes a tile; `moved` is the control word that
// tells whether any point did.
T_GROUP_KERNEL(ftc_bits_front, 8, 8, 1,
               (T_IN(u64) set, T_IN(u64) join, T_IN(u64) leave, T_OUT(u64) next,
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
        const i32 y = T_GY * ftc_tile_rows + T_LX;
        const i32 z = T_GZ * ftc_tile_rows + T_LY;
        if (runs != 0 && y < grid.ny && z < grid.nz) {
            const i64 at = ((i64)z * grid.ny + y) * grid.words + T_GX;
            const ftc_surroundings around = ftc_around(set, T_GX, y, z, grid);
            const u64 own = around.own;
            const u64 comes = ~own & around.beside & join[at];
            const u64 goes = own & ~around.within & leave[at];
            const u64 changed = comes | goes;
            next[at] = own ^ changed;
            if (((own & ~around.within) | (~own & around.beside)) != 0) T_ATOMIC_OR(borders, 1u);
            if (changed != 0) {
                ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, T_LX, T_LY, (i32)(changed & 1u),
                         (i32)(changed >> (ftc_word - 1)), grid);
                T_STORE(u32, control + moved, 1u);
            }
        }
    }
    T_PHASE {
        if (T_LI == 0 && runs != 0) marks[tile] = borders[0];
    }
}

enum {
    ftc_rows = ftc_tile_rows + 2 * ftc_most_radius,
    ftc_row_words = 3  // of which the middle one is the tile's own
};

// Word (w, y, z) of the set, which goes on beyond the image with its outermost points.
T_FUNCTION u64 ftc_word_repeated(T_GLOBAL_PTR(const u64) set, const i32 w, const i32 y, const i32 z,
                                 const ftc_grid grid) {
    const i64 row =
        ((i64)T_CLAMP(z, 0, grid.nz - 1) * grid.ny + T_CLAMP(y, 0, grid.ny - 1)) * grid.words;
    const u64 none = 0;
    if (w < 0) return (set[row] & 1u) != 0 ? ~none : none;
    const u64 last_bit = ftc_last_bit(grid.words - 1, grid);
    const u64 last_word = set[row + grid.words - 1];
    const u64 beyond = (last_word & last_bit) != 0 ? ~none : none;
    if (w >= grid.words) return beyond;
    if (w + 1 == grid.words) return last_word | (beyond & ~(last_bit | (last_bit - 1u)));
    return set[row + w];
}

// 2 r + 1 bits of a row of three words around bit x of the middle one.
T_FUNCTION u32 ftc_bits_around(T_LOCAL_PTR(const u64) row, const i32 x, const i32 r) {
    const i32 first = x - r;
    u64 bits = first >= 0 ? row[1] >> first : row[1] << -first | row[0] >> (ftc_word + first);
    if (first > 0) bits |= row[2] << (ftc_word - first);
    return (u32)bits & ((1u << (2 * r + 1)) - 1u);
}

enum { ftc_chunk = 8 };  // points of a word that are looked at together

// Of the points of `open` those on whose other side the smoothed set is. `first` is the sum along x
// of the first point of the first of the rows around them.
T_FUNCTION u64 ftc_turned(const u64 open, const u64 own, T_LOCAL_PTR(const u16) first,
                          const i32 width, T_GLOBAL_PTR(const u32) weights,
                          const ftc_smoothing smoothing) {
    u64 turned = 0;
    for (i32 x = 0; x < ftc_word; x += ftc_chunk) {
        if ((open >> x & ((1u << ftc_chunk) - 1u)) == 0) continue;
        u32 sum[ftc_chunk];
        T_UNROLL
        for (i32 k = 0; k < ftc_chunk; ++k) sum[k] = 0;
        for (i32 dz = 0; dz <= 2 * smoothing.rz; ++dz)
            for (i32 dy = 0; dy <= 2 * smoothing.ry; ++dy) {
                const u32 weight = weights[dz * (2 * smoothing.ry + 1) + dy];
                T_LOCAL_PTR(const u16) row = first + (dz * width + dy) * ftc_word + x;
                T_UNROLL
                for (i32 k = 0; k < ftc_chunk; ++k) sum[k] += weight * row[k];
            }
        for (i32 k = 0; k < ftc_chunk; ++k) {
            const u32 is_own = (u32)(own >> (x + k)) & 1u;
            const u32 turns = is_own != 0 ? sum[k] < smoothing.middle : sum[k] > smoothing.middle;
            turned |= (u64)turns << (x + k);
        }
    }
    return turned & open;
}

// A step of smoothing: the smoothed set is above a half where free points join, below it where
// points of the border leave. `sums` has the weighted sum of each pattern of bits along x,
// `weights` those of rows.
T_GROUP_KERNEL(ftc_bits_smooth, 8, 8, 1,
               (T_IN(u64) set, T_IN(u64) enter, T_IN(u32) sums, T_IN(u32) weights, T_OUT(u64) next,
                T_GLOBAL_PTR(u32) active, T_GLOBAL_PTR(u32) marks, T_IN(u32) control,
                const i32 step, const ftc_smoothing smoothing, const ftc_grid grid)) {
    T_LOCAL(u64, rows, ftc_rows * ftc_rows * ftc_row_words);
    T_LOCAL(u16, along_x, ftc_rows * ftc_rows * ftc_word);
    T_LOCAL(u32, fresh, 1);
    T_LOCAL(u32, busy, 1);
    T_ITEM(u64, candidates);
    const i32 tile = ftc_tile(T_GX, T_GY, T_GZ, grid);
    const i32 tiles = ftc_tiles(grid);
    const u32 runs = ftc_may_smooth(active, marks, control[ftc_stop], step, tile, tiles);
    T_PHASE {
        if (T_LI == 0) {
            fresh[0] = 0;
            busy[0] = 0;
            ftc_stay_active(active, runs, step, tile, tiles);
        }
    }
    T_PHASE {
        if (runs != 0 && T_LI < 27 && ftc_fresh(marks, T_LI, T_GX, T_GY, T_GZ, grid) != 0)
            T_ATOMIC_OR(fresh, 1u);
    }
    T_PHASE {
        const i32 y = T_GY * ftc_tile_rows + T_LX;
        const i32 z = T_GZ * ftc_tile_rows + T_LY;
        T_MY(candidates) = 0;
        if (T_LI == 0 && fresh[0] != 0) T_STORE(u32, marks + 2 * tiles + tile, (u32)step);
        if (fresh[0] != 0 && y < grid.ny && z < grid.nz) {
            const i64 at = ((i64)z * grid.ny + y) * grid.words + T_GX;
            const ftc_surroundings around = ftc_around(set, T_GX, y, z, grid);
            next[at] = around.own;
            T_MY(candidates) =
                (~around.own & around.beside & enter[at]) | (around.own & ~around.within);
            if (T_MY(candidates) != 0) T_ATOMIC_OR(busy, 1u);
        }
    }
    const i32 width = ftc_tile_rows + 2 * smoothing.ry;
    const i32 count = width * (ftc_tile_rows + 2 * smoothing.rz);
    T_PHASE {
        const i32 needed = busy[0] != 0 ? count : 0;
        for (i32 k = T_LI; k < needed; k += ftc_tile_rows * ftc_tile_rows) {
            const i32 y = T_GY * ftc_tile_rows + k % width - smoothing.ry;
            const i32 z = T_GZ * ftc_tile_rows + k / width - smoothing.rz;
            for (i32 w = 0; w < ftc_row_words; ++w)
                rows[k * ftc_row_words + w] = ftc_word_repeated(set, T_GX + w - 1, y, z, grid);
        }
    }
    T_PHASE {
        const i32 needed = busy[0] != 0 ? count : 0;
        for (i32 k = 0; k < needed; ++k)
            along_x[k * ftc_word + T_LI] =
                (u16)sums[ftc_bits_around(rows + k * ftc_row_words, T_LI, smoothing.rx)];
    }
    T_PHASE {
        const u64 open = T_MY(candidates);
        if (open != 0) {
            const i64 row =
                (i64)(T_GZ * ftc_tile_rows + T_LY) * grid.ny + T_GY * ftc_tile_rows + T_LX;
            const u64 own = set[row * grid.words + T_GX];
            const u64 changed = ftc_turned(open, own, along_x + (T_LY * width + T_LX) * ftc_word,
                                           width, weights, smoothing);
            if (changed != 0) {
                next[row * grid.words + T_GX] = own ^ changed;
                ftc_wake(active, marks, step, T_GX, T_GY, T_GZ, T_LX, T_LY, (i32)(changed & 1u),
                         (i32)(changed >> (ftc_word - 1)), grid);
            }
        }
    }
}

enum { ftc_measure_items = 64, ftc_measure_words = 8 };

// Adds up the hash of the set, its points, and their levels where these are wanted.
T_GROUP_KERNEL(ftc_bits_measure, ftc_measure_items, 1, 1,
               (T_IN(u64) set, T_IN(u16) levels, T_IN(u32) control, T_OUT(u32) hash,
                T_OUT(u32) sums, const i64 words, const i32 with_levels, const ftc_grid grid)) {
    T_LOCAL(u64, hashes, ftc_measure_items);
    T_LOCAL(u64, parts, 3 * ftc_measure_items);
    const u32 runs = control[ftc_stop] == 0 ? 1u : 0u;
    T_PHASE {
        u64 own_hash = 0;
        u64 points = 0;
        u64 sum = 0;
        u64 squares = 0;
        for (i32 k = 0; k < ftc_measure_words; ++k) {
            const i64 at = ((i64)T_GX * ftc_measure_words + k) * ftc_measure_items + T_LX;
            const u64 bits = runs != 0 && at < words ? set[at] : 0u;
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
        parts[3 * T_LX] = points;
        parts[3 * T_LX + 1] = sum;
        parts[3 * T_LX + 2] = squares;
    }
    T_PHASE {
        if (T_LX < 4) {
            u64 total = 0;
            for (i32 i = 0; i < ftc_measure_items; ++i)
                total += T_LX == 3 ? hashes[i] : parts[3 * i + T_LX];
            if (total != 0) ftc_add_wide(T_LX == 3 ? hash : sums + ftc_sum_words + 2 * T_LX, total);
        }
    }
}

#include "kernels/end.h"
