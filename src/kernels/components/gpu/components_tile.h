// Part of components.kernel.h: union-find of one group, and the runs of a tile's rows, as bits.
#ifndef TESELA_KERNELS_COMPONENTS_TILE_H
#define TESELA_KERNELS_COMPONENTS_TILE_H

// ---- Union-find of one group -------------------------------------------------------------------

// Points are counted in bytes, four a point, so that a step to a parent is one instruction.

T_FUNCTION T_LOCAL_PTR(u32) components_at(T_LOCAL_PTR(u32) words, const u32 bytes) {
    return (T_LOCAL_PTR(u32))((T_LOCAL_PTR(u8))words + bytes);
}

T_FUNCTION u32 components_root_local(T_LOCAL_PTR(u32) parent, u32 a) {
    for (u32 up = *components_at(parent, a); up != a; up = *components_at(parent, a)) a = up;
    return a;
}

// Leads a point straight to its root, while other items may do so too.
T_FUNCTION void components_shorten(T_LOCAL_PTR(u32) parent, const u32 a) {
    const u32 up = *components_at(parent, a);
    const u32 root = components_root_local(parent, up);
    if (root != up) T_ATOMIC_MIN(components_at(parent, a), root);
}

// The bit of a point in a word for each row of a tile.
T_FUNCTION u32 components_bit(const u32 a) { return 1u << (a >> 2 & 31u); }
T_FUNCTION u32 components_word(const u32 a) { return a >> 7; }

// Leads two points to their roots, and every other point on the ways past its parent (path
// halving), with atomics, for other items may do so too.
T_FUNCTION void components_climb_local(T_LOCAL_PTR(u32) parent, u32* a, u32* b) {
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

// `found`: bits of the tile's roots.
T_FUNCTION void components_unite_local(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found, u32 a,
                                       u32 b) {
    components_climb_local(parent, &a, &b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(components_at(parent, high), low);
        // A root ceases to be one exactly once, so that this clears its bit.
        if (before == high) T_ATOMIC_ADD(&found[components_word(high)], 0u - components_bit(high));
        // What stands in the way of the link is linked next.
        a = before == high ? low : before;
        b = low;
    }
}

// ---- Runs of a tile's rows, as bits ------------------------------------------------------------

// The first point of the run in which a point stands. Bit 0 of `starts` is set.
T_FUNCTION i32 components_run_start(const u32 starts, const i32 x) {
    return T_HIGHEST_BIT(starts & (0xffffffffu >> (31 - x)));
}

// Bits: which bytes of two words are equal, the lowest first.
T_FUNCTION u32 components_equal_bytes(const u32 a, const u32 b) {
    const u32 d = a ^ b;
    const u32 highest = ~(((d & 0x7f7f7f7fu) + 0x7f7f7f7fu) | d) & 0x80808080u;
    return (highest >> 7) * 0x01020408u >> 24;  // moves bits 0, 8, 16, 24 side by side
}

// `bits` and what stands above, below them in their runs; `along`: points that are no run's first.
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

// Row `r` of a tile in the image, or components_none where the image has no such row.
T_FUNCTION u32 components_tile_row(const i32 r, const i32 y0, const i32 z0, const i32 t,
                                   const i32 ny, const i32 nz, const i32 shift_y) {
    const i32 y = y0 + (r & ((1 << shift_y) - 1));
    const i32 z = z0 + (r >> shift_y);
    return y < ny && z < nz ? (u32)((t * nz + z) * ny + y) : components_none;
}
// Neighbor `n` of row `r` in a tile, if it is inside.
T_FUNCTION i32 components_tile_before(const i32 n, const i32 r, const i32 shift_y) {
    return r + n % 3 - 1 + (n / 3 % 3 - 1) * (1 << shift_y);
}
// Whether it is.
T_FUNCTION i32 components_is_in_tile(const i32 n, const i32 r, const i32 shift_y) {
    const i32 y = (r & ((1 << shift_y) - 1)) + n % 3 - 1;
    return y >= 0 && y < 1 << shift_y && components_tile_before(n, r, shift_y) >= 0 ? 1 : 0;
}
// Where the bits of the links stand from the points x of row `r` to points x + dx of neighbor `n`.
T_FUNCTION i32 components_link_word(const i32 n, const i32 dx, const i32 r) {
    return ((12 - n) * 3 + dx + 1) * components_tile_rows + r;
}

// Of the straight links from row `r` to the slice before it, n = 10, those that the one of the row
// before implies, together with straight links along y.
T_FUNCTION u32 components_implied(T_LOCAL_PTR(const u32) links, const i32 r, const i32 shift_y) {
    return links[components_link_word(12, 0, r)] &
           links[components_link_word(10, 0, T_MAX(r - 1, 0))] &
           links[components_link_word(12, 0, T_MAX(r - (1 << shift_y), 0))];
}

// The neighbor of row `r` to which its runs have hooks: the row before it, and in a volume the row
// of the slice before for the first row of a slice.
T_FUNCTION i32 components_hook_neighbor(const i32 r, const i32 shift_y) {
    return shift_y == 3 && r % 8 == 0 ? 10 : 12;
}

// Links between a row and one of its neighbors, as bits.
typedef struct {
    u32 left, straight, right;
} components_row_links;

// Those of the links of row `r` to its neighbor `n` that others do not imply: links along rows,
// straight ones, and, in a volume, those of the row before it. `inside`: points of the image.
T_FUNCTION components_row_links components_needed_links(T_LOCAL_PTR(const u32) links,
                                                        T_LOCAL_PTR(const u32) starts, const i32 n,
                                                        const i32 r, const i32 shift_y,
                                                        const u32 inside) {
    T_LOCAL_PTR(const u32) words = links + components_link_word(n, 0, r);
    const i32 other = T_MAX(components_tile_before(n, r, shift_y), 0);
    const u32 implied = n == 10 ? components_implied(links, r, shift_y) : 0u;
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

// Chooses one of the needed links of each run of row `r` to the neighbor of hooks as the run's
// hook: `hooks` has words for links to the left, straight ones, and to the right. Gives the points
// of the runs with a hook.
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

// Those of the needed links of row `r` that are not its hooks.
T_FUNCTION components_row_links components_without_hooks(components_row_links needed,
                                                         T_LOCAL_PTR(const u32) hooks,
                                                         const i32 r) {
    needed.left &= ~hooks[r];
    needed.straight &= ~hooks[components_tile_rows + r];
    needed.right &= ~hooks[2 * components_tile_rows + r];
    return needed;
}

// Links as they are listed: two points of the tile, one in each half of a word. That of bit 0, from
// row `r` to the points dx beside their own place in its neighbor `n`.
T_FUNCTION u32 components_first_link(const i32 n, const i32 dx, const i32 r, const i32 shift_y) {
    return (u32)(r * components_tile_x) +
           ((u32)(components_tile_before(n, r, shift_y) * components_tile_x + dx) << 16);
}

// Lists links from an entry on, as far as there is room. Gives the entry after them.
T_FUNCTION u32 components_list(T_LOCAL_PTR(u32) list, u32 entry, u32 bits, const u32 first) {
    const u32 end = entry + (u32)T_POPCOUNT(bits);
    for (; bits != 0 && entry < (u32)components_listed; bits &= bits - 1u, ++entry)
        list[entry] = first + (u32)T_HIGHEST_BIT(bits & (0u - bits)) * 0x10001u;
    return end;
}

// Lists links between row `r` and its neighbor `n`. Gives their first entry.
T_FUNCTION u32 components_list_row(T_LOCAL_PTR(u32) list, T_LOCAL_PTR(u32) listed,
                                   const components_row_links some, const i32 n, const i32 r,
                                   const i32 shift_y) {
    const u32 count =
        (u32)(T_POPCOUNT(some.straight) + T_POPCOUNT(some.left) + T_POPCOUNT(some.right));
    const u32 first = count != 0 ? T_ATOMIC_ADD(listed, count) : 0u;
    u32 entry =
        components_list(list, first, some.straight, components_first_link(n, 0, r, shift_y));
    entry = components_list(list, entry, some.left, components_first_link(n, -1, r, shift_y));
    components_list(list, entry, some.right, components_first_link(n, 1, r, shift_y));
    return first;
}

// Gives the points of row `r` their parents: those of a run with a hook what the point of the row
// before to which it leads has, the others the first of their run.
T_FUNCTION void components_hang_row(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(const u32) hooks,
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

// Hangs the run of point x of row `r`, if a hook begins there, under what the run of row `other` to
// which it leads hangs under; under that run itself where the hook `is_direct`.
T_FUNCTION void components_hang(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(const u32) hooks,
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

// Joins what a link holds together.
T_FUNCTION void components_join_link(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found,
                                     const u32 link) {
    components_unite_local(parent, found, 4 * (link & 0xffffu), 4 * (link >> 16));
}

// The same for those of some links, the first of which had an entry, that found no room. Gives the
// entry after them.
T_FUNCTION u32 components_join_unlisted(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found, u32 entry,
                                        u32 bits, const u32 first) {
    for (; bits != 0; bits &= bits - 1u, ++entry)
        if (entry >= (u32)components_listed)
            components_join_link(parent, found,
                                 first + (u32)T_HIGHEST_BIT(bits & (0u - bits)) * 0x10001u);
    return entry;
}

// Whether row `r` stands at a side of the tile along y, z or t, where another tile may go on.
T_FUNCTION i32 components_is_side_row(const i32 r, const i32 is_volume, const i32 first_neighbor) {
    if (!is_volume) return r == 0 || r == components_tile_rows - 1 ? 1 : 0;
    return first_neighbor < 9 || r < 8 || r >= components_tile_rows - 8 || r % 8 == 0 || r % 8 == 7
               ? 1
               : 0;
}

// Marks a root of the tile.
T_FUNCTION void components_mark_root(T_LOCAL_PTR(u32) edges, const u32 root) {
    if ((edges[components_word(root)] & components_bit(root)) == 0)
        T_ATOMIC_OR(&edges[components_word(root)], components_bit(root));
}

#endif
