// Windows of gray values as a thesis matches them (tesela/register_thesis.h).
#define T_FILE register_thesis
#include "kernels/begin.h"

// Values between pixels of 65536 steps, in such steps.
T_KERNEL(window_grays, (T_IN(f32) windows, T_OUT(u16) steps)) {
    T_INDEX1(i);
    steps[i] = (u16)(windows[i] + 0.5f);
}

#include "kernels/end.h"
