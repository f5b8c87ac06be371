// Regions of a label image are merged in rounds: neighbors of similar mean are fused, then pairs
// whose union costs little are merged, then regions below a size join the neighbor closest in mean.
// A round reads what the round before left, so that
// results do not depend on the order in which regions meet; sums and distances are integers.
//
// `parent` leads each of the first regions to the region that holds it now; one that holds itself
// is current, and it has the smallest label of those it holds. `statistics` has a plane of areas
// and, for each channel, a plane of the low and one of the high words of the sums of features;
// `mean` has a plane of rounded means a channel. `link` of a current region is the region that it
// will join, or itself. `active[k]` is not zero where round k links regions: once a round of a
// stage finds nothing to do, its later rounds leave at once.
#define T_FILE region_fusion
#include "kernels/begin.h"

enum { region_strip = 8, region_half_neighborhood = 40 };

T_FUNCTION void region_add(T_GLOBAL_PTR(u32) statistics, const i64 regions, const u32 region,
                           const i32 channel, const i64 value) {
    T_GLOBAL_PTR(u32) low_word = statistics + (1 + 2 * channel) * regions + region;
    const u32 low = (u32)value;
    const u32 before = T_ATOMIC_ADD(low_word, low);
    const u32 carry = before + low < before ? 1u : 0u;
    const u32 high = (u32)((u64)value >> 32) + carry;
    if (high != 0) T_ATOMIC_ADD(low_word + regions, high);
}

T_FUNCTION i64 region_sum(T_GLOBAL_PTR(const u32) statistics, const i64 regions, const u32 region,
                          const i32 channel) {
    T_GLOBAL_PTR(const u32) low_word = statistics + (1 + 2 * channel) * regions + region;
    return (i64)((u64)low_word[regions] << 32 | low_word[0]);
}

// Adds up areas and features: an item walks down part of a column and hands over what it has where
// the label changes.
T_KERNEL(region_statistics, (T_IN(u32) labels, T_IN(i32) features, T_OUT(u32) statistics,
                             i64 regions, i64 points, i32 channels, i32 nx, i32 rows)) {
    T_INDEX2(x, strip);
    const i32 first = strip * region_strip;
    const i32 end = T_MIN(rows, first + region_strip);
    i64 sums[3] = {0, 0, 0};
    u32 area = 0;
    for (i32 row = first; row < end; ++row) {
        const i64 i = (i64)row * nx + x;
        const u32 label = labels[i];
        for (i32 c = 0; c < channels; ++c) sums[c] += features[c * points + i];
        ++area;
        if (row + 1 < end && labels[i + nx] == label) continue;
        T_ATOMIC_ADD(statistics + label - 1, area);
        for (i32 c = 0; c < channels; ++c) {
            region_add(statistics, regions, label - 1, c, sums[c]);
            sums[c] = 0;
        }
        area = 0;
    }
}

// Means of the current regions, nearest, halves away from zero; no region is linked. Round -1 makes
// all regions current.
T_KERNEL(region_refresh, (T_IN(u32) statistics, T_IN(u32) active, T_OUT(u32) parent,
                          T_OUT(u32) link, T_OUT(i32) mean, i64 regions, i32 channels, i32 round)) {
    T_INDEX1(r);
    if (round < 0) parent[r] = (u32)r;
    if (round >= 0 && (active[round] == 0 || parent[r] != (u32)r)) return;
    link[r] = (u32)r;
    const i64 area = statistics[r];
    for (i32 c = 0; c < channels; ++c) {
        const i64 sum = region_sum(statistics, regions, (u32)r, c);
        const i64 magnitude = (T_ABS(sum) + area / 2) / area;
        mean[c * regions + r] = (i32)(sum < 0 ? -magnitude : magnitude);
    }
}

T_FUNCTION u64 region_distance2(T_GLOBAL_PTR(const i32) mean, const i64 regions, const i32 channels,
                                const u32 a, const u32 b) {
    u64 distance2 = 0;
    for (i32 c = 0; c < channels; ++c) {
        const i64 d = (i64)mean[c * regions + a] - mean[c * regions + b];
        distance2 += (u64)(d * d);
    }
    return distance2;
}

// What it costs to join two neighbors: the squared distance of their means or, weighted by area,
// the bits of 2ab/(a+b) times that, twice what the sum of squares within regions grows by
// (J. H. Ward, "Hierarchical grouping to optimize an objective function", Journal of the American
// Statistical Association 58, 1963). Bits of positive floats have the order of their values.
T_FUNCTION u64 region_cost(T_GLOBAL_PTR(const u32) statistics, T_GLOBAL_PTR(const i32) mean,
                           const i64 regions, const i32 channels, const i32 weighted, const u32 a,
                           const u32 b) {
    const u64 distance2 = region_distance2(mean, regions, channels, a, b);
    if (!weighted) return distance2;
    const u64 area_a = statistics[a];
    const u64 area_b = statistics[b];
    const u64 weight = 2 * area_a * area_b / (area_a + area_b);
    return T_BITS((f32)distance2 * (f32)weight);
}

T_FUNCTION u32 region_root(T_GLOBAL_PTR(const u32) link, u32 a) {
    u32 up = T_LOAD(u32, link + a);
    while (up != a) {
        a = up;
        up = T_LOAD(u32, link + a);
    }
    return a;
}

// Links the trees of `a` and `b`, the larger root below the smaller.
T_FUNCTION void region_unite(T_GLOBAL_PTR(u32) link, u32 a, u32 b) {
    a = region_root(link, a);
    b = region_root(link, b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(link + high, low);
        a = region_root(link, low);
        // Where another item has linked `high` elsewhere meanwhile, its tree joins too.
        b = before == high ? a : region_root(link, before);
    }
}

// `region` picks `candidate` if that costs less than what it has picked, or as much and has the
// smaller label.
T_FUNCTION void region_offer(T_GLOBAL_PTR(u32) link, T_GLOBAL_PTR(const u32) statistics,
                             T_GLOBAL_PTR(const i32) mean, const i64 regions, const i32 channels,
                             const i32 weighted, const u32 region, const u32 candidate,
                             const u64 cost) {
    u32 picked = T_LOAD(u32, link + region);
    while (picked != candidate) {
        if (picked != region) {
            const u64 other =
                region_cost(statistics, mean, regions, channels, weighted, region, picked);
            if (other < cost || (other == cost && picked < candidate)) return;
        }
        const u32 before = T_ATOMIC_CAS(link + region, picked, candidate);
        if (before == picked) return;
        picked = before;
    }
}

// One pass over all pairs of neighbors that differ along at most `axes` of the four axes and cost
// at most `limit`. unite = 1: they are linked, one and all. Otherwise each region of less than
// `smallest` points is linked to the neighbor that costs least. A previous round that did nothing
// (active[previous] = 0; previous < 0: there was none) ends it.
T_KERNEL(region_link,
         (T_IN(u32) labels, T_IN(u32) parent, T_IN(u32) statistics, T_IN(i32) mean, T_OUT(u32) link,
          T_OUT(u32) active, i32 round, i32 previous, i64 regions, i32 channels, i32 unite,
          i32 weighted, u32 smallest, u64 limit, i32 axes, i32 nx, i32 ny, i32 nz, i32 nt)) {
    T_INDEX2(x, row);
    if (previous >= 0 && T_LOAD(u32, active + previous) == 0) return;
    const i32 y = row % ny;
    const i32 z = row / ny % nz;
    const i32 t = row / ny / nz;
    const i64 i = (i64)row * nx + x;
    const u32 label = labels[i];
    const u32 a = parent[label - 1];
    const u32 a_picks = statistics[a] < smallest ? 1u : 0u;
    // The neighbors that come before in raster order; without an axis, those along it fall away.
    for (i32 n = nt > 1 ? 0 : nz > 1 ? 27 : 36; n < region_half_neighborhood; ++n) {
        const i32 dx = n % 3 - 1;
        const i32 dy = n / 3 % 3 - 1;
        const i32 dz = n / 9 % 3 - 1;
        const i32 dt = n / 27 - 1;
        const i32 inside = x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny &&
                           z + dz >= 0 && z + dz < nz && t + dt >= 0;
        if (!inside || T_ABS(dx) + T_ABS(dy) + T_ABS(dz) + T_ABS(dt) > axes) continue;
        const u32 other = labels[i + (((i64)dt * nz + dz) * ny + dy) * nx + dx];
        if (other == label) continue;
        const u32 b = parent[other - 1];
        const u32 b_picks = statistics[b] < smallest ? 1u : 0u;
        if (a == b || (!unite && !a_picks && !b_picks)) continue;
        const u64 cost = region_cost(statistics, mean, regions, channels, weighted, a, b);
        if (cost > limit) continue;
        T_STORE(u32, active + round, 1u);
        if (unite) {
            region_unite(link, a, b);
            continue;
        }
        if (a_picks) region_offer(link, statistics, mean, regions, channels, weighted, a, b, cost);
        if (b_picks) region_offer(link, statistics, mean, regions, channels, weighted, b, a, cost);
    }
}

// Takes back picks that would run ahead of cheaper ones: a pick stands where two regions have
// picked one another, or where the picked one has at least four times the area, so that its mean
// stays about where it is. Taking back one pick does not change what is mutual.
T_KERNEL(region_settle,
         (T_IN(u32) parent, T_IN(u32) statistics, T_IN(u32) active, T_OUT(u32) link, i32 round)) {
    T_INDEX1(r);
    if (active[round] == 0 || parent[r] != (u32)r) return;
    const u32 picked = T_LOAD(u32, link + r);
    if (picked == (u32)r || T_LOAD(u32, link + picked) == (u32)r) return;
    if (statistics[picked] / 4 < statistics[r]) T_STORE(u32, link + r, (u32)r);
}

// Follows the links of the round: every region learns which one holds it, and those that cease to
// be current hand over their statistics. Links are trees, but for two regions that have picked one
// another: picks go to the least pair of cost and label, so that no longer ring can close.
T_KERNEL(region_absorb, (T_IN(u32) link, T_IN(u32) active, T_OUT(u32) parent, T_OUT(u32) statistics,
                         i64 regions, i32 channels, i32 round)) {
    T_INDEX1(r);
    if (active[round] == 0) return;
    const u32 before = parent[r];
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
    T_ATOMIC_ADD(statistics + root, statistics[r]);
    for (i32 c = 0; c < channels; ++c)
        region_add(statistics, regions, root, c, region_sum(statistics, regions, (u32)r, c));
}

// Gives every point the mean of its region.
T_KERNEL(region_paint, (T_IN(u32) labels, T_IN(u32) parent, T_IN(i32) mean, T_OUT(i32) features,
                        i64 regions, i64 points, i32 channels)) {
    T_INDEX1(i);
    const u32 region = parent[labels[i] - 1];
    for (i32 c = 0; c < channels; ++c) features[c * points + i] = mean[c * regions + region];
}

// link[r] of a current region becomes the first of the regions that it holds.
T_KERNEL(region_firsts, (T_IN(u32) parent, T_OUT(u32) link)) {
    T_INDEX1(r);
    const u32 holder = parent[r];
    if (holder != (u32)r) T_ATOMIC_MIN(link + holder, (u32)r);
}

T_KERNEL(region_mark_firsts, (T_IN(u32) parent, T_IN(u32) link, T_OUT(u32) is_first)) {
    T_INDEX1(r);
    is_first[r] = link[parent[r]] == (u32)r ? 1u : 0u;
}

// Numbers the current regions 1..M in the order of their firsts; `rank` counts those before one.
T_KERNEL(region_number, (T_IN(u32) parent, T_IN(u32) link, T_IN(u32) rank, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = rank[link[parent[labels[i] - 1]]] + 1u;
}

// What the host reads: the number of regions, and of the rounds of each stage that linked some.
T_KERNEL(region_summary, (T_IN(u32) rank, T_IN(u32) active, T_OUT(u32) summary, i64 regions,
                          i32 second_stage, i32 third_stage, i32 end)) {
    T_INDEX1(stage);
    const i32 first = stage == 0 ? 0 : stage == 1 ? second_stage : third_stage;
    const i32 last = stage == 0 ? second_stage : stage == 1 ? third_stage : end;
    u32 rounds = 0;
    for (i32 k = first; k < last; ++k) rounds += active[k];
    summary[stage] = rounds;
    if (stage == 0) summary[3] = rank[regions];
}

#include "kernels/end.h"
