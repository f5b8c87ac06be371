// Images along one of their axes as one value: the largest, the smallest, sums, means, deviations.
#define T_FILE project
#include "kernels/begin.h"
#include "kernels/color.h"

// `lines` lines of `count` values that are `step` apart; `step` lines are beside each other.
typedef struct {
    i64 step, lines;
    i32 count;
    i32 value;  // project_maximum and so on
    f32 share;  // 1 / count
    i32 padding;
} projected_lines;

enum { project_maximum = 0, project_minimum, project_mean, project_sum, project_deviation };
enum { project_strip = 256 };  // lines that an item of the CPU takes
// Of a group: the lines of a tile, or items that take values of a row and rows.
enum { project_tile = 32, project_lanes = 32, project_rows = 8 };

// How many of up to `most` lines there are from `first` on; a line alone is there.
T_FUNCTION i32 project_lines_at(const projected_lines all, const i64 first, const i32 most) {
    return most == 1 ? 1 : (i32)T_MIN((i64)most, all.step - first);
}

// Where a line begins; the last one stands for those beyond it.
T_FUNCTION i64 project_begin_of(const projected_lines all, const i64 line) {
    const i64 place = T_MIN(line, all.lines - 1);
    return place / all.step * all.count * all.step + place % all.step;
}

// What `sum`, the rounded sum of two values, lacks (D. E. Knuth, The Art of Computer Programming 2,
// 4.2.2).
T_FUNCTION f32 project_rest_of(const f32 a, const f32 b, const f32 sum) {
    const f32 of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b);
}

// Of a sum that is `sum` and a small `rest`. What the first quotient leaves is divided, too.
T_FUNCTION f32 project_mean_of(const f32 sum, const f32 rest, const projected_lines lines) {
    const f32 mean = (sum + rest) * lines.share;
    const f32 left = (T_FMA(-mean, (f32)lines.count, sum) + rest) * lines.share;
    return left - left == 0.0f ? mean + left : mean;  // infinite ones leave nothing
}

// Infinite sums have no rest.
T_FUNCTION f32 project_finite_rest(const f32 rest) { return rest - rest == 0.0f ? rest : 0.0f; }

// By how much the mean is above `center`, the mean as far as it can be told.
T_FUNCTION f32 project_shift_of(const f32 sum, const f32 rest, const f32 center,
                                const projected_lines lines) {
    return (T_FMA(-center, (f32)lines.count, sum) + rest) * lines.share;
}

// Of whole numbers the mean is the nearest whole number, `center`, and half of one at most.
T_FUNCTION i64 project_center_of(const i64 sum, const i32 count) {
    const i64 rounding = sum < 0 ? -count / 2 : count / 2;
    return (sum + rounding) / count;
}
T_FUNCTION f32 project_shift_of_whole(const i64 sum, const i64 center,
                                      const projected_lines lines) {
    return project_mean_of((f32)(sum - center * lines.count), 0.0f, lines);
}

T_FUNCTION f32 project_mean_of_whole(const i64 sum, const projected_lines lines) {
    const i64 center = project_center_of(sum, lines.count);
    return (f32)center + project_shift_of_whole(sum, center, lines);
}

// Of values whose squared differences from a value have this sum, which is `shift` below the mean.
T_FUNCTION f32 project_deviation_of(const f32 squares, const f32 shift,
                                    const projected_lines lines) {
    const f32 variance = squares * lines.share - shift * shift;
    return variance - variance == 0.0f ? t_sqrt(T_MAX(variance, 0.0f)) : variance;
}

// NaN stands for all values of its line. All NaN are one, and so are both zeros, so that extremes
// do not depend on the order of the values.
T_FUNCTION f32 project_loaded_f32(const f32 value) {
    return value == value ? value + 0.0f : T_FROM_BITS(0x7fc00000u);
}
T_FUNCTION f32 project_better_f32(const f32 value, const f32 best, const i32 by) {
    const i32 is_better = by == project_maximum ? value > best : value < best;
    return is_better || value != value ? value : best;
}
#define PROJECT_IS_FLOAT 1
#define PROJECT_LOADED(v) project_loaded_f32(v)
#define PROJECT_BETTER(a, b) project_better_f32(a, b, all.value)
#define PROJECT_PIXEL f32
#include "kernels/transforms/project.body.h"
#undef PROJECT_BETTER
#undef PROJECT_LOADED
#undef PROJECT_IS_FLOAT

#define PROJECT_IS_FLOAT 0
#define PROJECT_LOADED(v) (v)
#define PROJECT_BETTER(a, b) (all.value == project_maximum ? T_MAX(a, b) : T_MIN(a, b))
#define PROJECT_PIXEL u8
#include "kernels/transforms/project.body.h"
#define PROJECT_PIXEL i8
#include "kernels/transforms/project.body.h"
#define PROJECT_PIXEL u16
#include "kernels/transforms/project.body.h"
#define PROJECT_PIXEL i16
#include "kernels/transforms/project.body.h"
#define PROJECT_PIXEL u32
#include "kernels/transforms/project.body.h"
#define PROJECT_PIXEL i32
#include "kernels/transforms/project.body.h"
#undef PROJECT_BETTER
#undef PROJECT_LOADED
#undef PROJECT_IS_FLOAT

#include "kernels/end.h"
