// From a level of BRICK_VOXEL to the next finer one: part of bricks.kernel.h.

// What the coarser level says of the cell whose mean is at `here`.
T_FUNCTION brick_cell BRICK_OF(brick_enter_cell)(T_GLOBAL_PTR(const BRICK_VOXEL) here,
                                                 const i32* at, const brick_box* box) {
    brick_cell cell = brick_begin_cell(here[0]);
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) {
        const i32 inner = (at[axis] > 0 ? 1 : 0) + (at[axis] < box->cells[axis] - 1 ? 2 : 0);
        const i32 low = inner & 1 ? here[-box->coarse_step[axis]] : cell.mean;
        const i32 high = inner & 2 ? here[box->coarse_step[axis]] : cell.mean;
        brick_see_neighbors(&cell, axis, low, high, inner == 1 || inner == 2 ? 1 : 0);
        if (2 * at[axis] + 1 >= box->voxels[axis]) cell.missing |= 1 << axis;
    }
    return cell;
}

// Writes those voxels of a cell that lie within the brick.
T_FUNCTION void BRICK_OF(brick_write_cell)(const i32* voxels, const i32* at, const brick_box* box,
                                           T_GLOBAL_PTR(BRICK_VOXEL) fine) {
    fine += 2 * (at[0] * box->fine_step[0] + at[1] * box->fine_step[1] + at[2] * box->fine_step[2]);
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const i32 x = k & 1, y = k >> 1 & 1, z = k >> 2;
        if (2 * at[0] + x < box->voxels[0] && 2 * at[1] + y < box->voxels[1] &&
            2 * at[2] + z < box->voxels[2])
            fine[x * box->fine_step[0] + y * box->fine_step[1] + z * box->fine_step[2]] =
                (BRICK_VOXEL)voxels[k];
    }
}

// Decodes a row of cells along x; `at` is the first one.
T_FUNCTION void BRICK_OF(brick_decode_row)(T_GLOBAL_PTR(const u16) chunk,
                                           T_LOCAL_PTR(const brick_table) tables, const i32 shift,
                                           const i32 rounding, brick_stream* stream, i32* at,
                                           const brick_box* box,
                                           T_GLOBAL_PTR(const BRICK_VOXEL) coarse,
                                           T_GLOBAL_PTR(BRICK_VOXEL) fine) {
    T_GLOBAL_PTR(const BRICK_VOXEL)
    means = coarse + box->coarse_at + at[1] * box->coarse_step[1] + at[2] * box->coarse_step[2];
    i32 previous = 0;
    for (; at[0] < box->cells[0]; ++at[0]) {
        brick_cell cell = BRICK_OF(brick_enter_cell)(means + at[0] * box->coarse_step[0], at, box);
        brick_see_previous(&cell, previous);
        i32 values[8];
        T_UNROLL
        for (i32 k = 0; k < 8; ++k) values[k] = 0;
        T_UNROLL
        for (i32 k = 0; k < brick_details; ++k)
            if (brick_has(&cell, brick_order[k]))
                values[brick_order[k]] =
                    brick_decode_detail(chunk, tables, shift, stream, &cell, brick_order[k]);
        previous = cell.sum;
        brick_restore_voxels(values, cell.mean, rounding);
        BRICK_OF(brick_write_cell)(values, at, box, fine + box->fine_at);
    }
}

// A group decodes a brick, each item one stream. Phases:
//   1. the first item reads the head of the chunk;
//   2. an item for each context reads its table;
//   3. four items for each table fill its lookup;
//   4. each item decodes the rows of its stream. Of a flat chunk all items share the rows.
// `damaged` becomes the lowest number of a brick with a damaged chunk, times 8, plus 7 minus its
// level.
T_GROUP_KERNEL(BRICK_OF(brick_decode), 64, 1, 1,
               (T_IN(u16) words, T_IN(i64) starts, T_IN(i32) bricks, T_IN(BRICK_VOXEL) coarse,
                const brick_level level, T_OUT(BRICK_VOXEL) fine, T_OUT(i32) damaged)) {
    T_LOCAL(brick_table, tables, brick_contexts);
    T_LOCAL(brick_head, head, 1);
    T_GLOBAL_PTR(const u16) chunk = words + starts[T_GX];
    const i32 length = (i32)(starts[T_GX + 1] - starts[T_GX]);
    T_PHASE {
        if (T_LI == 0)
            head->is_sound = head->has_sound_tables = brick_read_head(chunk, length, head);
    }
    T_PHASE {
        if (T_LI < brick_contexts && head->is_sound &&
            !brick_read_table(chunk, head->table_starts[T_LI], head->table_starts[T_LI + 1],
                              tables + T_LI))
            T_ATOMIC_MIN(&head->has_sound_tables, 0);
    }
    T_PHASE {
        if (head->has_sound_tables)
            brick_fill_lookup(tables + T_LI / brick_lookup_parts, T_LI % brick_lookup_parts);
    }
    T_PHASE {
        i32 is_damaged = head->has_sound_tables ? 0 : 1;
        const i32 is_flat = !is_damaged && brick_is_flat(head) ? 1 : 0;
        const i32 shares = is_damaged ? 0 : is_flat ? brick_max_streams : head->streams;
        if (T_LI < shares) {
            const i32 own = T_MIN(T_LI, head->streams - 1);
            const i32 shift = head->shift, rounding = brick_rounding(level.level);
            const brick_box box = brick_box_of(level, bricks + (i64)T_GX * brick_numbers);
            brick_stream stream =
                brick_begin_stream(chunk, head->stream_starts[own], head->stream_starts[own + 1]);
            if (is_flat) is_damaged = brick_stream_is_incomplete(&stream);
            const i32 rows = is_damaged ? 0 : box.cells[1] * box.cells[2];
            const i32 each = (rows + shares - 1) / shares;
            for (i32 row = T_LI * each; row < T_MIN(rows, (T_LI + 1) * each); ++row) {
                i32 at[3] = {0, row % box.cells[1], row / box.cells[1]};
                BRICK_OF(brick_decode_row)
                (chunk, tables, shift, rounding, &stream, at, &box, coarse, fine);
            }
            is_damaged = is_damaged || brick_stream_is_incomplete(&stream);
        }
        if (is_damaged) T_ATOMIC_MIN(damaged, 8 * T_GX + 7 - level.level);
    }
}
