// Whether values are too large for what is computed with them.
#define T_FILE beyond
#include "kernels/begin.h"

// found[0] is 1 where the size of a value is above `most`; of values that are not finite only with
// `not_finite`.
T_KERNEL(values_beyond,
         (T_IN(f32) values, T_OUT(u32) found, const f32 most, const i32 not_finite)) {
    T_INDEX1(i);
    const f32 size = T_ABS(values[i]);
    if (!(size <= most) && (not_finite || size - size == 0.0f)) T_STORE(u32, found, 1u);
}

#include "kernels/end.h"
