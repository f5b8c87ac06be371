// Additive operator splitting in a narrow band of regions (J. Lamas Rodriguez, doctoral thesis,
// Universidade de Santiago de Compostela, 2014, chapter 3): one tridiagonal system for each axis,
// of all voxels of active regions. u is negative inside.
#define T_FILE aos_thesis
#include "kernels/begin.h"
#include "kernels/levelset/aos_gradient.h"
#include "kernels/levelset/thesis_regions.h"

T_FUNCTION i32 aos_thesis_voxels(const thesis_regions grid) {
    return grid.side * grid.side * grid.side;
}

// Flags the regions within `reach` regions of one that the front crosses. An item scans a region
// with the layer behind it, since the front may run between two regions.
T_KERNEL(aos_thesis_explore, (T_IN(u32) list, T_IN(f32) u, T_GLOBAL_PTR(u8) flags, const i32 reach,
                              const thesis_regions grid)) {
    T_INDEX1(i);
    const thesis_voxel corner = thesis_voxel_of(list[i], 0, grid);
    const i32 nx = T_MIN(corner.x + grid.side + 1, grid.nx);
    const i32 ny = T_MIN(corner.y + grid.side + 1, grid.ny);
    const i32 nz = T_MIN(corner.z + grid.side + 1, grid.nz);
    i32 inside = 0, outside = 0;
    thesis_voxel at;
    for (at.z = corner.z; at.z < nz; ++at.z)
        for (at.y = corner.y; at.y < ny; ++at.y)
            for (at.x = corner.x; at.x < nx; ++at.x) {
                const i32 is_inside = u[thesis_point(at, grid)] < 0;
                inside |= is_inside;
                outside |= !is_inside;
            }
    if (!(inside & outside)) return;
    const i32 first_x = T_MAX(corner.x / grid.side - reach, 0);
    const i32 first_y = T_MAX(corner.y / grid.side - reach, 0);
    const i32 first_z = T_MAX(corner.z / grid.side - reach, 0);
    const i32 last_x = T_MIN(corner.x / grid.side + reach, grid.rx - 1);
    const i32 last_y = T_MIN(corner.y / grid.side + reach, grid.ry - 1);
    const i32 last_z = T_MIN(corner.z / grid.side + reach, grid.rz - 1);
    for (i32 z = first_z; z <= last_z; ++z)
        for (i32 y = first_y; y <= last_y; ++y)
            for (i32 x = first_x; x <= last_x; ++x)
                T_STORE(u8, flags + (z * grid.ry + y) * grid.rx + x, (u8)1);
}

// The numbers of regions with another axis fastest (eq. 3.14 and 3.15), to sort a list by.
T_KERNEL(aos_thesis_keys,
         (T_IN(u32) list, T_OUT(u32) keys, const i32 axis, const thesis_regions grid)) {
    T_INDEX1(i);
    const i32 id = (i32)list[i];
    const i32 x = id % grid.rx, y = id / grid.rx % grid.ry, z = id / grid.rx / grid.ry;
    keys[i] = (u32)(axis == 1 ? (z * grid.rx + x) * grid.ry + y : (y * grid.rx + x) * grid.rz + z);
}

// `steep` is |grad u| / b, `right` the right-hand side u + push g |grad u| (eq. 3.10 and 3.11).
T_KERNEL(aos_thesis_gradient,
         (T_IN(u32) list, T_IN(f32) u, T_IN(f32) g, T_OUT(f32) steep, T_OUT(f32) right,
          const f32 push, const i32 is_geodesic, const thesis_regions grid)) {
    T_INDEX2(k, i);
    const thesis_voxel at = thesis_voxel_of(list[i], k, grid);
    if (!thesis_is_inside(at, grid)) return;
    const i64 p = thesis_point(at, grid);
    f32 still = 0;
    f32 moving = 0;
    f32 backward;
    f32 forward;
    aos_differences(u + p, 1, at.x, grid.nx, 1.0f, &backward, &forward);
    aos_add_squares(backward, forward, push, &still, &moving);
    aos_differences(u + p, grid.nx, at.y, grid.ny, 1.0f, &backward, &forward);
    aos_add_squares(backward, forward, push, &still, &moving);
    aos_differences(u + p, (i64)grid.nx * grid.ny, at.z, grid.nz, 1.0f, &backward, &forward);
    aos_add_squares(backward, forward, push, &still, &moving);
    const f32 length = T_MAX(T_SQRT(still), AOS_FLATTEST);
    steep[p] = is_geodesic ? length / g[p] : length;
    right[p] = u[p] + push * g[p] * T_SQRT(moving);
}

// The weight of the voxel beside one, without a_i |grad u|_i; 0 beyond the volume. Beyond active
// regions u stays, so that its share goes to the right-hand side.
T_FUNCTION f32 aos_thesis_weight(T_GLOBAL_PTR(const u8) active, T_GLOBAL_PTR(const f32) steep,
                                 const f32 own, const thesis_voxel beside, const f32 factor,
                                 i32* is_active, const thesis_regions grid) {
    *is_active = 0;
    if (!thesis_is_inside(beside, grid)) return 0.0f;
    *is_active = active[thesis_region_at(beside, grid)] != 0;
    return factor / (own + (*is_active ? steep[thesis_point(beside, grid)] : own));
}

// The equation of each voxel of active regions along an axis (eq. 3.17 and 3.18), four numbers in
// the order of the list; where a region reaches beyond the volume, one that nothing is coupled to.
// `keys` are the places of voxels with the axis fastest, by which equations are put in order.
T_KERNEL(aos_thesis_rows,
         (T_IN(u32) list, T_IN(u8) active, T_IN(f32) u, T_IN(f32) g, T_IN(f32) steep,
          T_IN(f32) right, T_OUT(f32) rows, T_OUT(u32) keys, T_OUT(u32) order, const f32 factor,
          const i32 axis, const thesis_regions grid)) {
    T_INDEX2(k, i);
    const i64 row = (i64)i * aos_thesis_voxels(grid) + k;
    const thesis_voxel at = thesis_voxel_of(list[i], k, grid);
    const u32 nx = (u32)(grid.rx * grid.side), ny = (u32)(grid.ry * grid.side);
    const u32 nz = (u32)(grid.rz * grid.side);
    const u32 x = (u32)at.x, y = (u32)at.y, z = (u32)at.z;
    keys[row] = axis == 0   ? (z * ny + y) * nx + x
                : axis == 1 ? (z * nx + x) * ny + y
                            : (y * nx + x) * nz + z;
    order[row] = (u32)row;
    f32 a = 0, b = 1, c = 0, d = 0;
    if (thesis_is_inside(at, grid)) {
        const i64 p = thesis_point(at, grid);
        const f32 own = steep[p];
        const f32 mobile = g[p] * own;
        const thesis_voxel low = thesis_beside(at, axis, -1);
        const thesis_voxel high = thesis_beside(at, axis, 1);
        i32 low_is_active;
        i32 high_is_active;
        const f32 before =
            mobile * aos_thesis_weight(active, steep, own, low, factor, &low_is_active, grid);
        const f32 behind =
            mobile * aos_thesis_weight(active, steep, own, high, factor, &high_is_active, grid);
        a = low_is_active ? -before : 0.0f;
        c = high_is_active ? -behind : 0.0f;
        b = 1.0f + before + behind;
        d = right[p];
        if (before > 0 && !low_is_active) d += before * u[thesis_point(low, grid)];
        if (behind > 0 && !high_is_active) d += behind * u[thesis_point(high, grid)];
    }
    rows[4 * row] = a;
    rows[4 * row + 1] = b;
    rows[4 * row + 2] = c;
    rows[4 * row + 3] = d;
}

// The equations in order: one system.
T_KERNEL(aos_thesis_system, (T_IN(f32) rows, T_IN(u32) order, T_OUT(f32) a, T_OUT(f32) b,
                             T_OUT(f32) c, T_OUT(f32) d)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const f32) row = rows + 4 * (i64)order[i];
    a[i] = row[0];
    b[i] = row[1];
    c[i] = row[2];
    d[i] = row[3];
}

// A third of the solution along an axis goes to the sum of all three (eq. 3.9).
T_KERNEL(aos_thesis_average, (T_IN(u32) list, T_IN(u32) order, T_IN(f32) solution, T_OUT(f32) sum,
                              const i32 adds, const thesis_regions grid)) {
    T_INDEX1(i);
    const i32 voxels = aos_thesis_voxels(grid);
    const i32 row = (i32)order[i];
    const thesis_voxel at = thesis_voxel_of(list[row / voxels], row % voxels, grid);
    if (!thesis_is_inside(at, grid)) return;
    const i64 p = thesis_point(at, grid);
    sum[p] = solution[i] / 3.0f + (adds ? sum[p] : 0.0f);
}

T_KERNEL(aos_thesis_commit,
         (T_IN(u32) list, T_IN(f32) sum, T_OUT(f32) u, const thesis_regions grid)) {
    T_INDEX2(k, i);
    const thesis_voxel at = thesis_voxel_of(list[i], k, grid);
    if (thesis_is_inside(at, grid)) u[thesis_point(at, grid)] = sum[thesis_point(at, grid)];
}

#include "kernels/end.h"
