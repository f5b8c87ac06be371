// Values with noise that was cut off at an end of a range (transforms/clipping.h).
#define T_FILE clipping
#include "kernels/begin.h"

// 1 where a sample is at the end, or with `beside` where it is not, but within `reach` of it.
T_SIMD_KERNEL(clipping_marks, (T_IN(f32) samples, T_OUT(u32) marks, const f32 end, const f32 reach,
                               const i32 beside)) {
    T_INDEX1(i);
    const f32 away = samples[i] - end;
    const i32 is_there = samples[i] == end;
    marks[i] = (u32)(beside ? !is_there & (T_ABS(away) <= reach) : is_there);
}

// Means from `first` on. Distances from the end, by `unit`, which is negative at the highest one,
// are replaced by those of a table of `steps` entries a unit, up to `reach` units.
T_KERNEL(clipping_correct, (T_OUT(f32) means, T_IN(f32) table, const i64 first, const f32 end,
                            const f32 unit, const f32 steps, const f32 reach)) {
    T_INDEX1(i);
    const f32 distance = (means[first + i] - end) / unit;
    f32 moved = distance;
    if (distance < reach) {
        const f32 place = T_MAX(distance, 0.0f) * steps;
        const i32 below = (i32)place;
        moved = table[below] + (place - (f32)below) * (table[below + 1] - table[below]);
    }
    means[first + i] = end + unit * moved;
}

#include "kernels/end.h"
