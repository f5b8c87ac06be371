// Tridiagonal systems in single precision.
#define T_FILE tridiagonal
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_layout.h"

#define TRIDIAGONAL_VALUE f32
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f32)
#define TRIDIAGONAL_ROWS tridiagonal_rows_f32
#include "kernels/transforms/tridiagonal.body.h"
#include "kernels/transforms/tridiagonal_chunks.body.h"
// For one class of devices each.
#include "kernels/transforms/cpu/tridiagonal_lanes.body.h"
#include "kernels/transforms/gpu/tridiagonal_groups.body.h"
#undef TRIDIAGONAL_ROWS
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
