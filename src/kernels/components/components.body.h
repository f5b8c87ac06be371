// Part of components.kernel.h, once for each T_NAME: the kernels that look at values. With T_EQUAL,
// equal values of one channel are linked. Otherwise values of one channel are linked where they
// differ by at most `limit`; points of three, whose planes are `plane` values apart, where the
// square of their Euclidean distance is at most `limit`. Differences of a channel are below 2^31.

#define T_POINT T_JOIN(components_point_, T_NAME)
#define T_POINT_AT T_JOIN(components_point_at_, T_NAME)
#define T_LINKED T_JOIN(components_linked_, T_NAME)
#define T_LINKED_AT T_JOIN(components_linked_at_, T_NAME)
#define T_LINKS T_JOIN(components_links_, T_NAME)

typedef struct {
    i32 channel[T_CHANNELS];
} T_POINT;

T_FUNCTION T_POINT T_POINT_AT(T_GLOBAL_PTR(const T_VALUE) values, const i64 plane, const i32 i) {
    T_POINT point;
    T_UNROLL
    for (i32 c = 0; c < T_CHANNELS; ++c) point.channel[c] = values[c * plane + i];
    return point;
}

T_FUNCTION u32 T_LINKED(const T_POINT p, const T_POINT q, const u64 limit) {
#if T_EQUAL
    (void)limit;
    return p.channel[0] == q.channel[0] ? 1u : 0u;
#else
    T_DISTANCE distance = 0;
    T_UNROLL
    for (i32 c = 0; c < T_CHANNELS; ++c) {
        const u32 d = components_distance(p.channel[c], q.channel[c]);
        distance += T_CHANNELS == 1 ? d : (T_DISTANCE)d * d;
    }
    return distance <= (T_DISTANCE)limit ? 1u : 0u;
#endif
}

T_FUNCTION u32 T_LINKED_AT(T_GLOBAL_PTR(const T_VALUE) values, const i64 plane, const u64 limit,
                           const i32 i, const i32 j) {
    return T_LINKED(T_POINT_AT(values, plane, i), T_POINT_AT(values, plane, j), limit);
}

// The links between point i and the points at, left and right of j in another row that others do
// not imply: straight ones to the left, and those along the two rows. `left`, `right`: 1 where the
// rows go on to that side, otherwise 0.
T_FUNCTION u32 T_LINKS(T_GLOBAL_PTR(const T_VALUE) values, const i64 plane, const u64 limit,
                       const i32 i, const i32 j, const i32 left, const i32 right,
                       const i32 is_diagonal) {
    const u32 has_left = (u32)left;
    const u32 straight = T_LINKED_AT(values, plane, limit, i, j);
    const u32 around = T_LINKED_AT(values, plane, limit, i - left, i) &
                       T_LINKED_AT(values, plane, limit, i - left, j - left) & has_left;
    const u32 along = T_LINKED_AT(values, plane, limit, j - left, j) & has_left;
    u32 links = straight & ~(around & along);
    if (is_diagonal) {
        const u32 along_right = T_LINKED_AT(values, plane, limit, j, j + right);
        const u32 around_right = T_LINKED_AT(values, plane, limit, i, i + right) &
                                 T_LINKED_AT(values, plane, limit, i + right, j + right);
        const u32 to_left = T_LINKED_AT(values, plane, limit, i, j - left) & has_left;
        const u32 to_right = T_LINKED_AT(values, plane, limit, i, j + right) & (u32)right;
        links |= (to_left & ~around & ~(straight & along)) << 1;
        links |= (to_right & ~around_right & ~(straight & along_right)) << 2;
    }
    return links;
}

#include "kernels/components/components_slabs.body.h"

#if T_CHANNELS == 3  // whose values need more registers than a full group leaves
    #define T_TILE_KERNEL T_GROUP_KERNEL
#else
    #define T_TILE_KERNEL T_FULL_GROUP_KERNEL
#endif

// Tiles of pictures, 64 x 1 rows along y and z, and of volumes, 8 x 8: what depends on their shape
// is known when kernels are compiled.
#define T_SHAPED(name) T_JOIN(T_JOIN(name, picture_), T_NAME)
#define T_IS_VOLUME 0
#define T_SHIFT_Y 6
#define T_NEIGHBORS 1  // that a row has before it in its tile
#include "kernels/components/components_seams.body.h"
#include "kernels/components/components_tiles.body.h"
#undef T_NEIGHBORS
#undef T_SHIFT_Y
#undef T_IS_VOLUME
#undef T_SHAPED

#define T_SHAPED(name) T_JOIN(T_JOIN(name, volume_), T_NAME)
#define T_IS_VOLUME 1
#define T_SHIFT_Y 3
#define T_NEIGHBORS 4
#include "kernels/components/components_seams.body.h"
#include "kernels/components/components_tiles.body.h"
#undef T_NEIGHBORS
#undef T_SHIFT_Y
#undef T_IS_VOLUME
#undef T_SHAPED

#undef T_TILE_KERNEL
#undef T_LINKS
#undef T_LINKED_AT
#undef T_LINKED
#undef T_POINT_AT
#undef T_POINT
#undef T_EQUAL
#undef T_DISTANCE
#undef T_CHANNELS
#undef T_PITCH
#undef T_VALUE
#undef T_NAME
