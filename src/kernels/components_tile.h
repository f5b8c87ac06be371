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

// `found`: bits of the tile's roots.
T_FUNCTION void components_unite_local(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) found, u32 a,
                                       u32 b) {
    a = components_root_local(parent, a);
    b = components_root_local(parent, b);
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

// Leaves out the links of row `r` that others imply, those along rows and straight ones, and lists
// the rest; those for which there is no room stay. One link of each run to the row before it, n =
// 12, is none of these but the run's hook: `hooks` has words for links to the left, straight ones,
// and to the right. Gives the first points of the runs without a hook.
T_FUNCTION u32 components_choose_links(T_LOCAL_PTR(u32) links, T_LOCAL_PTR(u32) hooks,
                                       T_LOCAL_PTR(u32) list, T_LOCAL_PTR(u32) listed,
                                       T_LOCAL_PTR(const u32) starts, const i32 first,
                                       const i32 step, const i32 r, const i32 shift_y,
                                       const u32 inside) {
    const u32 along = ~starts[r];
    u32 hooked = 0;
    for (i32 n = first; n < 13; n += step) {
        const i32 other = T_MAX(components_tile_before(n, r, shift_y), 0);
        T_LOCAL_PTR(u32) words = links + components_link_word(n, 0, r);
        const u32 other_along = ~starts[other];
        const u32 all = words[0] & inside;
        u32 straight = all & ~(along & all << 1 & other_along);
        u32 left = words[-components_tile_rows] & inside & 0xfffffffeu & ~(along & all << 1) &
                   ~(all & other_along);
        u32 right = words[components_tile_rows] & inside >> 1 & ~((along & all) >> 1) &
                    ~(all & other_along >> 1);
        if (n == 12) {
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
    }
    return inside & starts[r] & ~hooked;
}

// Hangs the run of point x of row `r`, if a hook begins there, under what that of the row before
// hangs under.
T_FUNCTION void components_hang(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(const u32) hooks,
                                T_LOCAL_PTR(const u32) starts, const i32 r, const i32 x,
                                const i32 is_diagonal) {
    u32 is_hook = hooks[components_tile_rows + r] >> x & 1u;
    i32 to = x;
    if (is_diagonal) {
        const u32 left = hooks[r] >> x & 1u;
        const u32 right = hooks[2 * components_tile_rows + r] >> x & 1u;
        is_hook |= left | right;
        to += (i32)right - (i32)left;
    }
    if (is_hook) {
        const u32 first = (u32)(4 * components_tile_x * r);
        const u32 own = first + 4u * (u32)components_run_start(starts[r], x);
        const u32 before =
            first - 4u * components_tile_x + 4u * (u32)components_run_start(starts[r - 1], to);
        *components_at(parent, own) = *components_at(parent, before);
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

// Row `s` of those at a side of a tile in which the next tile along y, z or t may begin.
T_FUNCTION i32 components_side_rows(const i32 first_neighbor) {
    return first_neighbor == 12 ? 2 : first_neighbor == 9 ? 28 : components_tile_rows;
}
T_FUNCTION i32 components_side_row(const i32 s, const i32 side_rows) {
    if (side_rows == 2) return s * (components_tile_rows - 1);
    if (side_rows == components_tile_rows) return s;
    return s < 16 ? s % 8 + s / 8 * 56 : (s - 16) / 2 * 8 + 8 + s % 2 * 7;
}

// Marks the root of the run that begins at `a`, in bytes.
T_FUNCTION void components_mark_root(T_LOCAL_PTR(u32) parent, T_LOCAL_PTR(u32) edges, const u32 a) {
    const u32 root = components_root_local(parent, a);
    if ((edges[components_word(root)] & components_bit(root)) == 0)
        T_ATOMIC_OR(&edges[components_word(root)], components_bit(root));
}

#endif
