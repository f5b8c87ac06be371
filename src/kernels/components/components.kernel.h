// Connected components by union-find on the device. The root of a component is its first point in
// raster order: the parent of the larger root becomes the smaller one, so that labels do not depend
// on the order of unions. The points of each part of the image are joined first: of tiles by a
// group in local memory, or of slabs by one item each. Then come the links between parts. As in D.
// P. Playne, K. Hawick, "A new algorithm for parallel connected-component labelling on GPUs", IEEE
// TPDS 29(6), 2018, runs of a row are joined without a union, and a link between two rows that
// other links imply is left out. In a tile, rows are words of 32 bits, and each run is attached to
// one before it without an atomic, as in Y. Komura, "GPU-based cluster-labeling algorithm without
// the use of conventional iteration", Computer Physics Communications 194, 2015.
#define T_FILE components
#include "kernels/begin.h"

enum {
    // A tile has 64 rows of 32 points: 64 x 1 along y and z, or 8 x 8.
    components_tile_x = 32,
    components_tile_rows = 64,
    components_tile_points = components_tile_x * components_tile_rows,
    components_list_capacity = 2048,  // links that fit into the list
    components_tile_words = components_tile_points + components_list_capacity,
    // Links between tiles that fit into a list, and hashes of their roots.
    components_seam_links_log2 = 9,
    components_seam_links = 1 << components_seam_links_log2,
    components_seam_items = 128,  // of the group that joins them
    // Words of an item for the roots of a tile's points, two a word.
    components_item_pairs = components_tile_points / 2 / 256,
    // Border roots that fit into a list: all but in four axes.
    components_border_list_capacity = 1024,
    // The summary of a tile for the kernels after it, four words a row: bits of its roots, bits of
    // border roots, the roots of the row's first and last point, and bits of runs' first points.
    components_summary_roots = 0,
    components_summary_border_roots = components_tile_rows,
    components_summary_ends = 2 * components_tile_rows,
    components_summary_starts = 3 * components_tile_rows,  // where components are measured
    components_summary_words = 4 * components_tile_rows,
    // Outputs beside labels, of which the latter includes the former; 0 is none.
    components_numbered = 1,
    components_measured = 2
};
#define components_none 0xffffffffu
// Words of 32 points that a group numbers, and those of an item. The pairs of four rows of a tile
// are in one sector of the cache.
enum { components_part_words = 512, components_item_words = 2, components_strip_rows = 4 };
// Points of a run that are labeled at once.
enum { components_paint_points = 16 };
// Marks labels of runs that are numbers, not places of parents.
#define components_is_numbered 0x80000000u
// Links between a point and the row before: straight, to the point's left, to its right.
enum { components_straight = 1, components_to_left = 2, components_to_right = 4 };

// An image, the slabs in which it is joined first, and which of its points are linked. Tiles have
// lengths that are known when kernels are compiled.
typedef struct {
    i64 plane;             // values of a channel
    u64 limit;             // of the difference of linked values (components.body.h)
    i32 nx, ny, nz;        // rows continue along t
    i32 shift_y, shift_z;  // slabs measure 2^shift_y x 2^shift_z x 1 rows
    i32 first_neighbor;    // of the 13 of a row (see below), the first that the image may have
    i32 axes;              // along which linked points may differ at once
    i32 outputs;           // 0, components_numbered or components_measured
} components_job;

// Words of bits of a row.
T_FUNCTION i32 components_row_words(const i32 nx) { return (nx + 31) / 32; }

// ---- Roots of the image ------------------------------------------------------------------------

// Pairs of words for each 32 points: which of them are roots, and how many roots come before them.
// The pairs of a picture's tile are consecutive, so that they take few cache lines; those of
// volumes, of slabs and of pictures whose rows are too long to be numbered by strips are in raster
// order.
typedef struct {
    T_GLOBAL_PTR(u32) words;
    i32 tiled_words;
} components_roots;

// Words of a row, if pairs are stored tile by tile; else 0.
T_FUNCTION i32 components_tiled_words(const i32 is_volume, const i32 nx) {
    const i32 words = components_row_words(nx);
    return !is_volume && words <= components_part_words / components_strip_rows ? words : 0;
}

// The place of the pair of word `x` of a row, if pairs are stored tile by tile.
T_FUNCTION u32 components_tiled_pair(const i32 tiled_words, const u32 row, const u32 x) {
    const u32 tile = row / components_tile_rows * (u32)tiled_words + x;
    return 2u * (tile * components_tile_rows + row % components_tile_rows);
}
// The place of pair number `word` in raster order.
T_FUNCTION u32 components_pair_of_word(const i32 tiled_words, const u32 word) {
    if (tiled_words == 0) return 2u * word;
    const u32 row = word / (u32)tiled_words;
    return components_tiled_pair(tiled_words, row, word - row * (u32)tiled_words);
}

// ---- Union-find in device memory, while other items unite components, too ----------------------

// Finds the roots of two points, with path halving: every other point on the way gets its
// grandparent as its parent. Any ancestor may become the parent of a point that is no root, at any
// time.
T_FUNCTION void components_find_both(T_GLOBAL_PTR(u32) parent, u32* a, u32* b) {
    u32 up_a = T_LOAD(u32, parent + *a);
    u32 up_b = T_LOAD(u32, parent + *b);
    while (up_a != *a || up_b != *b) {
        const u32 upper_a = T_LOAD(u32, parent + up_a);
        const u32 upper_b = T_LOAD(u32, parent + up_b);
        if (upper_a != up_a) T_STORE(u32, parent + *a, upper_a);
        if (upper_b != up_b) T_STORE(u32, parent + *b, upper_b);
        *a = upper_a;
        *b = upper_b;
        up_a = T_LOAD(u32, parent + *a);
        up_b = T_LOAD(u32, parent + *b);
    }
}

// `roots` has the bits of roots, unless they are not to be `numbered`.
T_FUNCTION void components_unite(T_GLOBAL_PTR(u32) parent, const components_roots roots,
                                 const i32 numbered, const u32 first_a, const u32 first_b) {
    const u32 first_up_a = T_LOAD_CACHED(u32, parent + first_a);
    const u32 first_up_b = T_LOAD_CACHED(u32, parent + first_b);
    // Goes up from both points together, by values that may be outdated but are in a near cache. In
    // most cases this finds the roots, and most links unite nothing new: they end here.
    u32 a = first_up_a;
    u32 b = first_up_b;
    for (u32 moved = (a ^ first_a) | (b ^ first_b); moved != 0;) {
        const u32 up_a = T_LOAD_CACHED(u32, parent + a);
        const u32 up_b = T_LOAD_CACHED(u32, parent + b);
        moved = (up_a ^ a) | (up_b ^ b);
        a = up_a;
        b = up_b;
    }
    if (a == b) return;
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(parent + high, low);
        a = low;
        b = low;
        if (before == high) {
            // A root ceases to be one exactly once, so that this clears its bit.
            if (numbered)
                T_ATOMIC_ADD(roots.words + components_pair_of_word(roots.tiled_words, high >> 5),
                             0u - (1u << (high & 31u)));
        } else {
            // Another item gave `high` the parent `before`: its component still has to be united.
            b = before;
            components_find_both(parent, &a, &b);
        }
    }
    // Many links begin at the same points: their paths become short.
    if (first_a > a && first_up_a != a) T_STORE(u32, parent + first_a, a);
    if (first_b > a && first_up_b != a) T_STORE(u32, parent + first_b, a);
}

#include "kernels/components/cpu/components_slab_rows.h"

// ---- Rows --------------------------------------------------------------------------------------

// The 13 rows that come before row (y, z, t) in raster order are its neighbors n = 0 to 12:
//     dy = n % 3 - 1, dz = n / 3 % 3 - 1, dt = n / 9 - 1   (n = 13 would be the row itself).
// So 12 is the row before (y - 1), 9 to 11 are rows y - 1 to y + 1 of the slice before, and 0 to 8
// those of the frame before. In a tile of a picture a row has neighbor 12 alone, in one of a volume
// 9 to 12.
enum {
    components_first_in_volume = 9,
    components_slice_before = 10,
    components_row_before = 12,
    components_neighbors = 13
};

// Neighbor `n` of row (y, z, t): its number, or -1 where there is none, where it differs along more
// axes than linked points may, or unless it `is_inside` the row's slab.
T_FUNCTION i32 components_neighbor_row(const i32 n, const i32 y, const i32 z, const i32 t,
                                       const components_job job, const i32 is_inside) {
    const i32 dy = n % 3 - 1;
    const i32 dz = n / 3 % 3 - 1;
    const i32 dt = n / 9 - 1;
    const i32 other_y = y + dy;
    const i32 other_z = z + dz;
    const i32 exists =
        other_y >= 0 && other_y < job.ny && other_z >= 0 && other_z < job.nz && t + dt >= 0;
    const i32 inside =
        dt == 0 && (y ^ other_y) >> job.shift_y == 0 && (z ^ other_z) >> job.shift_z == 0 ? 1 : 0;
    if (!exists || inside != is_inside || T_ABS(dy) + T_ABS(dz) + T_ABS(dt) > job.axes) return -1;
    return ((t + dt) * job.nz + other_z) * job.ny + other_y;
}
// Whether links to that row may lead to the left and right as well.
T_FUNCTION i32 components_is_diagonal(const i32 n, const i32 axes) {
    return T_ABS(n % 3 - 1) + T_ABS(n / 3 % 3 - 1) + T_ABS(n / 9 - 1) < axes ? 1 : 0;
}

// Why links between points of a row and its neighbor n may be implied by others, where points of
// more rows are equal: in a volume the row of the slice before and the one beside it make a square
// with a row and the row before it, of whose sides three join all, unless the slab, with
// `rows_before` the row, has no slice before; and diagonals of such squares are never needed.
enum { components_not_implied, components_side, components_diagonal };
T_FUNCTION i32 components_reason(const i32 n, const i32 rows_before, const i32 ny) {
    if (n == components_slice_before - 1 || n == components_slice_before + 1)
        return components_diagonal;
    return n == components_row_before && rows_before >= ny ? components_side
                                                           : components_not_implied;
}

// ---- Tiles -------------------------------------------------------------------------------------

// The place along t of a group, where groups along z count tiles along z and t. Only images of four
// axes need the division.
T_FUNCTION i32 components_tile_t(const i32 group_z, const i32 tiles_z) {
    return group_z < tiles_z ? 0 : group_z / tiles_z;
}

// The number of point x of a row in union-find, where rows begin at multiples of 32.
T_FUNCTION u32 components_id(const u32 row, const i32 x, const i32 nx) {
    return row * (u32)(32 * components_row_words(nx)) + (u32)x;
}

// The place of the pair of row `r` of a tile, which is `row` of the image and begins at x0.
T_FUNCTION u32 components_pair_of_row(const i32 tiled_words, const i32 tile, const i32 r,
                                      const u32 row, const i32 x0, const i32 nx) {
    return 2u * (tiled_words != 0 ? (u32)(tile * components_tile_rows + r)
                                  : components_id(row, x0, nx) / 32u);
}

// The place of a point in raster order.
T_FUNCTION u32 components_raster_place(const u32 id, const i32 nx) {
    const u32 row_ids = 32u * (u32)components_row_words(nx);
    return row_ids == (u32)nx ? id : id / row_ids * (u32)nx + id % row_ids;
}

// The word of `labels` that has the roots of points x and x + 16 of a row of a tile, until labels
// are written there.
T_FUNCTION u32 components_pair_place(const u32 row, const i32 x, const i32 nx) {
    return row * (u32)nx + (u32)((x & ~31) + (x & 15));
}

// Where a tile begins.
typedef struct {
    i32 x, y, z, t;
} components_corner;

// The corner of a group's tile. In a picture z and t are known to be 0.
T_FUNCTION components_corner components_corner_of(const i32 is_volume, const i32 shift_y,
                                                  const i32 nz, const i32 group_x,
                                                  const i32 group_y, const i32 group_z) {
    components_corner corner = {group_x * components_tile_x, group_y << shift_y, 0, 0};
    if (is_volume) {
        const i32 tiles_z = ((nz - 1) >> (6 - shift_y)) + 1;
        corner.t = components_tile_t(group_z, tiles_z);
        corner.z = (group_z - corner.t * tiles_z) << (6 - shift_y);
    }
    return corner;
}

// The root of point x of a row in its tile, in bytes.
T_FUNCTION u32 components_local_root(T_GLOBAL_PTR(const u32) pairs, const i32 row, const i32 x,
                                     const i32 nx) {
    return pairs[components_pair_place((u32)row, x, nx)] >> (x & 16) & 0xffffu;
}

// The point of the image that is `local_root`, in bytes, in the tile of point x of row (y, z, t).
T_FUNCTION u32 components_tile_root(const u32 local_root, const i32 x, const i32 y, const i32 z,
                                    const i32 t, const components_job job) {
    const i32 shift_z = 6 - job.shift_y;
    const i32 r = (i32)(local_root / (4 * components_tile_x));
    const i32 root_y = (y >> job.shift_y << job.shift_y) + (r & ((1 << job.shift_y) - 1));
    const i32 root_z = (z >> shift_z << shift_z) + (r >> job.shift_y);
    return components_id((u32)((t * job.nz + root_z) * job.ny + root_y),
                         (x & ~31) + (i32)(local_root >> 2 & 31u), job.nx);
}

// The root, in its tile, of the first (side 0) or the last point (side 1) of row `r`.
T_FUNCTION u32 components_border_root(T_GLOBAL_PTR(const u32) tile_summary, const i32 tile,
                                      const i32 side, const i32 r, const components_corner corner,
                                      const components_job job) {
    const u32 both = tile_summary[tile * components_summary_words + components_summary_ends + r];
    return components_tile_root(both >> 16 * side & 0xffffu, corner.x - side, corner.y, corner.z,
                                corner.t, job);
}

// Links between tiles: the points that are the roots of their tiles at both ends, and for each hash
// of two roots the last link with that hash.
typedef struct {
    T_LOCAL_PTR(u32) ends;
    T_LOCAL_PTR(u32) last;
    T_LOCAL_PTR(u32) listed;
    T_GLOBAL_PTR(u32) parent;
    components_roots roots;
    i32 numbered;
} components_seam_list;

T_FUNCTION u32 components_link_hash(const u32 a, const u32 b) {
    return (a * 31u + b) * 2654435761u >> (32 - components_seam_links_log2);
}

// Lists a link between roots `a` and `b` of two tiles, or unites them where the list is full.
T_FUNCTION void components_list_link(const components_seam_list list, const u32 a, const u32 b) {
    const u32 entry = T_ATOMIC_ADD(list.listed, 1u);
    if (entry < (u32)components_seam_links) {
        list.ends[2 * entry] = a;
        list.ends[2 * entry + 1] = b;
        T_ATOMIC_MAX(&list.last[components_link_hash(a, b)], entry);
    } else {
        components_unite(list.parent, list.roots, list.numbered, a, b);
    }
}

// A row of a tile, and the step from it to a row in another tile.
typedef struct {
    i32 row, dy, dz, dt;
} components_seam;

// Neighboring tiles of a group: one tile of a picture has too few links for its items.
T_FUNCTION i32 components_seam_tiles(const i32 is_volume) { return is_volume ? 1 : 2; }

// How many seams a tile has.
T_FUNCTION i32 components_seams(const i32 is_volume, const i32 first_neighbor, const i32 axes) {
    if (!is_volume) return 1;
    if (first_neighbor == components_first_in_volume) return axes == 1 ? 16 : 46;
    return components_tile_rows * (axes == 1 ? 7 : 13);
}

// Seam `s` of a tile: in a picture, from its first row to the row before. In a volume, from rows of
// its first slice to the slice before (s < 8), and from first rows of slices to the row before
// (s < 16); with diagonal links also with (dy, dz) = (-1, -1), then (1, -1): from rows of the first
// slice, and from the first, then the last rows of the other slices. With four axes, from all rows
// to all neighbors, those in the same tile included.
T_FUNCTION components_seam components_seam_of(const i32 s, const i32 is_volume,
                                              const i32 first_neighbor, const i32 axes) {
    components_seam seam = {0, -1, 0, 0};
    if (is_volume && first_neighbor == components_first_in_volume) {
        const i32 k = s < 16 ? s % 8 : (s - 16) % 15;
        const i32 is_of_slice = k < 8 && s / 8 != 1 ? 1 : 0;
        seam.row = is_of_slice ? k : s < 16 ? 8 * k : 8 * (k - 7) + (s < 31 ? 0 : 7);
        seam.dy = s < 8 ? 0 : s < 31 ? -1 : 1;
        seam.dz = s / 8 == 1 ? 0 : -1;
    } else if (is_volume) {
        // Without diagonals, every other row is a neighbor.
        const i32 n = s / components_tile_rows * (axes == 1 ? 2 : 1);
        seam.row = s % components_tile_rows;
        seam.dy = n % 3 - 1;
        seam.dz = n / 3 % 3 - 1;
        seam.dt = n / 9 - 1;
    }
    return seam;
}

// Whether a seam leads to a row of the same tile.
T_FUNCTION i32 components_is_same_tile(const i32 y, const i32 z, const components_seam seam,
                                       const components_job job) {
    return seam.dt == 0 && (y ^ (y + seam.dy)) >> job.shift_y == 0 &&
                   (z ^ (z + seam.dz)) >> (6 - job.shift_y) == 0
               ? 1
               : 0;
}

#include "kernels/components/gpu/components_tile.h"

// ---- What is linked ----------------------------------------------------------------------------

T_FUNCTION u32 components_distance(const i32 a, const i32 b) {
    return a > b ? (u32)a - (u32)b : (u32)b - (u32)a;
}

#define COMPONENTS_NAME u8
#define COMPONENTS_VALUE u8
#define COMPONENTS_PITCH 36  // of a tile: rows begin in different banks of local memory
#define COMPONENTS_CHANNELS 1
#define COMPONENTS_DISTANCE u32
#define COMPONENTS_EQUAL 1
#include "kernels/components/components.body.h"
#define COMPONENTS_NAME 1  // features of one channel
#define COMPONENTS_VALUE i32
#define COMPONENTS_PITCH 33
#define COMPONENTS_CHANNELS 1
#define COMPONENTS_DISTANCE u32
#define COMPONENTS_EQUAL 0
#include "kernels/components/components.body.h"
#define COMPONENTS_NAME 3  // features of three channels, one plane each
#define COMPONENTS_VALUE i32
#define COMPONENTS_PITCH 33
#define COMPONENTS_CHANNELS 3
#define COMPONENTS_DISTANCE u64
#define COMPONENTS_EQUAL 0
#include "kernels/components/components.body.h"

// Values that are bits, one a point and each row from a word on, have slabs alone.
#define COMPONENTS_NAME bits
#define COMPONENTS_OF(name) T_JOIN(name, COMPONENTS_NAME)
#define COMPONENTS_VALUE u32
#define COMPONENTS_CHANNELS 1
#include "kernels/components/cpu/components_slab_bits.h"
#include "kernels/components/cpu/components_slabs.body.h"
#undef COMPONENTS_CHANNELS
#undef COMPONENTS_VALUE
#undef COMPONENTS_OF
#undef COMPONENTS_NAME

#include "kernels/components/components_labels.h"
#include "kernels/components/cpu/components_runs.h"

// ---- Areas, boxes and centroids ----------------------------------------------------------------

#include "kernels/components/gpu/components_measures.h"

#define COMPONENTS_SHAPED(name) T_JOIN(name, picture)
#define COMPONENTS_IS_VOLUME 0
#define COMPONENTS_SHIFT_Y 6
#include "kernels/components/gpu/components_measures.body.h"
#undef COMPONENTS_SHIFT_Y
#undef COMPONENTS_IS_VOLUME
#undef COMPONENTS_SHAPED
#define COMPONENTS_SHAPED(name) T_JOIN(name, volume)
#define COMPONENTS_IS_VOLUME 1
#define COMPONENTS_SHIFT_Y 3
#include "kernels/components/gpu/components_measures.body.h"
#undef COMPONENTS_SHIFT_Y
#undef COMPONENTS_IS_VOLUME
#undef COMPONENTS_SHAPED

#include "kernels/end.h"
