// Part of components.kernel.h: roots are numbered in raster order, and points get the numbers of
// their roots.
#ifndef TESELA_KERNELS_COMPONENTS_LABELS_H
#define TESELA_KERNELS_COMPONENTS_LABELS_H

// Words of roots that a group numbers: where pairs are stored tile by tile, whole strips of rows,
// whose pairs are consecutive in each tile.
T_FUNCTION i32 components_words_of_part(const i32 tiled_words) {
    if (tiled_words == 0) return components_part_words;
    const i32 strip = components_strip_rows * tiled_words;
    return components_part_words / strip * strip;
}

// The words of a part, which are consecutive in raster order.
typedef struct {
    i32 tiled_words, first_row, first, words;
} components_span;
T_FUNCTION components_span components_span_of(const i32 part, const i32 tiled_words,
                                              const i32 words) {
    const i32 all = components_words_of_part(tiled_words);
    const i32 first_row = tiled_words != 0 ? part * (all / tiled_words) : 0;
    const components_span span = {tiled_words, first_row, part * all,
                                  T_MIN(all, words - part * all)};
    return span;
}

// Word `i` of a span in the order of pairs in memory: its place in the span in raster order, and
// that of its pair.
typedef struct {
    i32 at;
    u32 pair;
} components_span_word;
T_FUNCTION components_span_word components_word_of(const components_span span, const i32 i) {
    components_span_word word = {i, 2u * (u32)(span.first + i)};
    if (span.tiled_words != 0) {
        const i32 column = i / components_strip_rows;
        const i32 strip = column < span.tiled_words ? 0 : column / span.tiled_words;
        const i32 x = column - strip * span.tiled_words;
        const i32 row = strip * components_strip_rows + i % components_strip_rows;
        word.at = row * span.tiled_words + x;
        word.pair = components_tiled_pair(span.tiled_words, (u32)(span.first_row + row), (u32)x);
    }
    return word;
}

// sums[g] = the number of roots in part g. After them, one sum a group over an equal share of
// `tile_summary`: the number of roots of tiles.
T_GROUP_KERNEL(components_count, 256, 1, 1,
               (T_GLOBAL_PTR(const u32) roots, T_IN(u32) tile_summary, const i32 tiled_words,
                const i32 words, const i32 tiles, T_OUT(u32) sums)) {
    T_LOCAL(u32, all, 2);
    T_ITEM(u32, roots_of_tiles);
    const components_span span = components_span_of(T_GX, tiled_words, words);
    T_PHASE {
        if (T_LX < 2) all[T_LX] = 0;
        u32 sum = 0;
        for (i32 w = T_GX * 256 + T_LX; w < tiles * components_tile_rows; w += T_GROUPS_X * 256) {
            const i32 tile = w / components_tile_rows;
            const i32 r = w % components_tile_rows;
            sum += (u32)T_POPCOUNT(
                tile_summary[tile * components_summary_words + components_summary_roots + r]);
        }
        T_MY(roots_of_tiles) = sum;
        // Tiles were complete before the last launch, which takes roots away.
        T_AFTER_LAST_LAUNCH;
    }
    T_PHASE {
        u32 sum = 0;
        T_UNROLL
        for (i32 k = 0; k < components_item_words; ++k) {
            const components_span_word word = components_word_of(span, T_LX + 256 * k);
            if (word.at < span.words) sum += (u32)T_POPCOUNT(roots[word.pair]);
        }
        if (sum != 0) T_ATOMIC_ADD(&all[0], sum);
        if (T_MY(roots_of_tiles) != 0) T_ATOMIC_ADD(&all[1], T_MY(roots_of_tiles));
    }
    T_PHASE {
        if (T_LX < 2) sums[T_LX * T_GROUPS_X + T_GX] = all[T_LX];
    }
}

// Writes after each word of roots how many roots come before it. counts[0]: roots of the image.
// counts[1]: roots of tiles that are not roots of the image. counts[2] = 0, to count the latter
// again.
T_GROUP_KERNEL(components_rank, 256, 1, 1,
               (T_GLOBAL_PTR(const u32) sums, const i32 tiled_words, const i32 words,
                T_GLOBAL_PTR(u32) roots, T_OUT(u32) counts)) {
    T_LOCAL(u32, group_sums, 272);
    T_LOCAL(u32, all, 2);
    T_LOCAL(u32, before, components_part_words);  // roots of words, then those before them
    T_ITEM(u32, prefix);
    const components_span span = components_span_of(T_GX, tiled_words, words);
    T_PHASE {
        if (T_LX < 2) all[T_LX] = 0;
        // Roots were complete before the last launch, which counts them.
        T_UNROLL
        for (i32 k = 0; k < components_item_words; ++k) {
            const components_span_word word = components_word_of(span, T_LX + 256 * k);
            if (word.at < span.words) before[word.at] = (u32)T_POPCOUNT(roots[word.pair]);
        }
        T_AFTER_LAST_LAUNCH;
    }
    T_PHASE {
        u32 sum = 0;
        for (i32 g = T_LX; g < T_GX; g += 256) sum += sums[g];
        if (sum != 0) T_ATOMIC_ADD(&all[0], sum);
        sum = 0;
        if (T_GX == T_GROUPS_X - 1)
            for (i32 g = T_LX; g < T_GROUPS_X; g += 256) sum += sums[T_GROUPS_X + g];
        if (sum != 0) T_ATOMIC_ADD(&all[1], sum);
        sum = 0;
        T_UNROLL
        for (i32 k = 0; k < components_item_words; ++k) {
            const i32 at = T_LX * components_item_words + k;
            sum += at < span.words ? before[at] : 0u;
        }
        T_MY(prefix) = sum;
    }
#include "kernels/primitives/group_scan.body.h"
    T_PHASE {
        u32 sum = all[0] + T_MY(prefix);
        T_UNROLL
        for (i32 k = 0; k < components_item_words; ++k) {
            const i32 at = T_LX * components_item_words + k;
            const u32 of_word = at < span.words ? before[at] : 0u;
            before[at] = sum;
            sum += of_word;
        }
        if (T_LX == 255 && T_GX == T_GROUPS_X - 1) {
            counts[0] = sum;
            counts[1] = all[1] - sum;
            counts[2] = 0;
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 k = 0; k < components_item_words; ++k) {
            const components_span_word word = components_word_of(span, T_LX + 256 * k);
            if (word.at < span.words) roots[word.pair + 1] = before[word.at];
        }
    }
}

// A pair as a word: roots in the low half, in the high half how many come before them.
T_FUNCTION u64 components_roots_of(T_GLOBAL_PTR(const u32) roots, const u32 pair) {
    return ((T_GLOBAL_PTR(const u64))roots)[pair / 2];
}

T_FUNCTION u32 components_number(T_GLOBAL_PTR(const u32) roots, const i32 tiled_words,
                                 const u32 root) {
    const u64 both = components_roots_of(roots, components_pair_of_word(tiled_words, root >> 5));
    return (u32)(both >> 32) + (u32)T_POPCOUNT((u32)both & (0xffffffffu >> (31u - (root & 31u))));
}

// The label of a border root: its component's number, or, unless components are `numbered`, the
// place of its root in raster order, counted from 1.
T_FUNCTION u32 components_label_of(T_GLOBAL_PTR(const u32) parent, T_GLOBAL_PTR(const u32) roots,
                                   u32 root, const i32 numbered, const i32 nx,
                                   const i32 tiled_words) {
    if (!numbered) {
        for (u32 up = parent[root]; up != root; up = parent[root]) root = up;
        return components_raster_place(root, nx) + 1u;
    }
    u32 number = 0;
    for (u32 child = ~root; child != root;) {  // loads parent and number at once
        child = root;
        number = components_number(roots, tiled_words, root);
        root = parent[root];
    }
    return number;
}

// Reads the roots of an item's points in the tile, two a word, from where labels will be written.
T_FUNCTION void components_read_pairs(T_GLOBAL_PTR(const u32) labels, T_LOCAL_PTR(const u32) place,
                                      const i32 item, const i32 x0, const i32 nx, u32* pairs) {
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const u32 row = place[k * 16 + item / 16];
        const i32 x = x0 + item % 16;
        pairs[k] =
            row != components_none && x < nx ? labels[components_pair_place(row, x, nx)] : 0u;
    }
}

// Writes the labels of an item's points, two a pair of places in the tile, whose roots have
// `numbers`. `place` has the rows of the image.
T_FUNCTION void components_write_pairs(const u32* pairs, T_LOCAL_PTR(u32) numbers,
                                       T_LOCAL_PTR(const u32) place, const i32 item, const i32 x0,
                                       const i32 nx, T_GLOBAL_PTR(u32) labels) {
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const u32 row = place[k * 16 + item / 16];
        const i32 x = x0 + item % 16;
        const u32 at = row * (u32)nx + (u32)x;
        const u32 low = *components_at(numbers, pairs[k] & 0xffffu);
        const u32 high = *components_at(numbers, pairs[k] >> 16);
        if (row != components_none && x < nx) labels[at] = low;
        if (row != components_none && x + 16 < nx) labels[at + 16u] = high;
    }
}

// Labels tile by tile. Roots that are no border roots get their numbers from the words of the tile;
// border roots are listed, so that items have equally many of them. Phases:
//   1. read the roots of points and the words of rows;
//   2. label roots that are no border roots, list border roots;
//   3. label border roots;
//   4. write the labels of points.
T_FULL_GROUP_KERNEL(components_label_tiles, 256, 1, 1,
                    (T_IN(u32) tile_summary, T_GLOBAL_PTR(const u32) parent,
                     T_GLOBAL_PTR(const u32) roots, const components_job job, T_OUT(u32) labels)) {
    T_LOCAL(u32, numbers, components_tile_points);        // of the tile's roots
    T_LOCAL(u16, list, components_border_list_capacity);  // border roots
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, image_rows, components_tile_rows);
    T_LOCAL(u32, root_bits, components_tile_rows);      // the tile's roots
    T_LOCAL(u32, border_roots, components_tile_rows);   // bits
    T_LOCAL(u32, labels_before, components_tile_rows);  // the last label before those of the row
    T_LOCAL(u32, image_roots, components_tile_rows);    // bits: those that are roots of the image
    T_ITEM_ARRAY(u32, pair, components_item_pairs);
    const i32 tile = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    const i32 shift_z = 6 - job.shift_y;
    const i32 tiles_z = ((job.nz - 1) >> shift_z) + 1;
    const i32 t = components_tile_t(T_GZ, tiles_z);
    const i32 x0 = T_GX * components_tile_x;
    const i32 y0 = T_GY << job.shift_y;
    const i32 z0 = (T_GZ - t * tiles_z) << shift_z;
    const i32 tiled_words = components_tiled_words(job.shift_y != 6, job.nx);
    T_PHASE {
        T_UNROLL
        for (i32 k = 0; k < components_item_pairs; ++k) {
            const u32 row =
                components_tile_row(k * 16 + T_LX / 16, y0, z0, t, job.ny, job.nz, job.shift_y);
            const i32 x = x0 + T_LX % 16;
            T_MY(pair)
            [k] = row != components_none && x < job.nx
                      ? labels[components_pair_place(row, x, job.nx)]
                      : 0u;
        }
        // All loads are issued before the first value is used. Tiles were complete before the last
        // launch.
        const i32 r = T_LX % components_tile_rows;
        const u32 row = components_tile_row(r, y0, z0, t, job.ny, job.nz, job.shift_y);
        const u32 row_roots =
            tile_summary[tile * components_summary_words + components_summary_roots + r];
        const u32 row_border_roots =
            tile_summary[tile * components_summary_words + components_summary_border_roots + r];
        u32 row_before = 0, row_image_roots = 0;
        T_AFTER_LAST_LAUNCH;
        if (job.outputs && T_LX < components_tile_rows && row != components_none) {
            const u64 both = components_roots_of(
                roots, components_pair_of_row(tiled_words, tile, r, row, x0, job.nx));
            row_before = (u32)(both >> 32);
            row_image_roots = (u32)both;
        }
        if (T_LX < components_tile_rows) {
            image_rows[r] = row;
            root_bits[r] = row_roots;
            border_roots[r] = row == components_none ? 0u : row_border_roots;
            labels_before[r] = row_before;
            image_roots[r] = row_image_roots;
        }
        if (T_LX == 0) listed[0] = 0;
    }
    T_PHASE {
        const i32 r = T_LX / 4;
        const u32 own = 0xffu << T_LX % 4 * 8;
        u32 of_border = border_roots[r] & own;
        const u32 first =
            job.outputs ? labels_before[r] : image_rows[r] * (u32)job.nx + (u32)x0 + 1u;
        for (u32 bits = root_bits[r] & own & ~of_border; bits != 0; bits &= bits - 1u) {
            const i32 bit = T_HIGHEST_BIT(bits & (0u - bits));
            numbers[r * components_tile_x + bit] =
                first +
                (u32)(job.outputs ? T_POPCOUNT(image_roots[r] & (0xffffffffu >> (31 - bit))) : bit);
        }
        u32 entry = of_border != 0 ? T_ATOMIC_ADD(&listed[0], (u32)T_POPCOUNT(of_border)) : 0u;
        for (; of_border != 0; of_border &= of_border - 1u, ++entry) {
            const i32 bit = T_HIGHEST_BIT(of_border & (0u - of_border));
            const i32 at = r * components_tile_x + bit;
            if (entry < (u32)components_border_list_capacity)
                list[entry] = (u16)at;
            else
                numbers[at] = components_label_of(parent, roots,
                                                  components_id(image_rows[r], x0 + bit, job.nx),
                                                  job.outputs, job.nx, tiled_words);
        }
    }
    T_PHASE {
        const i32 end = (i32)T_MIN(listed[0], (u32)components_border_list_capacity);
        for (i32 k = T_LX; k < end; k += 256) {
            const i32 at = list[k];
            const u32 root = components_id(image_rows[at / components_tile_x],
                                           x0 + at % components_tile_x, job.nx);
            numbers[at] =
                components_label_of(parent, roots, root, job.outputs, job.nx, tiled_words);
        }
    }
    T_PHASE { components_write_pairs(T_MY(pair), numbers, image_rows, T_LX, x0, job.nx, labels); }
}

#endif
