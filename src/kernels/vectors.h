// Words for kernels that hold values of neighboring points side by side: vectors of V_WIDTH lanes
// on a CPU, by the level that it is compiled for, and single values elsewhere. docs/kernels.md
// gives each word. Their names begin with V_; a kernel file that uses them includes this header.
#ifndef TESELA_KERNELS_VECTORS_H
#define TESELA_KERNELS_VECTORS_H

#ifdef T_TARGET_CPU
    #include "kernels/vectors_cpu.h"
#else

    #define V_WIDTH 1
    #define V_WIDTH_U16 1
    #define V_WIDTH_U64 1
typedef i32 V_I32;
typedef f32 V_F32;
typedef u16 V_U16;
typedef u32 V_U32;
typedef u64 V_U64;

    #define V_LANES 0
    #define V_OF(type, value) ((type)(value))
    #define V_READ(type, pointer) (*(pointer))
    #define V_WRITE(type, pointer, v) *(pointer) = (v)
    #define V_AFTER(a, b, d) ((d) == 0 ? (a) : (b))
    #define V_WHERE(type, bits) (((bits)&1u) != 0)
    #define V_ANY(v) ((v) != 0)
    #define V_SUM(v) ((i64)(v))
    #define V_LANE(v, i) (v)
    #define V_ADD_IF(sum, condition, v) T_ADD_IF(sum, condition, v)

    #define V_BLOCK 4
    #define V_READ_BLOCK(name, pointer)                                               \
        f32 T_JOIN(name, _bits)[4];                                                   \
        T_READ_FOUR(T_JOIN(name, _bits), (T_GLOBAL_PTR(const f32))(pointer));         \
        const i32 name[4] = {                                                         \
            (i32)T_BITS(T_JOIN(name, _bits)[0]), (i32)T_BITS(T_JOIN(name, _bits)[1]), \
            (i32)T_BITS(T_JOIN(name, _bits)[2]), (i32)T_BITS(T_JOIN(name, _bits)[3])}
    #define V_AHEAD(v, begin, count) ((u32)((v) - (begin)) < (u32)(count))

    // A difference below 2^22 is kept in the mantissa of 1.5 * 2^23: one addition converts it.
    // Larger ones come out larger in magnitude, or as NaN.
    #define V_NEAR(v, center) ((i32)((u32)(v) + (0x4B400000u - (u32)(center))))
    #define V_NEAR_F32(d) (T_FROM_BITS(d) - 12582912.0f)
    #define V_ADD_NEAR_IF(sum, condition, d) V_ADD_IF(sum, condition, d)
    #define V_NEAR_SUM(sum, count) ((i32)((u32)(sum)-0x4B400000u * (u32)(count)))

#endif
#endif
