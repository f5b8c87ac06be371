// Part of project.body.h: the highest or lowest values of up to PROJECT_LINES lines.
T_KERNEL(PROJECT_OF(project_extremes),
         (T_IN(PROJECT_PIXEL) image, T_OUT(PROJECT_PIXEL) projected, const projected_lines all)) {
    T_INDEX2(strip, outer);
    const i32 lines = project_lines_at(all, (i64)strip * PROJECT_LINES, PROJECT_LINES);
    const i64 first = (i64)outer * all.step + (i64)strip * PROJECT_LINES;
    T_GLOBAL_PTR(const PROJECT_PIXEL)
    values = image + first + (i64)outer * (all.count - 1) * all.step;
    PROJECT_PIXEL best[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) best[i] = PROJECT_LOADED(values[i]);
    for (i32 k = 1; k < all.count; ++k) {
        values += all.step;
        for (i32 i = 0; i < lines; ++i)
            best[i] = PROJECT_BETTER(PROJECT_LOADED(values[i]), best[i]);
    }
    for (i32 i = 0; i < lines; ++i) projected[first + i] = best[i];
}
