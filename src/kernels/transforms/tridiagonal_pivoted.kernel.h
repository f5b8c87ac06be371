// Tridiagonal systems with pivoting, in single precision.
#define T_FILE tridiagonal_pivoted
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_sides.h"

#define TRIDIAGONAL_VALUE f32
// What is shared with tridiagonal.kernel.h has a name of its own here.
#define TRIDIAGONAL_OF(name) T_JOIN(T_JOIN(pivoted_, name), _f32)
#define TRIDIAGONAL_ROWS tridiagonal_rows_f32
// For tridiagonal_power: 1 / (2 u) + 1 and 1 - u, where u is the rounding unit, and the range in
// which these overflow and underflow nowhere.
#define TRIDIAGONAL_UNITS 8388609.0f
#define TRIDIAGONAL_BELOW_1 0.99999994f
#define TRIDIAGONAL_LOWEST 1.17549435e-38f
#define TRIDIAGONAL_HIGHEST 1e30f
#include "kernels/transforms/tridiagonal_chunks.body.h"
#include "kernels/transforms/tridiagonal_pivot.body.h"
// Made of these:
#include "kernels/transforms/tridiagonal_blocks.body.h"
#include "kernels/transforms/tridiagonal_factors.body.h"
// For one class of devices each.
#include "kernels/transforms/cpu/tridiagonal_factors_lanes.body.h"
#include "kernels/transforms/cpu/tridiagonal_pivoted_lanes.body.h"
#include "kernels/transforms/gpu/tridiagonal_factors_groups.body.h"
#include "kernels/transforms/gpu/tridiagonal_pivoted_groups.body.h"
#undef TRIDIAGONAL_HIGHEST
#undef TRIDIAGONAL_LOWEST
#undef TRIDIAGONAL_BELOW_1
#undef TRIDIAGONAL_UNITS
#undef TRIDIAGONAL_ROWS
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
