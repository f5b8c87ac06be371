// Cubic regions of a volume, as a thesis's level sets process them: those at the far ends may reach
// beyond the volume. A list holds numbers of regions, x fastest.
#ifndef TESELA_KERNELS_THESIS_REGIONS_H
#define TESELA_KERNELS_THESIS_REGIONS_H

typedef struct {
    i32 nx, ny, nz;  // voxels
    i32 rx, ry, rz;  // regions
    i32 side;        // voxels of a region along each axis
} thesis_regions;

// A voxel of the volume, or of a region that reaches beyond it.
typedef struct {
    i32 x, y, z;
} thesis_voxel;

// Voxel `number` of a region, x fastest.
T_FUNCTION thesis_voxel thesis_voxel_of(const u32 region, const i32 number,
                                        const thesis_regions grid) {
    const i32 id = (i32)region;
    thesis_voxel at;
    at.x = id % grid.rx * grid.side + number % grid.side;
    at.y = id / grid.rx % grid.ry * grid.side + number / grid.side % grid.side;
    at.z = id / grid.rx / grid.ry * grid.side + number / grid.side / grid.side;
    return at;
}

T_FUNCTION i32 thesis_is_inside(const thesis_voxel at, const thesis_regions grid) {
    return (at.x >= 0) & (at.y >= 0) & (at.z >= 0) & (at.x < grid.nx) & (at.y < grid.ny) &
           (at.z < grid.nz);
}

T_FUNCTION i64 thesis_point(const thesis_voxel at, const thesis_regions grid) {
    return ((i64)at.z * grid.ny + at.y) * grid.nx + at.x;
}

T_FUNCTION i32 thesis_region_at(const thesis_voxel at, const thesis_regions grid) {
    return (at.z / grid.side * grid.ry + at.y / grid.side) * grid.rx + at.x / grid.side;
}

T_FUNCTION thesis_voxel thesis_beside(thesis_voxel at, const i32 axis, const i32 step) {
    at.x += axis == 0 ? step : 0;
    at.y += axis == 1 ? step : 0;
    at.z += axis == 2 ? step : 0;
    return at;
}

#endif
