// Connected components by union-find on the device. The root of a component is its first point in
// raster order: unions always hang the larger index under the smaller, so that labels do not depend
// on the order in which points meet. Parts of the image are joined first, by themselves: tiles by
// a group in local memory, or slabs by one item each; then come the links between parts. As in
// D. P. Playne, K. Hawick, "A new algorithm for parallel connected-component labelling on GPUs",
// IEEE TPDS 29(6), 2018, runs of a row are joined without a union, and a link between two rows
// that other links imply is left out. In a tile, rows are words of 32 bits, and each run is hung
// without an atomic under one before it, as in Y. Komura, "GPU-based cluster-labeling algorithm
// without the use of conventional iteration", Computer Physics Communications 194, 2015.
#define T_FILE components
#include "kernels/begin.h"

enum {
    // A tile has 64 rows of 32 points: 64 x 1 along y and z, or 8 x 8.
    components_tile_x = 32,
    components_tile_rows = 64,
    components_tile = components_tile_x * components_tile_rows,
    // Of the 13 rows before a row, those from this one on may stand in its tile. Each has a word of
    // links to the left, of straight ones, and of links to the right.
    components_first_inside = 9,
    components_tile_links = (13 - components_first_inside) * 3 * components_tile_rows,
    components_tile_words = components_tile + components_tile_links,
    // Steps towards the root of a tile, of which most points have fewer before them.
    components_tile_steps = 4
};
#define components_none 0xffffffffu
// Words of 32 points that a group numbers, and an item of it.
enum { components_part_words = 512, components_item_words = 2 };
// Points that an item labels.
enum { components_item_points = 4 };
// Points of a row whose links an item of a slab looks for at once.
enum { components_chunk = 256, components_chunk_words = components_chunk / 32 };
// Links between a point and the row before: straight, to the point's left, to its right.
enum { components_straight = 1, components_to_left = 2, components_to_right = 4 };

// ---- Union-find in device memory, while other items join too -----------------------------------

// Leads every other point on the way past its parent (path halving): the entry of a point that is
// no root may be replaced by any of its ancestors at any time.
T_FUNCTION u32 components_root(T_GLOBAL_PTR(u32) parent, u32 a) {
    u32 up = T_LOAD(u32, parent + a);
    while (up != a) {
        const u32 upper = T_LOAD(u32, parent + up);
        if (upper != up) T_STORE(u32, parent + a, upper);
        a = upper;
        up = T_LOAD(u32, parent + a);
    }
    return a;
}

// The same as far as earlier values tell, which are near: an ancestor, in most cases the root.
T_FUNCTION u32 components_ancestor(T_GLOBAL_PTR(const u32) parent, u32 a) {
    for (u32 up = T_LOAD_CACHED(u32, parent + a); up != a; up = T_LOAD_CACHED(u32, parent + a))
        a = up;
    return a;
}

// `roots` has two words for each 32 points: which of them are roots, and a place for a number.
T_FUNCTION void components_unite(T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots, u32 a, u32 b) {
    // Most links join nothing new: this keeps them from crowding around the root of a large one.
    const u32 up_a = T_LOAD_CACHED(u32, parent + a);
    const u32 up_b = T_LOAD_CACHED(u32, parent + b);
    a = components_ancestor(parent, up_a);
    b = components_ancestor(parent, up_b);
    if (a == b) return;
    a = components_root(parent, a);
    b = components_root(parent, b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(parent + high, low);
        a = low;
        b = low;
        if (before == high) {
            // A root ceases to be one exactly once, so that this clears its bit.
            T_ATOMIC_ADD(roots + 2 * (high >> 5), 0u - (1u << (high & 31u)));
        } else {
            // Another item has hung `high` elsewhere meanwhile: its component joins too.
            a = components_root(parent, low);
            b = components_root(parent, before);
        }
    }
    // Many points share their parents: these get a short way.
    if (up_a > a && T_LOAD_CACHED(u32, parent + up_a) != a) T_STORE(u32, parent + up_a, a);
    if (up_b > a && T_LOAD_CACHED(u32, parent + up_b) != a) T_STORE(u32, parent + up_b, a);
}

// ---- Union-find of one group -------------------------------------------------------------------

T_FUNCTION u32 components_root_local(T_LOCAL_PTR(const u32) parent, u32 a) {
    for (u32 up = parent[a]; up != a; up = parent[a]) a = up;
    return a;
}

// `found`: a word for each row of the tile, bits of its roots.
T_FUNCTION void components_unite_local(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found, u32 a,
                                       u32 b) {
    a = components_root_local(parent, a);
    b = components_root_local(parent, b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(&parent[high], low);
        // A root ceases to be one exactly once, so that this clears its bit.
        if (before == high) T_ATOMIC_ADD(&found[high / 32], 0u - (1u << high % 32));
        // What stands in the way of the link is linked next.
        a = before == high ? low : before;
        b = low;
    }
}

// ---- Runs of a tile's rows, as bits ------------------------------------------------------------

// The first point of the run in which a point stands. Bit 0 of `starts` is set.
T_FUNCTION i32 components_run_start(const u32 starts, const i32 x) {
    return T_HIGHEST_BIT(starts & (0xffffffffu >> (31 - x)));
}

// Bits: which bytes of two words are equal, the lowest first.
T_FUNCTION u32 components_equal_bytes(const u32 a, const u32 b) {
    const u32 d = a ^ b;
    const u32 highest = ~(((d & 0x7f7f7f7fu) + 0x7f7f7f7fu) | d) & 0x80808080u;
    return (highest >> 7) * 0x01020408u >> 24;  // moves bits 0, 8, 16, 24 side by side
}

// `bits` and what stands above, below them in their runs; `along`: points that are no run's first.
T_FUNCTION u32 components_fill_up(u32 bits, u32 along) {
    T_UNROLL
    for (i32 k = 1; k < components_tile_x; k *= 2) {
        bits |= bits << k & along;
        along &= along << k;
    }
    return bits;
}
T_FUNCTION u32 components_fill_down(u32 bits, u32 along) {
    u32 passes = along >> 1;
    T_UNROLL
    for (i32 k = 1; k < components_tile_x; k *= 2) {
        bits |= bits >> k & passes;
        passes &= passes >> k;
    }
    return bits;
}

// The first point in row `r` of a tile, or components_none where the image has no such row.
T_FUNCTION u32 components_tile_row(const i32 r, const i32 x0, const i32 y0, const i32 z0,
                                   const i32 t, const i32 nx, const i32 ny, const i32 nz,
                                   const i32 shift_y) {
    const i32 y = y0 + (r & ((1 << shift_y) - 1));
    const i32 z = z0 + (r >> shift_y);
    return y < ny && z < nz ? (u32)(((t * nz + z) * ny + y) * nx + x0) : components_none;
}
// Neighbor `n` of row `r` in a tile, if it is inside.
T_FUNCTION i32 components_tile_before(const i32 n, const i32 r, const i32 shift_y) {
    return r + n % 3 - 1 + (n / 3 % 3 - 1) * (1 << shift_y);
}
// Where the bits of the links stand from the points x of row `r` to points x + dx of neighbor `n`.
T_FUNCTION i32 components_link_word(const i32 n, const i32 dx, const i32 r) {
    return ((n - components_first_inside) * 3 + dx + 1) * components_tile_rows + r;
}

// Leaves out the links of row `r` that others imply: those along rows, and straight ones. Moves
// one link of each run, if it has any, to `hooks`. Gives the first points of the runs without.
T_FUNCTION u32 components_choose_hooks(T_LOCAL_PTR(u32) links, T_LOCAL_PTR(u32) hooks,
                                       T_LOCAL_PTR(const u32) starts, const i32 first, const i32 r,
                                       const i32 shift_y, const u32 inside) {
    const u32 along = ~starts[r];
    u32 open = inside;  // runs without a hook
    for (i32 n = 12; n >= first; --n) {
        const i32 left_word = components_link_word(n, -1, r);
        const i32 straight_word = components_link_word(n, 0, r);
        const i32 right_word = components_link_word(n, 1, r);
        const u32 other_along = ~starts[T_MAX(components_tile_before(n, r, shift_y), 0)];
        const u32 all = links[straight_word] & inside;
        const u32 straight = all & ~(along & all << 1 & other_along);
        const u32 left =
            links[left_word] & inside & 0xfffffffeu & ~(along & all << 1) & ~(all & other_along);
        const u32 right =
            links[right_word] & inside >> 1 & ~((along & all) >> 1) & ~(all & other_along >> 1);
        const u32 any = (left | straight | right) & open;
        const u32 filled = components_fill_up(any, along);
        const u32 hook = any & ~(filled << 1 & along);
        hooks[straight_word] = hook & straight;
        hooks[left_word] = hook & left & ~straight;
        hooks[right_word] = hook & ~left & ~straight;
        links[straight_word] = straight & ~hook;
        links[left_word] = left & ~(hook & ~straight);
        links[right_word] = right & ~(hook & ~left & ~straight);
        open &= ~components_fill_down(filled, along);
    }
    return open & starts[r];
}

// The point of row `other` under which the hooks hang the run of point x of row `r`, as the number
// of its run's first point in the tile, or -1.
T_FUNCTION i32 components_hook(T_LOCAL_PTR(const u32) hooks, T_LOCAL_PTR(const u32) starts,
                               const i32 n, const i32 r, const i32 x, const i32 other,
                               const i32 is_diagonal) {
    T_LOCAL_PTR(const u32) word = hooks + components_link_word(n, 0, r);
    i32 found = (i32)(word[0] >> x & 1u);
    i32 to = x;
    if (is_diagonal) {
        const i32 left = (i32)(word[-components_tile_rows] >> x & 1u);
        const i32 right = (i32)(word[components_tile_rows] >> x & 1u);
        found |= left | right;
        to += right - left;
    }
    return found ? other * components_tile_x + components_run_start(starts[other], to) : -1;
}

// Joins what a link holds together: the bit's place in the links of a tile.
T_FUNCTION void components_join_link(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found,
                                     T_LOCAL_PTR(const u32) starts, const u32 link,
                                     const i32 shift_y) {
    const i32 w = (i32)(link / components_tile_x);
    const i32 x = (i32)(link % components_tile_x);
    const i32 r = w % components_tile_rows;
    const i32 dx = w / components_tile_rows % 3 - 1;
    const i32 n = components_first_inside + w / (3 * components_tile_rows);
    const i32 other = components_tile_before(n, r, shift_y);
    components_unite_local(
        parent, found, (u32)(r * components_tile_x + components_run_start(starts[r], x)),
        (u32)(other * components_tile_x + components_run_start(starts[other], x + dx)));
}

// ---- Union-find of one item --------------------------------------------------------------------

// Rem's algorithm: goes up from both at once and leads what it passes to the lower parent, so that
// it may end before it knows the root (M. M. A. Patwary, J. Blair, F. Manne, "Experiments on
// union-find algorithms for the disjoint-set data structure", SEA 2010).
T_FUNCTION void components_unite_alone(T_GLOBAL_PTR(u32) parent, u32 a, u32 b) {
    u32 up_a = parent[a];
    u32 up_b = parent[b];
    while (up_a != up_b) {
        const u32 other = up_a > up_b ? b : a;
        const u32 higher = up_a > up_b ? a : b;
        const u32 up = T_MAX(up_a, up_b);
        const u32 lowest = T_MIN(up_a, up_b);
        parent[higher] = lowest;
        if (higher == up) return;  // it was a root
        a = up;
        up_a = parent[up];
        b = other;
        up_b = lowest;
    }
}

// ---- Rows of slabs -----------------------------------------------------------------------------

// The runs of a row, which stand for their points: run k of a row has the number of its point k, so
// that parents of a row's runs stand side by side. `words` has two words for each 32 points: bits
// of those at which runs begin, and how many runs of the row begin before.
typedef struct {
    i32 first;  // point
    T_GLOBAL_PTR(const u32) words;
} components_row;

T_FUNCTION i32 components_row_words(const i32 nx) { return (nx + 31) / 32; }

T_FUNCTION components_row components_row_of(T_GLOBAL_PTR(const u32) runs, const i32 nx,
                                            const i32 row) {
    components_row result;
    result.first = row * nx;
    result.words = runs + (i64)row * 2 * components_row_words(nx);
    return result;
}

// The run in which point x of the row stands.
T_FUNCTION u32 components_run_of(const components_row row, const i32 x) {
    T_GLOBAL_PTR(const u32) word = row.words + 2 * (x / 32);
    const u32 begun = word[0] & (0xffffffffu >> (31 - x % 32));
    return (u32)row.first + word[1] + (u32)T_POPCOUNT(begun) - 1u;
}

T_FUNCTION i32 components_runs_of_row(const components_row row, const i32 nx) {
    T_GLOBAL_PTR(const u32) last = row.words + 2 * (components_row_words(nx) - 1);
    return (i32)last[1] + T_POPCOUNT(last[0]);
}

// The place behind the run that begins at point x; `later`: the bits of those that begin later in
// its word.
T_FUNCTION i32 components_run_end(const components_row row, const i32 x, u32 later, const i32 words,
                                  const i32 nx) {
    i32 word = x / 32;
    while (later == 0 && ++word < words) later = row.words[2 * word];
    return later == 0 ? nx : word * 32 + T_HIGHEST_BIT(later & (0u - later));
}

// Bits: which of eight bytes are 1, not 0.
T_FUNCTION u32 components_bytes_to_bits(const u64 bytes) {
    return (u32)(bytes * 0x0102040810204080u >> 56);
}

// Bits of a word of two rows: which points are in a run with the point at their left, and the same
// of the points at their right.
typedef struct {
    u32 along, along_ahead, along_before, along_before_ahead;
} components_pair;

T_FUNCTION components_pair components_pair_at(const components_row own, const components_row before,
                                              const i32 word, const i32 nx) {
    const i32 next = T_MIN(word + 1, components_row_words(nx) - 1);
    components_pair pair;
    pair.along = ~own.words[2 * word];
    pair.along_before = ~before.words[2 * word];
    pair.along_ahead = pair.along >> 1 | ~own.words[2 * next] << 31;
    pair.along_before_ahead = pair.along_before >> 1 | ~before.words[2 * next] << 31;
    return pair;
}

// Joins the runs of a row to those of another that the links hold together: bits of the points x
// and those after it, which are linked to the points dx beside their own place.
T_FUNCTION void components_follow(const components_row own, const components_row before,
                                  const i32 x, const i32 dx, u32 links, T_GLOBAL_PTR(u32) parent,
                                  T_GLOBAL_PTR(u32) roots, const i32 is_shared) {
    for (; links != 0; links &= links - 1u) {
        const i32 at = x + T_HIGHEST_BIT(links & (0u - links));
        const u32 a = components_run_of(own, at);
        const u32 b = components_run_of(before, at + dx);
        if (is_shared)
            components_unite(parent, roots, a, b);
        else
            components_unite_alone(parent, a, b);
    }
}

// Points the runs of a row at their roots, to which all rows before it in the slab already point,
// and marks the roots.
T_FUNCTION void components_flatten_row(const components_row row, const i32 nx,
                                       T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots) {
    const i32 end = components_runs_of_row(row, nx);
    for (i32 k = 0; k < end; k += 32) {
        const u32 first = (u32)(row.first + k);
        u32 found = 0;
        for (i32 bit = 0; bit < T_MIN(32, end - k); ++bit) {
            const u32 run = first + (u32)bit;
            const u32 root = parent[parent[run]];
            parent[run] = root;
            found |= (u32)(root == run) << bit;
        }
        if (found != 0) {
            const u32 shift = first & 31u;
            T_ATOMIC_OR(roots + 2 * (first >> 5), found << shift);  // a neighbor may share the word
            if (shift > 0 && found >> (32 - shift) != 0)
                T_ATOMIC_OR(roots + 2 * (first >> 5) + 2, found >> (32 - shift));
        }
    }
}

// ---- Rows --------------------------------------------------------------------------------------

// The row `n` of the 27 around row (y, z, t), of which those below 13 come before it: its number,
// or -1 where there is none, where it differs along more than `axes` axes, or unless it `is_inside`
// the part of the image in which the row stands. Parts measure 2^shift_y x 2^shift_z x 1 rows.
T_FUNCTION i32 components_row_before(const i32 n, const i32 y, const i32 z, const i32 t,
                                     const i32 ny, const i32 nz, const i32 axes, const i32 shift_y,
                                     const i32 shift_z, const i32 is_inside) {
    const i32 dy = n % 3 - 1;
    const i32 dz = n / 3 % 3 - 1;
    const i32 dt = n / 9 - 1;
    const i32 other_y = y + dy;
    const i32 other_z = z + dz;
    const i32 exists = other_y >= 0 && other_y < ny && other_z >= 0 && other_z < nz && t + dt >= 0;
    const i32 inside =
        dt == 0 && (y ^ other_y) >> shift_y == 0 && (z ^ other_z) >> shift_z == 0 ? 1 : 0;
    if (!exists || inside != is_inside || T_ABS(dy) + T_ABS(dz) + T_ABS(dt) > axes) return -1;
    return ((t + dt) * nz + other_z) * ny + other_y;
}
// Whether a link to that row may go to its left or right as well.
T_FUNCTION i32 components_is_diagonal(const i32 n, const i32 axes) {
    return T_ABS(n % 3 - 1) + T_ABS(n / 3 % 3 - 1) + T_ABS(n / 9 - 1) < axes ? 1 : 0;
}

// ---- What is linked ----------------------------------------------------------------------------

T_FUNCTION u32 components_distance(const i32 a, const i32 b) {
    return a > b ? (u32)a - (u32)b : (u32)b - (u32)a;
}

#define T_NAME u8
#define T_VALUE u8
#define T_PITCH 36  // of a tile: rows begin in different banks of local memory
#define T_CHANNELS 1
#define T_DISTANCE u32
#define T_EQUAL 1
#include "kernels/components.body.h"
#define T_NAME 1  // features of one channel
#define T_VALUE i32
#define T_PITCH 33
#define T_CHANNELS 1
#define T_DISTANCE u32
#define T_EQUAL 0
#include "kernels/components.body.h"
#define T_NAME 3  // features of three channels, one plane each
#define T_VALUE i32
#define T_PITCH 33
#define T_CHANNELS 3
#define T_DISTANCE u64
#define T_EQUAL 0
#include "kernels/components.body.h"

// ---- Numbers -----------------------------------------------------------------------------------

// sums[g] = the number of roots in part g.
T_GROUP_KERNEL(components_count, 256, 1, 1, (T_IN(u32) roots, const i32 words, T_OUT(u32) sums)) {
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    const i32 first = T_GX * components_part_words;
    const i32 end = T_MIN(words, first + components_part_words);
    T_PHASE {
        u32 sum = 0;
        for (i32 w = first + T_LX; w < end; w += 256) sum += (u32)T_POPCOUNT(roots[2 * w]);
        T_MY(prefix) = sum;
    }
#include "kernels/group_scan.body.h"
    T_PHASE {
        if (T_LX == 0) sums[T_GX] = group_sums[255];
    }
}

// Writes behind each word of roots how many roots come before it; count[0] = the number of all.
T_GROUP_KERNEL(components_rank, 256, 1, 1,
               (T_IN(u32) sums, const i32 words, T_GLOBAL_PTR(u32) roots, T_OUT(u32) count)) {
    T_LOCAL(u32, group_sums, 272);
    T_ITEM(u32, prefix);
    T_ITEM(u32, base);
    T_PHASE {
        u32 sum = 0;
        for (i32 g = T_LX; g < T_GX; g += 256) sum += sums[g];
        T_MY(prefix) = sum;
    }
#include "kernels/group_scan.body.h"
    T_PHASE { T_MY(base) = group_sums[255]; }
    T_PHASE {
        const i32 first = T_GX * components_part_words + T_LX * components_item_words;
        u32 sum = 0;
        for (i32 k = 0; k < components_item_words; ++k)
            sum += first + k < words ? (u32)T_POPCOUNT(roots[2 * (first + k)]) : 0u;
        T_MY(prefix) = sum;
    }
#include "kernels/group_scan.body.h"
    T_PHASE {
        const i32 first = T_GX * components_part_words + T_LX * components_item_words;
        u32 sum = T_MY(base) + T_MY(prefix);
        for (i32 k = 0; k < components_item_words; ++k) {
            if (first + k < words) {
                const u32 found = roots[2 * (first + k)];
                roots[2 * (first + k) + 1] = sum;
                sum += (u32)T_POPCOUNT(found);
            }
        }
        if (T_LX == 255 && T_GX == T_GROUPS_X - 1) count[0] = sum;
    }
}

T_FUNCTION u32 components_number(T_GLOBAL_PTR(const u32) roots, const u32 root) {
    const u32 word = 2 * (root >> 5);
    return roots[word + 1] + (u32)T_POPCOUNT(roots[word] & (0xffffffffu >> (31u - (root & 31u))));
}

// Numbers the components 1..N in the order of their roots. An item takes four points: what it
// waits for, it asks for at once. On a GPU the points of 32 items stand side by side.
T_KERNEL(components_label,
         (T_IN(u32) parent, T_IN(u32) roots, const u32 points, T_OUT(u32) labels)) {
    T_INDEX1(item);
    const u32 step = T_WIDTH > 1 ? 1u : 32u;
    const u32 first = (u32)item / step * (step * (u32)components_item_points) + (u32)item % step;
    u32 root[components_item_points];
    T_UNROLL
    for (u32 k = 0; k < (u32)components_item_points; ++k)
        root[k] = parent[T_MIN(first + k * step, points - 1u)];
    for (u32 moved = 1; moved != 0;) {
        moved = 0;
        T_UNROLL
        for (u32 k = 0; k < (u32)components_item_points; ++k) {
            const u32 up = parent[root[k]];
            moved |= up ^ root[k];
            root[k] = up;
        }
    }
    T_UNROLL
    for (u32 k = 0; k < (u32)components_item_points; ++k) {
        if (first + k * step < points) labels[first + k * step] = components_number(roots, root[k]);
    }
}

// The same by runs, for slabs: an item labels a row. A run's first points are written together,
// beyond its end as well, where the next runs write later.
T_KERNEL(components_label_runs,
         (T_IN(u32) parent, T_IN(u32) roots, T_IN(u32) runs, const i32 nx, T_OUT(u32) labels)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    const i32 words = components_row_words(nx);
    T_GLOBAL_PTR(u32) row_labels = labels + row.first;
    u32 run = (u32)row.first;
    for (i32 w = 0; w < words; ++w) {
        for (u32 starts = row.words[2 * w]; starts != 0; starts &= starts - 1u, ++run) {
            u32 root = parent[run];
            for (u32 up = parent[root]; up != root; up = parent[root]) root = up;
            const u32 label = components_number(roots, root);
            const i32 first = w * 32 + T_HIGHEST_BIT(starts & (0u - starts));
            const i32 written = first + components_item_points <= nx ? components_item_points : 0;
            T_UNROLL
            for (i32 k = 0; k < components_item_points; ++k)
                if (written != 0) row_labels[first + k] = label;
            const i32 end = components_run_end(row, first, starts & (starts - 1u), words, nx);
            T_SIMD_FOR(x, first + written, end)
            row_labels[x] = label;
        }
    }
}

#include "kernels/end.h"
