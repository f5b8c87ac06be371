// Counts of equal keys. Integer atomics commute, so the order of the groups does not show.
#define T_FILE histogram
#include "kernels/begin.h"

// Bins that fit into the local memory of a group beside others of its kind.
enum { histogram_local_bins = 4096 };

// Counts in local memory first; bins <= histogram_local_bins. Adds to `counts`.
T_GROUP_KERNEL(histogram_local, 256, 1, 1,
               (T_IN(u32) keys, const i64 count, const i32 group_keys, const i32 bins,
                T_GLOBAL_PTR(u32) counts)) {
    T_LOCAL(u32, own, histogram_local_bins);
    const i64 begin = (i64)group_keys * T_GX;
    const i32 length = (i32)T_MIN((i64)group_keys, count - begin);
    T_PHASE {
        for (i32 b = T_LX; b < bins; b += 256) own[b] = 0;
    }
    T_PHASE {
        for (i32 i = T_LX; i < length; i += 256) {
            const u32 key = keys[begin + i];
            if (key < (u32)bins) T_ATOMIC_ADD(&own[key], 1u);
        }
    }
    T_PHASE {
        for (i32 b = T_LX; b < bins; b += 256) {
            if (own[b] != 0) T_ATOMIC_ADD(&counts[b], own[b]);
        }
    }
}

// Counts in device memory. Adds to `counts`.
T_GROUP_KERNEL(histogram_global, 256, 1, 1,
               (T_IN(u32) keys, const i64 count, const i32 group_keys, const i32 bins,
                T_GLOBAL_PTR(u32) counts)) {
    const i64 begin = (i64)group_keys * T_GX;
    const i32 length = (i32)T_MIN((i64)group_keys, count - begin);
    T_PHASE {
        for (i32 i = T_LX; i < length; i += 256) {
            const u32 key = keys[begin + i];
            if (key < (u32)bins) T_ATOMIC_ADD(&counts[key], 1u);
        }
    }
}

#include "kernels/end.h"
