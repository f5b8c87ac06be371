// Double precision: a text of its own, built only on devices that have it.
#define T_USES_F64
#define T_FILE dialect_f64_test
#include "kernels/begin.h"

T_SIMD_KERNEL(test_f64, (T_IN(f64) a, T_OUT(f64) out, f64 factor)) {
    T_INDEX1(i);
    out[i] = a[i] * factor + 1.0;
}

#include "kernels/end.h"
