// Fronts of the fast two-cycle method by regions of 8 x 8 x 8 voxels (J. Lamas Rodriguez, doctoral
// thesis, Universidade de Santiago de Compostela, 2014, chapter 4). The state of a voxel is -3
// inside, -1 inside at the front, 1 outside at the front, 3 outside.
#define T_FILE ftc_thesis
#include "kernels/begin.h"
#include "kernels/levelset/thesis_regions.h"

enum {
    ftc_thesis_side = 8,
    ftc_thesis_voxels = 512,  // of a region
    ftc_thesis_items = 256,
    ftc_thesis_most_radius = 3,   // of the smoothing filter
    ftc_thesis_most_cells = 2744  // of a region with an apron of that width
};

// A region with its apron, in the memory of a group.
typedef struct {
    i32 apron, row, plane;
} ftc_thesis_cells;

T_FUNCTION ftc_thesis_cells ftc_thesis_cells_of(const i32 apron) {
    ftc_thesis_cells cells;
    cells.apron = apron;
    cells.row = ftc_thesis_side + 2 * apron;
    cells.plane = cells.row * cells.row;
    return cells;
}

// The cell of voxel `k` of the region.
T_FUNCTION i32 ftc_thesis_cell(const i32 k, const ftc_thesis_cells cells) {
    const i32 x = k % ftc_thesis_side, y = k / ftc_thesis_side % ftc_thesis_side;
    const i32 z = k / ftc_thesis_side / ftc_thesis_side;
    return (z + cells.apron) * cells.plane + (y + cells.apron) * cells.row + x + cells.apron;
}

T_FUNCTION i32 ftc_thesis_touches(T_LOCAL_PTR(const i8) cell, const i32 state,
                                  const ftc_thesis_cells cells) {
    return (cell[-1] == state) | (cell[1] == state) | (cell[-cells.row] == state) |
           (cell[cells.row] == state) | (cell[-cells.plane] == state) |
           (cell[cells.plane] == state);
}

// A voxel beside another region that this one has not seen move (figure 4.6).
T_FUNCTION i8 ftc_thesis_repaired(const i32 own, const i32 beside) {
    return (i8)(own == 3 && beside == -1 ? 1 : own == -3 && beside == 1 ? -1 : own);
}

// The same of voxel `k`, from cells of the apron alone.
T_FUNCTION i8 ftc_thesis_mended(T_LOCAL_PTR(const i8) cell, const i32 k,
                                const ftc_thesis_cells cells) {
    const i32 last = ftc_thesis_side - 1;
    const i32 x = k % ftc_thesis_side, y = k / ftc_thesis_side % ftc_thesis_side;
    const i32 z = k / ftc_thesis_side / ftc_thesis_side;
    i8 own = cell[0];
    if (x == 0) own = ftc_thesis_repaired(own, cell[-1]);
    if (x == last) own = ftc_thesis_repaired(own, cell[1]);
    if (y == 0) own = ftc_thesis_repaired(own, cell[-cells.row]);
    if (y == last) own = ftc_thesis_repaired(own, cell[cells.row]);
    if (z == 0) own = ftc_thesis_repaired(own, cell[-cells.plane]);
    if (z == last) own = ftc_thesis_repaired(own, cell[cells.plane]);
    return own;
}

// The speed F2 (eq. 4.4 to 4.7) of a voxel at the front: 1 or -1 if more than half of the filter is
// on the other side. Beyond the volume nothing is inside. Weights along an axis sum to 256.
T_FUNCTION i8 ftc_thesis_smoothing(T_LOCAL_PTR(const i8) cell, T_GLOBAL_PTR(const u32) weights,
                                   const i32 radius, const ftc_thesis_cells cells) {
    const u32 half_sum = 1u << 23;
    const i32 own = cell[0];
    if (own != 1 && own != -1) return 0;
    u32 sum = 0;
    for (i32 z = -radius; z <= radius; ++z)
        for (i32 y = -radius; y <= radius; ++y) {
            const u32 weight = weights[z + radius] * weights[y + radius];
            for (i32 x = -radius; x <= radius; ++x)
                if (cell[z * cells.plane + y * cells.row + x] < 0)
                    sum += weight * weights[x + radius];
        }
    return (i8)(own == 1 && sum > half_sum ? 1 : own == -1 && sum < half_sum ? -1 : 0);
}

// Iterations of a cycle in one region, the first one with the speeds of voxels, the second one,
// whose radius is not 0, with F2. Phases:
// 1. read the region and its apron, which keeps its values; beyond the volume stands 0;
// 2. repair what other regions have moved;
// 3. speeds; 4 to 6. advance; 7 to 9. retreat; and again;
// 10. write.
T_GROUP_KERNEL(ftc_thesis_cycle, 256, 1, 1,
               (T_IN(u32) list, T_IN(i8) u, T_IN(i8) speed, T_IN(u32) weights, T_OUT(i8) next,
                const i32 radius, const i32 iterations, const thesis_regions grid)) {
    T_LOCAL(i8, cell, ftc_thesis_most_cells);
    T_LOCAL(i8, force, ftc_thesis_voxels);
    const ftc_thesis_cells cells = ftc_thesis_cells_of(radius > 0 ? radius : 1);
    const thesis_voxel corner = thesis_voxel_of(list[T_GX], 0, grid);
    T_PHASE {
        for (i32 k = T_LI; k < cells.row * cells.plane; k += ftc_thesis_items) {
            thesis_voxel at = corner;
            at.x += k % cells.row - cells.apron;
            at.y += k / cells.row % cells.row - cells.apron;
            at.z += k / cells.plane - cells.apron;
            cell[k] = thesis_is_inside(at, grid) ? u[thesis_point(at, grid)] : (i8)0;
        }
    }
    T_PHASE {
        for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
            const i32 c = ftc_thesis_cell(k, cells);
            cell[c] = ftc_thesis_mended(cell + c, k, cells);
        }
    }
    for (i32 iteration = 0; iteration < iterations; ++iteration) {
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const thesis_voxel at = thesis_voxel_of(list[T_GX], k, grid);
                const i32 c = ftc_thesis_cell(k, cells);
                if (radius > 0)
                    force[k] = ftc_thesis_smoothing(cell + c, weights, radius, cells);
                else
                    force[k] = thesis_is_inside(at, grid) ? speed[thesis_point(at, grid)] : (i8)0;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == 1 && force[k] > 0) cell[c] = -1;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == 3 && ftc_thesis_touches(cell + c, -1, cells)) cell[c] = 1;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == -1 && !ftc_thesis_touches(cell + c, 1, cells) &&
                    !ftc_thesis_touches(cell + c, 3, cells))
                    cell[c] = -3;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == -1 && force[k] < 0) cell[c] = 1;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == -3 && ftc_thesis_touches(cell + c, 1, cells)) cell[c] = -1;
            }
        }
        T_PHASE {
            for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
                const i32 c = ftc_thesis_cell(k, cells);
                if (cell[c] == 1 && !ftc_thesis_touches(cell + c, -1, cells) &&
                    !ftc_thesis_touches(cell + c, -3, cells))
                    cell[c] = 3;
            }
        }
    }
    T_PHASE {
        for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
            const thesis_voxel at = thesis_voxel_of(list[T_GX], k, grid);
            if (thesis_is_inside(at, grid))
                next[thesis_point(at, grid)] = cell[ftc_thesis_cell(k, cells)];
        }
    }
}

// What the regions of a list became is what all regions read next.
T_KERNEL(ftc_thesis_commit,
         (T_IN(u32) list, T_IN(i8) next, T_OUT(i8) u, const thesis_regions grid)) {
    T_INDEX2(k, i);
    const thesis_voxel at = thesis_voxel_of(list[i], k, grid);
    if (thesis_is_inside(at, grid)) u[thesis_point(at, grid)] = next[thesis_point(at, grid)];
}

// Whether a voxel and one beside it in another region cannot stand beside each other: bit 0 where
// the other one has to be repaired, bit 1 where this one has.
T_FUNCTION u32 ftc_thesis_contradicts(const i32 own, const i32 beside) {
    const u32 there = (own == -1 && beside == 3) || (own == 1 && beside == -3) ? 1u : 0u;
    const u32 here = (own == 3 && beside == -1) || (own == -3 && beside == 1) ? 2u : 0u;
    return there | here;
}

// Flags the regions of the next list and counts in unstable[0] those of this one that are not yet
// stable (eq. 4.3). A region is flagged if the front runs through it (eq. 4.10), or without
// `is_loose` if it may still move there (eq. 4.11), and so is a neighbor whose face such a voxel
// touches. Regions whose voxels contradict those of others have to be repaired and are flagged too.
T_GROUP_KERNEL(ftc_thesis_explore, 256, 1, 1,
               (T_IN(u32) list, T_IN(i8) u, T_IN(i8) speed, T_GLOBAL_PTR(u8) flags,
                T_GLOBAL_PTR(u32) unstable, const i32 is_loose, const thesis_regions grid)) {
    T_LOCAL(u32, found, 1);  // bit 0: this region; 1: unstable; from 2 on: its neighbors
    T_PHASE {
        if (T_LI == 0) found[0] = 0;
    }
    T_PHASE {
        u32 bits = 0;
        for (i32 k = T_LI; k < ftc_thesis_voxels; k += ftc_thesis_items) {
            const thesis_voxel at = thesis_voxel_of(list[T_GX], k, grid);
            const i32 is_inside = thesis_is_inside(at, grid);
            const i32 own = is_inside ? u[thesis_point(at, grid)] : 0;
            const i32 force = is_inside ? speed[thesis_point(at, grid)] : 0;
            const i32 moves = (own == 1 && force > 0) || (own == -1 && force < 0);
            const i32 counts = is_loose ? own == 1 : moves;
            if (counts) bits |= 1u;
            if (moves) bits |= 2u;
            for (i32 side = 0; side < 6; ++side) {
                const thesis_voxel beside = thesis_beside(at, side / 2, side % 2 * 2 - 1);
                if (is_inside && thesis_is_inside(beside, grid) &&
                    thesis_region_at(beside, grid) != (i32)list[T_GX]) {
                    const u32 repair = ftc_thesis_contradicts(own, u[thesis_point(beside, grid)]);
                    if (counts || (repair & 1u) != 0) bits |= 4u << side;
                    if ((repair & 2u) != 0) bits |= 1u;
                    if (repair != 0) bits |= 2u;
                }
            }
        }
        if (bits != 0) T_ATOMIC_OR(found, bits);
    }
    T_PHASE {
        const thesis_voxel corner = thesis_voxel_of(list[T_GX], 0, grid);
        if (T_LI == 0 && (found[0] & 1u) != 0) T_STORE(u8, flags + list[T_GX], (u8)1);
        if (T_LI == 0 && (found[0] & 2u) != 0) T_ATOMIC_ADD(unstable, 1u);
        if (T_LI < 6 && (found[0] >> (T_LI + 2) & 1u) != 0) {
            const i32 step = (T_LI % 2 * 2 - 1) * grid.side;
            const thesis_voxel other = thesis_beside(corner, T_LI / 2, step);
            T_STORE(u8, flags + thesis_region_at(other, grid), (u8)1);
        }
    }
}

// Flags every region of a volume that the front runs through.
T_KERNEL(ftc_thesis_crossed, (T_IN(i8) u, T_OUT(u8) flags, const thesis_regions grid)) {
    T_INDEX1(region);
    u8 is_crossed = 0;
    for (i32 k = 0; k < ftc_thesis_voxels; ++k) {
        const thesis_voxel at = thesis_voxel_of((u32)region, k, grid);
        if (thesis_is_inside(at, grid) && u[thesis_point(at, grid)] == 1) is_crossed = 1;
    }
    flags[region] = is_crossed;
}

// A last repair, of any two voxels; counts what was repaired.
T_KERNEL(ftc_thesis_repair,
         (T_IN(i8) u, T_OUT(i8) next, T_GLOBAL_PTR(u32) repaired, const thesis_regions grid)) {
    T_INDEX3(x, y, z);
    thesis_voxel at;
    at.x = x;
    at.y = y;
    at.z = z;
    i8 own = u[thesis_point(at, grid)];
    for (i32 side = 0; side < 6; ++side) {
        const thesis_voxel beside = thesis_beside(at, side / 2, side % 2 * 2 - 1);
        if (thesis_is_inside(beside, grid))
            own = ftc_thesis_repaired(own, u[thesis_point(beside, grid)]);
    }
    if (own != u[thesis_point(at, grid)]) T_ATOMIC_ADD(repaired, 1u);
    next[thesis_point(at, grid)] = own;
}

#include "kernels/end.h"
