// Levels of images for reconstruction by dilation, which is one by erosion of what is left up to
// the highest level.
#define T_FILE reconstruct
#include "kernels/begin.h"

enum { reconstruct_highest = 65534 };

// From a mask and a marker below it to a relief and heights above it.
T_SIMD_KERNEL(reconstruct_turn_u8,
              (T_IN(u8) marker, T_IN(u8) mask, T_OUT(u16) heights, T_OUT(u16) relief)) {
    T_INDEX1(i);
    heights[i] = (u16)(reconstruct_highest - T_MIN(marker[i], mask[i]));
    relief[i] = (u16)(reconstruct_highest - mask[i]);
}
T_SIMD_KERNEL(reconstruct_turn_u16,
              (T_IN(u16) marker, T_IN(u16) mask, T_OUT(u16) heights, T_OUT(u16) relief)) {
    T_INDEX1(i);
    heights[i] = (u16)(reconstruct_highest - T_MIN(marker[i], mask[i]));
    relief[i] = (u16)(reconstruct_highest - mask[i]);
}
T_SIMD_KERNEL(reconstruct_turn_back_u8, (T_IN(u16) heights, T_OUT(u8) values)) {
    T_INDEX1(i);
    values[i] = (u8)(reconstruct_highest - heights[i]);
}
T_SIMD_KERNEL(reconstruct_turn_back_u16, (T_IN(u16) heights, T_OUT(u16) values)) {
    T_INDEX1(i);
    values[i] = (u16)(reconstruct_highest - heights[i]);
}

#include "kernels/end.h"
