// Mean shift with a flat window over fixed-point features (spec 000, sections 2 and 3.5).
//
// Positions and features are integers, means are rounded quotients of integer sums, and which
// samples are in the window follows from integer comparisons (space) and from IEEE single-precision
// products and sums in one fixed order (range): no result depends on order, vector width or device.
#define T_FILE mean_shift
#include "kernels/begin.h"

// Whether lattice point i of an axis is inside the open interval around `center`.
T_FUNCTION i32 t_inside(i32 i, i32 step, i32 center, i64 limit2) {
    const i64 d = (i64)i * step - center;
    return d * d < limit2;
}

// First and last lattice point of 0..count-1 with (i * step - center)^2 < limit2; first > last
// where there is none. The estimate in f32 is mended by exact integer tests.
T_FUNCTION i32 t_first_inside(i32 center, i32 step, f32 inverse_step, i32 count, i64 limit2) {
    const f32 estimate = ((f32)center - T_SQRT((f32)limit2)) * inverse_step;
    i32 i = (i32)T_CLAMP(estimate, 0.0f, (f32)(count - 1));
    while (i > 0 && t_inside(i - 1, step, center, limit2)) --i;
    while (i < count && (i64)i * step < center && !t_inside(i, step, center, limit2)) ++i;
    return i;
}
T_FUNCTION i32 t_last_inside(i32 center, i32 step, f32 inverse_step, i32 count, i64 limit2) {
    const f32 estimate = ((f32)center + T_SQRT((f32)limit2)) * inverse_step;
    i32 i = (i32)T_CLAMP(estimate, 0.0f, (f32)(count - 1));
    while (i + 1 < count && t_inside(i + 1, step, center, limit2)) ++i;
    while (i >= 0 && (i64)i * step > center && !t_inside(i, step, center, limit2)) --i;
    return t_inside(i, step, center, limit2) ? i : -1;
}

// sum / count, rounded to the nearest, halves up.
T_FUNCTION i32 t_mean(i64 sum, i64 count) {
    const i64 numerator = 2 * sum + count;
    const i64 denominator = 2 * count;
    i64 quotient = numerator / denominator;
    if (quotient * denominator > numerator) --quotient;  // division truncates toward zero
    return (i32)quotient;
}

T_FUNCTION i64 t_square(i32 a) { return (i64)a * a; }
T_FUNCTION f32 t_square_f32(i32 a) { return (f32)a * (f32)a; }

// Every point starts at itself.
T_KERNEL(mean_shift_start, (T_OUT(i32) position, T_OUT(u32) active, i64 points, i32 nx, i32 ny,
                            i32 step_x, i32 step_y, i32 step_z)) {
    T_INDEX1(i);
    const i32 row = i / nx;
    position[i] = (i - row * nx) * step_x;
    position[points + i] = row % ny * step_y;
    position[2 * points + i] = row / ny * step_z;
    active[i] = (u32)i;
}

#define T_CHANNELS 1
#include "kernels/mean_shift.body.h"
#undef T_CHANNELS
#define T_CHANNELS 3
#include "kernels/mean_shift.body.h"
#undef T_CHANNELS

#include "kernels/end.h"
