// Group kernels that do several steps of a stencil on one reading of the image.
#define T_FILE sweeps
#include "kernels/begin.h"

// The step of bench_stencil inside the image, where `here` has neighbors before and behind it.
T_FUNCTION f32 t_moved(T_LOCAL_PTR(const f32) here, f32 above, f32 center, f32 below) {
    const f32 sum = here[-1] + here[1] + above + below;
    return 0.5f * center + 0.125f * sum;
}

T_FUNCTION i32 t_on_border(i32 x, i32 y, i32 width, i32 height) {
    return x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1;
}

// Reads every second row from (x, y) down, 16 of them; beyond the image its border goes on.
T_FUNCTION void t_read_tile(T_GLOBAL_PTR(const f32) source, f32* value, i32 x, i32 y, i32 width,
                            i32 height) {
    const i32 x_read = T_CLAMP(x, 0, width - 1);
    if (y < 0 || y + 30 >= height) {
        T_UNROLL for (i32 k = 0; k < 16; ++k) value[k] =
            source[(i64)T_CLAMP(y + 2 * k, 0, height - 1) * width + x_read];
    } else {
        T_GLOBAL_PTR(const f32) column = source + (i64)y * width + x_read;
        const i64 stride = 2 * (i64)width;
        T_UNROLL for (i32 k = 0; k < 16; ++k) {
            value[k] = *column;
            column += stride;
        }
    }
}

#define SWEEPS_STEPS 2
#include "sweeps.body.h"
#undef SWEEPS_STEPS
#define SWEEPS_STEPS 3
#include "sweeps.body.h"
#undef SWEEPS_STEPS
#define SWEEPS_STEPS 4
#include "sweeps.body.h"
#undef SWEEPS_STEPS

#include "kernels/end.h"
