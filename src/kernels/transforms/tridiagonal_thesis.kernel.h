// Tridiagonal systems in the ways of a thesis, in single precision.
#define T_FILE tridiagonal_thesis
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_thesis_layout.h"

#define TRIDIAGONAL_VALUE f32
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/tridiagonal_thesis_rows.body.h"
// Which the others are made of.
#include "kernels/transforms/tridiagonal_thesis_parts.body.h"
#include "kernels/transforms/tridiagonal_thesis_reduction.body.h"
#include "kernels/transforms/tridiagonal_thesis_split.body.h"
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
