// Lines by groups: each item holds a chunk of TRIDIAGONAL_ROWS rows of a part, which it reduces to
// the row of its last unknown. Those rows are solved in local memory by parallel cyclic reduction:
// R. W. Hockney, C. R. Jesshope, "Parallel Computers", 1981.

// 1 / pivot, or 1 where the pivot is 0 or not finite, which `singular` counts.
T_FUNCTION TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_inverse)(const TRIDIAGONAL_VALUE pivot,
                                                                 i32* singular) {
    const TRIDIAGONAL_VALUE inverse = (TRIDIAGONAL_VALUE)1 / pivot;
    // Neither infinite nor NaN: only of such numbers is the difference from themselves 0.
    const i32 is_fine =
        (pivot - pivot == (TRIDIAGONAL_VALUE)0) & (inverse - inverse == (TRIDIAGONAL_VALUE)0);
    *singular += 1 - is_fine;
    return is_fine ? inverse : (TRIDIAGONAL_VALUE)1;
}

// Forward elimination: left, right and value of the row before become those of row a, b, c, d. The
// first row follows x_before itself: left = -1, right = value = 0.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_eliminate)(
    const TRIDIAGONAL_VALUE a, const TRIDIAGONAL_VALUE b, const TRIDIAGONAL_VALUE c,
    const TRIDIAGONAL_VALUE d, TRIDIAGONAL_VALUE* left, TRIDIAGONAL_VALUE* right,
    TRIDIAGONAL_VALUE* value, i32* singular) {
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(b - a * *right, singular);
    *left = -(a * *left) * inverse;
    *right = c * inverse;
    *value = (d - a * *value) * inverse;
}

// The equation of x_first, in which row r, after elimination, replaces x[r] by x[r+1]. It begins as
// x[0] itself: left = value = 0, right = -1.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_update_first)(
    const TRIDIAGONAL_VALUE left, const TRIDIAGONAL_VALUE right, const TRIDIAGONAL_VALUE value,
    TRIDIAGONAL_VALUE* first_left, TRIDIAGONAL_VALUE* first_right, TRIDIAGONAL_VALUE* first_value) {
    *first_left -= *first_right * left;
    *first_value -= *first_right * value;
    *first_right = -(*first_right * right);
}

// One coefficient of all rows of a chunk; an item has four such arrays, by tridiagonal_a to
// tridiagonal_d.
typedef TRIDIAGONAL_VALUE TRIDIAGONAL_OF(tridiagonal_column)[TRIDIAGONAL_ROWS];

enum {
    TRIDIAGONAL_OF(tridiagonal_pitch) = TRIDIAGONAL_ROWS + 1,  // avoids bank conflicts
    TRIDIAGONAL_OF(tridiagonal_scratch) = tridiagonal_group * TRIDIAGONAL_OF(tridiagonal_pitch)
};

// The part that an item computes, counted from the group's first one along axis 0, and its chunk.
typedef struct {
    i32 part, chunk, is_used;
} TRIDIAGONAL_OF(tridiagonal_mapping);

T_FUNCTION TRIDIAGONAL_OF(tridiagonal_mapping)
    TRIDIAGONAL_OF(tridiagonal_map_item)(const i32 item, const i64 first,
                                         const tridiagonal_layout layout) {
    TRIDIAGONAL_OF(tridiagonal_mapping) mapping;
    mapping.part = layout.is_interleaved ? item % layout.parts_per_group : item / layout.chunks;
    mapping.chunk = layout.is_interleaved ? item / layout.parts_per_group : item % layout.chunks;
    mapping.is_used = mapping.part < layout.parts_per_group && mapping.chunk < layout.chunks &&
                      first + mapping.part < layout.counts[0];
    return mapping;
}

// The k-th row that an item reads and writes in device memory, where neighboring items take
// neighboring elements. Of interleaved lines these are rows of the items' own chunks; of others the
// items exchange them through local memory.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_row)(const i32 k,
                                               const TRIDIAGONAL_OF(tridiagonal_mapping) mapping,
                                               const tridiagonal_layout layout) {
    return layout.is_interleaved ? mapping.chunk * TRIDIAGONAL_ROWS + k
                                 : mapping.chunk + k * layout.chunks;
}

// The exchange: where the k-th row of an item is in local memory, of those that it reads and writes
// in device memory, or of its own chunk.
enum { TRIDIAGONAL_OF(tridiagonal_coalesced), TRIDIAGONAL_OF(tridiagonal_own_chunk) };
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_scratch_index)(const i32 k, const i32 order,
                                                         const TRIDIAGONAL_OF(tridiagonal_mapping)
                                                             mapping,
                                                         const tridiagonal_layout layout) {
    const i32 row = order == TRIDIAGONAL_OF(tridiagonal_own_chunk)
                        ? mapping.chunk * TRIDIAGONAL_ROWS + k
                        : mapping.chunk + k * layout.chunks;
    return mapping.part * layout.chunks * TRIDIAGONAL_OF(tridiagonal_pitch) + row +
           row / TRIDIAGONAL_ROWS;
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_store_scratch)(
    T_LOCAL_PTR(TRIDIAGONAL_VALUE) scratch, const TRIDIAGONAL_VALUE* values, const i32 order,
    const TRIDIAGONAL_OF(tridiagonal_mapping) mapping, const tridiagonal_layout layout) {
    if (layout.is_interleaved || !mapping.is_used) return;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        scratch[TRIDIAGONAL_OF(tridiagonal_scratch_index)(k, order, mapping, layout)] = values[k];
    }
}
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_load_scratch)(
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) scratch, TRIDIAGONAL_VALUE* values, const i32 order,
    const TRIDIAGONAL_OF(tridiagonal_mapping) mapping, const tridiagonal_layout layout) {
    if (layout.is_interleaved || !mapping.is_used) return;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        values[k] = scratch[TRIDIAGONAL_OF(tridiagonal_scratch_index)(k, order, mapping, layout)];
    }
}

// What a chunk, like a part, reduces to: the equation of x_first, and the last row.
typedef struct {
    TRIDIAGONAL_VALUE first_left, first_right, first_value;
    TRIDIAGONAL_VALUE a, b, c, d;
} TRIDIAGONAL_OF(tridiagonal_reduced);

// Eliminates all rows but the last; left, right and value replace a, c and d.
T_FUNCTION TRIDIAGONAL_OF(tridiagonal_reduced)
    TRIDIAGONAL_OF(tridiagonal_reduce_rows)(TRIDIAGONAL_OF(tridiagonal_column) * rows,
                                            i32* singular) {
    TRIDIAGONAL_OF(tridiagonal_reduced) reduced;
    TRIDIAGONAL_VALUE left = -1, right = 0, value = 0;
    reduced.first_left = reduced.first_value = 0;
    reduced.first_right = -1;
    T_UNROLL for (i32 r = 0; r < TRIDIAGONAL_ROWS - 1; ++r) {
        TRIDIAGONAL_OF(tridiagonal_eliminate)
        (rows[tridiagonal_a][r], rows[tridiagonal_b][r], rows[tridiagonal_c][r],
         rows[tridiagonal_d][r], &left, &right, &value, singular);
        TRIDIAGONAL_OF(tridiagonal_update_first)
        (left, right, value, &reduced.first_left, &reduced.first_right, &reduced.first_value);
        rows[tridiagonal_a][r] = left;
        rows[tridiagonal_c][r] = right;
        rows[tridiagonal_d][r] = value;
    }
    const TRIDIAGONAL_VALUE a = rows[tridiagonal_a][TRIDIAGONAL_ROWS - 1];
    reduced.a = -(a * left);
    reduced.b = rows[tridiagonal_b][TRIDIAGONAL_ROWS - 1] - a * right;
    reduced.c = rows[tridiagonal_c][TRIDIAGONAL_ROWS - 1];
    reduced.d = rows[tridiagonal_d][TRIDIAGONAL_ROWS - 1] - a * value;
    return reduced;
}

// The reduced system in local memory: a, c and d of the items' rows, one array after the other,
// with 1 on the diagonal. The equations of x_first are stored in the same way: left, right and
// value.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_store_row)(T_LOCAL_PTR(TRIDIAGONAL_VALUE) system,
                                                      const i32 item, const TRIDIAGONAL_VALUE a,
                                                      const TRIDIAGONAL_VALUE c,
                                                      const TRIDIAGONAL_VALUE d) {
    system[item] = a;
    system[tridiagonal_group + item] = c;
    system[2 * tridiagonal_group + item] = d;
}

// The interface row, that of a chunk's last unknown in the reduced system: the x_first of the next
// chunk, that of item `next` if there is one, is replaced by its equation in `firsts`.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_interface_row)(
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) firsts, T_LOCAL_PTR(TRIDIAGONAL_VALUE) system,
    const i32 item, const i32 next, const TRIDIAGONAL_OF(tridiagonal_reduced) reduced,
    i32* singular) {
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) left = firsts;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) right = firsts + tridiagonal_group;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) value = firsts + 2 * tridiagonal_group;
    const TRIDIAGONAL_VALUE c = next < tridiagonal_group ? reduced.c : (TRIDIAGONAL_VALUE)0;
    const i32 j = T_MIN(next, tridiagonal_group - 1);
    const TRIDIAGONAL_VALUE inverse =
        TRIDIAGONAL_OF(tridiagonal_inverse)(reduced.b - c * left[j], singular);
    TRIDIAGONAL_OF(tridiagonal_store_row)
    (system, item, reduced.a * inverse, -(c * right[j]) * inverse,
     (reduced.d - c * value[j]) * inverse);
}

// A step of parallel cyclic reduction (PCR): eliminates the unknowns of items `before` and `after`
// from the item's row, if there are such chunks, by means of their rows. Where there is none, the
// coefficient stays (but for the scaling): it is that of x_before or of the part's last unknown,
// and 0 where these are known. `next` gets the new row.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_pcr_step)(T_LOCAL_PTR(const TRIDIAGONAL_VALUE) system,
                                                     T_LOCAL_PTR(TRIDIAGONAL_VALUE) next,
                                                     const i32 item, const i32 before,
                                                     const i32 after, i32* singular) {
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) all_a = system;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) all_c = system + tridiagonal_group;
    T_LOCAL_PTR(const TRIDIAGONAL_VALUE) all_d = system + 2 * tridiagonal_group;
    const TRIDIAGONAL_VALUE a = all_a[item], c = all_c[item];
    const TRIDIAGONAL_VALUE factor_before = before >= 0 ? a : (TRIDIAGONAL_VALUE)0;
    const TRIDIAGONAL_VALUE factor_after = after < tridiagonal_group ? c : (TRIDIAGONAL_VALUE)0;
    // `before` of an item without a chunk may be out of range at the upper end as well.
    const i32 i = T_MIN(T_MAX(before, 0), tridiagonal_group - 1);
    const i32 j = T_MIN(after, tridiagonal_group - 1);
    const TRIDIAGONAL_VALUE inverse = TRIDIAGONAL_OF(tridiagonal_inverse)(
        (TRIDIAGONAL_VALUE)1 - factor_before * all_c[i] - factor_after * all_a[j], singular);
    TRIDIAGONAL_OF(tridiagonal_store_row)
    (next, item, (before >= 0 ? -(a * all_a[i]) : a) * inverse,
     (after < tridiagonal_group ? -(c * all_c[j]) : c) * inverse,
     (all_d[item] - factor_before * all_d[i] - factor_after * all_d[j]) * inverse);
}

// The item whose chunk lies `distance` chunks from an item's own; -1 before the first one,
// tridiagonal_group from `chunks` on.
T_FUNCTION i32 TRIDIAGONAL_OF(tridiagonal_neighbor)(const TRIDIAGONAL_OF(tridiagonal_mapping)
                                                        mapping,
                                                    const i32 item, const i32 distance,
                                                    const i32 chunks,
                                                    const tridiagonal_layout layout) {
    if (mapping.chunk + distance < 0) return -1;
    if (mapping.chunk + distance >= chunks) return tridiagonal_group;
    return item + distance * (layout.is_interleaved ? layout.parts_per_group : 1);
}

// Back substitution: all unknowns of a chunk, which replace d, from its last one and the one before
// the chunk.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_substitute_rows)(TRIDIAGONAL_OF(tridiagonal_column) *
                                                                rows,
                                                            const TRIDIAGONAL_VALUE before,
                                                            const TRIDIAGONAL_VALUE last) {
    TRIDIAGONAL_VALUE x = last;
    rows[tridiagonal_d][TRIDIAGONAL_ROWS - 1] = x;
    T_UNROLL for (i32 r = TRIDIAGONAL_ROWS - 2; r >= 0; --r) {
        x = rows[tridiagonal_d][r] - rows[tridiagonal_a][r] * before - rows[tridiagonal_c][r] * x;
        rows[tridiagonal_d][r] = x;
    }
}

// a, b, c and d. Rows beyond the line are those of the identity, or, of `wires`, hand on what
// stands two rows before: x[r-1] = x[r+1].
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_rows)(
    TRIDIAGONAL_OF(tridiagonal_column) * rows, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d, const TRIDIAGONAL_OF(tridiagonal_mapping) mapping,
    const tridiagonal_part part, const i32 wires, const tridiagonal_layout layout) {
    const i64 last = layout.rows - 1 - part.number * layout.part;
    T_UNROLL for (i32 k = 0; k < TRIDIAGONAL_ROWS; ++k) {
        const i32 row = TRIDIAGONAL_OF(tridiagonal_row)(k, mapping, layout);
        const i64 at = part.first + row * layout.stride;
        const i32 is_there = mapping.is_used && row < part.rows;
        const i32 has_before = is_there && (row > 0 || part.number > 0 || layout.is_periodic);
        const i32 has_after = is_there && (row < last || layout.is_periodic);
        const TRIDIAGONAL_VALUE wire = (TRIDIAGONAL_VALUE)(is_there ? 0 : wires);
        rows[tridiagonal_a][k] = has_before ? a[at] : wire;
        rows[tridiagonal_b][k] = is_there ? b[at] : (TRIDIAGONAL_VALUE)(1 - wires);
        rows[tridiagonal_c][k] = has_after ? c[at] : -wire;
        rows[tridiagonal_d][k] = is_there ? d[at] : (TRIDIAGONAL_VALUE)0;
    }
}

// Phase 1 of kernels by groups: finds the item's chunk and reads rows of its part.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_part)(
    TRIDIAGONAL_OF(tridiagonal_column) * rows, TRIDIAGONAL_OF(tridiagonal_mapping) * mapping,
    tridiagonal_part* part, const i32 item, const i64 first, const i32 y, const i32 z,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) a, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) b,
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) c, T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) d,
    const i32 wires, const tridiagonal_layout layout) {
    *mapping = TRIDIAGONAL_OF(tridiagonal_map_item)(item, first, layout);
    *part = tridiagonal_part_at(first + mapping->part, y, z, layout);
    TRIDIAGONAL_OF(tridiagonal_read_rows)(rows, a, b, c, d, *mapping, *part, wires, layout);
}
