// Part of project.body.h: the highest or lowest values of up to PROJECT_LINES lines.
T_KERNEL(PROJECT_OF(project_extremes),
         (T_IN(PROJECT_PIXEL) image, T_OUT(PROJECT_PIXEL) projected, const projected_lines all)) {
    T_INDEX2(strip, outer);
    const i32 lines = project_lines_at(all, (i64)strip * PROJECT_LINES, PROJECT_LINES);
    const i64 first = (i64)outer * all.step + (i64)strip * PROJECT_LINES;
    T_GLOBAL_PTR(const PROJECT_PIXEL)
    values = image + first + (i64)outer * (all.count - 1) * all.step;
    PROJECT_PIXEL best[PROJECT_LINES];
    for (i32 i = 0; i < lines; ++i) best[i] = values[i];
    for (i32 k = 1; k < all.count; ++k) {
        values += all.step;
        if (all.value == project_maximum)
            for (i32 i = 0; i < lines; ++i)
                best[i] = PROJECT_IS_ABOVE(values[i], best[i]) ? values[i] : best[i];
        else
            for (i32 i = 0; i < lines; ++i)
                best[i] = PROJECT_IS_BELOW(values[i], best[i]) ? values[i] : best[i];
    }
    for (i32 i = 0; i < lines; ++i) projected[first + i] = best[i];
}
