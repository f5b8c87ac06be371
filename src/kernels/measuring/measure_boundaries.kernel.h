// Counts along the boundaries of objects, from which perimeter, surface and Euler number follow.
// What is beyond the image, and every other label, is outside of an object.
//
// Directions are those to the neighbors that come earlier in the raster: along a line, an object
// ends as often as it begins, so that the opposite directions have the same counts.
#define T_FILE measure_boundaries
#include "kernels/begin.h"

#include "kernels/measuring/measure_tiles.h"

// The words of a record. Of pictures: how many points have an outside neighbor in the directions
// up-left, up, up-right and left; the Euler number; and how many points of the border are on
// straight, diagonal and mixed parts of it. Of volumes: the counts of 13 directions, and the Euler
// number.
enum { measure_picture_words = 4 + 1 + 3, measure_volume_words = 13 + 1 };

// Five points of a row around x as bits, that of x - 2 first: 1 inside of the object. `point` is
// the label at x + 2, where there is such a point.
T_FUNCTION u32 measure_next_bit(const u32 bits, const u32 point, const i32 is_point,
                                const u32 label) {
    return bits >> 1 | (u32)(is_point & (point == label)) << 4;
}

// The part of the border on which its point in the middle is, by its neighbors on the border: 0, 1
// and 2 for straight, diagonal and mixed, 3 for what counts nothing (K. Benkrid, D. Crookes,
// "Design and FPGA implementation of a perimeter estimator", 2000).
T_FUNCTION i32 measure_border_part(const u32* rows) {
    u32 border[3];
    T_UNROLL
    for (i32 k = 0; k < 3; ++k) {
        const u32 own = rows[k + 1];
        border[k] = own & ~(rows[k] & rows[k + 2] & own << 1 & own >> 1);
    }
    const u32 next = (border[0] >> 2 & 1u) + (border[2] >> 2 & 1u) + (border[1] >> 1 & 1u) +
                     (border[1] >> 3 & 1u);
    const u32 diagonal = (border[0] >> 1 & 1u) + (border[0] >> 3 & 1u) + (border[2] >> 1 & 1u) +
                         (border[2] >> 3 & 1u);
    if ((next == 2 || next == 3) && diagonal <= 2) return 0;
    if (next <= 1 && diagonal == next + 2) return 1;
    if (next == 1 && (diagonal == 1 || diagonal == 2)) return 2;
    return 3;
}

// Counts of an object's points that follow one another in a tile.
typedef struct {
    u32 label;
    u32 counts[measure_picture_words];
} measure_picture_counts;

T_FUNCTION void measure_begin_picture(measure_picture_counts* counts, const u32 label) {
    counts->label = label;
    for (i32 k = 0; k < measure_picture_words; ++k) counts->counts[k] = 0;
}
T_FUNCTION void measure_end_picture(const measure_picture_counts* counts,
                                    T_GLOBAL_PTR(const u32) present, T_GLOBAL_PTR(const u32) before,
                                    T_GLOBAL_PTR(u32) records) {
    if (counts->label == 0) return;
    T_GLOBAL_PTR(u32)
    record = records + (i64)measure_picture_words * measure_number(present, before, counts->label);
    for (i32 k = 0; k < measure_picture_words; ++k)
        if (counts->counts[k] != 0) T_ATOMIC_ADD(record + k, counts->counts[k]);
}

// Of one point, by the rows around it. The Euler number is that of the union of closed squares, for
// 8 neighbors: a corner, and an edge, counts for the first point that has it.
T_FUNCTION void measure_add_point(measure_picture_counts* counts, const u32* rows) {
    const u32 up_left = rows[1] >> 1 & 1u;
    const u32 up = rows[1] >> 2 & 1u;
    const u32 up_right = rows[1] >> 3 & 1u;
    const u32 left = rows[2] >> 1 & 1u;
    if ((rows[1] >> 1 & 7u) == 7u && (left & rows[2] >> 3 & rows[3] >> 2) != 0) return;
    counts->counts[0] += 1u - up_left;
    counts->counts[1] += 1u - up;
    counts->counts[2] += 1u - up_right;
    counts->counts[3] += 1u - left;
    counts->counts[4] += ((up_left | up | left) ^ 1u) - ((up ^ 1u) & up_right);
    if ((up & left & rows[2] >> 3 & rows[3] >> 2 & 1u) != 0) return;
    const i32 part = measure_border_part(rows);
    if (part < 3) ++counts->counts[5 + part];
}

T_KERNEL(measure_picture_boundaries, (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before,
                                      const measure_map map, T_GLOBAL_PTR(u32) records)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    measure_picture_counts counts;
    measure_begin_picture(&counts, 0);
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        const i32 y = measure_row(map, row);
        T_GLOBAL_PTR(const u32) points = labels + (i64)y * map.nx;
        i32 end = 0;
        for (i32 first = tile.first; first < tile.end; first = end) {
            end = measure_run_end(points, first, tile.end);
            const u32 label = points[first];
            if (label == 0) continue;
            if (label != counts.label) {
                measure_end_picture(&counts, present, before, records);
                measure_begin_picture(&counts, label);
            }
            u32 rows[5] = {0, 0, 0, 0, 0};
            for (i32 x = first - 2; x < end + 2; ++x) {
                const i32 at = T_CLAMP(x, 0, map.nx - 1);
                T_UNROLL
                for (i32 k = 0; k < 5; ++k) {
                    const i32 is_row = y + k >= 2 && y + k - 2 < map.ny;
                    const i64 to_row = is_row ? (i64)(k - 2) * map.nx : 0;
                    const i32 is_point = is_row & (at == x);
                    rows[k] = measure_next_bit(rows[k], points[to_row + at], is_point, label);
                }
                if (x >= first + 2) measure_add_point(&counts, rows);
            }
        }
    }
    measure_end_picture(&counts, present, before, records);
}

// The faces, edges and corners of a voxel: for each the directions of the earlier voxels that share
// it.
typedef struct {
    u32 faces[6], edges[12], corners[8];
} measure_cells;

T_FUNCTION u32 measure_free_cells(const u32* cells, const i32 count, const u32 inside) {
    u32 free = 0;
    for (i32 k = 0; k < count; ++k) free += (cells[k] & inside) == 0 ? 1u : 0u;
    return free;
}

T_FUNCTION void measure_end_volume(const u32* counts, const u32 label,
                                   T_GLOBAL_PTR(const u32) present, T_GLOBAL_PTR(const u32) before,
                                   T_GLOBAL_PTR(u32) records) {
    if (label == 0) return;
    T_GLOBAL_PTR(u32)
    record = records + (i64)measure_volume_words * measure_number(present, before, label);
    for (i32 k = 0; k < measure_volume_words; ++k)
        if (counts[k] != 0) T_ATOMIC_ADD(record + k, counts[k]);
}

// The Euler number is that of the union of closed cubes, for 26 neighbors: vertices - edges + faces
// - cubes, of which each counts for the first voxel that has it.
T_KERNEL(measure_volume_boundaries,
         (T_IN(u32) labels, T_IN(u32) present, T_IN(u32) before, const measure_map map,
          const measure_cells cells, T_GLOBAL_PTR(u32) records)) {
    T_INDEX2(column, line);
    const measure_tile tile = measure_tile_of(map, column, line);
    const u32 all = (1u << 13) - 1u;
    u32 counts[measure_volume_words];
    u32 counted = 0;
    for (i32 k = 0; k < measure_volume_words; ++k) counts[k] = 0;
    for (i32 row = tile.first_row; row < tile.end_row; ++row) {
        const i32 map_row = measure_row(map, row);
        const i32 y = map_row % map.ny;
        const i32 z = map_row / map.ny;
        T_GLOBAL_PTR(const u32) points = labels + (i64)map_row * map.nx;
        i32 end = 0;
        for (i32 first = tile.first; first < tile.end; first = end) {
            end = measure_run_end(points, first, tile.end);
            const u32 label = points[first];
            if (label == 0) continue;
            if (label != counted) {
                measure_end_volume(counts, counted, present, before, records);
                for (i32 k = 0; k < measure_volume_words; ++k) counts[k] = 0;
                counted = label;
            }
            // Rows at y - 1, y and y + 1 of the slice before, and at y - 1 of its own.
            u32 rows[4] = {0, 0, 0, 0};
            for (i32 x = first - 1; x < end + 1; ++x) {
                u32 inside = 0;
                const i32 at = T_CLAMP(x, 0, map.nx - 1);
                T_UNROLL
                for (i32 k = 0; k < 4; ++k) {
                    const i32 dy = k == 3 ? -1 : k - 1;
                    const i32 dz = k == 3 ? 0 : -1;
                    const i32 is_row = y + dy >= 0 && y + dy < map.ny && z + dz >= 0;
                    const i64 back = ((i64)dz * map.ny + dy) * map.nx;
                    const i32 is_point = is_row & (at == x);
                    rows[k] = measure_next_bit(rows[k], points[(is_row ? back : 0) + at], is_point,
                                               label);
                    inside |= (rows[k] >> 2 & 7u) << 3 * k;
                }
                if (x < first + 1) continue;
                const i32 own = x - 1;
                const u32 is_left = own > 0 && points[own > 0 ? own - 1 : 0] == label ? 1u : 0u;
                inside |= is_left << 12;
                if (inside == all) continue;
                T_UNROLL
                for (i32 k = 0; k < 13; ++k) counts[k] += (inside >> k & 1u) ^ 1u;
                counts[13] += measure_free_cells(cells.corners, 8, inside) +
                              measure_free_cells(cells.faces, 6, inside) -
                              measure_free_cells(cells.edges, 12, inside) - 1u;
            }
        }
    }
    measure_end_volume(counts, counted, present, before, records);
}

#include "kernels/end.h"
