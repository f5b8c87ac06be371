// The words of the dialect that stand inside a kernel's body, for the CPU and for declaration mode.
#ifndef TESELA_KERNELS_DIALECT_WORDS_CPU_H
#define TESELA_KERNELS_DIALECT_WORDS_CPU_H

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
// As std::int64_t, so that host code passes its own 64-bit integers.
typedef __INT64_TYPE__ i64;
typedef __UINT64_TYPE__ u64;
typedef float f32;
typedef double f64;

struct T_Id {
    i32 x, y, z;
};
// Which group of how many runs, and the compile-time shape of a group.
template <i32 X, i32 Y, i32 Z>
struct T_Group {
    static constexpr i32 size_x = X, size_y = Y, size_z = Z, items = X * Y * Z;
    T_Id id, count;
};

#define T_ALWAYS_INLINE __attribute__((always_inline)) inline
// T_INDEPENDENT stands before a loop whose turns do not depend on one another through memory;
// T_ROLLED keeps a loop of few turns from being unrolled before it could be vectorized.
#if !defined(T_TARGET_CPU)
    #define T_INDEPENDENT
    #define T_ROLLED
    #define T_UNROLL
#elif defined(__clang__)
    #define T_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
    #define T_ROLLED
    #define T_UNROLL _Pragma("unroll")
#else
    #define T_INDEPENDENT _Pragma("GCC ivdep")
    #define T_ROLLED _Pragma("GCC unroll 1")
    #define T_UNROLL _Pragma("GCC unroll 64")
#endif
#define T_NO_UNROLL
#define T_FUNCTION [[maybe_unused]] static T_ALWAYS_INLINE

#define T_IN(type) const type* __restrict__
#define T_OUT(type) type* __restrict__
#define T_GLOBAL_PTR(type) type*
#define T_LOCAL_PTR(type) type*
#define T_LOCAL(type, name, count) alignas(64) type name[count]
#define T_CONSTANT(type, name, count) [[maybe_unused]] static type const name[count]

#define T_INDEX1(X) const i32 X = T_id.x
#define T_INDEX2(X, Y) const i32 X = T_id.x, Y = T_id.y
#define T_INDEX3(X, Y, Z) const i32 X = T_id.x, Y = T_id.y, Z = T_id.z

// A phase runs the items of a group one after the other. The checked build runs them backwards, so
// that a phase whose items depend on one another gives another result and is found out.
#ifdef T_CHECKED
    #define T_DOWN(i, n) for (i32 i = (n)-1; i >= 0; --i)
    #define T_PHASE                  \
        T_DOWN(T_LZ, T_group.size_z) \
        T_DOWN(T_LY, T_group.size_y) \
        T_DOWN(T_LX, T_group.size_x)
#else
    #define T_UP(i, n) for (i32 i = 0; i < (n); ++i)
    #define T_PHASE                \
        T_UP(T_LZ, T_group.size_z) \
        T_UP(T_LY, T_group.size_y) \
        T_INDEPENDENT T_UP(T_LX, T_group.size_x)
#endif
#define T_PHASE_OF_32 T_PHASE
#define T_AFTER_LAST_LAUNCH ((void)0)
#define T_LI ((T_LZ * T_group.size_y + T_LY) * T_group.size_x + T_LX)
#define T_GX (T_group.id.x)
#define T_GY (T_group.id.y)
#define T_GZ (T_group.id.z)
#define T_GROUPS_X (T_group.count.x)
#define T_GROUPS_Y (T_group.count.y)
#define T_ITEM(type, name) type name[T_group.items]
#define T_ITEM_ARRAY(type, name, count) type name[T_group.items][count]
#define T_MY(name) name[T_LI]

#define T_SIMD_FOR(i, first, end) T_INDEPENDENT T_ROLLED for (i32 i = (first); i < (end); ++i)
#define T_ADD_IF(sum, condition, v) (sum) += (condition) * (v)

#define T_SQRT(a) __builtin_sqrtf(a)
#define T_SQRT_ROUGH(a) __builtin_sqrtf(a)
#define T_RECIPROCAL_ROUGH(a) (1.0f / (a))
#define T_FLOOR(a) __builtin_floorf(a)
#define T_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define T_BITS(a) __builtin_bit_cast(u32, (f32)(a))
#define T_FROM_BITS(a) __builtin_bit_cast(f32, (u32)(a))
#define T_ROUND(a) ((i32)__builtin_rintf(a))
#define T_POPCOUNT(a) __builtin_popcount(a)
#define T_HIGHEST_BIT(a) (31 - __builtin_clz(a))
#define T_MUL_HIGH(a, b) ((u32)(((u64)(a) * (u64)(b)) >> 32))

#define T_READ_FOUR(values, pointer) T_copy_four(values, pointer)
#define T_WRITE_FOUR(pointer, values) T_copy_four(pointer, values)

#define T_ATOMIC_ADD(pointer, value) __atomic_fetch_add(pointer, value, __ATOMIC_RELAXED)
#define T_ATOMIC_MIN(pointer, value) T_atomic_min(pointer, value)
#define T_ATOMIC_MAX(pointer, value) T_atomic_max(pointer, value)
#define T_ATOMIC_OR(pointer, value) __atomic_fetch_or(pointer, value, __ATOMIC_RELAXED)
#define T_ATOMIC_CAS(pointer, expected, desired) T_atomic_cas(pointer, expected, desired)
#define T_LOAD(type, pointer) __atomic_load_n((const type*)(pointer), __ATOMIC_RELAXED)
#define T_LOAD_CACHED(type, pointer) T_LOAD(type, pointer)
#define T_STORE(type, pointer, value) __atomic_store_n((type*)(pointer), value, __ATOMIC_RELAXED)

namespace {
T_ALWAYS_INLINE void T_copy_four(f32* to, const f32* from) {
    for (i32 k = 0; k < 4; ++k) to[k] = from[k];
}
// As on a GPU, each returns the value before the operation.
template <class T>
T_ALWAYS_INLINE T T_atomic_cas(T* pointer, T expected, T desired) {
    __atomic_compare_exchange_n(pointer, &expected, desired, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;
}
template <class T>
T_ALWAYS_INLINE T T_atomic_min(T* pointer, T value) {
    T old = __atomic_load_n(pointer, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(pointer, &old, value, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T>
T_ALWAYS_INLINE T T_atomic_max(T* pointer, T value) {
    T old = __atomic_load_n(pointer, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(pointer, &old, value, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
}  // namespace

#endif
