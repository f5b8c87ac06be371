// Tridiagonal systems in the ways of a thesis, in double precision.
#define T_FILE tridiagonal_thesis_f64
#define T_USES_F64
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_thesis_layout.h"

#define TRIDIAGONAL_VALUE f64
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f64)
#include "kernels/transforms/tridiagonal_thesis_rows.body.h"
// Which the others are made of.
#include "kernels/transforms/tridiagonal_thesis_parts.body.h"
#include "kernels/transforms/tridiagonal_thesis_reduction.body.h"
#include "kernels/transforms/tridiagonal_thesis_split.body.h"
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
