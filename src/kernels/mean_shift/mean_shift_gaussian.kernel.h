// Mean shift with a truncated Gaussian kernel over fixed-point features (Martin Gaspar 2011,
// eq. 2.1 to 2.4, with the normal profile exp(-u/2); D. Comaniciu, P. Meer, IEEE TPAMI 24(5), 2002,
// section 2).
//
// Weights are computed by multiplications and additions alone, which IEEE 754 rounds in one way,
// and rounded to integers; sums are of integers. So no result depends on order, vector width,
// number of threads or device.
#define T_FILE mean_shift_gaussian
#include "kernels/begin.h"
#include "kernels/exp_of_minus.h"
#include "kernels/mean_shift/rounded_mean.h"

// First and last lattice point that a window of radius^2 `limit2` around `center` reaches on an
// axis. One or two more do no harm: each sample is tested.
T_FUNCTION void ms_gaussian_reach(i32 center, i32 step, i32 count, f32 limit2, i32* first,
                                  i32* last) {
    const f32 inverse = 1.0f / (f32)step;
    const f32 middle = (f32)center * inverse;
    const f32 reach = T_SQRT(T_MAX(limit2, 0.0f)) * inverse * 1.00001f + 1.0f;
    *first = (i32)T_CLAMP(middle - reach, 0.0f, (f32)(count - 1));
    *last = T_MIN((i32)T_CLAMP(middle + reach, 0.0f, (f32)(count - 1)), count - 1);
}

// The mean position of lattice points: their weighted sum is counted in steps from point `first`.
T_FUNCTION i32 ms_gaussian_mean_position(i32 first, i64 sum, i64 weight, i32 step) {
    const i64 whole = sum / weight;
    return (first + (i32)whole) * step + ms_rounded_mean((sum - whole * weight) * step, weight);
}

T_FUNCTION f32 ms_gaussian_square(i32 a) { return (f32)a * (f32)a; }

// The image as a lattice along x, y, z and t, and the window: bandwidths are standard deviations,
// limits the squares of where the kernel ends.
typedef struct {
    i64 points;
    i32 n[4], step[4];
    f32 spatial_limit2, time_limit2, range_limit2;
    f32 inverse_spatial2, inverse_time2, inverse_range2;
    f32 epsilon2;  // a point stops below this shift, squared, in bandwidths
    f32 heaviest;  // weight of a sample where the point is
} mean_shift_gaussian_window;

// Every point starts at itself.
T_KERNEL(mean_shift_gaussian_start,
         (T_OUT(i32) position, T_OUT(u32) active, mean_shift_gaussian_window g)) {
    T_INDEX1(i);
    const i32 row = i / g.n[0];
    const i32 slice = row / g.n[1];
    position[i] = (i - row * g.n[0]) * g.step[0];
    position[g.points + i] = row % g.n[1] * g.step[1];
    position[2 * g.points + i] = slice % g.n[2] * g.step[2];
    position[3 * g.points + i] = slice / g.n[2] * g.step[3];
    active[i] = (u32)i;
}

#define MEAN_SHIFT_CHANNELS 1
#include "kernels/mean_shift/mean_shift_gaussian.body.h"
#undef MEAN_SHIFT_CHANNELS
#define MEAN_SHIFT_CHANNELS 3
#include "kernels/mean_shift/mean_shift_gaussian.body.h"
#undef MEAN_SHIFT_CHANNELS

#include "kernels/end.h"
