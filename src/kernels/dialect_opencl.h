// OpenCL C 1.2 expansions of the dialect. Preprocessed when Tesela is built: no #if on properties
// of a device can stand in a kernel file.
#ifndef TESELA_KERNELS_DIALECT_OPENCL_H
#define TESELA_KERNELS_DIALECT_OPENCL_H

#pragma OPENCL FP_CONTRACT OFF
#ifdef T_USES_F64
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#endif

typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;

#define T_FILE_BEGIN
#define T_FILE_END

// ---- Kernels and helpers ---------------------------------------------------------------------

#define T_KERNEL(name, params) T_KERNEL_(name, params)
#define T_KERNEL_(name, params) \
    __kernel void name(const i32 T_size_x, const i32 T_size_y, const i32 T_size_z, T_STRIP params)
#define T_SIMD_KERNEL(name, params) T_KERNEL(name, params)
#define T_GROUP_KERNEL(name, gx, gy, gz, params) T_GROUP_KERNEL_(name, gx, gy, gz, params)
#define T_GROUP_KERNEL_(name, gx, gy, gz, params) \
    __kernel __attribute__((reqd_work_group_size(gx, gy, gz))) void name(T_STRIP params)
#define T_FULL_GROUP_KERNEL(name, gx, gy, gz, params) T_GROUP_KERNEL(name, gx, gy, gz, params)
// Always inlined: a compiler that propagates the address of a `__local` array into a function of
// its own makes PoCL give that function another array.
#define T_FUNCTION static inline __attribute__((always_inline))

#define T_IN(type) __global const type* restrict
#define T_OUT(type) __global type* restrict
#define T_GLOBAL_PTR(type) __global type*
#define T_LOCAL_PTR(type) __local type*
#define T_LOCAL(type, name, count) __local type name[count]
#define T_CONSTANT(type, name, count) __constant type name[count]

// ---- Item ids --------------------------------------------------------------------------------

#define T_INDEX1(X)                      \
    const i32 X = (i32)get_global_id(0); \
    if (X >= T_size_x) return
#define T_INDEX2(X, Y)                   \
    const i32 X = (i32)get_global_id(0); \
    const i32 Y = (i32)get_global_id(1); \
    if (X >= T_size_x || Y >= T_size_y) return
#define T_INDEX3(X, Y, Z)                \
    const i32 X = (i32)get_global_id(0); \
    const i32 Y = (i32)get_global_id(1); \
    const i32 Z = (i32)get_global_id(2); \
    if (X >= T_size_x || Y >= T_size_y || Z >= T_size_z) return

// ---- Groups and phases -----------------------------------------------------------------------

#define T_PHASE barrier(CLK_LOCAL_MEM_FENCE);
#define T_PHASE_OF_32 T_PHASE
#define T_AFTER_LAST_LAUNCH ((void)0)
#define T_LX ((i32)get_local_id(0))
#define T_LY ((i32)get_local_id(1))
#define T_LZ ((i32)get_local_id(2))
#define T_LI ((T_LZ * (i32)get_local_size(1) + T_LY) * (i32)get_local_size(0) + T_LX)
#define T_GX ((i32)get_group_id(0))
#define T_GY ((i32)get_group_id(1))
#define T_GZ ((i32)get_group_id(2))
#define T_GROUPS_X ((i32)get_num_groups(0))
#define T_GROUPS_Y ((i32)get_num_groups(1))
#define T_ITEM(type, name) type name
#define T_ITEM_ARRAY(type, name, count) type name[count]
#define T_MY(name) name

// ---- Loops, maths, atomics -------------------------------------------------------------------

#define T_UNROLL _Pragma("unroll")
#define T_NO_UNROLL _Pragma("unroll 1")
#define T_SIMD_FOR(i, first, end) for (i32 i = (first); i < (end); ++i)

// Wraps also where the sum is an i32.
#define T_ADD_IF(sum, condition, v)                   \
    do {                                              \
        if (condition) (sum) = (u32)(sum) + (u32)(v); \
    } while (0)

#define T_SQRT(a) sqrt((f32)(a))
#define T_SQRT_ROUGH(a) native_sqrt((f32)(a))
#define T_RECIPROCAL_ROUGH(a) native_recip((f32)(a))
#define T_FLOOR(a) floor((f32)(a))
#define T_FMA(a, b, c) fma((f32)(a), (f32)(b), (f32)(c))
#define T_BITS(a) as_uint((f32)(a))
#define T_FROM_BITS(a) as_float((u32)(a))
#define T_ROUND(a) convert_int_rte((f32)(a))
#define T_POPCOUNT(a) ((i32)popcount((u32)(a)))
#define T_HIGHEST_BIT(a) (31 - (i32)clz((u32)(a)))
#define T_MUL_HIGH(a, b) mul_hi((u32)(a), (u32)(b))

#define T_READ_FOUR(values, pointer) \
    vstore4(*(__global const float4*)(pointer), 0, (__private f32*)(values))
#define T_WRITE_FOUR(pointer, values) \
    (*(__global float4*)(pointer) = vload4(0, (__private const f32*)(values)))

#define T_ATOMIC_ADD(pointer, value) atomic_add(pointer, value)
#define T_ATOMIC_MIN(pointer, value) atomic_min(pointer, value)
#define T_ATOMIC_MAX(pointer, value) atomic_max(pointer, value)
#define T_ATOMIC_OR(pointer, value) atomic_or(pointer, value)
#define T_ATOMIC_CAS(pointer, expected, desired) atomic_cmpxchg(pointer, expected, desired)
#define T_LOAD(type, pointer) (*(volatile __global const type*)(pointer))
#define T_LOAD_CACHED(type, pointer) (*(__global const type*)(pointer))
#define T_STORE(type, pointer, value) (*(volatile __global type*)(pointer) = (value))

#endif
