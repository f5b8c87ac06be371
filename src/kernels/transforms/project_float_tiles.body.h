// Part of project_tiles.body.h: sums, means and deviations of floats.
T_GROUP_KERNEL(PROJECT_OF(project_sums), project_tile, 1, 1,
               (T_IN(PROJECT_PIXEL) image, T_OUT(f32) projected, const projected_lines all)) {
    T_LOCAL(PROJECT_PIXEL, tile, project_tile * PROJECT_PITCH);
    T_LOCAL(i64, begin, project_tile);
    T_ITEM(f32, sum);
    T_ITEM(f32, rest);
    T_ITEM(f32, center);
    T_ITEM(f32, squares);
    T_ITEM(f32, lost);
    const i64 first = (i64)T_GX * project_tile;
    T_PHASE {
        begin[T_LI] = project_begin_of(all, first + T_LI);
        T_MY(sum) = T_MY(rest) = T_MY(squares) = T_MY(lost) = 0.0f;
    }
    for (i32 from = 0; from < all.count; from += project_tile) {
        const i32 filled = T_MIN(project_tile, all.count - from);
        T_PHASE_OF_32 { PROJECT_OF(project_turn)(tile, begin, image, all, from, T_LI); }
        for (i32 k = 0; k < filled; ++k) {
            T_PHASE_OF_32 {
                const f32 value = tile[k * PROJECT_PITCH + T_LI], old = T_MY(sum);
                const f32 next = old + value;
                T_MY(rest) += project_rest_of(old, value, next);
                T_MY(sum) = next;
            }
        }
    }
    T_PHASE_OF_32 {
        T_MY(rest) = project_finite_rest(T_MY(rest));
        T_MY(center) = project_mean_of(T_MY(sum), T_MY(rest), all);
    }
    // A second pass, if any.
    const i32 count = all.value == project_deviation ? all.count : 0;
    for (i32 from = 0; from < count; from += project_tile) {
        const i32 filled = T_MIN(project_tile, count - from);
        T_PHASE_OF_32 { PROJECT_OF(project_turn)(tile, begin, image, all, from, T_LI); }
        for (i32 k = 0; k < filled; ++k) {
            T_PHASE_OF_32 {
                const f32 difference = tile[k * PROJECT_PITCH + T_LI] - T_MY(center);
                const f32 square = difference * difference, old = T_MY(squares);
                const f32 next = old + square;
                T_MY(lost) += project_rest_of(old, square, next);
                T_MY(squares) = next;
            }
        }
    }
    T_PHASE_OF_32 {
        const f32 shift = project_shift_of(T_MY(sum), T_MY(rest), T_MY(center), all);
        f32 result = T_MY(center);
        if (all.value == project_sum) result = T_MY(sum) + T_MY(rest);
        if (all.value == project_deviation)
            result = project_deviation_of(T_MY(squares) + T_MY(lost), shift, all);
        if (first + T_LI < all.lines) projected[first + T_LI] = result;
    }
}
