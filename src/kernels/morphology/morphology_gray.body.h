// Of MORPHOLOGY_VALUE, from MORPHOLOGY_LOWEST to MORPHOLOGY_HIGHEST; MORPHOLOGY_OF(name) appends
// the type to a name. Part of morphology_gray.kernel.h.

#include "kernels/morphology/cpu/morphology_strips.body.h"

// The picked one of points at most `away` along the axis of `n` points that are `stride` apart:
// windows of half length h become such of h + away where away <= h + 1.
T_KERNEL(MORPHOLOGY_OF(morphology_grow),
         (T_IN(MORPHOLOGY_VALUE) values, T_OUT(MORPHOLOGY_VALUE) grown, const i32 is_max,
          const i32 away, const i64 stride, const i32 n)) {
    T_INDEX1(i);
    const i32 at = (i32)(i / stride % n);
    const MORPHOLOGY_VALUE own = MORPHOLOGY_LOADED(values[i]);
    const MORPHOLOGY_VALUE before = MORPHOLOGY_LOADED(values[i - T_MIN(at, away) * stride]);
    const MORPHOLOGY_VALUE after = MORPHOLOGY_LOADED(values[i + T_MIN(n - 1 - at, away) * stride]);
    grown[i] = MORPHOLOGY_PICK(own, MORPHOLOGY_PICK(before, after));
}

// The picked one of `picked` and of the points of `grown` as far away as `count` runs from `first`
// on; of these alone where `is_first` is 1.
T_KERNEL(MORPHOLOGY_OF(morphology_unite),
         (T_IN(MORPHOLOGY_VALUE) grown, T_IN(i32) runs, T_GLOBAL_PTR(MORPHOLOGY_VALUE) picked,
          const i32 is_max, const i32 first, const i32 count, const i32 is_first,
          const morphology_grid grid)) {
    T_INDEX3(x, y, z);
    const i64 own = ((i64)z * grid.ny + y) * grid.nx + x;
    MORPHOLOGY_VALUE value = is_first ? MORPHOLOGY_LOADED(grown[own]) : picked[own];
    for (i32 k = first; k < first + count; ++k) {
        const i32 at_y = y + runs[k * morphology_run_words + morphology_y];
        const i32 at_z = z + runs[k * morphology_run_words + morphology_z];
        if (at_y >= 0 && at_y < grid.ny && at_z >= 0 && at_z < grid.nz) {
            const MORPHOLOGY_VALUE other =
                MORPHOLOGY_LOADED(grown[((i64)at_z * grid.ny + at_y) * grid.nx + x]);
            value = MORPHOLOGY_PICK(value, other);
        }
    }
    picked[own] = value;
}

// a - b, where that is a value.
T_SIMD_KERNEL(MORPHOLOGY_OF(morphology_difference),
              (T_IN(MORPHOLOGY_VALUE) a, T_IN(MORPHOLOGY_VALUE) b,
               T_OUT(MORPHOLOGY_VALUE) result)) {
    T_INDEX1(i);
    result[i] = (MORPHOLOGY_VALUE)T_MIN(a[i] - b[i], MORPHOLOGY_HIGHEST);
}

#undef MORPHOLOGY_LOADED
#undef MORPHOLOGY_OF
#undef MORPHOLOGY_HIGHEST
#undef MORPHOLOGY_LOWEST
#undef MORPHOLOGY_VALUE
