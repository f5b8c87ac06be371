// Windows of gray values as a thesis matches them (tesela/register_thesis.h).
#define T_FILE register_thesis
#include "kernels/begin.h"
#include "kernels/transforms/match_windows.h"

enum {
    near_shifts = 16,  // that are compared directly for each window, at most
    direct_group = 64,
    direct_sums = 5  // of values of the template and of the window, of their squares and products
};

// Sides in pixels of windows and of those they are looked for in; shifts along each axis.
typedef struct {
    i32 window, search, shifts;
} gray_form;

// Values between pixels of 65536 steps, in such steps.
T_KERNEL(window_grays, (T_IN(f32) windows, T_OUT(u16) steps)) {
    T_INDEX1(i);
    steps[i] = (u16)(windows[i] + 0.5f);
}

// The shifts of each window whose score is at most `margin` below the best one: first the best,
// then the others row by row, and -1 behind them. Where the best is not above 0, no others.
T_KERNEL(shifts_near_best, (T_IN(f32) scores, T_IN(f32) rows, T_IN(f32) best, T_IN(i32) best_at,
                            T_OUT(i32) at, gray_form form, f32 margin)) {
    T_INDEX1(window);
    const f32 least = best[window] > 0 ? best[window] - margin : 2.0f;
    T_GLOBAL_PTR(i32) own = at + (i64)window * near_shifts;
    own[0] = best_at[window];
    i32 count = 1;
    for (i32 y = 0; y < form.shifts && count < near_shifts; ++y) {
        const i64 row = (i64)window * form.shifts + y;
        if (rows[row] < least) continue;
        for (i32 x = 0; x < form.shifts && count < near_shifts; ++x)
            if (scores[row * form.shifts + x] >= least && y * form.shifts + x != own[0])
                own[count++] = y * form.shifts + x;
    }
    for (i32 k = count; k < near_shifts; ++k) own[k] = -1;
}

// The correlations at these shifts, from sums of whole numbers, which have no order; -2 where there
// is no shift. Phases:
//   1. each item sums up rows of the window;
//   2. the first item adds these sums up and writes the score.
T_GROUP_KERNEL(direct_scores, 64, 1, 1,
               (T_IN(u16) templates, T_IN(u16) windows, T_IN(i32) at, T_OUT(f32) scores,
                gray_form form)) {
    T_LOCAL(i64, sums, direct_sums * direct_group);
    T_PHASE {
        const i32 shift = T_MAX(at[T_GY * near_shifts + T_GX], 0), side = form.window;
        T_GLOBAL_PTR(const u16) pattern = templates + (i64)T_GY * side * side;
        T_GLOBAL_PTR(const u16)
        part = windows + ((i64)T_GY * form.search + shift / form.shifts) * form.search +
               shift % form.shifts;
        const i32 end = at[T_GY * near_shifts + T_GX] < 0 ? 0 : side;
        u64 sum[direct_sums] = {0, 0, 0, 0, 0};
        for (i32 y = T_LX; y < end; y += direct_group)
            for (i32 x = 0; x < side; ++x) {
                const u32 own = pattern[y * side + x], other = part[(i64)y * form.search + x];
                sum[0] += own;
                sum[1] += other;
                sum[2] += own * own;
                sum[3] += other * other;
                sum[4] += own * other;
            }
        for (i32 k = 0; k < direct_sums; ++k) sums[k * direct_group + T_LX] = (i64)sum[k];
    }
    T_PHASE {
        if (T_LX == 0) {
            i64 all[direct_sums] = {0, 0, 0, 0, 0};
            for (i32 k = 0; k < direct_sums; ++k)
                for (i32 item = 0; item < direct_group; ++item)
                    all[k] += sums[k * direct_group + item];
            const i64 count = (i64)form.window * form.window;
            const f32 score = match_correlation(match_covariance(all[0], all[1], all[4], count),
                                                match_deviation(all[0], all[2], count),
                                                match_deviation(all[1], all[3], count));
            scores[T_GY * near_shifts + T_GX] = at[T_GY * near_shifts + T_GX] < 0 ? -2.0f : score;
        }
    }
}

#include "kernels/end.h"
