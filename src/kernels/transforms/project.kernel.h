// Images along one of their axes as one value: the largest, the smallest, sums, means, deviations.
#define T_FILE project
#include "kernels/begin.h"
#include "kernels/color.h"

// Lines of `count` values that are `step` apart; `step` lines are beside each other.
typedef struct {
    i64 step;
    i32 count;
    i32 value;  // project_maximum and so on
    f32 share;  // 1 / count
    i32 padding;
} projected_lines;

enum { project_maximum = 0, project_minimum, project_mean, project_sum, project_deviation };
enum { project_strip = 256 };  // lines that an item of the CPU takes

// How many of up to `most` lines there are from `first` on; a line alone is there.
T_FUNCTION i32 project_lines_at(const projected_lines all, const i64 first, const i32 most) {
    return most == 1 ? 1 : (i32)T_MIN((i64)most, all.step - first);
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

// Of values whose squared differences from a value have this sum, which is `shift` below the mean.
T_FUNCTION f32 project_deviation_of(const f32 squares, const f32 shift,
                                    const projected_lines lines) {
    const f32 variance = squares * lines.share - shift * shift;
    return variance - variance == 0.0f ? t_sqrt(T_MAX(variance, 0.0f)) : variance;
}

// NaN stands for all values of its line.
#define PROJECT_IS_FLOAT 1
#define PROJECT_IS_ABOVE(a, b) ((a) > (b) || (a) != (a))
#define PROJECT_IS_BELOW(a, b) ((a) < (b) || (a) != (a))
#define PROJECT_PIXEL f32
#include "kernels/transforms/project.body.h"
#undef PROJECT_IS_BELOW
#undef PROJECT_IS_ABOVE
#undef PROJECT_IS_FLOAT

#define PROJECT_IS_FLOAT 0
#define PROJECT_IS_ABOVE(a, b) ((a) > (b))
#define PROJECT_IS_BELOW(a, b) ((a) < (b))
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
#undef PROJECT_IS_BELOW
#undef PROJECT_IS_ABOVE
#undef PROJECT_IS_FLOAT

#include "kernels/end.h"
