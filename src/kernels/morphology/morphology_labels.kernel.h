// Label maps: the nearest label, and the distance to the nearest point of another one, axis by axis
// in windows. Squared distances are integers below 2^30, in units that the host chooses.
#define T_FILE morphology_labels
#include "kernels/begin.h"
#include "kernels/morphology/morphology_grid.h"

// A squared distance that no point has: no label is in reach.
#define MORPHOLOGY_NONE 0x3fffffffu

// Lines along an axis: `n` points that are `stride` apart. A point of a window that is k away adds
// k^2 * weight. `adds`: windows add to what is known of the point, as of a cross. An item of the
// CPU takes a row of nx points.
typedef struct {
    i64 stride;
    i32 n, nx;
    i32 reach, adds;
    u32 weight, only_background;
} morphology_windows;

T_FUNCTION u32 morphology_squared(const i32 k, const u32 weight) { return (u32)(k * k) * weight; }
// The point's place in its line.
T_FUNCTION i32 morphology_place(const i64 i, const morphology_windows job) {
    return (i32)(i / job.stride % job.n);
}

T_SIMD_KERNEL(morphology_labels_u16, (T_IN(u16) labels, T_OUT(u32) wide)) {
    T_INDEX1(i);
    wide[i] = labels[i];
}
T_SIMD_KERNEL(morphology_narrow_u8, (T_IN(u32) labels, T_OUT(u8) narrow)) {
    T_INDEX1(i);
    narrow[i] = (u8)labels[i];
}
T_SIMD_KERNEL(morphology_narrow_u16, (T_IN(u32) labels, T_OUT(u16) narrow)) {
    T_INDEX1(i);
    narrow[i] = (u16)labels[i];
}

// ---- The nearest label, the lower one of equally near ones --------------------------------------
// A key has the squared distance above its 32nd bit and the label below: the lowest key wins.

T_SIMD_KERNEL(morphology_keys, (T_IN(u32) labels, T_OUT(i64) keys)) {
    T_INDEX1(i);
    keys[i] = labels[i] != 0 ? (i64)labels[i] : (i64)MORPHOLOGY_NONE << 32;
}
T_FUNCTION i64 morphology_key(const i64 key, const i32 k, const u32 weight) {
    return key + ((i64)morphology_squared(k, weight) << 32);
}

T_KERNEL(morphology_nearest, (T_IN(i64) keys, T_OUT(i64) nearest, const morphology_windows job)) {
    T_INDEX1(i);
    const i32 at = morphology_place(i, job);
    i64 lowest = job.adds ? nearest[i] : keys[i];
    for (i32 k = -T_MIN(job.reach, at); k <= T_MIN(job.reach, job.n - 1 - at); ++k) {
        const i64 key = morphology_key(keys[i + k * job.stride], k, job.weight);
        lowest = T_MIN(lowest, key);
    }
    nearest[i] = lowest;
}
T_FUNCTION i32 morphology_is_row(const morphology_windows job) {
    return job.stride == 1 && job.n == job.nx;
}
// The points of a row whose neighbors `k` away are in the image.
T_FUNCTION i32 morphology_row_first(const i32 k, const morphology_windows job) {
    return morphology_is_row(job) ? T_MAX(-k, 0) : 0;
}
T_FUNCTION i32 morphology_row_end(const i32 k, const morphology_windows job) {
    return morphology_is_row(job) ? T_MIN(job.nx, job.nx - k) : job.nx;
}
T_FUNCTION i32 morphology_row_has(const i64 row, const i32 k, const morphology_windows job) {
    const i32 at = morphology_place(row, job) + k;
    return morphology_is_row(job) || (at >= 0 && at < job.n);
}
T_KERNEL(morphology_nearest_rows,
         (T_IN(i64) keys, T_OUT(i64) nearest, const morphology_windows job)) {
    T_INDEX1(line);
    const i64 row = (i64)line * job.nx;
    if (!job.adds) {
        for (i32 x = 0; x < job.nx; ++x) nearest[row + x] = keys[row + x];
    }
    for (i32 k = -job.reach; k <= job.reach; ++k) {
        if (!morphology_row_has(row, k, job)) continue;
        T_GLOBAL_PTR(const i64) other = keys + row + k * job.stride;
        const i64 away = morphology_key(0, k, job.weight);
        T_SIMD_FOR(x, morphology_row_first(k, job), morphology_row_end(k, job)) {
            const i64 key = other[x] + away;
            nearest[row + x] = T_MIN(nearest[row + x], key);
        }
    }
}

T_SIMD_KERNEL(morphology_within, (T_IN(i64) keys, T_OUT(u32) labels, const u32 limit)) {
    T_INDEX1(i);
    labels[i] = (u32)(keys[i] >> 32) <= limit ? (u32)keys[i] : 0u;
}

// ---- Distances to other labels ------------------------------------------------------------------

// What a point adds whose label is `other`, and which is itself `squared` from another label.
T_FUNCTION u32 morphology_to_other(const u32 label, const u32 other, const u32 squared,
                                   const u32 only_background) {
    const u32 differs = only_background ? other == 0 : other != label;
    return differs ? 0u : squared;
}

T_KERNEL(morphology_borders,
         (T_IN(u32) labels, T_IN(u32) squared, T_OUT(u32) nearest, const morphology_windows job)) {
    T_INDEX1(i);
    const i32 at = morphology_place(i, job);
    u32 lowest = job.adds ? nearest[i] : squared[i];
    for (i32 k = -T_MIN(job.reach, at); k <= T_MIN(job.reach, job.n - 1 - at); ++k) {
        const i64 other = i + k * job.stride;
        const u32 rest =
            morphology_to_other(labels[i], labels[other], squared[other], job.only_background) +
            morphology_squared(k, job.weight);
        lowest = k != 0 ? T_MIN(lowest, rest) : lowest;
    }
    nearest[i] = lowest;
}
T_KERNEL(morphology_borders_rows,
         (T_IN(u32) labels, T_IN(u32) squared, T_OUT(u32) nearest, const morphology_windows job)) {
    T_INDEX1(line);
    const i64 row = (i64)line * job.nx;
    const u32 only_background = job.only_background;
    if (!job.adds) {
        for (i32 x = 0; x < job.nx; ++x) nearest[row + x] = squared[row + x];
    }
    for (i32 k = -job.reach; k <= job.reach; ++k) {
        if (k == 0 || !morphology_row_has(row, k, job)) continue;
        const i64 other = row + k * job.stride;
        const u32 away = morphology_squared(k, job.weight);
        T_SIMD_FOR(x, morphology_row_first(k, job), morphology_row_end(k, job)) {
            const u32 rest = morphology_to_other(labels[row + x], labels[other + x],
                                                 squared[other + x], only_background) +
                             away;
            nearest[row + x] = T_MIN(nearest[row + x], rest);
        }
    }
}

// Labels that are farther than `limit` from others.
T_SIMD_KERNEL(morphology_beyond,
              (T_IN(u32) labels, T_IN(u32) squared, T_OUT(u32) left, const u32 limit)) {
    T_INDEX1(i);
    left[i] = squared[i] > limit ? labels[i] : 0u;
}

// Labels of a where b has none.
T_SIMD_KERNEL(morphology_labels_difference, (T_IN(u32) a, T_IN(u32) b, T_OUT(u32) result)) {
    T_INDEX1(i);
    result[i] = b[i] == 0 ? a[i] : 0u;
}

#include "kernels/end.h"
