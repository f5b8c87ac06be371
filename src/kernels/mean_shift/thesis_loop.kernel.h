// The thesis's variant, phases 3 and 4: one iteration of every point in the queue, and the colors
// of the modes (Martin Gaspar 2011, sections 4.2.3 and 4.2.4).
#define T_FILE thesis_loop
#include "kernels/begin.h"
#include "kernels/mean_shift/thesis_functions.h"

// The window of a round, as that of mean_shift.kernel.h, and the points in the queue.
typedef struct {
    i64 spatial_limit2, time_limit2;
    f32 range_limit2, inverse_spatial2, inverse_time2, inverse_range2, epsilon2;
    i32 queue_length;
} thesis_round;

#define THESIS_OF(name) T_JOIN(T_JOIN(T_JOIN(T_JOIN(name, _), THESIS_SPATIAL), x), THESIS_RANGE)

#define THESIS_SPATIAL 2
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_iterate.body.h"
#define THESIS_SPATIAL 2
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_iterate.body.h"
#define THESIS_SPATIAL 3
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_iterate.body.h"
#define THESIS_SPATIAL 3
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_iterate.body.h"
#define THESIS_SPATIAL 4
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_iterate.body.h"
#define THESIS_SPATIAL 4
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_iterate.body.h"

// The queue of the first round.
T_KERNEL(thesis_start_queue, (T_OUT(u32) queue)) {
    T_INDEX1(i);
    queue[i] = (u32)i;
}

// The color part of each mode, one plane a channel. `first` is its place in a vector of
// `dimension` coordinates.
T_KERNEL(thesis_mode_colors, (T_IN(i32) positions, T_OUT(i32) modes, i64 points, i32 channels,
                              i32 dimension, i32 first)) {
    T_INDEX1(i);
    for (i32 c = 0; c < channels; ++c)
        modes[c * points + i] = positions[(i64)i * dimension + first + c];
}

#undef THESIS_OF

#include "kernels/end.h"
