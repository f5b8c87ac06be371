// Part of components.kernel.h, once for each COMPONENTS_NAME: the kernels that look at values. With
// COMPONENTS_EQUAL, equal values of one channel are linked. Otherwise values of one channel are
// linked where they differ by at most `limit`; points of three, whose planes are `plane` values
// apart, where the square of their Euclidean distance is at most `limit`. Differences of a channel
// are below 2^31.

#define COMPONENTS_OF(name) T_JOIN(name, COMPONENTS_NAME)

typedef struct {
    i32 channel[COMPONENTS_CHANNELS];
} COMPONENTS_OF(components_point_);

T_FUNCTION COMPONENTS_OF(components_point_)
    COMPONENTS_OF(components_point_at_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                        const components_job job, const i32 i) {
    COMPONENTS_OF(components_point_) point;
    T_UNROLL
    for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c) point.channel[c] = values[c * job.plane + i];
    return point;
}

T_FUNCTION u32 COMPONENTS_OF(components_linked_)(const COMPONENTS_OF(components_point_) p,
                                                 const COMPONENTS_OF(components_point_) q,
                                                 const u64 limit) {
#if COMPONENTS_EQUAL
    (void)limit;
    return p.channel[0] == q.channel[0] ? 1u : 0u;
#else
    COMPONENTS_DISTANCE distance = 0;
    T_UNROLL
    for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c) {
        const u32 d = components_distance(p.channel[c], q.channel[c]);
        distance += COMPONENTS_CHANNELS == 1 ? d : (COMPONENTS_DISTANCE)d * d;
    }
    return distance <= (COMPONENTS_DISTANCE)limit ? 1u : 0u;
#endif
}

T_FUNCTION u32 COMPONENTS_OF(components_linked_at_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                    const components_job job, const i32 i,
                                                    const i32 j) {
    return COMPONENTS_OF(components_linked_)(COMPONENTS_OF(components_point_at_)(values, job, i),
                                             COMPONENTS_OF(components_point_at_)(values, job, j),
                                             job.limit);
}

// The links between point i and the points at, left and right of j in another row that others do
// not imply: straight ones to the left, and those along the two rows. `left`, `right`: 1 where the
// rows continue to that side, otherwise 0.
T_FUNCTION u32 COMPONENTS_OF(components_links_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                const components_job job, const i32 i, const i32 j,
                                                const i32 left, const i32 right,
                                                const i32 is_diagonal) {
    const u32 has_left = (u32)left;
    const u32 straight = COMPONENTS_OF(components_linked_at_)(values, job, i, j);
    const u32 around = COMPONENTS_OF(components_linked_at_)(values, job, i - left, i) &
                       COMPONENTS_OF(components_linked_at_)(values, job, i - left, j - left) &
                       has_left;
    const u32 along = COMPONENTS_OF(components_linked_at_)(values, job, j - left, j) & has_left;
    u32 links = straight & ~(around & along);
    if (is_diagonal) {
        const u32 along_right = COMPONENTS_OF(components_linked_at_)(values, job, j, j + right);
        const u32 around_right =
            COMPONENTS_OF(components_linked_at_)(values, job, i, i + right) &
            COMPONENTS_OF(components_linked_at_)(values, job, i + right, j + right);
        const u32 to_left =
            COMPONENTS_OF(components_linked_at_)(values, job, i, j - left) & has_left;
        const u32 to_right =
            COMPONENTS_OF(components_linked_at_)(values, job, i, j + right) & (u32)right;
        links |= (to_left & ~around & ~(straight & along)) << 1;
        links |= (to_right & ~around_right & ~(straight & along_right)) << 2;
    }
    return links;
}

#include "kernels/components/cpu/components_slab_links.body.h"
#include "kernels/components/cpu/components_slabs.body.h"

#if COMPONENTS_CHANNELS == 3  // whose values need more registers than a full group leaves
    #define COMPONENTS_TILE_KERNEL T_GROUP_KERNEL
#else
    #define COMPONENTS_TILE_KERNEL T_FULL_GROUP_KERNEL
#endif

// Tiles of pictures, 64 x 1 rows along y and z, and of volumes, 8 x 8: what depends on their shape
// is known when kernels are compiled.
#define COMPONENTS_SHAPED(name) T_JOIN(T_JOIN(name, picture_), COMPONENTS_NAME)
#define COMPONENTS_IS_VOLUME 0
#define COMPONENTS_SHIFT_Y 6
#define COMPONENTS_NEIGHBORS 1  // rows before a row that its tile may have
#include "kernels/components/gpu/components_seams.body.h"
#include "kernels/components/gpu/components_tiles.body.h"
#undef COMPONENTS_NEIGHBORS
#undef COMPONENTS_SHIFT_Y
#undef COMPONENTS_IS_VOLUME
#undef COMPONENTS_SHAPED

#define COMPONENTS_SHAPED(name) T_JOIN(T_JOIN(name, volume_), COMPONENTS_NAME)
#define COMPONENTS_IS_VOLUME 1
#define COMPONENTS_SHIFT_Y 3
#define COMPONENTS_NEIGHBORS 4
#include "kernels/components/gpu/components_seams.body.h"
#include "kernels/components/gpu/components_tiles.body.h"
#undef COMPONENTS_NEIGHBORS
#undef COMPONENTS_SHIFT_Y
#undef COMPONENTS_IS_VOLUME
#undef COMPONENTS_SHAPED

#undef COMPONENTS_TILE_KERNEL
#undef COMPONENTS_OF
#undef COMPONENTS_EQUAL
#undef COMPONENTS_DISTANCE
#undef COMPONENTS_CHANNELS
#undef COMPONENTS_PITCH
#undef COMPONENTS_VALUE
#undef COMPONENTS_NAME
