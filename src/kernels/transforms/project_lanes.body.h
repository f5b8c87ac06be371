// Lines that few others are beside, as those along x, of what does not depend on order: a row of
// items takes the lines that are beside each other, whose values are one after the other, and then
// folds what its items have. Part of project.body.h.
#define PROJECT_OF(name) T_JOIN(name, T_JOIN(_lanes_, PROJECT_PIXEL))

// The values of a row's lines; the last lines stand for those beyond them.
#define PROJECT_ROW (image + T_MIN((i64)T_GX * project_rows + T_LY, last) * values)

T_GROUP_KERNEL(PROJECT_OF(project_extremes), project_lanes, project_rows, 1,
               (T_IN(PROJECT_PIXEL) image, T_OUT(PROJECT_PIXEL) projected,
                const projected_lines all)) {
    T_LOCAL(PROJECT_PIXEL, found, project_lanes * project_rows);
    T_ITEM(PROJECT_PIXEL, best);
    const i32 step = (i32)all.step, lanes = project_lanes / step * step;
    const i64 values = (i64)all.count * step, last = all.lines / step - 1;
    T_PHASE { T_MY(best) = PROJECT_LOADED(PROJECT_ROW[T_MIN(T_LX, values - 1)]); }
    i64 from = 0;
    for (; from + 3 * lanes + project_lanes <= values; from += 4 * lanes) {
        T_PHASE_OF_32 {
            T_GLOBAL_PTR(const PROJECT_PIXEL) row = PROJECT_ROW + from + T_LX;
            PROJECT_PIXEL result = T_MY(best);
            T_UNROLL for (i32 k = 0; k < 4; ++k) result =
                PROJECT_BETTER(PROJECT_LOADED(row[k * lanes]), result);
            T_MY(best) = result;
        }
    }
    for (; from < values; from += lanes) {
        T_PHASE_OF_32 {
            if (from + T_LX < values)
                T_MY(best) = PROJECT_BETTER(PROJECT_LOADED(PROJECT_ROW[from + T_LX]), T_MY(best));
        }
    }
    T_PHASE_OF_32 { found[T_LI] = T_MY(best); }
    T_PHASE_OF_32 {
        const i64 line = ((i64)T_GX * project_rows + T_LY) * step + T_LX;
        if (T_LX < step && line < all.lines) {
            PROJECT_PIXEL result = found[T_LI];
            for (i32 k = step; k < T_MIN(lanes, values); k += step)
                result = PROJECT_BETTER(found[T_LI + k], result);
            projected[line] = result;
        }
    }
}

#if !PROJECT_IS_FLOAT
// Sums and means.
T_GROUP_KERNEL(PROJECT_OF(project_sums), project_lanes, project_rows, 1,
               (T_IN(PROJECT_PIXEL) image, T_OUT(f32) projected, const projected_lines all)) {
    T_LOCAL(i64, found, project_lanes * project_rows);
    T_ITEM(i64, sum);
    const i32 step = (i32)all.step, lanes = project_lanes / step * step;
    const i64 values = (i64)all.count * step, last = all.lines / step - 1;
    T_PHASE { T_MY(sum) = 0; }
    i64 from = 0;
    for (; from + 3 * lanes + project_lanes <= values; from += 4 * lanes) {
        T_PHASE_OF_32 {
            T_GLOBAL_PTR(const PROJECT_PIXEL) row = PROJECT_ROW + from + T_LX;
            i64 result = T_MY(sum);
            T_UNROLL for (i32 k = 0; k < 4; ++k) result += row[k * lanes];
            T_MY(sum) = result;
        }
    }
    for (; from < values; from += lanes) {
        T_PHASE_OF_32 {
            if (from + T_LX < values) T_MY(sum) += PROJECT_ROW[from + T_LX];
        }
    }
    T_PHASE_OF_32 { found[T_LI] = T_MY(sum); }
    T_PHASE_OF_32 {
        const i64 line = ((i64)T_GX * project_rows + T_LY) * step + T_LX;
        if (T_LX < step && line < all.lines) {
            i64 result = found[T_LI];
            for (i32 k = step; k < lanes; k += step) result += found[T_LI + k];
            projected[line] =
                all.value == project_sum ? (f32)result : project_mean_of_whole(result, all);
        }
    }
}
#endif

#undef PROJECT_ROW
#undef PROJECT_OF
