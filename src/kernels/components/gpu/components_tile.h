// Part of components.kernel.h: how a group joins the points of a tile in local memory. The words:
//   run      consecutive linked points of a row; `starts` has the bit of each run's first point
//   link     between points of a row and of a row before it: straight where both have the same x,
//            left or right where the point of the row before is at x - 1 or x + 1
//   implied  a link whose ends other links join already (Playne and Hawick 2018)
//   hook     the one link by which a run is attached, without an atomic, to a run of a row before
//            (Komura 2015)
//
// Points of a tile are numbered by bytes, four a point, so that a step to a parent is one
// instruction. A word has a bit for each point of a row.
#ifndef TESELA_KERNELS_COMPONENTS_TILE_H
#define TESELA_KERNELS_COMPONENTS_TILE_H

// ---- Union-find of one group -------------------------------------------------------------------

T_FUNCTION T_LOCAL_PTR(u32) components_at(T_LOCAL_PTR(u32) words, const u32 bytes) {
    return (T_LOCAL_PTR(u32))((T_LOCAL_PTR(u8))words + bytes);
}

T_FUNCTION u32 components_find_local(T_LOCAL_PTR(u32) parent, u32 a) {
    for (u32 up = *components_at(parent, a); up != a; up = *components_at(parent, a)) a = up;
    return a;
}

// Path compression of one point, while other items may change its parent.
T_FUNCTION void components_compress(T_LOCAL_PTR(u32) parent, const u32 a) {
    const u32 up = *components_at(parent, a);
    const u32 root = components_find_local(parent, up);
    if (root != up) T_ATOMIC_MIN(components_at(parent, a), root);
}

// The bit of a point, and the word that has it.
T_FUNCTION u32 components_bit(const u32 a) { return 1u << (a >> 2 & 31u); }
T_FUNCTION u32 components_word(const u32 a) { return a >> 7; }

// Finds the roots of two points, with path halving: every other point on the way gets its
// grandparent as its parent, by atomics, because other items may do the same.
T_FUNCTION void components_find_both_local(T_LOCAL_PTR(u32) parent, u32* a, u32* b) {
    u32 up_a = *components_at(parent, *a);
    u32 up_b = *components_at(parent, *b);
    while (up_a != *a || up_b != *b) {
        const u32 upper_a = *components_at(parent, up_a);
        const u32 upper_b = *components_at(parent, up_b);
        if (upper_a != up_a) T_ATOMIC_MIN(components_at(parent, *a), upper_a);
        if (upper_b != up_b) T_ATOMIC_MIN(components_at(parent, *b), upper_b);
        *a = upper_a;
        *b = upper_b;
        up_a = *components_at(parent, *a);
        up_b = *components_at(parent, *b);
    }
}

T_FUNCTION void components_unite_local(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) root_bits, u32 a,
                                       u32 b) {
    components_find_both_local(parent, &a, &b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(components_at(parent, high), low);
        // A root ceases to be one exactly once, so that this clears its bit.
        if (before == high)
            T_ATOMIC_ADD(&root_bits[components_word(high)], 0u - components_bit(high));
        // Another item gave `high` the parent `before`: its component still has to be united.
        a = before == high ? low : before;
        b = low;
    }
}

// ---- Runs of a tile's rows, as bits ------------------------------------------------------------

// The first point of the run of point x. Bit 0 of `starts` is set.
T_FUNCTION i32 components_run_start(const u32 starts, const i32 x) {
    return T_HIGHEST_BIT(starts & (0xffffffffu >> (31 - x)));
}

T_FUNCTION i32 components_lowest_bit(const u32 bits) { return T_HIGHEST_BIT(bits & (0u - bits)); }

// Bits: which bytes of two words are equal, the lowest first.
T_FUNCTION u32 components_equal_bytes(const u32 a, const u32 b) {
    const u32 d = a ^ b;
    const u32 highest = ~(((d & 0x7f7f7f7fu) + 0x7f7f7f7fu) | d) & 0x80808080u;
    return (highest >> 7) * 0x01020408u >> 24;  // moves bits 0, 8, 16, 24 side by side
}

// Extends bits to the ends (up) or to the first points (down) of their runs. `along`: points that
// are not the first of a run, so linked to the point at their left.
T_FUNCTION u32 components_fill_up(u32 bits, u32 along) {
    T_UNROLL
    for (i32 k = 1; k < components_tile_x; k *= 2) {
        bits |= bits << k & along;
        along &= along << k;
    }
    return bits;
}
T_FUNCTION u32 components_fill_down(u32 bits, u32 along) {
    u32 passes = along >> 1;
    T_UNROLL
    for (i32 k = 1; k < components_tile_x; k *= 2) {
        bits |= bits >> k & passes;
        passes &= passes >> k;
    }
    return bits;
}

// Bits: which points of a row are in the image, of which it has `width`.
T_FUNCTION u32 components_inside(const i32 width) {
    return 0xffffffffu >> (components_tile_x - width);
}

// ---- Rows of a tile and the rows before them ---------------------------------------------------

// The row of the image at row `r` of a tile, or components_none where the image has no such row.
T_FUNCTION u32 components_tile_row(const i32 r, const i32 y0, const i32 z0, const i32 t,
                                   const i32 ny, const i32 nz, const i32 shift_y) {
    const i32 y = y0 + (r & ((1 << shift_y) - 1));
    const i32 z = z0 + (r >> shift_y);
    return y < ny && z < nz ? (u32)((t * nz + z) * ny + y) : components_none;
}
// Neighbor `n` (components_row_before and so on) of row `r` in a tile, if the tile has it.
T_FUNCTION i32 components_tile_before(const i32 n, const i32 r, const i32 shift_y) {
    return r + n % 3 - 1 + (n / 3 % 3 - 1) * (1 << shift_y);
}
// Whether the tile has it.
T_FUNCTION i32 components_is_in_tile(const i32 n, const i32 r, const i32 shift_y) {
    const i32 y = (r & ((1 << shift_y) - 1)) + n % 3 - 1;
    return y >= 0 && y < 1 << shift_y && components_tile_before(n, r, shift_y) >= 0 ? 1 : 0;
}
// The first of the neighbors that a row has in its tile; the last is components_row_before.
T_FUNCTION i32 components_first_in_tile(const i32 is_volume) {
    return is_volume ? components_first_in_volume : components_row_before;
}

// Links of a tile are stored as words, for each neighbor n three of each row: the links of points x
// of row `r` to points x + dx of neighbor `n`.
T_FUNCTION i32 components_link_word(const i32 n, const i32 dx, const i32 r) {
    return ((components_row_before - n) * 3 + dx + 1) * components_tile_rows + r;
}

// Of the straight links from row `r` to the slice before it, those that are implied by the link of
// the row before, together with straight links along y in both slices.
T_FUNCTION u32 components_implied(T_LOCAL_PTR(const u32) links, const i32 r, const i32 shift_y) {
    const i32 row_before = T_MAX(r - 1, 0);
    const i32 slice_before = T_MAX(r - (1 << shift_y), 0);
    return links[components_link_word(components_row_before, 0, r)] &
           links[components_link_word(components_slice_before, 0, row_before)] &
           links[components_link_word(components_row_before, 0, slice_before)];
}

// The neighbor of row `r` to which its runs have hooks: the row before it, or, of the first row of
// a volume's slice, the row of the slice before.
T_FUNCTION i32 components_hook_neighbor(const i32 r, const i32 shift_y) {
    return shift_y == 3 && r % 8 == 0 ? components_slice_before : components_row_before;
}

// Links between a row and one of its neighbors, as bits.
typedef struct {
    u32 left, straight, right;
} components_row_links;

// The links of row `r` to its neighbor `n` that are not implied. Implied are
//   straight at x:  if x - 1 is straight, and both rows link x - 1 and x (and components_implied);
//   x to x - 1:     if this row links x and x - 1, and x - 1 is straight; or if x is straight, and
//                   the other row links x and x - 1;
//   x to x + 1:     likewise with x + 1.
// `all`: the straight links. `inside`: points of the image.
T_FUNCTION components_row_links components_needed_links(T_LOCAL_PTR(const u32) links,
                                                        T_LOCAL_PTR(const u32) starts, const i32 n,
                                                        const i32 r, const i32 shift_y,
                                                        const u32 inside) {
    T_LOCAL_PTR(const u32) words = links + components_link_word(n, 0, r);
    const i32 other = T_MAX(components_tile_before(n, r, shift_y), 0);
    const u32 implied = n == components_slice_before ? components_implied(links, r, shift_y) : 0u;
    const u32 along = ~starts[r];
    const u32 other_along = ~starts[other];
    const u32 all = words[0] & inside;
    components_row_links needed;
    needed.straight = all & ~(along & all << 1 & other_along) & ~implied;
    needed.left = words[-components_tile_rows] & inside & 0xfffffffeu & ~(along & all << 1) &
                  ~(all & other_along);
    needed.right = words[components_tile_rows] & inside >> 1 & ~((along & all) >> 1) &
                   ~(all & other_along >> 1);
    return needed;
}

// ---- Hooks -------------------------------------------------------------------------------------

// The first needed link of each run of row `r` to the neighbor of hooks becomes the run's hook,
// which is straight if it can be, else to the left: `hooks` has words for links to the left,
// straight ones, and to the right. Returns the points of the runs with a hook.
T_FUNCTION u32 components_choose_hooks(T_LOCAL_PTR(u32) hooks, T_LOCAL_PTR(const u32) starts,
                                       const components_row_links needed, const i32 r) {
    const u32 along = ~starts[r];
    const u32 any = needed.left | needed.straight | needed.right;
    const u32 filled = components_fill_up(any, along);
    const u32 hook = any & ~(filled << 1 & along);
    hooks[r] = hook & needed.left & ~needed.straight;
    hooks[components_tile_rows + r] = hook & needed.straight;
    hooks[2 * components_tile_rows + r] = hook & ~needed.left & ~needed.straight;
    return components_fill_down(filled, along);
}

// The needed links of row `r` that are not its hooks.
T_FUNCTION components_row_links components_without_hooks(components_row_links needed,
                                                         T_LOCAL_PTR(const u32) hooks,
                                                         const i32 r) {
    needed.left &= ~hooks[r];
    needed.straight &= ~hooks[components_tile_rows + r];
    needed.right &= ~hooks[2 * components_tile_rows + r];
    return needed;
}

// Gives point x of row `r` its parent: in a run with a hook, the parent of the point of row r - 1
// at the hook's other end; in other runs, the run's first point.
T_FUNCTION void components_attach_row(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(const u32) hooks,
                                      const u32 starts, const u32 hooked, const i32 r, const i32 x,
                                      const i32 is_diagonal) {
    const i32 start = components_run_start(starts, x);
    const u32 straight = hooks[components_tile_rows + r] >> start;
    u32 any = straight;
    u32 left = 0, right = 0;
    if (is_diagonal) {
        left = hooks[r] >> start;
        right = hooks[2 * components_tile_rows + r] >> start;
        any |= left | right;
    }
    const u32 first = any & (0u - any);
    i32 to = start + T_HIGHEST_BIT(first | 1u);
    if (is_diagonal) to += (right & first ? 1 : 0) - (left & first ? 1 : 0);
    const u32 above = parent[(r - 1) * components_tile_x + to];
    parent[r * components_tile_x + x] =
        hooked >> x & 1u ? above : 4u * (u32)(r * components_tile_x + start);
}

// Attaches the run of row `r` that has a hook at point x, if one has, to the run of row `other` at
// the hook's other end (`is_direct`), or else to that run's parent.
T_FUNCTION void components_attach_run(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(const u32) hooks,
                                      T_LOCAL_PTR(const u32) starts, const i32 r, const i32 other,
                                      const i32 x, const i32 is_diagonal, const i32 is_direct) {
    u32 is_hook = hooks[components_tile_rows + r] >> x & 1u;
    i32 to = x;
    if (is_diagonal) {
        const u32 left = hooks[r] >> x & 1u;
        const u32 right = hooks[2 * components_tile_rows + r] >> x & 1u;
        is_hook |= left | right;
        to += (i32)right - (i32)left;
    }
    if (is_hook) {
        const u32 own = 4u * (u32)(components_tile_x * r + components_run_start(starts[r], x));
        const u32 before =
            4u * (u32)(components_tile_x * other + components_run_start(starts[other], to));
        *components_at(parent, own) = is_direct ? before : *components_at(parent, before);
    }
}

// ---- The list of links -------------------------------------------------------------------------

// Links as they are listed: two points of the tile, not by bytes, one in each half of a word. This
// one is at bit 0 of row `r`, to the point dx beside it in neighbor `n`; that at bit k is
// k * 0x10001 more.
T_FUNCTION u32 components_first_link(const i32 n, const i32 dx, const i32 r, const i32 shift_y) {
    return (u32)(r * components_tile_x) +
           ((u32)(components_tile_before(n, r, shift_y) * components_tile_x + dx) << 16);
}

// Lists links from an entry on, as far as they fit. Returns the entry after them.
T_FUNCTION u32 components_list(T_LOCAL_PTR(u32) list, u32 entry, u32 bits, const u32 first) {
    const u32 end = entry + (u32)T_POPCOUNT(bits);
    for (; bits != 0 && entry < (u32)components_list_capacity; bits &= bits - 1u, ++entry)
        list[entry] = first + (u32)components_lowest_bit(bits) * 0x10001u;
    return end;
}

// Lists links between row `r` and its neighbor `n`. Returns the entry of the first.
T_FUNCTION u32 components_list_row(T_LOCAL_PTR(u32) list, T_LOCAL_PTR(u32) listed,
                                   const components_row_links links, const i32 n, const i32 r,
                                   const i32 shift_y) {
    const u32 count =
        (u32)(T_POPCOUNT(links.straight) + T_POPCOUNT(links.left) + T_POPCOUNT(links.right));
    const u32 first = count != 0 ? T_ATOMIC_ADD(listed, count) : 0u;
    u32 entry =
        components_list(list, first, links.straight, components_first_link(n, 0, r, shift_y));
    entry = components_list(list, entry, links.left, components_first_link(n, -1, r, shift_y));
    components_list(list, entry, links.right, components_first_link(n, 1, r, shift_y));
    return first;
}

T_FUNCTION void components_unite_link(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) root_bits,
                                      const u32 link) {
    components_unite_local(parent, root_bits, 4 * (link & 0xffffu), 4 * (link >> 16));
}

// Unites the ends of those links that did not fit into the list; `entry` is that of the first of
// `bits`. Returns the entry after them.
T_FUNCTION u32 components_unite_unlisted(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) root_bits,
                                         u32 entry, u32 bits, const u32 first) {
    for (; bits != 0; bits &= bits - 1u, ++entry)
        if (entry >= (u32)components_list_capacity)
            components_unite_link(parent, root_bits,
                                  first + (u32)components_lowest_bit(bits) * 0x10001u);
    return entry;
}

// ---- Phases of components_tiles_..., but for those that look at values -------------------------

// A tile, and what its group has in local memory: a word a row, but for parents, list and links.
// Its shape is known when kernels are compiled.
typedef struct {
    components_job job;
    components_corner corner;
    i32 is_volume, shift_y;
    i32 width;                   // points of a row that the image has
    i32 is_diagonal;             // whether rows are linked to the left and right of a point, too
    T_LOCAL_PTR(u32) parent;     // of points, in bytes
    T_LOCAL_PTR(u32) list;       // of links
    T_LOCAL_PTR(u32) listed;     // how many links there are, those that do not fit included
    T_LOCAL_PTR(u32) links;      // bits, to each neighbor, implied ones included
    T_LOCAL_PTR(u32) hooks;      // bits: links to the left, straight ones, to the right
    T_LOCAL_PTR(u32) hooked;     // bits: points of runs with a hook
    T_LOCAL_PTR(u32) root_bits;  // bits: the tile's current roots
    // Bits: roots whose components touch a side of the tile, so that another tile may join them.
    T_LOCAL_PTR(u32) border_roots;
    T_LOCAL_PTR(u32) ends;        // the roots of the row's first and last point, a half word each
    T_LOCAL_PTR(u32) starts;      // bits: first points of runs
    T_LOCAL_PTR(u32) image_rows;  // of a volume: the row of the image, or components_none
} components_tile;

T_FUNCTION u32 components_find_image_row(const components_tile tile, const i32 r) {
    return components_tile_row(r, tile.corner.y, tile.corner.z, tile.corner.t, tile.job.ny,
                               tile.is_volume ? tile.job.nz : 1, tile.shift_y);
}
// The same, once the first phase has found the rows of a volume.
T_FUNCTION u32 components_image_row(const components_tile tile, const i32 r) {
    return tile.is_volume ? tile.image_rows[r] : components_find_image_row(tile, r);
}

T_FUNCTION components_row_links components_tile_links(const components_tile tile, const i32 n,
                                                      const i32 r) {
    return components_needed_links(tile.links, tile.starts, n, r, tile.shift_y,
                                   components_inside(tile.width));
}
// 64 items look at each neighbor, an item at that of one row. Without diagonals, every other row is
// a neighbor.
T_FUNCTION i32 components_neighbor_of_item(const components_tile tile, const i32 item) {
    return components_row_before - (item >> 6) * (tile.is_diagonal ? 1 : 2);
}

// Lists the needed links of the item's row to the item's neighbor. If hooks lead to this neighbor,
// chooses them first, one a run, and lists the others. Returns the entry of the first.
T_FUNCTION u32 components_list_links(const components_tile tile, const i32 item) {
    const i32 r = item & (components_tile_rows - 1);
    const i32 n = components_neighbor_of_item(tile, item);
    if (n < components_first_in_tile(tile.is_volume)) return 0u;
    components_row_links links = components_tile_links(tile, n, r);
    if (n == components_hook_neighbor(r, tile.shift_y)) {
        const u32 points = components_choose_hooks(tile.hooks, tile.starts, links, r);
        tile.hooked[r] = points;
        tile.root_bits[r] = components_image_row(tile, r) != components_none
                                ? components_inside(tile.width) & tile.starts[r] & ~points
                                : 0u;
        links = components_without_hooks(links, tile.hooks, r);
    }
    return components_list_row(tile.list, tile.listed, links, n, r, tile.shift_y);
}

// The first of the eight rows whose column an item handles.
T_FUNCTION i32 components_first_row_of(const i32 item) { return (item >> 5) * 8; }
// The item's point of that row.
T_FUNCTION i32 components_first_point_of(const i32 item) {
    return components_first_row_of(item) * components_tile_x + (item & 31);
}

// Points of first rows get the first point of their run as their parent.
T_FUNCTION void components_begin_first_row(const components_tile tile, const i32 item) {
    const i32 r = components_first_row_of(item);
    tile.parent[components_first_point_of(item)] =
        4u * (u32)(r * components_tile_x + components_run_start(tile.starts[r], item & 31));
}

// Attaches runs of first rows. In a volume their hooks may lead to first rows, too, whose parents
// change in this phase: they are attached to the runs themselves.
T_FUNCTION void components_attach_first_row(const components_tile tile, const i32 item) {
    const i32 r = components_first_row_of(item);
    const i32 n = components_hook_neighbor(r, tile.shift_y);
    components_attach_run(tile.parent, tile.hooks, tile.starts, r,
                          components_tile_before(n, r, tile.shift_y), item & 31, tile.is_diagonal,
                          tile.is_volume);
}

// Unites the ends of the item's links that did not fit into the list. `entry` is that of the first.
T_FUNCTION void components_unite_rest(const components_tile tile, const i32 item, const u32 entry) {
    const i32 r = item & (components_tile_rows - 1);
    const i32 n = components_neighbor_of_item(tile, item);
    if (n < components_first_in_tile(tile.is_volume)) return;
    components_row_links links = components_tile_links(tile, n, r);
    if (n == components_hook_neighbor(r, tile.shift_y))
        links = components_without_hooks(links, tile.hooks, r);
    u32 next = components_unite_unlisted(tile.parent, tile.root_bits, entry, links.straight,
                                         components_first_link(n, 0, r, tile.shift_y));
    next = components_unite_unlisted(tile.parent, tile.root_bits, next, links.left,
                                     components_first_link(n, -1, r, tile.shift_y));
    components_unite_unlisted(tile.parent, tile.root_bits, next, links.right,
                              components_first_link(n, 1, r, tile.shift_y));
}

// Unites the ends of all links but hooks. `item` is that of the list, `linked` the one that listed
// links from `entry` on.
T_FUNCTION void components_unite_links(const components_tile tile, const i32 item, const i32 linked,
                                       const u32 entry) {
    const u32 end = T_MIN(tile.listed[0], (u32)components_list_capacity);
    for (u32 k = (u32)item; k < end; k += 256u)
        components_unite_link(tile.parent, tile.root_bits, tile.list[k]);
    if (tile.listed[0] > end) components_unite_rest(tile, linked, entry);
}

// Path compression of first rows and of runs without a hook that are no roots any more: after it
// every point is at most two steps from its root. An item handles eight points of a row.
T_FUNCTION void components_compress_tile(const components_tile tile, const i32 item) {
    const i32 r = item / 4;
    for (u32 bits = tile.starts[r] & ~tile.hooked[r] & ~tile.root_bits[r] &
                    components_inside(tile.width) & 0xffu << item % 4 * 8;
         bits != 0; bits &= bits - 1u)
        components_compress(tile.parent,
                            (u32)(4 * (r * components_tile_x + components_lowest_bit(bits))));
    components_compress(tile.parent, (u32)(4 * components_first_point_of(item)));
}

// Whether row `r` is at a side of the tile along y, z or t, beyond which another tile may join it.
T_FUNCTION i32 components_is_side_row(const i32 r, const i32 is_volume, const i32 first_neighbor) {
    if (!is_volume) return r == 0 || r == components_tile_rows - 1 ? 1 : 0;
    return first_neighbor < components_first_in_volume || r < 8 || r >= components_tile_rows - 8 ||
                   r % 8 == 0 || r % 8 == 7
               ? 1
               : 0;
}

T_FUNCTION void components_mark_root(T_LOCAL_PTR(u32) border_roots, const u32 root) {
    if ((border_roots[components_word(root)] & components_bit(root)) == 0)
        T_ATOMIC_OR(&border_roots[components_word(root)], components_bit(root));
}

// Finds and marks the roots of the first and the last point of row `r`.
T_FUNCTION void components_mark_ends(const components_tile tile, const i32 r) {
    const u32 begin = components_find_local(tile.parent, (u32)(4 * r * components_tile_x));
    const u32 end =
        components_find_local(tile.parent, (u32)(4 * (r * components_tile_x + tile.width - 1)));
    components_mark_root(tile.border_roots, begin);
    components_mark_root(tile.border_roots, end);
    tile.ends[r] = begin | end << 16;
}

// Writes the roots of an item's points, and marks those of the side rows.
T_FUNCTION void components_write_roots(const components_tile tile, const i32 item,
                                       T_GLOBAL_PTR(u32) labels) {
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const i32 row = k * 16 + (item >> 4);
        const i32 point = components_tile_x * row + (item & 15);
        // At most two steps in a picture, and in most cases one.
        u32 low = *components_at(tile.parent, tile.parent[point]);
        u32 high = *components_at(tile.parent, tile.parent[point + 16]);
        for (u32 moved = (u32)tile.is_volume; moved != 0;) {
            const u32 up_low = *components_at(tile.parent, low);
            const u32 up_high = *components_at(tile.parent, high);
            moved = (up_low ^ low) | (up_high ^ high);
            low = up_low;
            high = up_high;
        }
        if (components_is_side_row(row, tile.is_volume, tile.job.first_neighbor)) {
            components_mark_root(tile.border_roots, low);
            components_mark_root(tile.border_roots, high);
        }
        const u32 image_row = components_image_row(tile, row);
        const u32 both = low | high << 16;
        if (image_row != components_none && (item & 15) < tile.width)
            labels[components_pair_place(image_row, tile.corner.x + (item & 15), tile.job.nx)] =
                both;
    }
}

// Writes the roots of a row as bits, and makes border roots their own parents: every fourth item
// does the first, and each handles eight points.
T_FUNCTION void components_keep_roots(const components_tile tile, const i32 group, const i32 item,
                                      T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots) {
    const i32 r = item / 4;
    const u32 row = components_image_row(tile, r);
    if (row == components_none) return;
    const u32 first_id = components_id(row, tile.corner.x, tile.job.nx);
    if (item % 4 == 0 && tile.job.outputs)
        roots[components_pair_of_row(components_tiled_words(tile.is_volume, tile.job.nx), group, r,
                                     row, tile.corner.x, tile.job.nx)] = tile.root_bits[r];
    for (u32 bits = tile.border_roots[r] & 0xffu << item % 4 * 8; bits != 0; bits &= bits - 1u) {
        const u32 id = first_id + (u32)components_lowest_bit(bits);
        parent[id] = id;
    }
}

#endif
