// Double precision: a text of its own, built only on devices that have it.
#define T_USES_F64
#define T_FILE dialect_f64_test
#include "kernels/begin.h"

T_SIMD_KERNEL(test_f64, (T_IN(f64) a, T_OUT(f64) out, f64 factor)) {
    T_INDEX1(i);
    out[i] = a[i] * factor + 1.0;
}

typedef struct {
    f64 factor;
    i64 shift;
    f32 offset[2];
    f64 divisor[2];
} test_f64_struct;
T_KERNEL(test_f64_struct_layout, (T_OUT(i32) layout, T_OUT(f64) values, test_f64_struct s)) {
    T_INDEX1(i);
    layout[5 * i] = (i32)sizeof(s);
    layout[5 * i + 1] = (i32)((const u8*)&s.factor - (const u8*)&s);
    layout[5 * i + 2] = (i32)((const u8*)&s.shift - (const u8*)&s);
    layout[5 * i + 3] = (i32)((const u8*)s.offset - (const u8*)&s);
    layout[5 * i + 4] = (i32)((const u8*)s.divisor - (const u8*)&s);
    values[i] =
        s.factor * (f64)s.shift + (f64)(s.offset[0] * s.offset[1]) + s.divisor[0] * s.divisor[1];
}

#include "kernels/end.h"
