// Part of components.body.h: the kernel that unites components along the links between tiles.

// Lists the links of point x of row (y, z, t) across a seam, unless it stays in the same tile.
T_FUNCTION void COMPONENTS_SHAPED(components_list_row_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                        const components_job job, const i32 x,
                                                        const i32 y, const i32 z, const i32 t,
                                                        const components_seam seam,
                                                        T_GLOBAL_PTR(const u32) pairs,
                                                        const components_seam_list list) {
    const i32 other_y = y + seam.dy;
    const i32 other_z = z + seam.dz;
    const i32 other_t = t + seam.dt;
    const i32 distance = T_ABS(seam.dy) + T_ABS(seam.dz) + T_ABS(seam.dt);
    const i32 exists = other_y >= 0 && other_y < job.ny && other_z >= 0 && other_z < job.nz &&
                               other_t >= 0 && distance <= job.axes
                           ? 1
                           : 0;
    if (!exists || x >= job.nx || components_is_same_tile(y, z, seam, job)) return;
    const i32 row = (t * job.nz + z) * job.ny + y;
    const i32 other = (other_t * job.nz + other_z) * job.ny + other_y;
    u32 links = COMPONENTS_OF(components_links_)(values, job, row * job.nx + x, other * job.nx + x,
                                                 x > 0 ? 1 : 0, x < job.nx - 1 ? 1 : 0,
                                                 distance < job.axes ? 1 : 0);
    for (; links != 0; links &= links - 1u) {
        const i32 other_x = x + (links & components_straight  ? 0
                                 : links & components_to_left ? -1
                                                              : 1);
        components_list_link(
            list,
            components_tile_root(components_local_root(pairs, row, x, job.nx), x, y, z, t, job),
            components_tile_root(components_local_root(pairs, other, other_x, job.nx), other_x,
                                 other_y, other_z, other_t, job));
    }
}

// The first or the last points of the rows of a tile.
T_FUNCTION COMPONENTS_OF(components_point_)
    COMPONENTS_SHAPED(components_column_point_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) columns,
                                                const i32 tile, const i32 side, const i32 r) {
    COMPONENTS_OF(components_point_) point;
    T_UNROLL
    for (i32 c = 0; c < COMPONENTS_CHANNELS; ++c)
        point.channel[c] =
            columns[((2 * tile + side) * COMPONENTS_CHANNELS + c) * components_tile_rows + r];
    return point;
}

// Lists the needed links across the left side of a tile: from row `r` to the row itself, and to its
// neighbors n = first, first + step, ... as far as these are in the same row of tiles. `right_side`
// and `left_side` are links within one tile, `along` and `other_along` those across the side.
T_FUNCTION void COMPONENTS_SHAPED(components_list_border_)(
    T_GLOBAL_PTR(const COMPONENTS_VALUE) columns, T_GLOBAL_PTR(const u32) tile_summary,
    const components_job job, const i32 tile, const i32 r, const i32 first, const i32 step,
    const components_corner corner, const components_seam_list list) {
    const COMPONENTS_OF(components_point_) own =
        COMPONENTS_SHAPED(components_column_point_)(columns, tile, 0, r);
    const COMPONENTS_OF(components_point_) left =
        COMPONENTS_SHAPED(components_column_point_)(columns, tile - 1, 1, r);
    const u32 along = COMPONENTS_OF(components_linked_)(left, own, job.limit);
    u32 is_needed = along;
    for (i32 n = first; n < components_neighbors; n += step) {
        const i32 other = components_tile_before(n, r, job.shift_y);
        const i32 y = (r & ((1 << job.shift_y) - 1)) + n % 3 - 1;
        if (y >= 0 && y < 1 << job.shift_y && corner.y + y < job.ny && other >= 0) {
            const COMPONENTS_OF(components_point_) other_own =
                COMPONENTS_SHAPED(components_column_point_)(columns, tile, 0, other);
            const COMPONENTS_OF(components_point_) other_left =
                COMPONENTS_SHAPED(components_column_point_)(columns, tile - 1, 1, other);
            const u32 right_side = COMPONENTS_OF(components_linked_)(other_own, own, job.limit);
            const u32 left_side = COMPONENTS_OF(components_linked_)(other_left, left, job.limit);
            const u32 other_along =
                COMPONENTS_OF(components_linked_)(other_left, other_own, job.limit);
            // The link across the side in a row before implies the one in this row.
            if (n == components_slice_before || n == components_row_before)
                is_needed &= ~(right_side & left_side & other_along);
            if (components_is_diagonal(n, job.axes)) {
                if (COMPONENTS_OF(components_linked_)(other_left, own, job.limit) &
                    ~(along & left_side) & ~(right_side & other_along))
                    components_list_link(
                        list, components_border_root(tile_summary, tile, 0, r, corner, job),
                        components_border_root(tile_summary, tile - 1, 1, other, corner, job));
                if (COMPONENTS_OF(components_linked_)(other_own, left, job.limit) &
                    ~(along & right_side) & ~(left_side & other_along))
                    components_list_link(
                        list, components_border_root(tile_summary, tile - 1, 1, r, corner, job),
                        components_border_root(tile_summary, tile, 0, other, corner, job));
            }
        }
    }
    if (is_needed)
        components_list_link(list,
                             components_border_root(tile_summary, tile - 1, 1, r, corner, job),
                             components_border_root(tile_summary, tile, 0, r, corner, job));
}

// Unites the components of components_seam_tiles tiles with those of tiles before them: along their
// `seams`, and across their left sides. Links are listed first, so that items have equally many of
// them, and that of links between the same two roots, as most of a large component's are, one is
// enough. Phases:
//   1. clear the list;
//   2. list links of seams, then those across the left sides;
//   3. unite the roots of listed links, those of equal ones once.
COMPONENTS_TILE_KERNEL(COMPONENTS_SHAPED(components_seams_), components_seam_items, 1, 1,
                       (T_IN(COMPONENTS_VALUE) values, components_job job, const i32 seams,
                        T_GLOBAL_PTR(const u32) pairs, T_GLOBAL_PTR(const u32) tile_summary,
                        T_GLOBAL_PTR(const COMPONENTS_VALUE) columns, T_GLOBAL_PTR(u32) parent,
                        T_GLOBAL_PTR(u32) roots)) {
    T_LOCAL(u32, ends, 2 * components_seam_links);  // tiles' roots at both ends of a link
    T_LOCAL(u32, last, components_seam_links);  // for each hash of two roots, the last link with it
    T_LOCAL(u32, listed, 1);
    const i32 shift_y = COMPONENTS_SHIFT_Y;
    job.shift_y = shift_y;  // as the host has set it, but known when kernels are compiled
    const i32 tiles = components_seam_tiles(COMPONENTS_IS_VOLUME);
    const components_roots of_image = {roots, components_tiled_words(COMPONENTS_IS_VOLUME, job.nx)};
    const components_seam_list list = {ends, last, listed, parent, of_image, job.outputs};
    const components_corner first_corner =
        components_corner_of(COMPONENTS_IS_VOLUME, shift_y, job.nz, T_GX * tiles, T_GY, T_GZ);
    const i32 x0 = first_corner.x, y0 = first_corner.y, z0 = first_corner.z, t = first_corner.t;
    const i32 tiles_x = (job.nx + components_tile_x - 1) / components_tile_x;
    const i32 first_tile = (T_GZ * T_GROUPS_Y + T_GY) * tiles_x + T_GX * tiles;
    T_PHASE {
        if (T_LX == 0) listed[0] = 0;
        for (i32 k = T_LX; k < components_seam_links; k += components_seam_items) last[k] = 0;
        T_AFTER_LAST_LAUNCH;
    }
    T_PHASE {
        for (i32 k = T_LX / components_tile_x; k < seams * tiles;
             k += components_seam_items / components_tile_x) {
            const i32 s = k / tiles;
            const components_seam seam =
                components_seam_of(s, COMPONENTS_IS_VOLUME, job.first_neighbor, job.axes);
            const i32 x = x0 + (k - s * tiles) * components_tile_x + T_LX % components_tile_x;
            const i32 y = y0 + (seam.row & ((1 << shift_y) - 1));
            const i32 z = z0 + (seam.row >> shift_y);
            if (y < job.ny && z < job.nz)
                COMPONENTS_SHAPED(components_list_row_)(values, job, x, y, z, t, seam, pairs, list);
        }
        // The last items take the first rows, because they had the fewest above.
        for (i32 k = components_seam_items - 1 - T_LX; k < tiles * components_tile_rows;
             k += components_seam_items) {
            const i32 r = k % components_tile_rows;
            const i32 at = k / components_tile_rows;
            const components_corner corner = {x0 + at * components_tile_x, y0, z0, t};
            if (corner.x > 0 && corner.x < job.nx && y0 + (r & ((1 << shift_y) - 1)) < job.ny &&
                z0 + (r >> shift_y) < job.nz)
                COMPONENTS_SHAPED(components_list_border_)
            (columns, tile_summary, job, first_tile + at, r,
             T_MAX(job.first_neighbor,
                   job.axes == 1 ? components_slice_before : components_first_in_volume),
             job.axes == 1 ? 2 : 1, corner, list);
        }
    }
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_seam_links);
        for (u32 k = (u32)T_LX; k < end; k += (u32)components_seam_items) {
            const u32 a = ends[2 * k];
            const u32 b = ends[2 * k + 1];
            const u32 same = last[components_link_hash(a, b)];
            if (same == k || ends[2 * same] != a || ends[2 * same + 1] != b)
                components_unite(parent, of_image, job.outputs, a, b);
        }
    }
}
