// Part of project.body.h: sums, means and deviations of floats of up to PROJECT_LINES lines.
T_KERNEL(PROJECT_OF(project_sums),
         (T_IN(PROJECT_PIXEL) image, T_OUT(f32) projected, const projected_lines all)) {
    T_INDEX2(strip, outer);
    const i32 lines = project_lines_at(all, (i64)strip * PROJECT_LINES, PROJECT_LINES);
    const i64 first = (i64)outer * all.step + (i64)strip * PROJECT_LINES;
    T_GLOBAL_PTR(const PROJECT_PIXEL)
    begin = image + first + (i64)outer * (all.count - 1) * all.step;
    f32 sum[PROJECT_LINES], rest[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) sum[i] = rest[i] = 0.0f;
    for (i32 k = 0; k < all.count; ++k) {
        T_GLOBAL_PTR(const PROJECT_PIXEL) values = begin + k * all.step;
        for (i32 i = 0; i < lines; ++i) {
            const f32 next = sum[i] + values[i];
            rest[i] += project_rest_of(sum[i], values[i], next);
            sum[i] = next;
        }
    }
    for (i32 i = 0; i < lines; ++i) rest[i] = project_finite_rest(rest[i]);
    if (all.value == project_sum) {
        for (i32 i = 0; i < lines; ++i) projected[first + i] = sum[i] + rest[i];
        return;
    }
    f32 center[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) center[i] = project_mean_of(sum[i], rest[i], all);
    if (all.value == project_mean) {
        for (i32 i = 0; i < lines; ++i) projected[first + i] = center[i];
        return;
    }
    f32 shift[PROJECT_LINES], squares[PROJECT_LINES], lost[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) {
        shift[i] = project_shift_of(sum[i], rest[i], center[i], all);
        squares[i] = lost[i] = 0.0f;
    }
    for (i32 k = 0; k < all.count; ++k) {
        T_GLOBAL_PTR(const PROJECT_PIXEL) values = begin + k * all.step;
        for (i32 i = 0; i < lines; ++i) {
            const f32 difference = values[i] - center[i];
            const f32 square = difference * difference, next = squares[i] + square;
            lost[i] += project_rest_of(squares[i], square, next);
            squares[i] = next;
        }
    }
    for (i32 i = 0; i < lines; ++i)
        projected[first + i] = project_deviation_of(squares[i] + lost[i], shift[i], all);
}
