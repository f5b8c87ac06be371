// As tridiagonal.kernel.h, in double precision.
#define T_FILE tridiagonal_f64
#define T_USES_F64
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_layout.h"

#define TRIDIAGONAL_VALUE f64
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f64)
#define TRIDIAGONAL_ROWS tridiagonal_rows_f64
#include "kernels/transforms/tridiagonal.body.h"
#include "kernels/transforms/tridiagonal_chunks.body.h"
// For one class of devices each.
#include "kernels/transforms/cpu/tridiagonal_lanes.body.h"
#include "kernels/transforms/gpu/tridiagonal_groups.body.h"
#undef TRIDIAGONAL_ROWS
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
