// The median of 5 x 5 values.
#ifndef TESELA_KERNELS_FILTERS_MEDIAN_H
#define TESELA_KERNELS_FILTERS_MEDIAN_H

#include "kernels/filters/borders.h"

// Values are compared as integers of the same order, of which processors have the lower and the
// higher in one instruction.

T_FUNCTION i32 median_ordered(const f32 value) {
    const i32 bits = (i32)T_BITS(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
T_FUNCTION f32 median_from_ordered(const i32 ordered) {
    return T_FROM_BITS((u32)(ordered ^ ((ordered >> 31) & 0x7fffffff)));
}

#define MEDIAN_VALUE i32
#define MEDIAN_OF(name) name
#include "kernels/filters/median_network.body.h"
#undef MEDIAN_OF

// Of the middle of a tile of medians, and of its group; and of a row with what the medians reach
// to.
enum { median_tile_width = 32, median_tile_pitch = median_tile_width + 4 };

#endif
