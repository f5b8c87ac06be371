// Part of components.body.h: the kernels that join slabs of whole rows, one item each, as suits a
// processor with few threads. Runs have parents, points have none. Links are looked for where the
// loop has no branches, and followed then.

#if COMPONENTS_EQUAL  // so that the loop works on bytes
    #define COMPONENTS_LINK_BYTE(i, j) (u8)(values[i] == values[j])
#else
    #define COMPONENTS_LINK_BYTE(i, j) (u8) COMPONENTS_OF(components_linked_at_)(values, job, i, j)
#endif

// Bits: which of the points i + k are linked to the points j + k, first <= k < end.
T_FUNCTION void COMPONENTS_OF(components_link_bits_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                     const components_job job, const i32 i,
                                                     const i32 j, const i32 first, const i32 end,
                                                     u32* bits) {
    u64 chunk[components_chunk / 8];
    u8* bytes = (u8*)chunk;
    (void)job;
    for (i32 k = 0; k < components_chunk / 8; ++k) chunk[k] = 0;
    T_SIMD_FOR(k, first, end)
    bytes[k] = COMPONENTS_LINK_BYTE(i + k, j + k);
    for (i32 w = 0; w < components_chunk / 32; ++w) {
        bits[w] = 0;
        for (i32 b = 0; b < 4; ++b) bits[w] |= components_bytes_to_bits(chunk[4 * w + b]) << 8 * b;
    }
}

// Joins `row` to the row `other` before it. `is_shared`: others join points of these rows
// meanwhile.
T_FUNCTION void COMPONENTS_OF(components_join_rows_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                     const components_job job, const i32 row,
                                                     const i32 other, const i32 is_diagonal,
                                                     T_GLOBAL_PTR(const u32) runs,
                                                     T_GLOBAL_PTR(u32) parent,
                                                     T_GLOBAL_PTR(u32) roots, const i32 is_shared) {
    const i32 nx = job.nx;
    u32 straight[components_chunk_words + 1];
    u32 left[components_chunk_words];
    u32 right[components_chunk_words];
    const components_row own = components_row_of(runs, nx, row);
    const components_row before = components_row_of(runs, nx, other);
    const i32 i0 = row * nx;
    const i32 j0 = other * nx;
    u32 straight_before = 0;  // of the word before
    for (i32 x = 0; x < nx; x += components_chunk) {
        const i32 length = T_MIN(components_chunk, nx - x);
        const i32 next = x + length;
        COMPONENTS_OF(components_link_bits_)(values, job, i0 + x, j0 + x, 0, length, straight);
        straight[components_chunk_words] =
            next < nx ? COMPONENTS_OF(components_linked_at_)(values, job, i0 + next, j0 + next)
                      : 0u;
        if (is_diagonal) {
            COMPONENTS_OF(components_link_bits_)
            (values, job, i0 + x, j0 + x - 1, x == 0 ? 1 : 0, length, left);
            COMPONENTS_OF(components_link_bits_)
            (values, job, i0 + x, j0 + x + 1, 0, next < nx ? length : length - 1, right);
        }
        for (i32 w = 0; w < (length + 31) / 32; ++w) {
            const i32 word = x / 32 + w;
            const components_pair pair = components_pair_at(own, before, word, nx);
            const u32 shifted = straight[w] << 1 | straight_before >> 31;
            components_follow(own, before, word * 32, 0,
                              straight[w] & ~(pair.along & shifted & pair.along_before), parent,
                              roots, is_shared);
            if (is_diagonal) {
                const u32 ahead = straight[w] >> 1 | straight[w + 1] << 31;
                components_follow(
                    own, before, word * 32, -1,
                    left[w] & ~(pair.along & shifted) & ~(straight[w] & pair.along_before), parent,
                    roots, is_shared);
                components_follow(own, before, word * 32, 1,
                                  right[w] & ~(pair.along_ahead & ahead) &
                                      ~(straight[w] & pair.along_before_ahead),
                                  parent, roots, is_shared);
            }
            straight_before = straight[w];
        }
    }
}

// Finds the runs of a row, each of which is its own parent.
T_FUNCTION void COMPONENTS_OF(components_start_runs_)(T_GLOBAL_PTR(const COMPONENTS_VALUE) values,
                                                      const components_job job, const i32 row,
                                                      T_GLOBAL_PTR(u32) runs,
                                                      T_GLOBAL_PTR(u32) parent) {
    const i32 nx = job.nx;
    u32 along[components_chunk_words];
    T_GLOBAL_PTR(u32) words = runs + (i64)row * 2 * components_row_words(nx);
    const i32 i0 = row * nx;
    u32 count = 0;
    for (i32 x = 0; x < nx; x += components_chunk) {
        const i32 length = T_MIN(components_chunk, nx - x);
        COMPONENTS_OF(components_link_bits_)
        (values, job, i0 + x, i0 + x - 1, x == 0 ? 1 : 0, length, along);
        for (i32 k = 0; k < length; k += 32) {
            const u32 starts = ~along[k / 32] & 0xffffffffu >> (32 - T_MIN(32, length - k));
            words[(x + k) / 32 * 2] = starts;
            words[(x + k) / 32 * 2 + 1] = count;
            count += (u32)T_POPCOUNT(starts);
        }
    }
    T_SIMD_FOR(run, i0, i0 + (i32)count)
    parent[run] = (u32)run;
}

// Joins the slabs: parent[i] = the root of run i in its slab; sets the bits of the roots.
T_GROUP_KERNEL(COMPONENTS_OF(components_slabs_), 1, 1, 1,
               (T_IN(COMPONENTS_VALUE) values, const components_job job, T_GLOBAL_PTR(u32) runs,
                T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots)) {
    const i32 slabs_y = ((job.ny - 1) >> job.shift_y) + 1;
    const i32 slabs_z = ((job.nz - 1) >> job.shift_z) + 1;
    const i32 y0 = (T_GX % slabs_y) << job.shift_y;
    const i32 z0 = (T_GX / slabs_y % slabs_z) << job.shift_z;
    const i32 t = T_GX / slabs_y / slabs_z;
    // A slab is one range of points: it has all rows of each slice, or one slice.
    const i32 first = (t * job.nz + z0) * job.ny + y0;
    const i32 end =
        first + T_MIN(job.ny - y0, 1 << job.shift_y) * T_MIN(job.nz - z0, 1 << job.shift_z);
    T_PHASE {
        for (i32 row = first; row < end; ++row) {
            COMPONENTS_OF(components_start_runs_)(values, job, row, runs, parent);
            for (i32 n = T_MAX(job.first_neighbor, components_first_in_volume);
                 n < components_neighbors; ++n) {
                const i32 other =
                    components_neighbor_row(n, row % job.ny, row / job.ny % job.nz, t, job, 1);
                if (other >= 0) COMPONENTS_OF(components_join_rows_)
                (values, job, row, other, components_is_diagonal(n, job.axes), runs, parent, roots,
                 0);
            }
        }
        for (i32 row = first; row < end; ++row)
            components_flatten_row(components_row_of(runs, job.nx, row), job.nx, parent, roots);
    }
}

// Joins each row to those before it in other slabs. Rows that may have such are blocks of `block`
// rows, `step` apart, from `first_row` on.
T_KERNEL(COMPONENTS_OF(components_slab_seams_),
         (T_IN(COMPONENTS_VALUE) values, const components_job job, const i32 first_row,
          const i32 block, const i32 step, T_IN(u32) runs, T_GLOBAL_PTR(u32) parent,
          T_GLOBAL_PTR(u32) roots)) {
    T_INDEX1(index);
    const i32 row = first_row + index / block * step + index % block;
    for (i32 n = job.first_neighbor; n < components_neighbors; ++n) {
        const i32 other = components_neighbor_row(n, row % job.ny, row / job.ny % job.nz,
                                                  row / job.ny / job.nz, job, 0);
        if (other >= 0) COMPONENTS_OF(components_join_rows_)
        (values, job, row, other, components_is_diagonal(n, job.axes), runs, parent, roots, 1);
    }
}

#undef COMPONENTS_LINK_BYTE
