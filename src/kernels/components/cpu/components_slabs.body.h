// Part of components.kernel.h, once for each COMPONENTS_NAME: the kernels that join slabs of whole
// rows, one item each, as suits a processor with few threads. Runs have parents, points have none.
// Links are looked for where the loop has no branches, and followed then.

// Joins `row` to the row `other` before it. `reason`: why links may be implied. `is_shared`: others
// join points of these rows meanwhile.
T_FUNCTION void COMPONENTS_OF(components_join_rows_)(
    T_GLOBAL_PTR(const COMPONENTS_VALUE) values, const components_job job, const i32 row,
    const i32 other, const i32 reason, const i32 is_diagonal, T_GLOBAL_PTR(const u32) runs,
    T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots, const i32 is_shared) {
    const i32 nx = job.nx;
    u32 straight[components_chunk_words + 1];
    u32 left[components_chunk_words];
    u32 right[components_chunk_words];
    const components_row own = components_row_of(runs, nx, row);
    const components_row before = components_row_of(runs, nx, other);
    u32 straight_before = 0;  // of the word before
    for (i32 x = 0; x < nx; x += components_chunk) {
        const i32 length = T_MIN(components_chunk, nx - x);
        const i32 next = x + length;
        COMPONENTS_OF(components_link_bits_)(values, job, row, other, x, 0, 0, length, straight);
        straight[(length + 31) / 32] = 0;
        straight[components_chunk_words] =
            next < nx ? COMPONENTS_OF(components_linked_across_)(values, job, row, other, next)
                      : 0u;
        if (is_diagonal) {
            COMPONENTS_OF(components_link_bits_)
            (values, job, row, other, x, -1, x == 0 ? 1 : 0, length, left);
            // A row of one point in its last word has no link there.
            right[(length - 1) / 32] = 0;
            COMPONENTS_OF(components_link_bits_)
            (values, job, row, other, x, 1, 0, next < nx ? length : length - 1, right);
        }
        for (i32 w = 0; w < (length + 31) / 32; ++w) {
            const i32 word = x / 32 + w;
            const components_pair pair = components_pair_at(own, before, word, nx);
            const u32 shifted = straight[w] << 1 | straight_before >> 31;
            const u32 implied =
                COMPONENTS_OF(components_implied_)(values, job, row, other, reason, word);
            const u32 followed = pair.along & shifted & pair.along_before;
            components_follow(own, before, word * 32, 0, straight[w] & ~(followed | implied),
                              parent, roots, is_shared);
            if (is_diagonal) {
                const u32 also_implied = reason == components_diagonal ? implied : 0u;
                const u32 ahead = straight[w] >> 1 | straight[w + 1] << 31;
                components_follow(own, before, word * 32, -1,
                                  left[w] & ~(pair.along & shifted) &
                                      ~(straight[w] & pair.along_before) & ~also_implied,
                                  parent, roots, is_shared);
                components_follow(own, before, word * 32, 1,
                                  right[w] & ~(pair.along_ahead & ahead) &
                                      ~(straight[w] & pair.along_before_ahead) & ~also_implied,
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
    u32 count = 0;
    for (i32 x = 0; x < nx; x += components_chunk) {
        const i32 length = T_MIN(components_chunk, nx - x);
        COMPONENTS_OF(components_link_bits_)
        (values, job, row, row, x, -1, x == 0 ? 1 : 0, length, along);
        for (i32 k = 0; k < length; k += 32) {
            const u32 starts = ~along[k / 32] & 0xffffffffu >> (32 - T_MIN(32, length - k));
            words[(x + k) / 32 * 2] = starts;
            words[(x + k) / 32 * 2 + 1] = count;
            count += (u32)T_POPCOUNT(starts);
        }
    }
    T_SIMD_FOR(run, row * nx, row * nx + (i32)count)
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
                (values, job, row, other, components_reason(n, row - first, job.ny),
                 components_is_diagonal(n, job.axes), runs, parent, roots, 0);
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
        (values, job, row, other, components_reason(n, 0, job.ny),
         components_is_diagonal(n, job.axes), runs, parent, roots, 1);
    }
}

#if COMPONENTS_CHANNELS == 1
// samples[label - 1] = the value of a component, of its root, whose label may be 0.
T_KERNEL(COMPONENTS_OF(components_root_samples_),
         (T_IN(COMPONENTS_VALUE) values, T_IN(u32) roots, T_IN(u32) runs, T_IN(u32) labels,
          const i32 nx, T_GLOBAL_PTR(u32) samples)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    const i32 end = row.first + components_runs_of_row(row, nx);
    components_place place = {0, row.words[0], 0};
    for (i32 word = row.first / 32; word * 32 < end; ++word) {
        u32 bits = roots[2 * word];
        if (word * 32 < row.first) bits &= 0xffffffffu << row.first % 32;  // of the row before
        for (; bits != 0; bits &= bits - 1u) {
            const i32 run = word * 32 + T_HIGHEST_BIT(bits & (0u - bits));
            if (run >= end) break;
            const u32 label = labels[run] & ~components_is_numbered;
            if (label == 0) continue;
            place = components_place_of_run(row, place, (u32)(run - row.first), nx);
            const i32 x = place.word * 32 + T_HIGHEST_BIT(place.starts & (0u - place.starts));
            samples[label - 1u] = COMPONENTS_OF(components_value_)(values, nx, row_number, x);
        }
    }
}
#endif
