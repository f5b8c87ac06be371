// An exponential of multiplications and additions alone, so that every device gives the same bits.
#ifndef TESELA_KERNELS_EXP_OF_MINUS_H
#define TESELA_KERNELS_EXP_OF_MINUS_H

// exp(-a) for 0 <= a < 80, relative error below 4e-7: a power of two by the exponent's bits, and
// the Taylor series of 2^-f around f = 1/2, six terms.
T_FUNCTION f32 t_exp_of_minus(f32 a) {
    const f32 t = a * 1.44269504f;
    const i32 whole = (i32)t;
    const f32 f = t - (f32)whole - 0.5f;
    f32 p = 1.08919e-4f;
    p = p * f - 9.428242e-4f;
    p = p * f + 6.801039e-3f;
    p = p * f - 3.9247e-2f;
    p = p * f + 1.698669e-1f;
    p = p * f - 4.901291e-1f;
    p = p * f + 7.071068e-1f;
    return p * T_FROM_BITS((u32)(127 - whole) << 23);
}

#endif
