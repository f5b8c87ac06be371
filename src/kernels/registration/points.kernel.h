// Points of a grid, moved by transforms. Points are stored as all x, all y, all z.
#define T_FILE points
#include "kernels/begin.h"
#include "kernels/registration/linear_map.h"
#include "kernels/registration/spline_weights.h"

// A cubic B-spline; displacements of nodes are stored as all x, all y, all z.
typedef struct {
    i32 size[3];
    i32 axes;  // 2 or 3
    f32 origin[3], inverse_spacing[3];
    i32 rounds;  // at most, of the iteration for the inverse
} spline_nodes;

T_FUNCTION void spline_displacement(T_GLOBAL_PTR(const f32) nodes, const spline_nodes s,
                                    const f32* point, f32* displacement) {
    f32 wx[4], wy[4], wz[4];
    const i32 x0 = spline_weights((point[0] - s.origin[0]) * s.inverse_spacing[0], s.size[0], wx);
    const i32 y0 = spline_weights((point[1] - s.origin[1]) * s.inverse_spacing[1], s.size[1], wy);
    const i32 z0 = spline_weights((point[2] - s.origin[2]) * s.inverse_spacing[2], s.size[2], wz);
    const i64 count = (i64)s.size[0] * s.size[1] * s.size[2];
    const i32 slices = s.size[2] == 1 ? 1 : 4;
    displacement[0] = displacement[1] = displacement[2] = 0;
    for (i32 a = 0; a < s.axes; ++a) {
        f32 sum = 0;
        for (i32 k = 0; k < slices; ++k)
            for (i32 j = 0; j < 4; ++j) {
                T_GLOBAL_PTR(const f32)
                row = nodes + a * count + ((i64)(z0 + k) * s.size[1] + y0 + j) * s.size[0] + x0;
                sum += wz[k] * wy[j] *
                       (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3]);
            }
        displacement[a] = sum;
    }
}

// The point of each pixel.
T_KERNEL(place_points, (T_OUT(f32) points, linear_map map, i32 nx, i32 ny, i32 nz)) {
    T_INDEX3(x, y, z);
    const i64 count = (i64)nx * ny * nz, i = ((i64)z * ny + y) * nx + x;
    points[i] = linear_row(map.row_x, (f32)x, (f32)y, (f32)z);
    points[count + i] = linear_row(map.row_y, (f32)x, (f32)y, (f32)z);
    points[2 * count + i] = linear_row(map.row_z, (f32)x, (f32)y, (f32)z);
}

T_KERNEL(move_points, (T_OUT(f32) points, linear_map map, i64 count)) {
    T_INDEX1(i);
    const f32 x = points[i], y = points[count + i], z = points[2 * count + i];
    points[i] = linear_row(map.row_x, x, y, z);
    points[count + i] = linear_row(map.row_y, x, y, z);
    points[2 * count + i] = linear_row(map.row_z, x, y, z);
}

T_KERNEL(bend_points, (T_OUT(f32) points, T_IN(f32) nodes, spline_nodes spline, i64 count)) {
    T_INDEX1(i);
    const f32 point[3] = {points[i], points[count + i], points[2 * count + i]};
    f32 moved[3];
    spline_displacement(nodes, spline, point, moved);
    for (i32 a = 0; a < spline.axes; ++a) points[a * count + i] = point[a] + moved[a];
}

// The inverse of bend_points, by fixed-point iteration with half steps until they are short. It
// converges where the spline shrinks, and where it stretches up to four times.
T_KERNEL(unbend_points, (T_OUT(f32) points, T_IN(f32) nodes, spline_nodes spline, i64 count)) {
    T_INDEX1(i);
    const f32 mapped[3] = {points[i], points[count + i], points[2 * count + i]};
    f32 point[3] = {mapped[0], mapped[1], mapped[2]}, moved[3];
    f32 missing = 1;
    for (i32 round = 0; round < spline.rounds && missing > 1e-6f; ++round) {
        spline_displacement(nodes, spline, point, moved);
        missing = 0;  // in distances of nodes
        for (i32 a = 0; a < spline.axes; ++a) {
            const f32 step = 0.5f * (mapped[a] - moved[a] - point[a]);
            point[a] += step;
            missing = T_MAX(missing, T_ABS(step) * spline.inverse_spacing[a]);
        }
    }
    for (i32 a = 0; a < spline.axes; ++a) points[a * count + i] = point[a];
}

#include "kernels/end.h"
