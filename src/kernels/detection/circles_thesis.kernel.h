// Votes of a thesis on circles (Ruiz Sanchez 2015, chapter 3): points and polygons around the
// points of contours.
#define T_FILE circles_thesis
#include "kernels/begin.h"

typedef struct {
    i32 nx, ny;
    i32 first_point;  // in the list of contour points
    i32 padding;
} thesis_circle_grid;

// The cell that pixel k of the ring has point i on (eq. 3.2), or -1 outside of the image.
T_FUNCTION i64 thesis_circle_cell(T_GLOBAL_PTR(const i32) points, T_GLOBAL_PTR(const i32) ring,
                                  const i32 i, const i32 k, const thesis_circle_grid grid) {
    const i64 point = 2 * ((i64)grid.first_point + i);
    const i32 x = points[point] - ring[2 * (i64)k];
    const i32 y = points[point + 1] - ring[2 * (i64)k + 1];
    if (x < 0 || y < 0 || x >= grid.nx || y >= grid.ny) return -1;
    return (i64)y * grid.nx + x;
}

// A vote for each pixel of the rings around points.
T_KERNEL(thesis_circle_vote, (T_IN(i32) points, T_IN(i32) ring, T_GLOBAL_PTR(u32) votes,
                              const thesis_circle_grid grid)) {
    T_INDEX2(k, i);
    const i64 cell = thesis_circle_cell(points, ring, i, k, grid);
    if (cell >= 0) T_ATOMIC_ADD(votes + cell, 1u);
}

// The picture of one pass: where rings of points meet, one vote is seen.
T_KERNEL(thesis_circle_draw, (T_IN(i32) points, T_IN(i32) ring, T_GLOBAL_PTR(u32) pass,
                              const i64 plane, const thesis_circle_grid grid)) {
    T_INDEX2(k, i);
    const i64 cell = thesis_circle_cell(points, ring, i, k, grid);
    if (cell >= 0) T_ATOMIC_OR(pass + plane + cell, 1u);
}

// Adds the planes of a pass to the votes and clears them.
T_KERNEL(thesis_circle_gather,
         (T_GLOBAL_PTR(u32) pass, T_GLOBAL_PTR(u32) votes, const i32 planes, const i64 cells)) {
    T_INDEX1(i);
    u32 sum = votes[i];
    for (i32 plane = 0; plane < planes; ++plane) {
        sum += pass[plane * cells + i];
        pass[plane * cells + i] = 0;
    }
    votes[i] = sum;
}

// A vote at the radius along the gradient of an edge, and one against it.
T_KERNEL(thesis_circle_gradient,
         (T_IN(u8) edges, T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_GLOBAL_PTR(u32) votes,
          const f32 radius, const thesis_circle_grid grid)) {
    T_INDEX2(x, y);
    const i64 i = (i64)y * grid.nx + x;
    const f32 gx = (f32)gradient_x[i], gy = (f32)gradient_y[i];
    const f32 length = T_SQRT(gx * gx + gy * gy);
    if (edges[i] == 0 || length == 0.0f) return;
    for (i32 side = -1; side <= 1; side += 2) {
        const i32 cell_x = T_ROUND((f32)x + (f32)side * radius * gx / length);
        const i32 cell_y = T_ROUND((f32)y + (f32)side * radius * gy / length);
        if (cell_x < 0 || cell_y < 0 || cell_x >= grid.nx || cell_y >= grid.ny) continue;
        T_ATOMIC_ADD(votes + (i64)cell_y * grid.nx + cell_x, 1u);
    }
}

#include "kernels/end.h"
