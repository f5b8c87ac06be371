// One image type's kernel; thesis_loop.kernel.h sets THESIS_SPATIAL (2, 3, or 4 with time) and
// THESIS_RANGE (1 or 3), the numbers of coordinates of a feature vector.
#define THESIS_DIMENSION (THESIS_SPATIAL + THESIS_RANGE)
#define THESIS_TIME (THESIS_SPATIAL == 4 ? 1 : 0)

// Moves one point to the mean of the samples in its window, looked for in its own cell and the 26
// around it (eq. 4.2, 4.4, 4.5). Returns whether the point still moves. An empty window can follow
// from a product of flat windows: the point stays, and is done.
T_FUNCTION i32 THESIS_OF(thesis_step)(T_GLOBAL_PTR(const i32) samples, T_GLOBAL_PTR(i32) position,
                                      T_GLOBAL_PTR(const u32) points,
                                      T_GLOBAL_PTR(const i32) cell_first,
                                      T_GLOBAL_PTR(const i32) cell_last,
                                      T_LOCAL_PTR(const i32) offsets, const thesis_cells* grid,
                                      const thesis_round* round) {
    i32 y[THESIS_DIMENSION];
    i64 sum[THESIS_DIMENSION];
    i64 count = 0;
    T_UNROLL
    for (i32 k = 0; k < THESIS_DIMENSION; ++k) {
        y[k] = position[k];
        sum[k] = 0;
    }
    i32 home[3];
    thesis_place(grid, y + THESIS_TIME, home);
    for (i32 o = 0; o < 27; ++o) {
        const i32 cell_0 = home[0] + offsets[3 * o];
        const i32 cell_1 = home[1] + offsets[3 * o + 1];
        const i32 cell_2 = home[2] + offsets[3 * o + 2];
        if (cell_0 < 0 || cell_1 < 0 || cell_2 < 0 || cell_0 >= grid->count[0] ||
            cell_1 >= grid->count[1] || cell_2 >= grid->count[2])
            continue;
        const u32 cell = thesis_hash(cell_0, cell_1, cell_2, grid->count[1], grid->count[2]);
        const i32 first = cell_first[cell];
        if (first < 0) continue;
        const i32 last = cell_last[cell];
        for (i32 q = first; q <= last; ++q) {
            T_GLOBAL_PTR(const i32) x = samples + (i64)points[q] * THESIS_DIMENSION;
            i32 d[THESIS_DIMENSION];
            i64 spatial2 = 0;
            f32 range2 = 0.0f;
            T_UNROLL
            for (i32 k = 0; k < THESIS_DIMENSION; ++k) d[k] = x[k] - y[k];
            T_UNROLL
            for (i32 k = THESIS_TIME; k < THESIS_SPATIAL; ++k) spatial2 += (i64)d[k] * d[k];
            T_UNROLL
            for (i32 k = THESIS_SPATIAL; k < THESIS_DIMENSION; ++k)
                range2 = range2 + (f32)d[k] * (f32)d[k];
            const i32 in_time = THESIS_TIME == 0 ? 1 : (i64)d[0] * d[0] < round->time_limit2;
            const i32 inside =
                (spatial2 < round->spatial_limit2) & (range2 < round->range_limit2) & in_time;
            count += inside;
            T_UNROLL
            for (i32 k = 0; k < THESIS_DIMENSION; ++k) sum[k] += inside ? d[k] : 0;
        }
    }
    if (count == 0) return 0;
    i32 shift[THESIS_DIMENSION];
    T_UNROLL
    for (i32 k = 0; k < THESIS_DIMENSION; ++k) {
        shift[k] = thesis_mean(sum[k], count);
        position[k] = y[k] + shift[k];
    }
    f32 spatial2 = 0.0f;
    f32 range2 = 0.0f;
    T_UNROLL
    for (i32 k = THESIS_SPATIAL - 1; k >= THESIS_TIME; --k)
        spatial2 = spatial2 + (f32)shift[k] * (f32)shift[k];
    T_UNROLL
    for (i32 k = THESIS_SPATIAL; k < THESIS_DIMENSION; ++k)
        range2 = range2 + (f32)shift[k] * (f32)shift[k];
    const f32 time2 =
        THESIS_TIME == 0 ? 0.0f : (f32)shift[0] * (f32)shift[0] * round->inverse_time2;
    return !(spatial2 * round->inverse_spatial2 + range2 * round->inverse_range2 + time2 <
             round->epsilon2);
}

// One iteration of each point of the queue, one item a place in it; moving[place] says whether
// the point goes on. The offsets of the 27 cells are the same for all items and stand in local
// memory.
T_GROUP_KERNEL(THESIS_OF(thesis_iterate), 256, 1, 1,
               (T_IN(i32) samples, T_OUT(i32) positions, T_IN(u32) points, T_IN(i32) cell_first,
                T_IN(i32) cell_last, T_IN(u32) queue, T_OUT(u8) moving, thesis_cells grid,
                thesis_round round)) {
    T_LOCAL(i32, offsets, 3 * 27);
    T_PHASE {
        if (T_LX < 27) {
            offsets[3 * T_LX] = T_LX / 9 - 1;
            offsets[3 * T_LX + 1] = T_LX / 3 % 3 - 1;
            offsets[3 * T_LX + 2] = T_LX % 3 - 1;
        }
    }
    T_PHASE {
        const i32 place = T_GX * 256 + T_LX;
        if (place < round.queue_length)
            moving[place] = (u8)THESIS_OF(thesis_step)(
                samples, positions + (i64)queue[place] * THESIS_DIMENSION, points, cell_first,
                cell_last, offsets, &grid, &round);
    }
}

#undef THESIS_DIMENSION
#undef THESIS_TIME
#undef THESIS_SPATIAL
#undef THESIS_RANGE
