// Strength of the borders between regions. An element of a border is a pair of points of two
// regions that share a face; it is weak where the features of the two are alike. Counts of elements
// stand in a hash table, one slot for each pair of regions, and do not depend on the order in which
// pairs come.
//
// Regions, `count`, `parent`, `mean`, `link`, `active` and `edge_count` are those of
// region_fusion.kernel.h; where edges found no room, nothing happens here either. `slots` has three
// planes of `mask` + 1 words, a power of two: an element of the slot's pair (its first point times
// `axes`, plus its axis, plus 1; 0 is free), the elements, and the weak ones among them. `pairs`
// counts the slots in use: where more than half are, they are too few for the image, and nothing is
// united.
#define T_FILE region_borders
#include "kernels/begin.h"
#include "kernels/mean_shift/region_graph.h"

// Points along the axes, of which the first `axes` have more than one.
typedef struct {
    i32 n[4], axes;
} region_border_image;

// A round of uniting regions by their borders.
typedef struct {
    u64 mean_limit2;    // squared distance of two means, at most
    i64 edge_capacity;  // of region_fusion.kernel.h
    u32 room, mask;     // for regions; of the hash table
    u32 share;          // of a border must be weak, in 2^-16
    i32 by_perimeter;   // the share is of the smaller of two perimeters, not of the common border
    i32 number, previous;
} region_border_round;

// From a point to the next along the axis.
T_FUNCTION i64 region_border_step(const region_border_image* image, const i32 axis) {
    const i64 slice = (i64)image->n[0] * image->n[1];
    return axis == 0 ? 1 : axis == 1 ? image->n[0] : axis == 2 ? slice : slice * image->n[2];
}

// Whether the point has a next neighbor along the axis.
T_FUNCTION i32 region_border_has(const region_border_image* image, const i32 axis, const i32 x,
                                 const i32 row) {
    const i32 ny = image->n[1];
    const i32 nz = image->n[2];
    if (axis == 0) return x + 1 < image->n[0];
    if (axis == 1) return row % ny + 1 < ny;
    if (axis == 2) return row / ny % nz + 1 < nz;
    return row / ny / nz + 1 < image->n[3];
}

// Bit a of a point: its features and those of the next neighbor along axis a differ by less
// than sqrt(limit2).
T_KERNEL(region_weak_steps, (T_IN(i32) features, T_OUT(u8) weak, i64 points, u64 limit2,
                             i32 channels, region_border_image image)) {
    T_INDEX2(x, row);
    const i64 i = (i64)row * image.n[0] + x;
    u32 bits = 0;
    for (i32 axis = 0; axis < image.axes; ++axis) {
        if (!region_border_has(&image, axis, x, row)) continue;
        const i64 j = i + region_border_step(&image, axis);
        u64 distance2 = 0;
        for (i32 c = 0; c < channels; ++c) {
            const i64 d = (i64)features[c * points + i] - features[c * points + j];
            distance2 += (u64)(d * d);
        }
        bits |= (distance2 < limit2 ? 1u : 0u) << axis;
    }
    weak[i] = (u8)bits;
}

// The current regions of an element, the smaller first.
T_FUNCTION void region_border_pair(T_GLOBAL_PTR(const u32) labels, T_GLOBAL_PTR(const u32) parent,
                                   const region_border_image* image, const u32 element, u32* pair) {
    const u32 axes = (u32)image->axes;
    const i64 i = element / axes;
    const i64 j = i + region_border_step(image, (i32)(element % axes));
    const u32 a = parent[labels[i] - 1];
    const u32 b = parent[labels[j] - 1];
    pair[0] = T_MIN(a, b);
    pair[1] = T_MAX(a, b);
}

// A previous round that linked nothing (active[previous] = 0; previous < 0: there was none) ends
// the stage: kernels leave at once, and `pairs` stays.
T_FUNCTION i32 region_border_goes_on(T_GLOBAL_PTR(const u32) active, const i32 previous) {
    return previous < 0 || active[previous] != 0;
}

// No borders yet.
T_KERNEL(region_border_begin, (T_IN(u32) active, T_OUT(u32) slots, T_OUT(u32) perimeter,
                               T_OUT(u32) pairs, region_border_round round)) {
    T_INDEX1(k);
    if (!region_border_goes_on(active, round.previous)) return;
    if (k < 3 * ((i64)round.mask + 1)) slots[k] = 0;
    if (k < (i64)round.room) perimeter[k] = 0;
    if (k == 0) pairs[0] = 0;
}

// Adds up the borders of the current regions.
T_KERNEL(region_border_count,
         (T_IN(u32) count, T_IN(u32) labels, T_IN(u32) parent, T_IN(u8) weak, T_IN(u32) active,
          T_IN(u32) edge_count, T_OUT(u32) slots, T_OUT(u32) pairs, T_OUT(u32) perimeter,
          region_border_image image, region_border_round round)) {
    T_INDEX2(x, row);
    if (region_count(count, round.room) == 0 || (i64)edge_count[0] > round.edge_capacity ||
        !region_border_goes_on(active, round.previous))
        return;
    const u32 mask = round.mask;
    const i64 i = (i64)row * image.n[0] + x;
    const u32 label = labels[i];
    for (i32 axis = 0; axis < image.axes; ++axis) {
        if (!region_border_has(&image, axis, x, row)) continue;
        if (labels[i + region_border_step(&image, axis)] == label) continue;
        const u32 element = (u32)i * (u32)image.axes + (u32)axis;
        u32 pair[2];
        region_border_pair(labels, parent, &image, element, pair);
        if (pair[0] == pair[1]) continue;
        if (round.by_perimeter) {
            T_ATOMIC_ADD(perimeter + pair[0], 1u);
            T_ATOMIC_ADD(perimeter + pair[1], 1u);
        }
        u32 slot = (pair[0] * 0x9e3779b1u ^ pair[1] * 0x85ebca77u) & mask;
        for (i32 found = 0; !found;) {
            u32 owner = T_LOAD(u32, slots + slot);
            if (owner == 0) {
                if (T_LOAD(u32, pairs) > mask / 2) break;
                owner = T_ATOMIC_CAS(slots + slot, 0u, element + 1);
                if (owner == 0) {
                    T_ATOMIC_ADD(pairs, 1u);
                    owner = element + 1;
                }
            }
            u32 other[2];
            region_border_pair(labels, parent, &image, owner - 1, other);
            found = other[0] == pair[0] && other[1] == pair[1];
            if (!found) slot = (slot + 1) & mask;
        }
        T_ATOMIC_ADD(slots + mask + 1 + slot, 1u);
        T_ATOMIC_ADD(slots + 2 * (i64)(mask + 1) + slot, weak[i] >> axis & 1u);
    }
}

// Links regions whose border is weak: weak elements are more than the share of the border they have
// in common or, by_perimeter, of the smaller of their perimeters against all regions.
T_KERNEL(region_border_unite,
         (T_IN(u32) labels, T_IN(u32) parent, T_IN(i32) mean, T_IN(u32) slots, T_IN(u32) pairs,
          T_IN(u32) perimeter, T_OUT(u32) link, T_OUT(u32) active, i32 channels,
          region_border_image image, region_border_round round)) {
    T_INDEX1(slot);
    const u32 mask = round.mask;
    const u32 owner = slots[slot];
    if (owner == 0 || pairs[0] > mask / 2 || !region_border_goes_on(active, round.previous)) return;
    u32 pair[2];
    region_border_pair(labels, parent, &image, owner - 1, pair);
    const u64 length =
        round.by_perimeter ? T_MIN(perimeter[pair[0]], perimeter[pair[1]]) : slots[mask + 1 + slot];
    const u64 weak = slots[2 * (i64)(mask + 1) + slot];
    if (weak << 16 <= round.share * length) return;
    if (region_distance2(mean, channels, pair[0], pair[1]) > round.mean_limit2) return;
    if (T_LOAD(u32, active + round.number) == 0) T_STORE(u32, active + round.number, 1u);
    region_unite(link, pair[0], pair[1]);
}

#include "kernels/end.h"
