// Sum, minimum and maximum. A launch reduces each group's part to one value; a second launch of one
// group reduces those. The order of additions depends on the count alone.
#define T_FILE reduce
#include "kernels/begin.h"

enum { reduce_sum = 0, reduce_minimum = 1, reduce_maximum = 2 };

// Sums of integers wrap modulo 2^32.
T_FUNCTION u32 reduce_two_u32(const i32 operation, const u32 a, const u32 b) {
    if (operation == reduce_sum) return a + b;
    return operation == reduce_minimum ? T_MIN(a, b) : T_MAX(a, b);
}
T_FUNCTION i32 reduce_two_i32(const i32 operation, const i32 a, const i32 b) {
    if (operation == reduce_sum) return (i32)((u32)a + (u32)b);
    return operation == reduce_minimum ? T_MIN(a, b) : T_MAX(a, b);
}
// -0 counts as less than +0, and `a`, which starts from an infinity, never becomes NaN: so the
// result does not depend on the order of the values.
T_FUNCTION f32 reduce_two_f32(const i32 operation, const f32 a, const f32 b) {
    if (operation == reduce_sum) return a + b;
    if (operation == reduce_minimum) return b < a || (b == a && T_BITS(b) > T_BITS(a)) ? b : a;
    return b > a || (b == a && T_BITS(b) < T_BITS(a)) ? b : a;
}

#define REDUCE_VALUE u32
#include "kernels/primitives/reduce.body.h"
#undef REDUCE_VALUE
#define REDUCE_VALUE i32
#include "kernels/primitives/reduce.body.h"
#undef REDUCE_VALUE
#define REDUCE_VALUE f32
#include "kernels/primitives/reduce.body.h"
#undef REDUCE_VALUE

#include "kernels/end.h"
