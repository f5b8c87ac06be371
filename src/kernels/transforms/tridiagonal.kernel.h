// Tridiagonal systems in single precision.
#define T_FILE tridiagonal
#include "kernels/begin.h"
#include "kernels/transforms/tridiagonal_layout.h"

#define TRIDIAGONAL_VALUE f32
#define TRIDIAGONAL_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/tridiagonal.body.h"
#undef TRIDIAGONAL_OF
#undef TRIDIAGONAL_VALUE

#include "kernels/end.h"
