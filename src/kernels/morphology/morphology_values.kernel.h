// Whether an image of bytes is a mask.
#define T_FILE morphology_values
#include "kernels/begin.h"

enum { morphology_values_of_item = 64 };

// range[0] = the lowest value above 0, range[1] = the highest. The values of an item are `items`
// apart.
T_KERNEL(morphology_values,
         (T_IN(u8) values, T_GLOBAL_PTR(u32) range, const i64 items, const i64 count)) {
    T_INDEX1(i);
    u32 lowest = 255;
    u32 highest = 0;
    for (i64 at = i; at < count; at += items) {
        const u32 value = values[at];
        lowest = value != 0 ? T_MIN(lowest, value) : lowest;
        highest = T_MAX(highest, value);
    }
    if (lowest < T_LOAD(u32, range)) T_ATOMIC_MIN(range, lowest);
    if (highest > T_LOAD(u32, range + 1)) T_ATOMIC_MAX(range + 1, highest);
}

#include "kernels/end.h"
