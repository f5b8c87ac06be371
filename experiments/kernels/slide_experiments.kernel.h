// Kernels of the experiments on slides alone.
#define T_FILE slide_experiments
#include "kernels/begin.h"

// Next to nothing, to see what a launch costs.
T_KERNEL(slide_experiments_count, (T_OUT(u32) launches)) {
    T_INDEX1(i);
    launches[i] += 1u;
}

#include "kernels/end.h"
