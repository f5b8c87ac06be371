// Part of project.body.h: sums, means and deviations of whole numbers of up to PROJECT_LINES lines.
T_KERNEL(PROJECT_OF(project_sums),
         (T_IN(PROJECT_PIXEL) image, T_OUT(f32) projected, const projected_lines all)) {
    T_INDEX2(strip, outer);
    const i32 lines = project_lines_at(all, (i64)strip * PROJECT_LINES, PROJECT_LINES);
    const i64 first = (i64)outer * all.step + (i64)strip * PROJECT_LINES;
    T_GLOBAL_PTR(const PROJECT_PIXEL)
    begin = image + first + (i64)outer * (all.count - 1) * all.step;
    i64 sum[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) sum[i] = 0;
    for (i32 k = 0; k < all.count; ++k) {
        T_GLOBAL_PTR(const PROJECT_PIXEL) values = begin + k * all.step;
        for (i32 i = 0; i < lines; ++i) sum[i] += values[i];
    }
    if (all.value == project_sum) {
        for (i32 i = 0; i < lines; ++i) projected[first + i] = (f32)sum[i];
        return;
    }
    i64 center[PROJECT_LINES];
    f32 shift[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) {
        center[i] = project_center_of(sum[i], all.count);
        shift[i] = project_shift_of_whole(sum[i], center[i], all);
    }
    if (all.value == project_mean) {
        for (i32 i = 0; i < lines; ++i) projected[first + i] = (f32)center[i] + shift[i];
        return;
    }
    f32 squares[PROJECT_LINES], lost[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) squares[i] = lost[i] = 0.0f;
    for (i32 k = 0; k < all.count; ++k) {
        T_GLOBAL_PTR(const PROJECT_PIXEL) values = begin + k * all.step;
        for (i32 i = 0; i < lines; ++i) {
            const f32 difference = (f32)(values[i] - center[i]);
            const f32 square = difference * difference, next = squares[i] + square;
            lost[i] += project_rest_of(squares[i], square, next);
            squares[i] = next;
        }
    }
    for (i32 i = 0; i < lines; ++i)
        projected[first + i] = project_deviation_of(squares[i] + lost[i], shift[i], all);
}
