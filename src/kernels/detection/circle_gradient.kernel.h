// Circles by the direction of edges: an edge votes for the centers along its gradient, then a
// center for the radii of the edges that point at it (H. K. Yuen, J. Princen, J. Illingworth, J.
// Kittler, Image and Vision Computing 8(1), 1990).
#define T_FILE circle_gradient
#include "kernels/begin.h"
#include "kernels/detection/circle_grid.h"
#include "kernels/detection/circle_inside.h"

enum {
    circle_edge_words = 2,    // row of all slices, column
    circle_center_words = 3,  // x, y (both i32, of the image), slice
    circle_bright_side = 1,   // centers that the gradient points at
    circle_dark_side = 2      // those that it points away from
};

// Radii that are looked for together. Lengths are in units, of which a pixel has unit_x and unit_y.
typedef struct {
    f32 first_radius;  // of `radii`, a unit apart
    i32 radii, sides;
    i32 step;  // between the radii that edges vote for
    f32 unit_x, unit_y;
    i32 first_index;  // of the band's radii among all
} circle_band;

// Some of the centers, and how far their rings reach, in pixels.
typedef struct {
    i32 first_center;
    i32 reach_x, reach_y;
    i32 padding;
} circle_box;

typedef struct {
    f32 x, y, length;
} circle_slope_at;

// The gradient at pixel i, in levels a unit.
T_FUNCTION circle_slope_at circle_gradient_at(T_GLOBAL_PTR(const i32) gradient_x,
                                              T_GLOBAL_PTR(const i32) gradient_y, const i64 i,
                                              const circle_band band) {
    circle_slope_at slope = {(f32)gradient_x[i] / band.unit_x, (f32)gradient_y[i] / band.unit_y,
                             0.0f};
    slope.length = T_SQRT(slope.x * slope.x + slope.y * slope.y);
    return slope;
}

// In no order.
T_KERNEL(circle_list_edges,
         (T_IN(u8) edges, T_OUT(u32) list, T_GLOBAL_PTR(u32) count, const i32 nx)) {
    T_INDEX2(x, row);
    if (edges[(i64)row * nx + x] == 0) return;
    const i64 at = T_ATOMIC_ADD(count, 1u);
    list[circle_edge_words * at] = (u32)row;
    list[circle_edge_words * at + 1] = (u32)x;
}

// Each edge votes for the cells along its gradient that are a radius away.
T_KERNEL(circle_lines, (T_IN(u32) list, T_IN(i32) gradient_x, T_IN(i32) gradient_y,
                        T_GLOBAL_PTR(u32) lines, const circle_band band, const circle_grid grid)) {
    T_INDEX1(i);
    const i32 row = (i32)list[circle_edge_words * (i64)i];
    const i32 x = (i32)list[circle_edge_words * (i64)i + 1];
    const i32 slice = row / grid.ny, y = row - slice * grid.ny;
    const circle_slope_at slope =
        circle_gradient_at(gradient_x, gradient_y, (i64)row * grid.nx + x, band);
    if (slope.length == 0.0f) return;
    const f32 along_x = slope.x / slope.length / band.unit_x;
    const f32 along_y = slope.y / slope.length / band.unit_y;
    for (i32 side = 1; side >= -1; side -= 2) {
        if ((band.sides & (side > 0 ? circle_bright_side : circle_dark_side)) == 0) continue;
        for (i32 k = 0; k < band.radii; k += band.step) {
            const f32 radius = (f32)side * (band.first_radius + (f32)k);
            const i32 cell_x = T_ROUND((f32)x + radius * along_x) + grid.margin_x;
            const i32 cell_y = T_ROUND((f32)y + radius * along_y) + grid.margin_y;
            if (cell_x < 0 || cell_y < 0 || cell_x >= grid.cells_x || cell_y >= grid.cells_y)
                continue;
            T_ATOMIC_ADD(lines + (i64)grid.words * 32 + circle_cell(grid, cell_x, cell_y, slice),
                         1u);
        }
    }
}

// Votes of a cell and its eight neighbors, an item a word of 32 cells. The lines come with a row of
// zeros before and after; no vote is in a row's last cell, nor, where centers may be outside, in
// its first, so that nothing is carried from one row to the next.
T_KERNEL(circle_line_votes, (T_IN(u32) lines, T_OUT(u16) votes, const circle_grid grid)) {
    T_INDEX3(word, y, slice);
    const i64 width = (i64)grid.words * 32;
    const i64 first = circle_cell(grid, 32 * word, y, slice);
    u32 sum[32];
    for (i32 b = 0; b < 32; ++b) sum[b] = 0;
    for (i32 dy = -1; dy <= 1; ++dy) {
        if (y + dy < 0 || y + dy >= grid.cells_y) continue;
        T_GLOBAL_PTR(const u32) row = lines + width + first + dy * width;
        T_SIMD_FOR(b, 0, 32) sum[b] += row[b - 1] + row[b] + row[b + 1];
    }
    T_SIMD_FOR(b, 0, 32) votes[first + b] = (u16)T_MIN(sum[b], 65535u);
}

// Whether a cell at most `apart` rows and columns away has more votes, or as many and comes
// earlier.
T_FUNCTION i32 circle_is_beside_better(T_GLOBAL_PTR(const u16) votes, const circle_place cell,
                                       const u32 own, const i32 apart, const circle_grid grid) {
    i32 beaten = 0;
    for (i32 dy = -apart; dy <= apart && !beaten; ++dy) {
        for (i32 dx = -apart; dx <= apart; ++dx) {
            const i32 x = cell.x + dx, y = cell.y + dy;
            if ((dx == 0 && dy == 0) || x < 0 || y < 0 || x >= grid.cells_x || y >= grid.cells_y)
                continue;
            const u32 its = votes[circle_cell(grid, x, y, cell.slice)];
            beaten |= dy < 0 || (dy == 0 && dx < 0) ? its >= own : its > own;
        }
    }
    return beaten;
}

// Lists the cells whose votes are at least limits.share of the points inside the image of the
// band's smallest ring, and that none beside them beats, an item a word of cells. `tables` and
// `points` are those of all rings.
T_KERNEL(circle_centers, (T_IN(u16) votes, T_IN(i32) tables, T_IN(i32) points, T_OUT(u32) centers,
                          T_GLOBAL_PTR(u32) count, const circle_maxima_limits limits,
                          const i32 apart, const circle_grid grid)) {
    T_INDEX3(word, y, slice);
    T_GLOBAL_PTR(const u16) cells = votes + circle_cell(grid, 32 * word, y, slice);
    u32 most = 0;
    for (i32 b = 0; b < 32; ++b) most = T_MAX(most, (u32)cells[b]);
    if (most < limits.least_votes) return;
    const i32 q = limits.radius_index;
    T_GLOBAL_PTR(const i32) ring = tables + (i64)q * 4 * (grid.reach + 1);
    for (i32 b = 0; b < T_MIN(32, grid.cells_x - 32 * word); ++b) {
        const u32 own = cells[b];
        if (own < limits.least_votes) continue;
        const circle_place place = {32 * word + b, y, slice};
        const i32 left = place.x - grid.margin_x, top = y - grid.margin_y;
        const u32 inside = (u32)circle_inside(ring, points[q], left, top, grid);
        if ((u64)own << 16 < (u64)limits.share * inside ||
            circle_is_beside_better(votes, place, own, apart, grid))
            continue;
        const u32 at = T_ATOMIC_ADD(count, 1u);
        if (at >= limits.capacity) continue;
        T_GLOBAL_PTR(u32) center = centers + (i64)at * circle_center_words;
        center[0] = (u32)left;
        center[1] = (u32)top;
        center[2] = (u32)slice;
    }
}

// Counts the edges of one row that point at a center, by their distance.
T_KERNEL(circle_radius_votes, (T_IN(u32) centers, T_IN(u8) edges, T_IN(i32) gradient_x,
                               T_IN(i32) gradient_y, T_GLOBAL_PTR(u32) counts, const circle_box box,
                               const circle_band band, const circle_grid grid)) {
    T_INDEX2(row, i);
    T_GLOBAL_PTR(const u32) center = centers + (i64)(box.first_center + i) * circle_center_words;
    const i32 center_x = (i32)center[0], y = (i32)center[1] - box.reach_y + row;
    if (y < 0 || y >= grid.ny) return;
    const i64 line = ((i64)center[2] * grid.ny + y) * grid.nx;
    const f32 down = (f32)(row - box.reach_y) * band.unit_y;
    const i32 end = T_MIN(center_x + box.reach_x + 1, grid.nx);
    for (i32 x = T_MAX(center_x - box.reach_x, 0); x < end; ++x) {
        if (edges[line + x] == 0) continue;
        const f32 right = (f32)(x - center_x) * band.unit_x;
        const f32 distance = T_SQRT(right * right + down * down);
        const i32 k = T_ROUND(distance - band.first_radius);
        if (k < 0 || k >= band.radii) continue;
        const circle_slope_at slope = circle_gradient_at(gradient_x, gradient_y, line + x, band);
        const f32 outwards = slope.x * right + slope.y * down;
        const i32 side = outwards < 0.0f ? circle_bright_side : circle_dark_side;
        if ((band.sides & side) == 0) continue;
        // Within 15 degrees.
        if (T_ABS(outwards) < 0.966f * slope.length * distance) continue;
        T_ATOMIC_ADD(counts + (i64)i * band.radii + k, 1u);
    }
}

// Edges at most a unit from radius k; 0 beyond the band.
T_FUNCTION u32 circle_band_votes(T_GLOBAL_PTR(const u32) counts, const i32 k, const i32 radii) {
    if (k < 0 || k >= radii) return 0;
    u32 votes = counts[k];
    if (k > 0) votes += counts[k - 1];
    if (k + 1 < radii) votes += counts[k + 1];
    return votes;
}

// Lists the radii of centers whose votes are at least limits.share of the ring's points inside the
// image and the most among neighbors.
T_KERNEL(circle_radius_maxima,
         (T_IN(u32) centers, T_IN(u32) counts, T_IN(i32) tables, T_IN(i32) points,
          T_OUT(u32) maxima, T_GLOBAL_PTR(u32) count, const circle_maxima_limits limits,
          const circle_box box, const circle_band band, const circle_grid grid)) {
    T_INDEX2(k, i);
    T_GLOBAL_PTR(const u32) own_counts = counts + (i64)i * band.radii;
    T_GLOBAL_PTR(const u32) center = centers + (i64)(box.first_center + i) * circle_center_words;
    const u32 own = circle_band_votes(own_counts, k, band.radii);
    if (own < limits.least_votes) return;
    const i32 q = band.first_index + k;
    const u32 inside = (u32)circle_inside(tables + (i64)q * 4 * (grid.reach + 1), points[q],
                                          (i32)center[0], (i32)center[1], grid);
    if ((u64)own << 16 < (u64)limits.share * inside ||
        circle_band_votes(own_counts, k - 1, band.radii) >= own ||
        circle_band_votes(own_counts, k + 1, band.radii) > own)
        return;
    const u32 at = T_ATOMIC_ADD(count, 1u);
    if (at >= limits.capacity) return;
    T_GLOBAL_PTR(u32) maximum = maxima + (i64)at * circle_maximum_words;
    for (i32 c = 0; c < circle_center_words; ++c) maximum[c] = center[c];
    maximum[3] = (u32)q;
    maximum[4] = own;
    maximum[5] = inside;
}

#include "kernels/end.h"
