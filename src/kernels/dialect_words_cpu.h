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
#define T_GROUPS_Z (T_group.count.z)
#define T_ITEM(type, name) type name[T_group.items]
#define T_ITEM_ARRAY(type, name, count) type name[T_group.items][count]
#define T_MY(name) name[T_LI]

#define T_SIMD_FOR(i, first, end) T_INDEPENDENT T_ROLLED for (i32 i = (first); i < (end); ++i)
#define T_ADD_IF(sum, condition, v) (sum) += (condition) * (v)

// Vectors of T_WIDTH values that stand side by side; lanes of a comparison are 0 or -1.
#if !defined(T_TARGET_CPU)
    #define T_WIDTH 1
#elif defined(__AVX512F__)
    #define T_WIDTH 16
#elif defined(__AVX2__)
    #define T_WIDTH 8
#else
    #define T_WIDTH 4
#endif
namespace {
template <i32... I>
struct T_Indices {};
template <i32 N, i32... I>
struct T_IndicesTo : T_IndicesTo<N - 1, N - 1, I...> {};
template <i32... I>
struct T_IndicesTo<0, I...> {
    using type = T_Indices<I...>;
};
}  // namespace
#if T_WIDTH == 1
typedef i32 T_VI32;
typedef f32 T_VF32;
typedef u16 T_VU16;
typedef u32 T_VU32;
typedef u64 T_VU64;
    #define T_WIDTH_U16 1
    #define T_WIDTH_U64 1
    #define T_V_OF(type, value) ((type)(value))
    #define T_V_READ(type, pointer) (*(pointer))
    #define T_V_WRITE(type, pointer, v) *(pointer) = (v)
    #define T_V_AFTER(a, b, d) ((d) == 0 ? (a) : (b))
    #define T_V_WHERE(type, bits) (((bits)&1u) != 0)
    #define T_V_ANY(v) ((v) != 0)
    #define T_V_LANES 0
    #define T_V_LOAD(pointer) (*(pointer))
    #define T_V_F32(v) ((f32)(v))
    #define T_V_ADD_IF(sum, condition, v) (sum) += (condition) ? (v) : 0
    #define T_V_SUM(v) ((i64)(v))
#else
typedef i32 T_VI32 __attribute__((vector_size(4 * T_WIDTH)));
typedef f32 T_VF32 __attribute__((vector_size(4 * T_WIDTH)));
typedef T_VI32 T_UnalignedVI32 __attribute__((aligned(4), may_alias));
typedef u16 T_VU16 __attribute__((vector_size(4 * T_WIDTH)));
typedef u32 T_VU32 __attribute__((vector_size(4 * T_WIDTH)));
typedef u64 T_VU64 __attribute__((vector_size(4 * T_WIDTH)));
typedef T_VF32 T_AliasT_VF32 __attribute__((may_alias));
typedef T_VU16 T_AliasT_VU16 __attribute__((may_alias));
typedef T_VU32 T_AliasT_VU32 __attribute__((may_alias));
typedef T_VU64 T_AliasT_VU64 __attribute__((may_alias));
    #define T_WIDTH_U16 (2 * T_WIDTH)
    #define T_WIDTH_U64 (T_WIDTH / 2)
    #define T_V_OF(type, value) T_v_of<type>(value)
    #define T_V_READ(type, pointer) ((type) * (const T_JOIN(T_Alias, type)*)(pointer))
    #define T_V_WRITE(type, pointer, v) *(T_JOIN(T_Alias, type)*)(pointer) = (v)
    #define T_V_AFTER(a, b, d) T_v_after(a, b, d)
    #define T_V_WHERE(type, bits) ((T_V_OF(type, bits) & T_v_bits<type>()) != 0)
    #define T_V_ANY(v) T_v_any((T_VU64)(v))
    #define T_V_LANES T_v_lanes()
    #define T_V_LOAD(pointer) ((T_VI32) * (const T_UnalignedVI32*)(pointer))
    #define T_V_F32(v) __builtin_convertvector(v, T_VF32)
    #define T_V_ADD_IF(sum, condition, v) (sum) += (condition) & (v)
    #define T_V_SUM(v) T_v_sum(v)
namespace {
T_ALWAYS_INLINE T_VI32 T_v_lanes() {
    T_VI32 lanes = {};
    for (i32 i = 0; i < T_WIDTH; ++i) lanes[i] = i;
    return lanes;
}
T_ALWAYS_INLINE i64 T_v_sum(T_VI32 v) {
    i64 sum = 0;
    for (i32 i = 0; i < T_WIDTH; ++i) sum += v[i];
    return sum;
}
template <class V>
constexpr i32 T_v_count = sizeof(V) / sizeof(V{}[0]);
T_ALWAYS_INLINE void T_v_fill(T_VU16& v, u16 value) { v = T_VU16{} + value; }
T_ALWAYS_INLINE void T_v_fill(T_VU32& v, u32 value) { v = T_VU32{} + value; }
T_ALWAYS_INLINE void T_v_fill(T_VU64& v, u64 value) { v = T_VU64{} + value; }
template <class V, class T>
T_ALWAYS_INLINE V T_v_of(T value) {
    V v;
    T_v_fill(v, value);
    return v;
}
// Lane i has bit i.
template <class V>
T_ALWAYS_INLINE V T_v_bits() {
    V bits = {};
    for (i32 i = 0; i < T_v_count<V>; ++i) bits[i] = 1u << i;
    return bits;
}
template <i32 D, class V, i32... I>
T_ALWAYS_INLINE V T_v_shuffle(V a, V b, T_Indices<I...>) {
    return __builtin_shufflevector(a, b, (D + I)...);
}
// `d` is known when this is compiled: one of the shuffles remains.
template <class V, i32... I>
T_ALWAYS_INLINE V T_v_one_after(V a, V b, i32 d, T_Indices<I...> all) {
    V result = b;
    (void)((d == I && (result = T_v_shuffle<I>(a, b, all), true)) || ...);
    return result;
}
template <class V>
T_ALWAYS_INLINE V T_v_after(V a, V b, i32 d) {
    return T_v_one_after(a, b, d, typename T_IndicesTo<T_v_count<V>>::type{});
}
T_ALWAYS_INLINE bool T_v_any(T_VU64 v) {
    #if defined(__AVX512F__)
    typedef long long Words __attribute__((vector_size(32)));
    const Words words = (Words)__builtin_shufflevector(v, v, 0, 1, 2, 3) |
                        (Words)__builtin_shufflevector(v, v, 4, 5, 6, 7);
    return !__builtin_ia32_ptestz256(words, words);
    #elif defined(__AVX2__)
    typedef long long Words __attribute__((vector_size(32)));
    return !__builtin_ia32_ptestz256((Words)v, (Words)v);
    #elif defined(__SSE4_1__)
    typedef long long Words __attribute__((vector_size(16)));
    return !__builtin_ia32_ptestz128((Words)v, (Words)v);
    #else
    return (v[0] | v[1]) != 0;
    #endif
}
}  // namespace
#endif
#define T_BLOCK T_WIDTH
#define T_V_BLOCK(name, pointer) const T_VI32 name[1] = {T_V_LOAD(pointer)}
// On the CPU blocks begin where they are told: no lane stands before `begin`.
#define T_V_AHEAD(v, begin, count) ((v) < (begin) + (count))
#define T_V_NEAR(v, center) ((v) - (center))
#define T_V_NEAR_F32(d) T_V_F32(d)
#define T_V_ADD_NEAR_IF(sum, condition, d) T_V_ADD_IF(sum, condition, d)
#define T_V_NEAR_SUM(sum, count) (sum)

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
