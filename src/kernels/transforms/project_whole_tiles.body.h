// Part of project_tiles.body.h: deviations of whole numbers.
T_GROUP_KERNEL(PROJECT_OF(project_sums), project_tile, 1, 1,
               (T_IN(PROJECT_PIXEL) image, T_OUT(f32) projected, const projected_lines all)) {
    T_LOCAL(PROJECT_PIXEL, tile, project_tile * PROJECT_PITCH);
    T_LOCAL(i64, begin, project_tile);
    T_ITEM(i64, sum);
    T_ITEM(i64, center);
    T_ITEM(f32, squares);
    T_ITEM(f32, lost);
    const i64 first = (i64)T_GX * project_tile;
    T_PHASE {
        begin[T_LI] = project_begin_of(all, first + T_LI);
        T_MY(sum) = 0;
        T_MY(squares) = T_MY(lost) = 0.0f;
    }
    for (i32 from = 0; from < all.count; from += project_tile) {
        const i32 filled = T_MIN(project_tile, all.count - from);
        T_PHASE_OF_32 { PROJECT_OF(project_turn)(tile, begin, image, all, from, T_LI); }
        for (i32 k = 0; k < filled; ++k) {
            T_PHASE_OF_32 { T_MY(sum) += tile[k * PROJECT_PITCH + T_LI]; }
        }
    }
    T_PHASE_OF_32 { T_MY(center) = project_center_of(T_MY(sum), all.count); }
    for (i32 from = 0; from < all.count; from += project_tile) {
        const i32 filled = T_MIN(project_tile, all.count - from);
        T_PHASE_OF_32 { PROJECT_OF(project_turn)(tile, begin, image, all, from, T_LI); }
        for (i32 k = 0; k < filled; ++k) {
            T_PHASE_OF_32 {
                const f32 difference = (f32)(tile[k * PROJECT_PITCH + T_LI] - T_MY(center));
                const f32 square = difference * difference, old = T_MY(squares);
                const f32 next = old + square;
                T_MY(lost) += project_rest_of(old, square, next);
                T_MY(squares) = next;
            }
        }
    }
    T_PHASE_OF_32 {
        const f32 shift = project_shift_of_whole(T_MY(sum), T_MY(center), all);
        if (first + T_LI < all.lines)
            projected[first + T_LI] = project_deviation_of(T_MY(squares) + T_MY(lost), shift, all);
    }
}
