// Regions of a label image are merged in rounds: neighbors of similar mean are fused, then pairs
// whose union costs little are merged, then regions below a size join the neighbor closest in mean.
// A round reads what the round before left, so that results do not depend on the order in which
// regions meet; sums and distances are integers.
//
// Regions are counted from 0 in the order of their labels; `count` has their number. Where it
// exceeds the `room` that was made before it was known, no edges are listed and nothing changes;
// where it is below, the others are regions of no points that nobody meets. `parent` leads each to
// the region that holds it now; one that holds itself is current. `statistics` has for each region
// its area and, a channel, the low and the high word of the sum of features; `mean` has the rounded
// means. `link` of a current region is itself or, within a round, the region that it will join.
// `edges`, two planes of `capacity` regions, are the pairs of regions that touch, some of them more
// than once; where `edge_count` exceeds the capacity, they are incomplete and not looked at.
// `active[k]` is not zero where round k links regions: once a round of a stage finds nothing to do,
// its later rounds leave at once.
#define T_FILE region_fusion
#include "kernels/begin.h"
#include "kernels/mean_shift/region_graph.h"

// Items of a group along x and rows.
enum { region_group_x = 32, region_group_rows = 8 };
// Neighbors of a point are numbered as digits of base 3, x first: the first 40 of 81 come before it
// in raster order, and none of them before the 27th in a volume, before the 36th in a picture.
enum { region_neighbors = 40 };

// Adds up areas and features: an item walks down `strip` points of a column, at most 16, and hands
// over what it has where the label changes. What belongs to the label in the middle of the group is
// added up by the group first, in words that do not overflow: all groups would meet at the sums of
// a large region.
T_GROUP_KERNEL(region_statistics, region_group_x, region_group_rows, 1,
               (T_IN(u32) count, T_IN(u32) labels, T_IN(i32) features, T_OUT(u32) statistics,
                u32 room, i64 points, i32 channels, i32 strip, i32 nx, i32 rows)) {
    T_LOCAL(u32, common_area, 1);
    T_LOCAL(u32, common_low, 3);  // lower 20 bits of sums
    T_LOCAL(i32, common_high, 3);
    const i32 row0 = T_GY * (region_group_rows * strip);
    const i32 middle_x = T_MIN(T_GX * region_group_x + region_group_x / 2, nx - 1);
    const i32 middle_row = T_MIN(row0 + region_group_rows / 2 * strip, rows - 1);
    const u32 common = labels[(i64)middle_row * nx + middle_x];
    T_PHASE {
        if (T_LI == 0) common_area[0] = 0;
        if (T_LI < 3) {
            common_low[T_LI] = 0;
            common_high[T_LI] = 0;
        }
    }
    T_PHASE {
        const i32 x = T_GX * region_group_x + T_LX;
        const i32 first = row0 + T_LY * strip;
        const i32 is_inside = x < nx && region_count(count, room) > 0;
        const i32 end = is_inside ? first + T_MIN(strip, rows - first) : first;
        i64 sums[3] = {0, 0, 0};
        u32 area = 0;
        for (i32 row = first; row < end; ++row) {
            const i64 i = (i64)row * nx + x;
            const u32 label = labels[i];
            T_UNROLL for (i32 c = 0; c < 3; ++c) {
                if (c < channels) sums[c] += features[c * points + i];
            }
            ++area;
            if (row + 1 == end || labels[i + nx] != label) {
                if (label == common) {
                    T_ATOMIC_ADD(&common_area[0], area);
                    for (i32 c = 0; c < channels; ++c) {
                        T_ATOMIC_ADD(&common_low[c], (u32)sums[c] & 0xfffffu);
                        T_ATOMIC_ADD(&common_high[c], (i32)(sums[c] >> 20));
                    }
                } else {
                    region_add(region_sums(statistics, channels, label - 1), channels, area, sums);
                }
                T_UNROLL for (i32 c = 0; c < 3; ++c) sums[c] = 0;
                area = 0;
            }
        }
    }
    T_PHASE {
        if (T_LI == 0 && common_area[0] > 0) {
            i64 sums[3];
            T_UNROLL for (i32 c = 0; c < 3; ++c) sums[c] =
                (i64)common_high[c] * (1 << 20) + common_low[c];
            region_add(region_sums(statistics, channels, common - 1), channels, common_area[0],
                       sums);
        }
    }
}

// All regions are current, no round has linked any and no edges are listed.
T_KERNEL(region_begin, (T_IN(u32) statistics, T_OUT(u32) parent, T_OUT(u32) link, T_OUT(i32) mean,
                        T_OUT(u32) active, T_OUT(u32) edge_count, T_OUT(u32) border_pairs,
                        i32 channels, i32 end)) {
    T_INDEX1(r);
    parent[r] = (u32)r;
    link[r] = (u32)r;
    region_set_mean(statistics, mean, channels, r);
    if (r > 0) return;
    for (i32 k = 0; k < end; ++k) active[k] = 0;
    edge_count[0] = 0;
    border_pairs[0] = 0;
}

// After a round that linked some: means of the current regions, which are not linked any more.
T_KERNEL(region_means, (T_IN(u32) statistics, T_IN(u32) active, T_IN(u32) parent, T_OUT(u32) link,
                        T_OUT(i32) mean, i32 channels, i32 round)) {
    T_INDEX1(r);
    const u32 holder = parent[r];
    if (active[round] == 0 || holder != (u32)r) return;
    link[r] = (u32)r;
    region_set_mean(statistics, mean, channels, r);
}

// ---- Edges -------------------------------------------------------------------------------------

// Whether the labels of point i and its neighbor n are those of i and a neighbor behind n, or of
// two points one step back along x, y or z. Bits stand for neighbors of i that have other labels.
T_FUNCTION i32 region_is_known_pair(T_GLOBAL_PTR(const u32) labels, T_LOCAL_PTR(const i32) offset,
                                    const u64 bits, const i32 n, const i64 i, const i32 x,
                                    const i32 y, const i32 z) {
    const i64 j = i + offset[n];
    const u32 other = labels[j];
    for (i32 m = n + 1; m < region_neighbors; ++m)
        if ((bits >> m & 1u) != 0 && labels[i + offset[m]] == other) return 1;
    const i32 digits[3] = {n % 3, n / 3 % 3, n / 9 % 3};
    const i32 place[3] = {x, y, z};
    i32 back = region_neighbors - 1;
    T_UNROLL for (i32 axis = 0; axis < 3; ++axis) {
        if (place[axis] > 0 && place[axis] + digits[axis] > 1 && (bits >> back & 1u) == 0 &&
            labels[j + offset[back]] == other)
            return 1;
        back = axis == 0 ? region_neighbors - 3 : region_neighbors - 9;
    }
    return 0;
}

// Which edges are listed: of the points of a part of the rows and their neighbors from
// `first_neighbor` on that differ along at most `axes` axes.
typedef struct {
    i64 capacity;
    u32 room;
    i32 first_neighbor, axes, first_row, end_row;
    i32 n[3];  // points along x, y and z
} region_edge_list;

// Lists the pairs of neighbors of different labels. A group looks at 32 x 8 points of a slice; a
// bit is a neighbor of an item's point.
T_GROUP_KERNEL(region_edges, region_group_x, region_group_rows, 1,
               (T_IN(u32) count, T_IN(u32) labels, T_OUT(u32) edges, T_OUT(u32) edge_count,
                region_edge_list list)) {
    T_LOCAL(u32, found, 2);  // by the group, and where they go
    T_LOCAL(i32, offset, region_neighbors);
    T_ITEM(u64, bits);
    T_ITEM(u32, place);
    const i32 x0 = T_GX * region_group_x;
    const i32 y0 = T_GY * region_group_rows;
    const i32 nx = list.n[0];
    const i32 ny = list.n[1];
    const i32 nz = list.n[2];
    const i32 slice = list.first_row / ny + T_GZ;
    const i32 fits = region_count(count, list.room) > 0;
    const i32 z = slice % nz;
    const i32 t = slice / nz;
    T_PHASE {
        T_MY(bits) = 0;
        if (T_LI == 0) found[0] = 0;
        if (T_LI >= list.first_neighbor && T_LI < region_neighbors)
            offset[T_LI] =
                (((T_LI / 27 - 1) * nz + T_LI / 9 % 3 - 1) * ny + T_LI / 3 % 3 - 1) * nx +
                T_LI % 3 - 1;
    }
    T_NO_UNROLL
    for (i32 n = list.first_neighbor; n < region_neighbors; n += 3) {  // by rows of three
        const i32 dy = n / 3 % 3 - 1;
        const i32 dz = n / 9 % 3 - 1;
        const i32 dt = n / 27 - 1;
        const i32 steps = T_ABS(dy) + T_ABS(dz) + T_ABS(dt);
        // A uniform test around the whole body of the loop (docs/kernels.md, rules).
        if (z + dz >= 0 && z + dz < nz && t + dt >= 0 && steps <= list.axes) {
            T_PHASE {
                const i32 x = x0 + T_LX;
                const i32 y = y0 + T_LY;
                const i32 row = slice * ny + y;
                const i32 has_row = fits & (x < nx) & (y < ny) & (y + dy >= 0) & (y + dy < ny) &
                                    (row >= list.first_row) & (row < list.end_row);
                const i32 has_left = has_row & (x > 0) & (steps < list.axes);
                const i32 has_right = has_row & (x < nx - 1) & (steps < list.axes) & (steps > 0);
                const i64 i = (i64)row * nx + x;
                const i64 j = i + offset[n] + 1;
                const u32 label = has_row ? labels[i] : 0u;
                const u32 straight = has_row ? labels[j] : 0u;
                const u32 left = has_left ? labels[j - 1] : label;
                const u32 right = has_right ? labels[j + 1] : label;
                const u32 three = (left != label ? 1u : 0u) | (straight != label ? 2u : 0u) |
                                  (right != label ? 4u : 0u);
                T_MY(bits) |= (u64)three << n;
            }
        }
    }
    T_PHASE {
        u64 known = 0;
        for (i32 n = list.first_neighbor; n < region_neighbors && T_MY(bits) >> n != 0; ++n)
            if ((T_MY(bits) >> n & 1u) != 0 &&
                region_is_known_pair(labels, offset, T_MY(bits), n,
                                     (i64)(slice * ny + y0 + T_LY) * nx + x0 + T_LX, x0 + T_LX,
                                     y0 + T_LY, z))
                known |= (u64)1 << n;
        T_MY(bits) &= ~known;
        const i32 mine = T_POPCOUNT((u32)T_MY(bits)) + T_POPCOUNT((u32)(T_MY(bits) >> 32));
        if (mine > 0) T_MY(place) = T_ATOMIC_ADD(&found[0], (u32)mine);
    }
    T_PHASE {
        // Where there is no room, nobody counts on, so that the count does not wrap.
        if (T_LI == 0)
            found[1] = (i64)T_LOAD(u32, edge_count) > list.capacity
                           ? (u32)list.capacity
                           : T_ATOMIC_ADD(edge_count, found[0]);
    }
    T_PHASE {
        const i64 i = (i64)(slice * ny + y0 + T_LY) * nx + x0 + T_LX;
        i64 e = T_MY(bits) != 0 ? (i64)found[1] + T_MY(place) : 0;
        for (i32 n = list.first_neighbor; n < region_neighbors && T_MY(bits) >> n != 0; ++n)
            if ((T_MY(bits) >> n & 1u) != 0) {
                if (e < list.capacity) {
                    edges[e] = labels[i] - 1;
                    edges[list.capacity + e] = labels[i + offset[n]] - 1;
                }
                ++e;
            }
    }
}

// ---- Rounds ------------------------------------------------------------------------------------

// What it costs to join two neighbors: the squared distance of their means or, weighted by area,
// the bits of 2ab/(a+b) times that, twice what the sum of squares within regions grows by
// (J. H. Ward, "Hierarchical grouping to optimize an objective function", Journal of the American
// Statistical Association 58, 1963). Bits of positive floats have the order of their values.
T_FUNCTION u64 region_cost(T_GLOBAL_PTR(const u32) statistics, T_GLOBAL_PTR(const i32) mean,
                           const i32 channels, const i32 weighted, const u32 a, const u32 b) {
    const u64 distance2 = region_distance2(mean, channels, a, b);
    if (!weighted) return distance2;
    const u64 area_a = region_area(statistics, channels, a);
    const u64 area_b = region_area(statistics, channels, b);
    const u64 weight = 2 * area_a * area_b / (area_a + area_b);
    return T_BITS((f32)distance2 * (f32)weight);
}

// `region` picks `candidate` if that costs less than what it has picked, or as much and has the
// smaller label.
T_FUNCTION void region_offer(T_GLOBAL_PTR(u32) link, T_GLOBAL_PTR(const u32) statistics,
                             T_GLOBAL_PTR(const i32) mean, const i32 channels, const i32 weighted,
                             const u32 region, const u32 candidate, const u64 cost) {
    u32 picked = T_LOAD(u32, link + region);
    while (picked != candidate) {
        if (picked != region) {
            const u64 other = region_cost(statistics, mean, channels, weighted, region, picked);
            if (other < cost || (other == cost && picked < candidate)) return;
        }
        const u32 before = T_ATOMIC_CAS(link + region, picked, candidate);
        if (before == picked) return;
        picked = before;
    }
}

// What a round links: regions with an edge that costs at most `limit`. With `unite` all of them are
// linked; otherwise each region of less than `smallest` points is linked to the neighbor that costs
// least. A previous round that did nothing (active[previous] = 0; previous < 0: there was none)
// ends it.
typedef struct {
    u64 limit;
    u32 smallest;
    i32 unite, weighted, number, previous;
    i32 channels;
} region_round;

T_KERNEL(region_link,
         (T_OUT(u32) edges, T_IN(u32) edge_count, T_IN(u32) parent, T_IN(u32) statistics,
          T_IN(i32) mean, T_OUT(u32) link, T_OUT(u32) active, i64 capacity, region_round round)) {
    T_INDEX1(e);
    // What does not depend on one another is read together; behind the last edge it is not used.
    const i64 count = edge_count[0];
    const u32 was_active = round.previous < 0 ? 1u : active[round.previous];
    const u32 a_before = edges[e];
    const u32 b_before = edges[capacity + e];
    if (e >= count || count > capacity || !was_active || a_before == b_before) return;
    const u32 a = parent[a_before];
    const u32 b = parent[b_before];
    if (a != a_before) edges[e] = a;
    if (b != b_before) edges[capacity + e] = b;
    if (a == b) return;
    const i32 channels = round.channels;
    const i32 weighted = round.weighted;
    const i32 a_picks = !round.unite && region_area(statistics, channels, a) < round.smallest;
    const i32 b_picks = !round.unite && region_area(statistics, channels, b) < round.smallest;
    const u64 cost = region_cost(statistics, mean, channels, weighted, a, b);
    if (cost > round.limit || (!round.unite && !a_picks && !b_picks)) return;
    if (T_LOAD(u32, active + round.number) == 0) T_STORE(u32, active + round.number, 1u);
    if (round.unite) region_unite(link, a, b);
    if (a_picks) region_offer(link, statistics, mean, channels, weighted, a, b, cost);
    if (b_picks) region_offer(link, statistics, mean, channels, weighted, b, a, cost);
}

// Mutual-best merge: takes back picks that would run ahead of cheaper ones. A pick is kept where
// two regions have picked one another, or where the picked one has at least four times the area, so
// that its mean hardly moves. Taking back one pick does not change what is mutual.
T_KERNEL(region_settle, (T_IN(u32) parent, T_IN(u32) statistics, T_IN(u32) active, T_OUT(u32) link,
                         i32 channels, i32 round)) {
    T_INDEX1(r);
    if (active[round] == 0 || parent[r] != (u32)r) return;
    const u32 picked = T_LOAD(u32, link + r);
    if (picked == (u32)r || T_LOAD(u32, link + picked) == (u32)r) return;
    if (region_area(statistics, channels, picked) / 4 < region_area(statistics, channels, (u32)r))
        T_STORE(u32, link + r, (u32)r);
}

// Follows the links of the round: every region learns which one holds it, and those that cease to
// be current hand over their statistics. Links are trees, but for two regions that have picked one
// another: picks go to the least pair of cost and label, so that no longer ring can close.
T_KERNEL(region_absorb, (T_IN(u32) link, T_IN(u32) active, T_OUT(u32) parent, T_OUT(u32) statistics,
                         i32 channels, i32 round)) {
    T_INDEX1(r);
    const u32 before = parent[r];
    if (active[round] == 0) return;
    u32 root = before;
    u32 next = link[root];
    while (next != root) {
        const u32 after = link[next];
        if (after == root) {
            root = T_MIN(root, next);
            break;
        }
        root = next;
        next = after;
    }
    if (root == before) return;
    parent[r] = root;
    if (before != (u32)r) return;
    T_GLOBAL_PTR(const u32) sums = region_sums(statistics, channels, (u32)r);
    i64 values[3] = {0, 0, 0};
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) values[c] = (i64)((u64)sums[2 + 2 * c] << 32 | sums[1 + 2 * c]);
    }
    region_add(region_sums(statistics, channels, root), channels, sums[0], values);
}

// Labels of the current regions, from which the list of edges is rebuilt.
T_KERNEL(region_relabel, (T_IN(u32) parent, T_IN(u32) active, T_OUT(u32) labels, i32 round)) {
    T_INDEX1(i);
    if (active[round] != 0) labels[i] = parent[labels[i] - 1] + 1;
}

// ---- Results -----------------------------------------------------------------------------------

// Gives every point the mean of its region.
T_KERNEL(region_paint, (T_IN(u32) count, T_IN(u32) labels, T_IN(u32) parent, T_IN(i32) mean,
                        T_OUT(i32) features, u32 room, i64 points, i32 channels)) {
    T_INDEX1(i);
    if (region_count(count, room) == 0) return;
    const u32 region = parent[labels[i] - 1];
    for (i32 c = 0; c < channels; ++c) features[c * points + i] = mean[region * (i64)channels + c];
}

// The link of a current region, which is itself, becomes the first of the regions that it holds.
T_KERNEL(region_firsts, (T_IN(u32) parent, T_OUT(u32) link)) {
    T_INDEX1(r);
    const u32 holder = parent[r];
    if (holder != (u32)r) T_ATOMIC_MIN(link + holder, (u32)r);
}

T_KERNEL(region_mark_firsts,
         (T_IN(u32) count, T_IN(u32) parent, T_IN(u32) first, T_OUT(u32) is_first, u32 room)) {
    T_INDEX1(r);
    const i32 is_region = (u32)r < region_count(count, room);
    is_first[r] = is_region && first[parent[r]] == (u32)r ? 1u : 0u;
}

// Rounds are numbered through: those of stage k end before round end[k].
typedef struct {
    i32 end[4];
} region_stages;

// Numbers the current regions 1..M in the order of their firsts; `rank` counts those before one.
// For the host to read: how many rounds of each of the four stages linked some, M, the number of
// edges, that of regions before the merge, and that of pairs with a border.
T_KERNEL(region_number, (T_IN(u32) count, T_IN(u32) parent, T_IN(u32) first, T_IN(u32) rank,
                         T_IN(u32) active, T_IN(u32) edge_count, T_IN(u32) border_pairs,
                         T_OUT(u32) labels, T_OUT(u32) summary, u32 room, region_stages stages)) {
    T_INDEX1(i);
    if (region_count(count, room) > 0) labels[i] = rank[first[parent[labels[i] - 1]]] + 1u;
    if (i > 0) return;
    for (i32 stage = 0; stage < 4; ++stage) summary[stage] = 0;
    for (i32 k = 0; k < stages.end[3]; ++k)
        summary[(k >= stages.end[0]) + (k >= stages.end[1]) + (k >= stages.end[2])] += active[k];
    summary[4] = rank[room];
    summary[5] = edge_count[0];
    summary[6] = count[0];
    summary[7] = border_pairs[0];
}

#include "kernels/end.h"
