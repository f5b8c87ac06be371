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

#include "kernels/components_tiles.body.h"

#include "kernels/components_slabs.body.h"

// Joins what the links between tiles hold together. The first `range_rows` rows of the range are
// rows that may have one before them in another tile: `seam_rows` of each column of tiles along x.
// Behind them come the points on the right of a border between two columns of tiles.
T_KERNEL(T_JOIN(components_seams_, T_NAME),
         (T_IN(T_VALUE) values, const i64 plane, const i64 limit, const i32 nx, const i32 ny,
          const i32 nz, const i32 rows, const i32 shift_y, const i32 first_neighbor, const i32 axes,
          const i32 seam_rows, const i32 range_rows, T_IN(u32) pairs, T_GLOBAL_PTR(u32) parent,
          T_GLOBAL_PTR(u32) roots)) {
    T_INDEX2(index_x, index_y);
    const i32 shift_z = 6 - shift_y;
    const i32 is_row = index_y < range_rows ? 1 : 0;
    const i32 border = (index_y - range_rows) * nx + index_x;
    const i32 s = is_row ? components_seam_row(index_y % seam_rows, seam_rows) : 0;
    // The number of a column of tiles, or of a row, in parts along y and z, or points.
    const i32 number = is_row ? index_y / seam_rows : border % rows;
    const i32 count_y = is_row ? ((ny - 1) >> shift_y) + 1 : ny;
    const i32 count_z = is_row ? ((nz - 1) >> shift_z) + 1 : nz;
    const i32 part_y = number % count_y;
    const i32 part_z = number / count_y % count_z;
    const i32 t = number / count_y / count_z;
    const i32 y = is_row ? (part_y << shift_y) + (s & ((1 << shift_y) - 1)) : part_y;
    const i32 z = is_row ? (part_z << shift_z) + (s >> shift_y) : part_z;
    const i32 is_beyond =
        is_row ? y >= ny || z >= nz : border >= rows * (components_row_words(nx) - 1);
    if (is_beyond) return;
    const i32 row = (t * nz + z) * ny + y;
    const i32 x = is_row ? index_x : (border / rows + 1) * components_tile_x;
    const i32 i = row * nx + x;
    u32 border_link = is_row ? 0u : T_LINKED_AT(values, plane, (u64)limit, i - 1, i);
    const u32 along = border_link;
    for (i32 n = first_neighbor; n < 13; ++n) {
        const i32 other =
            components_row_before(n, y, z, t, ny, nz, axes, shift_y, shift_z, !is_row);
        if (other < 0) continue;
        const i32 j = other * nx + x;
        const i32 is_diagonal = components_is_diagonal(n, axes);
        u32 links = 0;
        if (is_row) {
            links = T_LINKS(values, plane, (u64)limit, i, j, x > 0 ? 1 : 0, x < nx - 1 ? 1 : 0,
                            is_diagonal);
        } else {
            // Across the border only; the link along the row above implies that along this one.
            const u32 own = T_LINKED_AT(values, plane, (u64)limit, i, j);
            const u32 before = T_LINKED_AT(values, plane, (u64)limit, i - 1, j - 1);
            const u32 other_along = T_LINKED_AT(values, plane, (u64)limit, j - 1, j);
            if (n == 12) border_link &= ~(own & before & other_along);
            if (is_diagonal) {
                const u32 to_left = T_LINKED_AT(values, plane, (u64)limit, i, j - 1) &
                                    ~(along & before) & ~(own & other_along);
                const u32 from_left = T_LINKED_AT(values, plane, (u64)limit, i - 1, j) &
                                      ~(along & own) & ~(before & other_along);
                links = to_left * components_to_left | from_left * components_from_left;
            }
        }
        for (; links != 0; links &= links - 1u) {
            const u32 link = links & (0u - links);
            const i32 own_x = link == components_from_left ? x - 1 : x;
            const i32 other_x = link == components_to_left    ? x - 1
                                : link == components_to_right ? x + 1
                                                              : x;
            components_join_tiles(pairs, parent, roots, own_x, y, z, t, other_x, n, nx, ny, nz,
                                  shift_y);
        }
    }
    if (border_link)
        components_join_tiles(pairs, parent, roots, x - 1, y, z, t, x, 13, nx, ny, nz, shift_y);
}

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
