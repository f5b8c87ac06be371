// From a level of BRICK_VOXEL to the next finer one: part of bricks.kernel.h.

// Writes the voxels of a cell from their mean and its details in `values`, of which the first is 0.
T_FUNCTION void BRICK_OF(brick_write_cell)(const i32 mean, i32* values, const i32* cell,
                                           const brick_box* box, T_GLOBAL_PTR(BRICK_VOXEL) fine) {
    brick_inverse_s_transform(values);
    i32 sum = box->rounding;
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) sum += values[k];
    const i32 lowest = mean - (sum >> 3);
    fine += 2 * (cell[0] * box->fine_step[0] + cell[1] * box->fine_step[1] +
                 cell[2] * box->fine_step[2]);
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) {
        const i32 x = k & 1, y = k >> 1 & 1, z = k >> 2;
        if (2 * cell[0] + x < box->voxels[0] && 2 * cell[1] + y < box->voxels[1] &&
            2 * cell[2] + z < box->voxels[2])
            fine[x * box->fine_step[0] + y * box->fine_step[1] + z * box->fine_step[2]] =
                (BRICK_VOXEL)(lowest + values[k]);
    }
}

// Decodes the details of a cell, whose mean is at `here`. `previous` is the sum of the magnitudes
// of the residuals of the previous cell in the row, and becomes that of this one.
T_FUNCTION void BRICK_OF(brick_decode_cell)(T_GLOBAL_PTR(const u16) words,
                                            T_LOCAL_PTR(const brick_table) tables,
                                            brick_stream* stream, const i32* cell,
                                            const brick_box* box,
                                            T_GLOBAL_PTR(const BRICK_VOXEL) here, i32* previous,
                                            i32* values) {
    const i32 mean = here[0];
    i32 surroundings = 0, missing = 0;
    i32 predicted[8];
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) predicted[k] = values[k] = 0;
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) {
        const i32 inner = (cell[axis] > 0 ? 1 : 0) + (cell[axis] < box->cells[axis] - 1 ? 2 : 0);
        const i32 low = inner & 1 ? here[-box->coarse_step[axis]] : mean;
        const i32 high = inner & 2 ? here[box->coarse_step[axis]] : mean;
        const i32 slope = low - high, bend = low + high - 2 * mean;
        surroundings += T_ABS(slope) + T_ABS(bend);
        // At the border only half of the slope is known.
        predicted[1 << axis] = ((inner == 1 || inner == 2 ? 2 * slope : slope) + 2) >> 2;
        if (2 * cell[axis] + 1 >= box->voxels[axis]) missing |= 1 << axis;
    }
    surroundings = (surroundings >> 1) + (*previous * 11 >> 4);
    i32 known = 0, sum = 0;
    T_UNROLL
    for (i32 k = 0; k < brick_details; ++k) {
        const i32 detail = brick_order[k];
        if ((detail & missing) == 0) {
            const i32 activity = known == 0
                                     ? surroundings
                                     : (surroundings + (sum * brick_known_weight[known] >> 4)) >> 1;
            const i32 context =
                brick_context_of_activity[T_MIN(activity >> box->shift, brick_activities - 1)];
            const i32 residual = brick_decode_residual(words, tables + context, stream);
            sum += T_ABS(residual);
            ++known;
            values[detail] = residual + predicted[detail];
        }
    }
    *previous = sum;
}

// A group decodes a brick, each item one stream. Phases:
//   1. the first item reads the head of the chunk;
//   2. an item for each context reads its table;
//   3. four items for each table fill its lookup;
//   4. each item decodes the rows of its stream. Where all residuals are 0, the chunk has no tables
//      and no words, and all items share the rows.
// `damaged` becomes the lowest number of a brick with a damaged chunk, times 8, plus 7 minus its
// level.
T_GROUP_KERNEL(BRICK_OF(brick_decode), 64, 1, 1,
               (T_IN(u16) words, T_IN(i64) starts, T_IN(i32) bricks, T_IN(BRICK_VOXEL) coarse,
                const brick_level level, T_OUT(BRICK_VOXEL) fine, T_OUT(i32) damaged)) {
    T_LOCAL(brick_table, tables, brick_contexts);
    T_LOCAL(i32, table_starts, brick_contexts + 1);
    T_LOCAL(i32, stream_starts, brick_max_streams + 1);
    T_LOCAL(i32, head, 3);  // number of streams, shift, whether the head is sound
    T_GLOBAL_PTR(const u16) chunk = words + starts[T_GX];
    const i32 length = (i32)(starts[T_GX + 1] - starts[T_GX]);
    T_PHASE {
        if (T_LI == 0) head[2] = brick_read_head(chunk, length, head, table_starts, stream_starts);
    }
    T_PHASE {
        if (T_LI < brick_contexts && head[2] != 0 &&
            !brick_read_table(chunk, table_starts[T_LI], table_starts[T_LI + 1], tables + T_LI))
            T_ATOMIC_MIN(&stream_starts[0], -1);
    }
    T_PHASE {
        if (head[2] != 0 && stream_starts[0] >= 0) brick_fill_lookup(tables + T_LI / 4, T_LI % 4);
    }
    T_PHASE {
        i32 is_damaged = head[2] == 0 || stream_starts[0] < 0 ? 1 : 0;
        const i32 is_flat = head[2] != 0 && table_starts[brick_contexts] == brick_tables_at ? 1 : 0;
        const i32 shares = is_flat ? brick_max_streams : head[0];
        if (!is_damaged && T_LI < shares) {
            const i32 own = T_MIN(T_LI, head[0] - 1);
            const brick_box box = brick_box_of(level, head[1], bricks + (i64)T_GX * brick_numbers);
            brick_stream stream =
                brick_begin_stream(chunk, stream_starts[own], stream_starts[own + 1]);
            if (is_flat) is_damaged = brick_stream_is_incomplete(&stream) ? 1 : 0;
            const i32 rows = is_damaged ? 0 : box.cells[1] * box.cells[2];
            const i32 each = (rows + shares - 1) / shares;
            for (i32 row = T_LI * each; row < T_MIN(rows, (T_LI + 1) * each); ++row) {
                i32 cell[3] = {0, row % box.cells[1], row / box.cells[1]};
                T_GLOBAL_PTR(const BRICK_VOXEL)
                means = coarse + box.coarse_at + cell[1] * box.coarse_step[1] +
                        cell[2] * box.coarse_step[2];
                i32 previous = 0;
                for (; cell[0] < box.cells[0]; ++cell[0]) {
                    T_GLOBAL_PTR(const BRICK_VOXEL) here = means + cell[0] * box.coarse_step[0];
                    i32 values[8];
                    BRICK_OF(brick_decode_cell)
                    (chunk, tables, &stream, cell, &box, here, &previous, values);
                    BRICK_OF(brick_write_cell)(here[0], values, cell, &box, fine + box.fine_at);
                }
            }
            is_damaged = is_damaged || brick_stream_is_incomplete(&stream);
        }
        if (is_damaged) T_ATOMIC_MIN(damaged, 8 * T_GX + 7 - level.level);
    }
}
