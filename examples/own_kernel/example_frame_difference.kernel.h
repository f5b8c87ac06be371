// A kernel in Tesela's dialect (docs/kernels.md): one text for the CPU, CUDA and OpenCL.
#define T_FILE example_frame_difference
#include "kernels/begin.h"

// The difference of two frames. Its name and that of the file begin with the project's, because all
// kernels of a program and its libraries have names of their own.
T_SIMD_KERNEL(example_frame_difference, (T_IN(u8) before, T_IN(u8) after, T_OUT(u8) difference)) {
    T_INDEX1(i);
    difference[i] = (u8)T_ABS((i32)after[i] - (i32)before[i]);
}

#include "kernels/end.h"
