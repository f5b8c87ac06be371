// The gradient of a smoothed image, and its stop function.
#define T_FILE stop_function
#include "kernels/begin.h"

#define STOP_VALUE u8
#define STOP_OF(name) T_JOIN(name, _u8)
#include "kernels/levelset/stop_values.body.h"
#undef STOP_OF
#undef STOP_VALUE

#define STOP_VALUE u16
#define STOP_OF(name) T_JOIN(name, _u16)
#include "kernels/levelset/stop_values.body.h"
#undef STOP_OF
#undef STOP_VALUE

#define STOP_VALUE i16
#define STOP_OF(name) T_JOIN(name, _i16)
#include "kernels/levelset/stop_values.body.h"
#undef STOP_OF
#undef STOP_VALUE

#define STOP_VALUE f32
#define STOP_OF(name) T_JOIN(name, _f32)
#include "kernels/levelset/stop_values.body.h"
#undef STOP_OF
#undef STOP_VALUE

// The slope along an axis at place `at` of `length`; one-sided at the ends, 0 along an axis of one
// point. `inverse` is 1 / spacing.
T_FUNCTION f32 stop_slope(T_GLOBAL_PTR(const f32) here, const i64 step, const i32 at,
                          const i32 length, const f32 inverse) {
    const i64 before = at > 0 ? step : 0;
    const i64 behind = at + 1 < length ? step : 0;
    const f32 share = before != 0 && behind != 0 ? 0.5f : 1.0f;
    return (here[behind] - here[-before]) * share * inverse;
}

T_KERNEL(stop_squared_gradient,
         (T_IN(f32) values, T_OUT(f32) squared, const i32 nx, const i32 ny, const i32 nz,
          const f32 inverse_x, const f32 inverse_y, const f32 inverse_z)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x;
    T_GLOBAL_PTR(const f32) here = values + i;
    const f32 gx = stop_slope(here, 1, x, nx, inverse_x);
    const f32 gy = stop_slope(here, nx, y, ny, inverse_y);
    const f32 gz = stop_slope(here, (i64)nx * ny, z, nz, inverse_z);
    squared[i] = gx * gx + gy * gy + gz * gz;
}

enum { stop_bins = 1 << 16 };

// A histogram of squares by the upper half of their bits, or of those whose upper half is `upper`
// by the lower half. Bits of nonnegative floats are ordered like the floats. Zeros, of flat
// regions, are not counted.
T_KERNEL(stop_histogram,
         (T_IN(f32) squared, const i32 by_lower, const u32 upper, T_OUT(u32) bins)) {
    T_INDEX1(i);
    const u32 bits = T_BITS(squared[i]);
    if (bits == 0u) return;
    if (by_lower == 0)
        T_ATOMIC_ADD(bins + (bits >> 16), 1u);
    else if (bits >> 16 == upper)
        T_ATOMIC_ADD(bins + (bits & (stop_bins - 1u)), 1u);
}

// g = 1 / (1 + |grad v|^2 / lambda^2): P. Perona, J. Malik, 1990.
T_SIMD_KERNEL(stop_of_gradient, (T_OUT(f32) squared, const f32 inverse_squared_contrast)) {
    T_INDEX1(i);
    squared[i] = 1.0f / (1.0f + squared[i] * inverse_squared_contrast);
}

T_SIMD_KERNEL(stop_stretch, (T_OUT(f32) values, const f32 lowest, const f32 span)) {
    T_INDEX1(i);
    values[i] = (values[i] - lowest) / span;
}

// Objects may not enter points with steeper gradients. 0x8000 is ftc_no_entry.
T_SIMD_KERNEL(stop_entry, (T_IN(f32) squared, const f32 steepest, T_OUT(u16) levels)) {
    T_INDEX1(i);
    const u32 level = levels[i];
    levels[i] = (u16)(level | (squared[i] > steepest ? 0x8000u : 0u));
}

#include "kernels/end.h"
