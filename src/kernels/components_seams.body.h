// Part of components.body.h: the kernel that joins what the links between tiles hold together.

#define T_LIST_ROW T_JOIN(components_list_row_, T_NAME)
#define T_LIST_BORDER T_JOIN(components_list_border_, T_NAME)

// Lists the links of point x of row (y, z, t) to its neighbor `n` in another tile.
T_FUNCTION void T_LIST_ROW(T_GLOBAL_PTR(const T_VALUE) values, const i64 plane, const u64 limit,
                           const i32 x, const i32 y, const i32 z, const i32 t, const i32 n,
                           const i32 axes, const components_grid grid,
                           T_GLOBAL_PTR(const u32) pairs, const components_seam_list list) {
    const i32 other = components_row_before(n, y, z, t, grid.ny, grid.nz, axes, grid.shift_y,
                                            6 - grid.shift_y, 0);
    if (other < 0 || x >= grid.nx) return;
    const i32 row = (t * grid.nz + z) * grid.ny + y;
    u32 links = T_LINKS(values, plane, limit, row * grid.nx + x, other * grid.nx + x, x > 0 ? 1 : 0,
                        x < grid.nx - 1 ? 1 : 0, components_is_diagonal(n, axes));
    for (; links != 0; links &= links - 1u) {
        const i32 other_x = x + (links & components_straight  ? 0
                                 : links & components_to_left ? -1
                                                              : 1);
        components_list_link(
            list, components_tile_root(components_found(pairs, row, x, grid.nx), x, y, z, t, grid),
            components_tile_root(components_found(pairs, other, other_x, grid.nx), other_x,
                                 y + n % 3 - 1, z + n / 3 % 3 - 1, t + n / 9 - 1, grid));
    }
}

// Lists the links across the border on the left of point x of row (y, z, t), to the row itself and
// to its neighbors from `first` on, every `step`, that are not in other tiles along y, z and t.
T_FUNCTION void T_LIST_BORDER(T_GLOBAL_PTR(const T_VALUE) values, const i64 plane, const u64 limit,
                              const i32 x, const i32 y, const i32 z, const i32 t, const i32 first,
                              const i32 step, const i32 axes, const components_grid grid,
                              const components_seam_list list) {
    const i32 row = (t * grid.nz + z) * grid.ny + y;
    const i32 i = row * grid.nx + x;
    const T_POINT own = T_POINT_AT(values, plane, i);
    const T_POINT left = T_POINT_AT(values, plane, i - 1);
    const u32 along = T_LINKED(left, own, limit);
    u32 is_needed = along;
    for (i32 n = first; n < 13; n += step) {
        const i32 other = components_row_before(n, y, z, t, grid.ny, grid.nz, axes, grid.shift_y,
                                                6 - grid.shift_y, 1);
        if (other >= 0) {
            const T_POINT other_own = T_POINT_AT(values, plane, other * grid.nx + x);
            const T_POINT other_left = T_POINT_AT(values, plane, other * grid.nx + x - 1);
            const u32 right_side = T_LINKED(other_own, own, limit);
            const u32 left_side = T_LINKED(other_left, left, limit);
            const u32 other_along = T_LINKED(other_left, other_own, limit);
            // The link along a row before implies that along this one.
            if (n == 10 || n == 12) is_needed &= ~(right_side & left_side & other_along);
            if (components_is_diagonal(n, axes)) {
                const i32 dy = n % 3 - 1;
                const i32 dz = n / 3 % 3 - 1;
                if (T_LINKED(other_left, own, limit) & ~(along & left_side) &
                    ~(right_side & other_along))
                    components_list_link(
                        list, components_border_root(list, x, y, z, t, grid),
                        components_border_root(list, x - 1, y + dy, z + dz, t, grid));
                if (T_LINKED(other_own, left, limit) & ~(along & right_side) &
                    ~(left_side & other_along))
                    components_list_link(list, components_border_root(list, x - 1, y, z, t, grid),
                                         components_border_root(list, x, y + dy, z + dz, t, grid));
            }
        }
    }
    if (is_needed)
        components_list_link(list, components_border_root(list, x - 1, y, z, t, grid),
                             components_border_root(list, x, y, z, t, grid));
}

// Joins what the links between a tile and those before it hold together: those of the `seam_rows`
// rows that may have a row of another tile before them, and those across the tile's left border.
// Links are listed first: so items have as many, and of those between the same two roots, as most
// of a large component's are, one is enough.
T_GROUP_KERNEL(T_JOIN(components_seams_, T_NAME), components_seam_items, 1, 1,
               (T_IN(T_VALUE) values, const i64 plane, const i64 limit, const i32 nx, const i32 ny,
                const i32 nz, const i32 shift_y, const i32 first_neighbor, const i32 axes,
                const i32 seam_rows, T_IN(u32) pairs, T_GLOBAL_PTR(u32) parent,
                T_GLOBAL_PTR(u32) roots)) {
    T_LOCAL(u32, ends, 2 * components_seam_links);  // tiles' roots at both ends of a link
    T_LOCAL(u32, last, components_seam_links);  // for each hash of two roots, the last link with it
    T_LOCAL(u32, listed, 1);
    const components_grid grid = {nx, ny, nz, shift_y};
    const components_seam_list list = {ends, last, listed, parent, roots};
    const i32 tiles_z = ((nz - 1) >> (6 - shift_y)) + 1;
    const i32 z0 = T_GZ % tiles_z << (6 - shift_y);
    const i32 t = T_GZ / tiles_z;
    // Without diagonals, every other row is a neighbor.
    const i32 step = axes == 1 ? 2 : 1;
    const i32 first = first_neighbor + (first_neighbor & (step - 1));
    T_PHASE {
        if (T_LX == 0) listed[0] = 0;
        for (i32 k = T_LX; k < components_seam_links; k += components_seam_items) last[k] = 0;
    }
    T_PHASE {
        const i32 x0 = T_GX * components_tile_x;
        for (i32 n = first; n < 13; n += step) {
            for (i32 s = T_LX / components_tile_x; s < seam_rows;
                 s += components_seam_items / components_tile_x) {
                const i32 r = components_seam_row(s, seam_rows);
                const i32 y = (T_GY << shift_y) + (r & ((1 << shift_y) - 1));
                const i32 z = z0 + (r >> shift_y);
                if (y < ny && z < nz)
                    T_LIST_ROW(values, plane, (u64)limit, x0 + T_LX % components_tile_x, y, z, t, n,
                               axes, grid, pairs, list);
            }
        }
        // The last items begin: they have the fewest rows of those above.
        for (i32 r = components_seam_items - 1 - T_LX; r < components_tile_rows;
             r += components_seam_items) {
            const i32 y = (T_GY << shift_y) + (r & ((1 << shift_y) - 1));
            const i32 z = z0 + (r >> shift_y);
            if (T_GX > 0 && y < ny && z < nz)
                T_LIST_BORDER(values, plane, (u64)limit, x0, y, z, t, T_MAX(first, 8 + step), step,
                              axes, grid, list);
        }
    }
    T_PHASE {
        const u32 end = T_MIN(listed[0], (u32)components_seam_links);
        for (u32 k = (u32)T_LX; k < end; k += (u32)components_seam_items) {
            const u32 a = ends[2 * k];
            const u32 b = ends[2 * k + 1];
            const u32 same = last[components_link_hash(a, b)];
            if (same == k || ends[2 * same] != a || ends[2 * same + 1] != b)
                components_unite(parent, roots, a, b);
        }
    }
}

#undef T_LIST_BORDER
#undef T_LIST_ROW
