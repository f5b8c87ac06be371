// CUDA C++ expansions of the dialect.
#ifndef TESELA_KERNELS_DIALECT_CUDA_H
#define TESELA_KERNELS_DIALECT_CUDA_H

#include "kernels/cuda_range.h"

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

// Threads that a multiprocessor holds.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    #define T_CUDA_RESIDENT 1024
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ < 900 || \
    defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
    #define T_CUDA_RESIDENT 1536
#else
    #define T_CUDA_RESIDENT 2048
#endif

#define T_FILE_BEGIN
#define T_FILE_END

// ---- Kernels and helpers ---------------------------------------------------------------------

#define T_CUDA_SYMBOL(name) T_JOIN(tesela_cuda_, name)
#define T_KERNEL(name, params) T_KERNEL_(name, params)
#define T_KERNEL_(name, params) T_GLOBAL_(name, T_ITEM_BLOCK, params)
#define T_GLOBAL_(name, threads, params)                                        \
    extern "C" __global__ void __launch_bounds__(threads)                       \
        name(const T_Range T_range, T_STRIP params);                            \
    extern "C" const void* T_CUDA_SYMBOL(name)() { return (const void*)&name; } \
    extern "C" __global__ void __launch_bounds__(threads)                       \
        name(const T_Range T_range, T_STRIP params)
#define T_SIMD_KERNEL(name, params) T_KERNEL(name, params)
#define T_GROUP_KERNEL(name, gx, gy, gz, params) T_GLOBAL_(name, (gx) * (gy) * (gz), params)
#define T_FULL_GROUP_KERNEL(name, gx, gy, gz, params) \
    T_GLOBAL_(name, T_FULL_((gx) * (gy) * (gz)), params)
#define T_FULL_(threads) threads, T_CUDA_RESIDENT / (threads)
#define T_FUNCTION static __device__ __forceinline__

#define T_IN(type) const type* __restrict__
#define T_OUT(type) type* __restrict__
#define T_GLOBAL_PTR(type) type*
#define T_LOCAL_PTR(type) type*
#define T_LOCAL(type, name, count) __shared__ type name[count]
// Not __constant__, which the host may change: the compiler would not know what is in the table.
#define T_CONSTANT(type, name, count) static constexpr __device__ type name[count]

// ---- Item ids --------------------------------------------------------------------------------

#define T_INDEX1(X)                                             \
    const i32 X = (i32)(blockIdx.x * blockDim.x + threadIdx.x); \
    if (X >= T_range.size_x) return
#define T_INDEX2(X, Y)                                                            \
    const i32 X = (i32)(blockIdx.x * blockDim.x + threadIdx.x);                   \
    const i32 Y = (i32)(blockIdx.y * blockDim.y + threadIdx.y) + T_range.first_y; \
    if (X >= T_range.size_x || Y >= T_range.size_y) return
#define T_INDEX3(X, Y, Z)                                                         \
    const i32 X = (i32)(blockIdx.x * blockDim.x + threadIdx.x);                   \
    const i32 Y = (i32)(blockIdx.y * blockDim.y + threadIdx.y) + T_range.first_y; \
    const i32 Z = (i32)(blockIdx.z * blockDim.z + threadIdx.z) + T_range.first_z; \
    if (X >= T_range.size_x || Y >= T_range.size_y || Z >= T_range.size_z) return

// ---- Groups and phases -----------------------------------------------------------------------

#define T_PHASE __syncthreads();
#define T_PHASE_OF_32 __syncwarp();
// Programmatic dependent launch. Only who has waited lets the next launch begin, so that all
// launches before the last one have ended then.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    #define T_AFTER_LAST_LAUNCH \
        asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory")
#else
    #define T_AFTER_LAST_LAUNCH ((void)0)
#endif
#define T_LX ((i32)threadIdx.x)
#define T_LY ((i32)threadIdx.y)
#define T_LZ ((i32)threadIdx.z)
#define T_LI ((T_LZ * (i32)blockDim.y + T_LY) * (i32)blockDim.x + T_LX)
#define T_GX ((i32)blockIdx.x)
#define T_GY ((i32)blockIdx.y + T_range.first_y)
#define T_GZ ((i32)blockIdx.z + T_range.first_z)
#define T_GROUPS_X (T_range.size_x)
#define T_GROUPS_Y (T_range.size_y)
#define T_ITEM(type, name) type name
#define T_ITEM_ARRAY(type, name, count) type name[count]
#define T_MY(name) name

// ---- Loops, maths, atomics -------------------------------------------------------------------

#define T_UNROLL _Pragma("unroll")
#define T_NO_UNROLL _Pragma("unroll 1")
#define T_SIMD_FOR(i, first, end) for (i32 i = (first); i < (end); ++i)

// One predicated addition, where the compiler would select and add.
static __device__ __forceinline__ void T_add_if(u32* sum, i32 condition, u32 v) {
    asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p add.s32 %0, %0, %1; }"
        : "+r"(*sum)
        : "r"(v), "r"(condition));
}
static __device__ __forceinline__ void T_add_if(i32* sum, i32 condition, i32 v) {
    T_add_if((u32*)sum, condition, (u32)v);
}
#define T_ADD_IF(sum, condition, v) T_add_if(&(sum), condition, v)

static __device__ __forceinline__ f32 T_sqrt_rough(f32 a) {
    asm("sqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
    return a;
}
#define T_SQRT(a) __fsqrt_rn(a)
#define T_SQRT_ROUGH(a) T_sqrt_rough(a)
#define T_RECIPROCAL_ROUGH(a) __fdividef(1.0f, a)
#define T_FLOOR(a) floorf(a)
#define T_FMA(a, b, c) __fmaf_rn(a, b, c)
#define T_BITS(a) __float_as_uint(a)
#define T_FROM_BITS(a) __uint_as_float(a)
#define T_ROUND(a) __float2int_rn(a)
#define T_POPCOUNT(a) __popc(a)
#define T_HIGHEST_BIT(a) (31 - __clz((i32)(a)))
#define T_MUL_HIGH(a, b) __umulhi(a, b)

static __device__ __forceinline__ void T_read_four(f32* values, const f32* pointer) {
    const float4 four = *(const float4*)pointer;
    values[0] = four.x;
    values[1] = four.y;
    values[2] = four.z;
    values[3] = four.w;
}
#define T_READ_FOUR(values, pointer) T_read_four(values, pointer)
#define T_WRITE_FOUR(pointer, values) \
    (*(float4*)(pointer) = make_float4((values)[0], (values)[1], (values)[2], (values)[3]))

#define T_ATOMIC_ADD(pointer, value) atomicAdd(pointer, value)
#define T_ATOMIC_MIN(pointer, value) atomicMin(pointer, value)
#define T_ATOMIC_MAX(pointer, value) atomicMax(pointer, value)
#define T_ATOMIC_OR(pointer, value) atomicOr(pointer, value)
#define T_ATOMIC_CAS(pointer, expected, desired) atomicCAS(pointer, expected, desired)
#define T_LOAD(type, pointer) (*(const volatile type*)(pointer))
#define T_LOAD_CACHED(type, pointer) (*(const type*)(pointer))
#define T_STORE(type, pointer, value) (*(volatile type*)(pointer) = (value))

#endif
