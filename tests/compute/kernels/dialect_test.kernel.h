// One small kernel for each word of the dialect, or for a few that belong together. Each writes
// what dialect_test.cpp computes again on the host.
#define T_FILE dialect_test
#include "kernels/begin.h"

// ---- Item ids --------------------------------------------------------------------------------

T_KERNEL(test_index1, (T_OUT(i32) out)) {
    T_INDEX1(i);
    out[i] = 3 * i + 1;
}
T_KERNEL(test_index2, (T_OUT(i32) out, i32 nx)) {
    T_INDEX2(x, y);
    out[(i64)y * nx + x] += 1000 * y + x;
}
T_KERNEL(test_index3, (T_OUT(i32) out, i32 nx, i32 ny)) {
    T_INDEX3(x, y, z);
    out[((i64)z * ny + y) * nx + x] += 10000 * z + 100 * y + x;
}
// A return leaves the item, not its neighbors.
T_KERNEL(test_return, (T_OUT(i32) out)) {
    T_INDEX1(i);
    if (i % 3 == 0) return;
    out[i] = i;
}
T_SIMD_KERNEL(test_simd_kernel, (T_IN(f32) a, T_IN(f32) b, T_OUT(f32) out, f32 factor)) {
    T_INDEX1(i);
    out[i] = a[i] * factor + b[i];
}

// ---- Types, helpers, constants ---------------------------------------------------------------

T_CONSTANT(i32, test_table, 5) = {7, 11, 13, 17, 19};

T_FUNCTION i32 test_helper(T_GLOBAL_PTR(const i32) values, i32 i) { return values[i] * 2; }
T_FUNCTION i32 test_local_helper(T_LOCAL_PTR(const i32) values, i32 i) { return values[i] + 1; }

T_KERNEL(test_add, (T_IN(i32) a, T_IN(i32) b, T_OUT(i32) sum)) {
    T_INDEX1(i);
    sum[i] = a[i] + b[i];
}

T_KERNEL(test_helpers, (T_IN(i32) in, T_OUT(i32) out)) {
    T_INDEX1(i);
    out[i] = test_helper(in, i) + test_table[i % 5];
}
T_KERNEL(test_integers, (T_IN(i8) a, T_IN(u8) b, T_IN(i16) c, T_IN(u16) d, T_IN(i32) e, T_IN(u32) f,
                         T_IN(i64) g, T_IN(u64) h, T_OUT(i64) out)) {
    T_INDEX1(i);
    out[i] = (i64)a[i] + (i64)b[i] + (i64)c[i] + (i64)d[i] + (i64)e[i] + (i64)f[i] + g[i] +
             (i64)(h[i] >> 32);
}
T_KERNEL(test_scalars, (T_OUT(i64) out, i32 a, u32 b, i64 c, u64 d, f32 e)) {
    T_INDEX1(i);
    out[i] = i + a + (i64)b + c + (i64)d + (i64)(e * 4.0f);
}

// Sizes and places of the members, then their values, and that of a parameter behind the struct.
typedef struct {
    i64 a;
    u64 b;
    i32 c[3];
    u32 d;
    f32 e[2];
} test_struct;
#define TEST_PLACE(member) (i32)((const u8*)&s.member - (const u8*)&s), (i32)sizeof(s.member)
T_KERNEL(test_struct_layout, (T_OUT(i32) layout, T_OUT(i64) values, test_struct s, i32 behind)) {
    T_INDEX1(i);
    const i32 places[11] = {(i32)sizeof(s), TEST_PLACE(a), TEST_PLACE(b),
                            TEST_PLACE(c),  TEST_PLACE(d), TEST_PLACE(e)};
    const i64 members[10] = {s.a,
                             (i64)s.b,
                             s.c[0],
                             s.c[1],
                             s.c[2],
                             (i64)s.d,
                             (i64)(s.e[0] * 4.0f),
                             (i64)(s.e[1] * 4.0f),
                             behind,
                             i};
    for (i32 k = 0; k < 11; ++k) layout[11 * i + k] = places[k];
    for (i32 k = 0; k < 10; ++k) values[10 * i + k] = members[k];
}

// ---- Maths -----------------------------------------------------------------------------------

T_KERNEL(test_floats, (T_IN(f32) a, T_IN(f32) b, T_OUT(f32) out, i32 n)) {
    T_INDEX1(i);
    out[i] = T_SQRT(T_ABS(a[i]));
    out[n + i] = T_FLOOR(a[i]);
    out[2 * n + i] = T_FMA(a[i], b[i], -b[i]);
    out[3 * n + i] = a[i] * b[i] - b[i];  // two roundings: never contracted
    out[4 * n + i] = T_FROM_BITS(T_BITS(a[i]) ^ 0x80000000u);
    out[5 * n + i] = T_MIN(a[i], b[i]);
    out[6 * n + i] = T_MAX(a[i], b[i]);
    out[7 * n + i] = T_CLAMP(a[i], -1.0f, 1.0f);
}
T_KERNEL(test_rounding, (T_IN(f32) a, T_OUT(i32) out)) {
    T_INDEX1(i);
    out[i] = T_ROUND(a[i]);
}
T_KERNEL(test_bits, (T_IN(u32) a, T_OUT(u32) out, i32 n)) {
    T_INDEX1(i);
    out[i] = (u32)T_POPCOUNT(a[i]);
    out[n + i] = T_MUL_HIGH(a[i], 0x9e3779b9u);
    out[2 * n + i] = (u32)T_HIGHEST_BIT(a[i] | 1u);
}

// ---- Loops, atomics --------------------------------------------------------------------------

T_KERNEL(test_simd_for, (T_IN(i32) in, T_OUT(i32) out, T_OUT(u32) wrapped, i32 length)) {
    T_INDEX1(row);
    T_GLOBAL_PTR(const i32) values = in + (i64)row * length;
    i32 sum = 0;
    u32 beyond = 0xfffffff0u;
    T_SIMD_FOR(i, 0, length) {
        T_ADD_IF(sum, values[i] > 0, values[i]);
        T_ADD_IF(beyond, values[i] > 0, (u32)values[i]);
    }
    out[row] = sum;
    wrapped[row] = beyond;
}
T_KERNEL(test_rough, (T_IN(f32) in, T_OUT(f32) roots, T_OUT(f32) reciprocals)) {
    T_INDEX1(i);
    roots[i] = T_SQRT_ROUGH(in[i]);
    reciprocals[i] = T_RECIPROCAL_ROUGH(in[i]);
}
T_KERNEL(test_unroll, (T_IN(i32) in, T_OUT(i32) out)) {
    T_INDEX1(row);
    i32 value[7];
    T_UNROLL for (i32 k = 0; k < 7; ++k) value[k] = in[7 * row + k];
    i32 sum = 0;
    T_NO_UNROLL for (i32 k = 0; k < 7; ++k) sum = 3 * sum + value[6 - k];
    out[row] = sum;
}
T_KERNEL(test_atomics, (T_OUT(u32) cells, T_OUT(i32) signed_cells, i32 cell_count)) {
    T_INDEX1(i);
    T_ATOMIC_ADD(cells, (u32)i);
    T_ATOMIC_MIN(cells + 1, (u32)(i + 5));
    T_ATOMIC_MAX(cells + 2, (u32)i);
    T_ATOMIC_OR(cells + 3, 1u << (i % 32));
    T_ATOMIC_ADD(signed_cells, -i);
    T_ATOMIC_MIN(signed_cells + 1, -i);
    T_ATOMIC_MAX(signed_cells + 2, -i - 1);
    // A counter by compare-and-swap: adds up only if the old value is what comes back.
    u32 seen = T_LOAD(u32, cells + 4 + i % cell_count);
    u32 before = T_ATOMIC_CAS(cells + 4 + i % cell_count, seen, seen + 1u);
    while (before != seen) {
        seen = before;
        before = T_ATOMIC_CAS(cells + 4 + i % cell_count, seen, seen + 1u);
    }
}
T_KERNEL(test_load_store, (T_OUT(u32) cells)) {
    T_INDEX1(i);
    T_STORE(u32, cells + i, (T_LOAD(u32, cells + i) + T_LOAD_CACHED(u32, cells + i)) / 2u + 1u);
}

// ---- Groups ----------------------------------------------------------------------------------

// Each item hands its value to the next of its group, through local memory and across phases.
T_GROUP_KERNEL(test_rotate, 64, 1, 1, (T_IN(i32) in, T_OUT(i32) out, i32 n)) {
    T_LOCAL(i32, values, 64);
    T_ITEM(i32, mine);
    T_PHASE {
        const i32 i = T_GX * 64 + T_LX;
        T_MY(mine) = i < n ? in[i] : -1;
        values[T_LI] = T_MY(mine);
    }
    T_PHASE {
        const i32 i = T_GX * 64 + T_LX;
        const i32 next = test_local_helper(values, (T_LX + 1) % 64);
        if (i < n) out[i] = 1000 * T_MY(mine) + next;
    }
}
// Four floats at once, back to front.
T_KERNEL(test_fours, (T_IN(f32) in, T_OUT(f32) out)) {
    T_INDEX1(i);
    f32 four[4];
    T_READ_FOUR(four, in + 4 * (i64)i);
    const f32 reversed[4] = {four[3], four[2], four[1], four[0]};
    T_WRITE_FOUR(out + 4 * (i64)i, reversed);
}
// Each item adds the sum of the item before it, of the 32 that it is one of, to its own value.
T_FULL_GROUP_KERNEL(test_phases_of_32, 128, 1, 1, (T_IN(i32) in, T_OUT(i32) out)) {
    T_LOCAL(i32, sums, 128);
    T_PHASE { sums[T_LI] = in[T_GX * 128 + T_LI]; }
    for (i32 k = 1; k < 32; ++k) {
        T_PHASE_OF_32 {
            if (T_LI % 32 == k) sums[T_LI] += sums[T_LI - 1];
        }
    }
    T_PHASE { out[T_GX * 128 + T_LI] = sums[T_LI / 32 * 32 + 31 - T_LI % 32]; }
}
// Several values of each item outlive a phase.
T_GROUP_KERNEL(test_item_array, 32, 2, 1, (T_OUT(i32) out)) {
    T_ITEM_ARRAY(i32, mine, 3);
    T_PHASE {
        for (i32 k = 0; k < 3; ++k) T_MY(mine)[k] = 1000 * k + T_LI;
    }
    T_PHASE {
        i32 sum = 0;
        for (i32 k = 0; k < 3; ++k) sum += (k + 1) * T_MY(mine)[k];
        out[T_GX * 64 + T_LI] = sum;
    }
}
// A uniform loop encloses phases: the sum of a group by halving.
T_GROUP_KERNEL(test_tile_sum, 256, 1, 1, (T_IN(i32) in, T_OUT(i32) sums, i32 n)) {
    T_LOCAL(i32, part, 256);
    T_PHASE {
        const i32 i = T_GX * 256 + T_LX;
        part[T_LX] = i < n ? in[i] : 0;
    }
    for (i32 step = 128; step > 0; step >>= 1) {
        T_PHASE {
            if (T_LX < step) part[T_LX] += part[T_LX + step];
        }
    }
    T_PHASE {
        if (T_LX == 0) sums[T_GX] = part[0];
    }
}
// All ids, of groups with three axes.
T_GROUP_KERNEL(test_group_ids, 8, 4, 2, (T_OUT(i32) out, T_OUT(i32) group_facts)) {
    T_PHASE {
        const i32 group = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
        out[group * 64 + T_LI] = T_LY * 100 + T_LX;
        if (T_LI == 0) group_facts[group] = T_GROUPS_X * 10 + T_GROUPS_Y;
    }
}
// What the last launch made, back to front, and what was there before it.
T_GROUP_KERNEL(test_after_last_launch, 256, 1, 1,
               (T_IN(i32) fixed, T_GLOBAL_PTR(const i32) in, T_OUT(i32) out, i32 n)) {
    T_PHASE {
        const i32 i = T_GX * 256 + T_LX;
        const i32 own = fixed[T_MIN(i, n - 1)];
        T_AFTER_LAST_LAUNCH;
        if (i < n) out[i] = in[n - 1 - i] + own;
    }
}
// Atomics on local memory.
T_GROUP_KERNEL(test_local_atomics, 256, 1, 1, (T_IN(u32) in, T_OUT(u32) bins, i32 n)) {
    T_LOCAL(u32, counts, 16);
    T_PHASE {
        if (T_LX < 16) counts[T_LX] = 0u;
    }
    T_PHASE {
        const i32 i = T_GX * 256 + T_LX;
        if (i < n) T_ATOMIC_ADD(counts + in[i] % 16u, 1u);
    }
    T_PHASE {
        if (T_LX < 16) T_ATOMIC_ADD(bins + T_LX, counts[T_LX]);
    }
}

#include "kernels/end.h"
