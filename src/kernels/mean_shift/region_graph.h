// Sums, means and links of regions, as region_fusion.kernel.h describes them.
#ifndef TESELA_KERNELS_REGION_GRAPH_H
#define TESELA_KERNELS_REGION_GRAPH_H

T_FUNCTION u32 region_count(T_GLOBAL_PTR(const u32) count, const u32 room) {
    return count[0] <= room ? count[0] : 0u;
}

T_FUNCTION T_GLOBAL_PTR(u32)
    region_sums(T_GLOBAL_PTR(u32) statistics, const i32 channels, const u32 region) {
    return statistics + region * (i64)(1 + 2 * channels);
}

T_FUNCTION u32 region_area(T_GLOBAL_PTR(const u32) statistics, const i32 channels,
                           const u32 region) {
    return statistics[region * (i64)(1 + 2 * channels)];
}

// Adds an area and sums of features. High words follow when all carries are known, so that no
// channel waits for another.
T_FUNCTION void region_add(T_GLOBAL_PTR(u32) sums, const i32 channels, const u32 area,
                           const i64* values) {
    u32 carry[3] = {0, 0, 0};
    T_ATOMIC_ADD(sums, area);
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const u32 low = (u32)values[c];
            carry[c] = T_ATOMIC_ADD(sums + 1 + 2 * c, low) + low < low ? 1u : 0u;
        }
    }
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const u32 high = (u32)((u64)values[c] >> 32) + carry[c];
            if (high != 0) T_ATOMIC_ADD(sums + 2 + 2 * c, high);
        }
    }
}

// The mean of a region, nearest, halves away from zero.
T_FUNCTION void region_set_mean(T_GLOBAL_PTR(const u32) statistics, T_GLOBAL_PTR(i32) mean,
                                const i32 channels, const i64 r) {
    T_GLOBAL_PTR(const u32) sums = statistics + r * (1 + 2 * channels);
    const i64 area = sums[0];
    if (area == 0) return;
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const i64 sum = (i64)((u64)sums[2 + 2 * c] << 32 | sums[1 + 2 * c]);
            const i64 magnitude = (T_ABS(sum) + area / 2) / area;
            mean[r * channels + c] = (i32)(sum < 0 ? -magnitude : magnitude);
        }
    }
}

T_FUNCTION u64 region_distance2(T_GLOBAL_PTR(const i32) mean, const i32 channels, const u32 a,
                                const u32 b) {
    T_GLOBAL_PTR(const i32) mean_a = mean + a * (i64)channels;
    T_GLOBAL_PTR(const i32) mean_b = mean + b * (i64)channels;
    u64 distance2 = 0;
    T_UNROLL for (i32 c = 0; c < 3; ++c) {
        if (c < channels) {
            const i64 d = (i64)mean_a[c] - mean_b[c];
            distance2 += (u64)(d * d);
        }
    }
    return distance2;
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

#endif
