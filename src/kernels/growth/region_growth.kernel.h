// Growth of all regions at once. A point without a region joins the one whose mean is closest to it
// among those of its neighbors that joined in the round before; of equal ones that of the smallest
// number. Means are those that the regions began with, so that the order of points has no say.
//
// `state` of a point is 16 times the number of its region, from 1, plus the lowest bits of the
// round in which it joined; 0 is no region. Points of a round wait for those of the round before
// alone: what is older would have taken them already, or never will. So a round works in place.
#define T_FILE region_growth
#include "kernels/begin.h"
#include "kernels/mean_shift/region_graph.h"

enum {
    region_growth_ages = 16,  // rounds that a state tells apart
    // Points that joined, counted by round; then the last round in which one did.
    region_growth_ring = 3,
    region_growth_last = region_growth_ring,
    region_growth_counters,
    // A group looks at the neighbors of so many points, each item at some of one point.
    region_growth_points_x = 32,
    region_growth_neighbors_y = 8
};

T_FUNCTION i32 region_growth_state(const i32 region, const i32 round) {
    return region * region_growth_ages + (round & (region_growth_ages - 1));
}
T_FUNCTION i32 region_growth_region(const i32 state) { return state / region_growth_ages; }
// Whether a point joined in the round before; much older ones may seem to, and change nothing.
T_FUNCTION i32 region_growth_is_on_frontier(const i32 state, const i32 round) {
    return state > 0 && ((state - round + 1) & (region_growth_ages - 1)) == 0;
}

// Labels of the pieces that a mask and what is beside it fall into become numbers of those on the
// mask, from 1, and `others` elsewhere. `before[k]`: how many of the first k pieces are on it.
T_KERNEL(region_growth_number, (T_IN(u8) mask, T_IN(u32) before, T_OUT(u32) labels, u32 others)) {
    T_INDEX1(i);
    labels[i] = mask[i] ? before[labels[i]] : others;
}

// Seeds as regions.
T_SIMD_KERNEL(region_growth_seeds, (T_IN(u8) mask, T_IN(u32) labels, T_OUT(i32) regions)) {
    T_INDEX1(i);
    regions[i] = mask[i] ? (i32)labels[i] : 0;
}

// Seeds as regions and, so that means can be taken of all, points without a seed as region `none`.
T_SIMD_KERNEL(region_growth_given, (T_OUT(u32) labels, T_OUT(i32) regions, u32 none)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    regions[i] = (i32)label;
    labels[i] = label == 0 ? none : label;
}

// From regions to the labels that `names` has for them.
T_KERNEL(region_growth_name, (T_IN(i32) regions, T_IN(u32) names, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = regions[i] == 0 ? 0u : names[regions[i] - 1];
}

T_KERNEL(region_growth_means, (T_IN(u32) statistics, T_OUT(i32) mean, i32 channels)) {
    T_INDEX1(r);
    region_set_mean(statistics, mean, channels, r);
}

// From regions, in place.
T_SIMD_KERNEL(region_growth_begin, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] * region_growth_ages;
}

// Before rounds under another limit: all that have joined did so in round 0.
T_SIMD_KERNEL(region_growth_restart, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] & ~(region_growth_ages - 1);
}

// To regions, in place.
T_SIMD_KERNEL(region_growth_end, (T_OUT(i32) state)) {
    T_INDEX1(i);
    state[i] = state[i] / region_growth_ages;
}

T_FUNCTION i64 region_growth_distance2(const i32* own, T_GLOBAL_PTR(const i32) mean,
                                       const i32 channels, const i32 region) {
    i64 distance2 = 0;
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const i64 d = (i64)own[c] - mean[(region - 1) * (i64)channels + c];
            distance2 += d * d;
        }
    }
    return distance2;
}

// The image, one plane a channel, and who may join: points whose distance from the mean of a region
// is at most sqrt(limit2), and that differ from a point of it along at most `axes` axes.
typedef struct {
    i64 points, limit2;
    i32 n[4];  // points along x, y, z and t
    i32 channels, axes;
} region_growth_job;

T_FUNCTION i64 region_growth_point(const region_growth_job* job, const i32 x, const i32 y,
                                   const i32 z, const i32 t) {
    return (((i64)t * job->n[2] + z) * job->n[1] + y) * job->n[0] + x;
}

// Lets a point without a region join one in a round, and tells whether it did. Several items may
// ask for the same point at once, each for the neighbor `asking` that joined in the round before:
// only the one whose neighbor is the first with the best offer writes. `asking` < 0: the point is
// asked for once.
T_FUNCTION i32 region_growth_join(T_GLOBAL_PTR(i32) state, T_GLOBAL_PTR(const i32) features,
                                  T_GLOBAL_PTR(const i32) mean, const region_growth_job* job,
                                  const i32 round, const i64 asking, const i32 x, const i32 y,
                                  const i32 z, const i32 t) {
    const i32 nx = job->n[0];
    const i32 ny = job->n[1];
    const i32 nz = job->n[2];
    const i32 nt = job->n[3];
    const i32 channels = job->channels;
    const i64 i = region_growth_point(job, x, y, z, t);
    if (T_LOAD_CACHED(i32, state + i) != 0) return 0;
    i32 region = 0;
    i64 closest = 0;
    i64 from = -1;
    i32 own[3];
    T_UNROLL
    for (i32 c = 0; c < 3; ++c) own[c] = features[T_MIN(c, channels - 1) * job->points + i];
    for (i32 dt = t > 0 ? -1 : 0; dt <= (t + 1 < nt ? 1 : 0); ++dt)
        for (i32 dz = z > 0 ? -1 : 0; dz <= (z + 1 < nz ? 1 : 0); ++dz) {
            const i64 slice = i + ((i64)dt * nz + dz) * ny * nx;
            const i32 reach = job->axes - T_ABS(dz) - T_ABS(dt);
            // All on their way before the first is looked at.
            i32 others[9];
            T_UNROLL
            for (i32 k = 0; k < 9; ++k) {
                const i32 dx = k % 3 - 1;
                const i32 dy = k / 3 - 1;
                const i32 is_there = T_ABS(dx) + T_ABS(dy) <= reach && x + dx >= 0 && x + dx < nx &&
                                     y + dy >= 0 && y + dy < ny;
                const i32 other =
                    T_LOAD_CACHED(i32, state + (is_there ? slice + (i64)dy * nx + dx : i));
                others[k] = is_there ? other : 0;
            }
            T_UNROLL
            for (i32 k = 0; k < 9; ++k) {
                const i32 offered = region_growth_region(others[k]);
                if (region_growth_is_on_frontier(others[k], round) && offered != region) {
                    const i64 distance2 = region_growth_distance2(own, mean, channels, offered);
                    if (distance2 <= job->limit2 && (region == 0 || distance2 < closest ||
                                                     (distance2 == closest && offered < region))) {
                        region = offered;
                        closest = distance2;
                        from = slice + (i64)(k / 3 - 1) * nx + (k % 3 - 1);
                    }
                }
            }
        }
    if (region == 0 || (asking >= 0 && from != asking)) return 0;
    T_STORE(i32, state + i, region_growth_state(region, round));
    return 1;
}

// The first round looks at all points, the others at neighbors of those that joined in the round
// before. Who joins is listed for the next round.
T_KERNEL(region_growth_first, (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean,
                               T_OUT(u32) joined, T_OUT(u32) counters, region_growth_job job)) {
    T_INDEX2(x, row);
    const i32 ny = job.n[1];
    const i32 nz = job.n[2];
    if (region_growth_join(state, features, mean, &job, 1, -1, x, row % ny, row / ny % nz,
                           row / ny / nz))
        joined[T_ATOMIC_ADD(counters + 1, 1u)] = (u32)((i64)row * job.n[0] + x);
}

T_KERNEL(region_growth_next,
         (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean, T_IN(u32) frontier,
          T_OUT(u32) joined, T_OUT(u32) counters, i32 round, region_growth_job job)) {
    T_INDEX1(k);
    const i32 nx = job.n[0];
    const i32 ny = job.n[1];
    const i32 nz = job.n[2];
    const i32 nt = job.n[3];
    const i32 at = (i32)frontier[k];
    const i32 x0 = at % nx;
    const i32 y0 = at / nx % ny;
    const i32 z0 = at / nx / ny % nz;
    const i32 t0 = at / nx / ny / nz;
    for (i32 t = T_MAX(t0 - 1, 0); t <= T_MIN(t0 + 1, nt - 1); ++t)
        for (i32 z = T_MAX(z0 - 1, 0); z <= T_MIN(z0 + 1, nz - 1); ++z)
            for (i32 y = T_MAX(y0 - 1, 0); y <= T_MIN(y0 + 1, ny - 1); ++y)
                for (i32 x = T_MAX(x0 - 1, 0); x <= T_MIN(x0 + 1, nx - 1); ++x)
                    if (region_growth_join(state, features, mean, &job, round, at, x, y, z, t))
                        joined[T_ATOMIC_ADD(counters + round % region_growth_ring, 1u)] =
                            (u32)region_growth_point(&job, x, y, z, t);
}

// Both for a GPU, where a round does not wait until the host knows how many points joined in the
// one before: groups take turns at them, and items of a group share the work around a point. What
// a group finds is listed at once. `neighbors` are those of a point along all axes of the image.
T_GROUP_KERNEL(region_growth_round, region_growth_points_x, region_growth_neighbors_y, 1,
               (T_OUT(i32) state, T_IN(i32) features, T_IN(i32) mean, T_IN(u32) frontier,
                T_OUT(u32) joined, T_OUT(u32) counters, i32 round, i32 neighbors,
                region_growth_job job)) {
    T_LOCAL(u32, listed, 1);  // points that the group found
    T_LOCAL(u32, begin, 1);   // where they stand in the list
    T_ITEM(i64, found);       // -1 where the item's point does not join
    T_ITEM(u32, place);
    const i32 nx = job.n[0];
    const i32 ny = job.n[1];
    const i32 nz = job.n[2];
    const i32 nt = job.n[3];
    const i64 count = round == 1 ? (job.points - 1) / region_growth_neighbors_y + 1
                                 : (i64)counters[(round - 1) % region_growth_ring];
    const i32 turns = round == 1 ? 1 : (neighbors - 1) / region_growth_neighbors_y + 1;
    T_PHASE {
        if (T_LI == 0) {
            listed[0] = 0;
            begin[0] = 0;
            if (T_GX == 0) counters[(round + 1) % region_growth_ring] = 0;
        }
    }
    for (i64 first = (i64)T_GX * region_growth_points_x; first < count;
         first += (i64)T_GROUPS_X * region_growth_points_x) {
        for (i32 turn = 0; turn < turns; ++turn) {
            T_PHASE {
                const i32 n = turn * region_growth_neighbors_y + T_LY;
                i32 at = -1;
                i32 x = 0;
                i32 y = 0;
                i32 z = 0;
                i32 t = 0;
                if (round == 1) {
                    at = (i32)(first * region_growth_neighbors_y) + T_LI;
                } else if (first + T_LX < count && n < neighbors) {
                    at = (i32)frontier[first + T_LX];
                    const i32 m = n < neighbors / 2 ? n : n + 1;  // not the point itself
                    x = m % 3 - 1;
                    y = m / 3 % 3 - 1;
                    z = neighbors > 8 ? m / 9 % 3 - 1 : 0;
                    t = neighbors > 26 ? m / 27 - 1 : 0;
                }
                const i32 reaches = T_ABS(x) + T_ABS(y) + T_ABS(z) + T_ABS(t) <= job.axes;
                x += at % nx;
                y += at / nx % ny;
                z += at / nx / ny % nz;
                t += at / nx / ny / nz;
                T_MY(found) = -1;
                if (at >= 0 && at < job.points && reaches && x >= 0 && x < nx && y >= 0 && y < ny &&
                    z >= 0 && z < nz && t >= 0 && t < nt &&
                    region_growth_join(state, features, mean, &job, round, round == 1 ? -1 : at, x,
                                       y, z, t)) {
                    T_MY(found) = region_growth_point(&job, x, y, z, t);
                    T_MY(place) = T_ATOMIC_ADD(&listed[0], 1u);
                }
            }
            T_PHASE {
                if (T_LI == 0 && listed[0] != 0) {
                    begin[0] = T_ATOMIC_ADD(counters + round % region_growth_ring, listed[0]);
                    T_STORE(u32, counters + region_growth_last, (u32)round);
                }
            }
            T_PHASE {
                if (T_MY(found) >= 0) joined[begin[0] + T_MY(place)] = (u32)T_MY(found);
                if (T_LI == 0) listed[0] = 0;
            }
        }
    }
}

#include "kernels/end.h"
