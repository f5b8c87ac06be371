// Points of a ring that are inside the image, from tables of the ring.
#ifndef TESELA_KERNELS_DETECTION_CIRCLE_INSIDE_H
#define TESELA_KERNELS_DETECTION_CIRCLE_INSIDE_H

// How many points of a ring are inside the image, by inclusion-exclusion: all - (beyond the left,
// right, upper and lower side) + (beyond two sides, at each of four corners). `tables` count the
// points at column (row) k or beyond, of the whole ring and of one quadrant, for k from 1 to
// grid.reach + 1. Other k follow from the ring's symmetry, left and right, above and below:
//     count(column >= k) = points - count(column >= 1 - k).
T_FUNCTION i32 circle_table(T_GLOBAL_PTR(const i32) tables, const i32 which, const i32 k,
                            const circle_grid grid) {
    return tables[which * (grid.reach + 1) + T_MIN(k, grid.reach + 1) - 1];
}
enum { circle_columns = 0, circle_rows = 1, circle_quadrant_columns = 2, circle_quadrant_rows = 3 };

// Points at column kx or beyond and at row ky or beyond, kx and ky at least 1. Along a quadrant
// columns rise and rows fall: either every point is at such a column or at such a row, or none is
// at both.
T_FUNCTION i32 circle_quadrant_points(T_GLOBAL_PTR(const i32) tables, const i32 kx, const i32 ky,
                                      const circle_grid grid) {
    const i32 both = circle_table(tables, circle_quadrant_columns, kx, grid) +
                     circle_table(tables, circle_quadrant_rows, ky, grid) -
                     circle_table(tables, circle_quadrant_columns, 1, grid);
    return T_MAX(both, 0);
}
// The same for any ky.
T_FUNCTION i32 circle_half_points(T_GLOBAL_PTR(const i32) tables, const i32 kx, const i32 ky,
                                  const circle_grid grid) {
    if (ky >= 1) return circle_quadrant_points(tables, kx, ky, grid);
    return circle_table(tables, circle_columns, kx, grid) -
           circle_quadrant_points(tables, kx, 1 - ky, grid);
}
// The same for any kx and ky. `rows` is the number of points at row ky or beyond.
T_FUNCTION i32 circle_corner_points(T_GLOBAL_PTR(const i32) tables, const i32 kx, const i32 ky,
                                    const i32 rows, const circle_grid grid) {
    return kx >= 1 ? circle_half_points(tables, kx, ky, grid)
                   : rows - circle_half_points(tables, 1 - kx, ky, grid);
}
// Points at column (row) k or beyond, for any k.
T_FUNCTION i32 circle_points_beyond(T_GLOBAL_PTR(const i32) tables, const i32 which, const i32 k,
                                    const i32 points, const circle_grid grid) {
    return k >= 1 ? circle_table(tables, which, k, grid)
                  : points - circle_table(tables, which, 1 - k, grid);
}

// How many of the `points` of a ring around (x, y) are inside the image.
T_FUNCTION i32 circle_inside(T_GLOBAL_PTR(const i32) tables, const i32 points, const i32 x,
                             const i32 y, const circle_grid grid) {
    const i32 left = x + 1, right = grid.nx - x, above = y + 1, below = grid.ny - y;
    const i32 nearest = T_MIN(T_MIN(left, right), T_MIN(above, below));
    if (nearest > grid.reach ||
        (nearest >= 1 && circle_table(tables, circle_columns, nearest, grid) == 0 &&
         circle_table(tables, circle_rows, nearest, grid) == 0))
        return points;
    const i32 rows_above = circle_points_beyond(tables, circle_rows, above, points, grid);
    const i32 rows_below = circle_points_beyond(tables, circle_rows, below, points, grid);
    return points - rows_above - rows_below -
           circle_points_beyond(tables, circle_columns, left, points, grid) -
           circle_points_beyond(tables, circle_columns, right, points, grid) +
           circle_corner_points(tables, left, above, rows_above, grid) +
           circle_corner_points(tables, right, above, rows_above, grid) +
           circle_corner_points(tables, left, below, rows_below, grid) +
           circle_corner_points(tables, right, below, rows_below, grid);
}

#endif
