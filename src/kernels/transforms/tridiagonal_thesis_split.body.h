// Cyclic reduction and parallel cyclic reduction by splitting and merging (Lamas Rodriguez 2014,
// section 2.3): blocks do in the memory of a group what they can by themselves, then what is left
// at their borders is done.

// ---- Cyclic reduction --------------------------------------------------------------------------

// `levels` levels of the equations of number g, 2g, ..., of which there are `count`: of a block all
// but the last one. Phases:
// 1. read the block;
// 2. reduce those of number 2, 4, ..., then of 4, 8, ..., and so on;
// 3. write those that have changed.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_split), 256, 1, 1,
               (T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c,
                T_OUT(TRIDIAGONAL_VALUE) d, const i64 count, const i64 g, const i32 levels)) {
    T_LOCAL(TRIDIAGONAL_VALUE, rows, 4 * tridiagonal_thesis_block);
    const i64 first = (i64)T_GX * tridiagonal_thesis_block + 1;
    T_PHASE {
        const i64 number = first + T_LI;
        const i32 is_own = T_LI < tridiagonal_thesis_block - 1 && number <= count;
        TRIDIAGONAL_OF(tridiagonal_thesis_put)
        (rows, tridiagonal_thesis_block, T_LI,
         is_own ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, number * g - 1)
                : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)());
    }
    for (i32 level = 0; level < levels; ++level) {
        T_PHASE {
            const i32 h = 1 << level, number = 2 * h * (T_LI + 1), i = number - 1;
            if (number < tridiagonal_thesis_block) TRIDIAGONAL_OF(tridiagonal_thesis_put)
            (rows, tridiagonal_thesis_block, i,
             TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(
                 TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_block, i - h),
                 TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_block, i),
                 TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_block, i + h)));
        }
    }
    T_PHASE {
        const i64 number = first + T_LI;
        if ((T_LI & 1) == 1 && T_LI < tridiagonal_thesis_block - 1 && number <= count)
            TRIDIAGONAL_OF(tridiagonal_thesis_write)
        (a, b, c, d, number * g - 1,
         TRIDIAGONAL_OF(tridiagonal_thesis_take)(rows, tridiagonal_thesis_block, T_LI));
    }
}

// The same levels of the last equation of each block.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_merge),
         (T_OUT(TRIDIAGONAL_VALUE) a, T_OUT(TRIDIAGONAL_VALUE) b, T_OUT(TRIDIAGONAL_VALUE) c,
          T_OUT(TRIDIAGONAL_VALUE) d, const i64 count, const i64 g, const i32 levels)) {
    T_INDEX1(border);
    const i64 number = ((i64)border + 1) * tridiagonal_thesis_block, i = number * g - 1;
    TRIDIAGONAL_OF(tridiagonal_thesis_row)
    row = TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i);
    for (i32 level = 0; level < levels; ++level) {
        const i64 h = (i64)1 << level;
        const TRIDIAGONAL_OF(tridiagonal_thesis_row) right =
            number + h <= count ? TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i + h * g)
                                : TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
        row = TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(
            TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i - h * g), row, right);
    }
    TRIDIAGONAL_OF(tridiagonal_thesis_write)(a, b, c, d, i, row);
}

// All unknowns of a block but its last one, from that and the last one of the block before.
// Phases:
// 1. read the unknowns at both ends, and each item its equation;
// 2. compute the unknown in the middle, then those of the quarters, and so on;
// 3. write.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_substitute_block), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) x, const i64 rows)) {
    T_LOCAL(TRIDIAGONAL_VALUE, known, tridiagonal_thesis_block + 1);
    T_ITEM(TRIDIAGONAL_VALUE, own_a);
    T_ITEM(TRIDIAGONAL_VALUE, own_b);
    T_ITEM(TRIDIAGONAL_VALUE, own_c);
    T_ITEM(TRIDIAGONAL_VALUE, own_d);
    const i64 first = (i64)T_GX * tridiagonal_thesis_block;
    T_PHASE {
        const i64 i = first + T_LI;
        const i32 is_there = i < rows;
        T_MY(own_a) = is_there ? a[i] : 0;
        T_MY(own_b) = is_there ? b[i] : 1;
        T_MY(own_c) = is_there ? c[i] : 0;
        T_MY(own_d) = is_there ? d[i] : 0;
        if (T_LI == 0) known[0] = first > 0 ? x[first - 1] : 0;
        if (T_LI == tridiagonal_thesis_block - 1)
            known[tridiagonal_thesis_block] = is_there ? x[i] : 0;
    }
    for (i32 h = tridiagonal_thesis_block / 2; h > 0; h >>= 1) {
        T_PHASE {
            const i32 number = T_LI + 1;
            if ((number & (2 * h - 1)) == h)
                known[number] = (T_MY(own_d) - T_MY(own_a) * known[number - h] -
                                 T_MY(own_c) * known[number + h]) /
                                T_MY(own_b);
        }
    }
    T_PHASE {
        const i64 i = first + T_LI;
        if (T_LI < tridiagonal_thesis_block - 1 && i < rows) x[i] = known[T_LI + 1];
    }
}

// ---- Parallel cyclic reduction -----------------------------------------------------------------

// Where the value v of an equation near a border is kept behind a level.
T_FUNCTION i64 TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(const i32 level, const i32 v,
                                                          const i64 border, const i64 borders,
                                                          const i32 slot) {
    return (((i64)(level - 1) * 4 + v) * borders + border) * tridiagonal_thesis_window + slot;
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_thesis_keep)(T_GLOBAL_PTR(TRIDIAGONAL_VALUE) kept,
                                                        const i32 level, const i64 border,
                                                        const i64 borders, const i32 slot,
                                                        const TRIDIAGONAL_OF(tridiagonal_thesis_row)
                                                            row) {
    kept[TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(level, 0, border, borders, slot)] = row.a;
    kept[TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(level, 1, border, borders, slot)] = row.b;
    kept[TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(level, 2, border, borders, slot)] = row.c;
    kept[TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(level, 3, border, borders, slot)] = row.d;
}

// The first `levels` levels of the equations whose neighbors are in their block at every level, and
// the levels before the last of those near its borders. Phases:
// 1. read the block;
// 2. reduce what has both neighbors at the last level, from one half of the memory to the other;
// 3. write what came to the last level.
T_GROUP_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_split_all), 256, 1, 1,
               (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
                T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) new_a,
                T_OUT(TRIDIAGONAL_VALUE) new_b, T_OUT(TRIDIAGONAL_VALUE) new_c,
                T_OUT(TRIDIAGONAL_VALUE) new_d, T_OUT(TRIDIAGONAL_VALUE) kept, const i64 rows,
                const i32 levels)) {
    T_LOCAL(TRIDIAGONAL_VALUE, memory, 8 * tridiagonal_thesis_block);
    const i64 first = (i64)T_GX * tridiagonal_thesis_block;
    const i64 borders = (rows - 1) / tridiagonal_thesis_block;
    const i32 is_first = T_GX == 0, is_last = (i64)T_GX == borders;
    const i32 count = is_last ? (i32)(rows - first) : tridiagonal_thesis_block;
    T_PHASE {
        if (T_LI < count) TRIDIAGONAL_OF(tridiagonal_thesis_put)
        (memory, tridiagonal_thesis_block, T_LI,
         TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, first + T_LI));
    }
    for (i32 level = 1; level <= levels; ++level) {
        T_PHASE {
            const i32 h = 1 << (level - 1), behind = (1 << level) - 1;
            const i32 lowest = is_first ? 0 : behind;
            const i32 highest = is_last ? count - 1 : tridiagonal_thesis_block - 1 - behind;
            const i32 half_size = 4 * tridiagonal_thesis_block;
            T_LOCAL_PTR(TRIDIAGONAL_VALUE) const from = memory + (level & 1 ? 0 : half_size);
            T_LOCAL_PTR(TRIDIAGONAL_VALUE) const to = memory + (level & 1 ? half_size : 0);
            if (T_LI >= lowest && T_LI <= highest) {
                TRIDIAGONAL_OF(tridiagonal_thesis_row)
                left = TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
                TRIDIAGONAL_OF(tridiagonal_thesis_row) right = left;
                if (T_LI >= h)
                    left = TRIDIAGONAL_OF(tridiagonal_thesis_take)(from, tridiagonal_thesis_block,
                                                                   T_LI - h);
                if (T_LI + h < count)
                    right = TRIDIAGONAL_OF(tridiagonal_thesis_take)(from, tridiagonal_thesis_block,
                                                                    T_LI + h);
                const TRIDIAGONAL_OF(tridiagonal_thesis_row) reduced = TRIDIAGONAL_OF(
                    tridiagonal_thesis_reduced)(
                    left,
                    TRIDIAGONAL_OF(tridiagonal_thesis_take)(from, tridiagonal_thesis_block, T_LI),
                    right);
                TRIDIAGONAL_OF(tridiagonal_thesis_put)
                (to, tridiagonal_thesis_block, T_LI, reduced);
                if (level < levels && !is_first && T_LI < tridiagonal_thesis_margin)
                    TRIDIAGONAL_OF(tridiagonal_thesis_keep)
                (kept, level, (i64)T_GX - 1, borders, tridiagonal_thesis_margin + T_LI, reduced);
                if (level < levels && !is_last &&
                    T_LI >= tridiagonal_thesis_block - tridiagonal_thesis_margin)
                    TRIDIAGONAL_OF(tridiagonal_thesis_keep)
                (kept, level, (i64)T_GX, borders,
                 T_LI - tridiagonal_thesis_block + tridiagonal_thesis_margin, reduced);
            }
        }
    }
    T_PHASE {
        const i32 behind = (1 << levels) - 1;
        const i32 lowest = is_first ? 0 : behind;
        const i32 highest = is_last ? count - 1 : tridiagonal_thesis_block - 1 - behind;
        if (T_LI >= lowest && T_LI <= highest) TRIDIAGONAL_OF(tridiagonal_thesis_write)
        (new_a, new_b, new_c, new_d, first + T_LI,
         TRIDIAGONAL_OF(tridiagonal_thesis_take)(
             memory + (levels & 1 ? 4 * tridiagonal_thesis_block : 0), tridiagonal_thesis_block,
             T_LI));
    }
}

// The equation i near a border as the last level left it.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_thesis_row) TRIDIAGONAL_OF(tridiagonal_thesis_before)(
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) kept, const i64 i, const i64 border,
    const tridiagonal_thesis_border of) {
    if (i >= of.rows) return TRIDIAGONAL_OF(tridiagonal_thesis_nothing)();
    if (of.level == 1) return TRIDIAGONAL_OF(tridiagonal_thesis_read)(a, b, c, d, i);
    const i32 slot = (i32)(i - (border + 1) * tridiagonal_thesis_block) + tridiagonal_thesis_margin;
    const i64 plane = of.borders * tridiagonal_thesis_window;
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE)
    const own = kept + TRIDIAGONAL_OF(tridiagonal_thesis_kept_at)(of.level - 1, 0, border,
                                                                  of.borders, slot);
    return TRIDIAGONAL_OF(tridiagonal_thesis_read)(own, own + plane, own + 2 * plane,
                                                   own + 3 * plane, 0);
}

// A level of the equations at each border that their blocks could not do.
T_KERNEL(TRIDIAGONAL_OF(tridiagonal_thesis_merge_all),
         (T_IN(TRIDIAGONAL_VALUE) a, T_IN(TRIDIAGONAL_VALUE) b, T_IN(TRIDIAGONAL_VALUE) c,
          T_IN(TRIDIAGONAL_VALUE) d, T_OUT(TRIDIAGONAL_VALUE) new_a, T_OUT(TRIDIAGONAL_VALUE) new_b,
          T_OUT(TRIDIAGONAL_VALUE) new_c, T_OUT(TRIDIAGONAL_VALUE) new_d,
          T_OUT(TRIDIAGONAL_VALUE) kept, const tridiagonal_thesis_border of)) {
    T_INDEX2(pending, border);
    const i32 behind = (1 << of.level) - 1;
    const i64 place = ((i64)border + 1) * tridiagonal_thesis_block;
    const i64 i = place - behind + pending, h = (i64)1 << (of.level - 1);
    if (i >= of.rows) return;
    const TRIDIAGONAL_OF(tridiagonal_thesis_row) reduced =
        TRIDIAGONAL_OF(tridiagonal_thesis_reduced)(
            TRIDIAGONAL_OF(tridiagonal_thesis_before)(a, b, c, d, kept, i - h, border, of),
            TRIDIAGONAL_OF(tridiagonal_thesis_before)(a, b, c, d, kept, i, border, of),
            TRIDIAGONAL_OF(tridiagonal_thesis_before)(a, b, c, d, kept, i + h, border, of));
    if (of.is_last != 0)
        TRIDIAGONAL_OF(tridiagonal_thesis_write)(new_a, new_b, new_c, new_d, i, reduced);
    else
        TRIDIAGONAL_OF(tridiagonal_thesis_keep)
    (kept, of.level, border, of.borders, (i32)(i - place) + tridiagonal_thesis_margin, reduced);
}
