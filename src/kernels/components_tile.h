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
T_FUNCTION i32 components_is_in_tile(T_LOCAL_PTR(const u32) place, const i32 n, const i32 r,
                                     const i32 shift_y) {
    const i32 y = (r & ((1 << shift_y) - 1)) + n % 3 - 1;
    const i32 other = components_tile_before(n, r, shift_y);
    return y >= 0 && y < 1 << shift_y && other >= 0 && place[other] != components_none &&
                   place[r] != components_none
               ? 1
               : 0;
}
// Where the bits of the links stand from the points x of row `r` to points x + dx of neighbor `n`.
T_FUNCTION i32 components_link_word(const i32 n, const i32 dx, const i32 r) {
    return ((n - components_first_inside) * 3 + dx + 1) * components_tile_rows + r;
}

// Lists links: two points of the tile, one in each half of a word. `first` is that of bit 0. Gives
// the links for which there is no room.
T_FUNCTION u32 components_list(T_LOCAL_PTR(u32) list, u32 entry, u32 bits, const u32 first) {
    for (; bits != 0 && entry < (u32)components_listed; bits &= bits - 1u, ++entry)
        list[entry] = first + (u32)T_HIGHEST_BIT(bits & (0u - bits)) * 0x10001u;
    return bits;
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

// Leaves out the links of row `r` to its neighbor `n` that others imply, those along rows, straight
// ones, and `implied` ones, and lists the rest; those for which there is no room stay. Where the
// neighbor is that of hooks, one link of each run is not listed but the run's hook: `hooks` has
// words for links to the left, straight ones, and to the right. Then gives the first points of the
// runs without a hook.
T_FUNCTION u32 components_choose_links(T_LOCAL_PTR(u32) links, T_LOCAL_PTR(u32) hooks,
                                       T_LOCAL_PTR(u32) list, T_LOCAL_PTR(u32) listed,
                                       T_LOCAL_PTR(const u32) starts, const u32 implied,
                                       const i32 n, const i32 r, const i32 shift_y,
                                       const u32 inside) {
    const i32 other = T_MAX(components_tile_before(n, r, shift_y), 0);
    T_LOCAL_PTR(u32) words = links + components_link_word(n, 0, r);
    const u32 along = ~starts[r];
    const u32 other_along = ~starts[other];
    const u32 all = words[0] & inside;
    u32 straight = all & ~(along & all << 1 & other_along) & ~implied;
    u32 left = words[-components_tile_rows] & inside & 0xfffffffeu & ~(along & all << 1) &
               ~(all & other_along);
    u32 right = words[components_tile_rows] & inside >> 1 & ~((along & all) >> 1) &
                ~(all & other_along >> 1);
    u32 hooked = 0;
    if (n == components_hook_neighbor(r, shift_y)) {
        const u32 any = left | straight | right;
        const u32 filled = components_fill_up(any, along);
        const u32 hook = any & ~(filled << 1 & along);
        hooks[r] = hook & left & ~straight;
        hooks[components_tile_rows + r] = hook & straight;
        hooks[2 * components_tile_rows + r] = hook & ~left & ~straight;
        right &= ~hook | left | straight;
        left &= ~hook | straight;
        straight &= ~hook;
        hooked = components_fill_down(filled, along);
    }
    const u32 count = (u32)(T_POPCOUNT(straight) + T_POPCOUNT(left) + T_POPCOUNT(right));
    const u32 entry = count != 0 ? T_ATOMIC_ADD(listed, count) : 0u;
    const u32 point = (u32)(r * components_tile_x + (other * components_tile_x << 16));
    words[0] = components_list(list, entry, straight, point);
    words[-components_tile_rows] =
        components_list(list, entry + (u32)T_POPCOUNT(straight), left, point - 0x10000u);
    words[components_tile_rows] = components_list(
        list, entry + (u32)(T_POPCOUNT(straight) + T_POPCOUNT(left)), right, point + 0x10000u);
    return inside & starts[r] & ~hooked;
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

// The first point of the run of point `at` of a tile, in bytes.
T_FUNCTION u32 components_run(T_LOCAL_PTR(const u32) starts, const u32 at) {
    const i32 r = (i32)(at / components_tile_x);
    return (u32)(4 * (r * components_tile_x +
                      components_run_start(starts[r], (i32)(at % components_tile_x))));
}

// Joins what a link holds together.
T_FUNCTION void components_join_link(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found,
                                     T_LOCAL_PTR(const u32) starts, const u32 link) {
    components_unite_local(parent, found, components_run(starts, link & 0xffffu),
                           components_run(starts, link >> 16));
}

// The same for links for which there was no room in the list, those of a row to its neighbor n.
T_FUNCTION void components_join_left_over(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found,
                                          T_LOCAL_PTR(const u32) starts,
                                          T_LOCAL_PTR(const u32) links, const i32 n, const i32 dx,
                                          const i32 r, const i32 shift_y) {
    const u32 first = (u32)(r * components_tile_x) +
                      ((u32)(components_tile_before(n, r, shift_y) * components_tile_x + dx) << 16);
    u32 bits = dx <= 1 ? links[components_link_word(n, dx, r)] : 0u;
    for (; bits != 0; bits &= bits - 1u)
        components_join_link(parent, found, starts,
                             first + (u32)T_HIGHEST_BIT(bits & (0u - bits)) * 0x10001u);
}

// Bits: which of the first or of the last 32 rows of a tile stand at a side along y, z or t, where
// another tile may go on.
T_FUNCTION u32 components_side_rows(const i32 is_last, const i32 first_neighbor) {
    if (first_neighbor == 12) return is_last ? 0x80000000u : 1u;
    if (first_neighbor == 9) return is_last ? 0xff818181u : 0x818181ffu;
    return 0xffffffffu;
}

// Marks a root of the tile.
T_FUNCTION void components_mark_root(T_LOCAL_PTR(u32) edges, const u32 root) {
    if ((edges[components_word(root)] & components_bit(root)) == 0)
        T_ATOMIC_OR(&edges[components_word(root)], components_bit(root));
}

#endif
