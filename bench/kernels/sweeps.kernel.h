// Group kernels that do several steps of a stencil on one reading of the image.
#define T_FILE sweeps
#include "kernels/begin.h"

// The step of bench_stencil at `here`; pixels that are not inside stay.
T_FUNCTION f32 t_moved(T_LOCAL_PTR(const f32) here, f32 above, f32 center, f32 below, i32 inside) {
    const f32 sum = here[-1] + here[1] + above + below;
    const f32 moved = 0.5f * center + 0.125f * sum;
    return inside ? moved : center;
}

#define T_SWEEPS 2
#include "sweeps.body.h"
#undef T_SWEEPS
#define T_SWEEPS 3
#include "sweeps.body.h"
#undef T_SWEEPS
#define T_SWEEPS 4
#include "sweeps.body.h"
#undef T_SWEEPS

#include "kernels/end.h"
