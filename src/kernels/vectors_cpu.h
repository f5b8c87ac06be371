// The words of vectors.h on a CPU. Lanes of a comparison are 0 or -1.
#ifndef TESELA_KERNELS_VECTORS_CPU_H
#define TESELA_KERNELS_VECTORS_CPU_H

#if defined(__AVX512F__)
    #define V_WIDTH 16
#elif defined(__AVX2__)
    #define V_WIDTH 8
#else
    #define V_WIDTH 4
#endif
#define V_WIDTH_U16 (2 * V_WIDTH)
#define V_WIDTH_U64 (V_WIDTH / 2)
typedef i32 V_I32 __attribute__((vector_size(4 * V_WIDTH)));
typedef f32 V_F32 __attribute__((vector_size(4 * V_WIDTH)));
typedef u16 V_U16 __attribute__((vector_size(4 * V_WIDTH)));
typedef u32 V_U32 __attribute__((vector_size(4 * V_WIDTH)));
typedef u64 V_U64 __attribute__((vector_size(4 * V_WIDTH)));
// Forms of them that read and write memory of scalars.
typedef V_I32 V_I32_unaligned __attribute__((aligned(4), may_alias));
typedef V_I32 V_I32_alias __attribute__((may_alias));
typedef V_F32 V_F32_alias __attribute__((may_alias));
typedef V_U16 V_U16_alias __attribute__((may_alias));
typedef V_U32 V_U32_alias __attribute__((may_alias));
typedef V_U64 V_U64_alias __attribute__((may_alias));

#define V_LANES V_lanes()
#define V_OF(type, value) V_of<type>(value)
#define V_READ(type, pointer) ((type) * (const T_JOIN(type, _alias)*)(pointer))
#define V_WRITE(type, pointer, v) *(T_JOIN(type, _alias)*)(pointer) = (v)
#define V_AFTER(a, b, d) V_after(a, b, d)
#define V_WHERE(type, bits) ((V_OF(type, bits) & V_bits<type>()) != 0)
#define V_ANY(v) V_any((V_U64)(v))
#define V_SUM(v) V_sum(v)
#define V_LANE(v, i) (v)[i]
#define V_ADD_IF(sum, condition, v) (sum) += (condition) & (v)

#define V_BLOCK V_WIDTH
#define V_READ_BLOCK(name, pointer) \
    const V_I32 name[1] = {(V_I32) * (const V_I32_unaligned*)(pointer)}
// Blocks begin where they are told: no lane stands before `begin`.
#define V_AHEAD(v, begin, count) ((v) < (begin) + (count))

#define V_NEAR(v, center) ((v) - (center))
#define V_NEAR_F32(d) __builtin_convertvector(d, V_F32)
#define V_ADD_NEAR_IF(sum, condition, d) V_ADD_IF(sum, condition, d)
#define V_NEAR_SUM(sum, count) (sum)

namespace {
T_ALWAYS_INLINE V_I32 V_lanes() {
    V_I32 lanes = {};
    for (i32 i = 0; i < V_WIDTH; ++i) lanes[i] = i;
    return lanes;
}
T_ALWAYS_INLINE i64 V_sum(V_I32 v) {
    i64 sum = 0;
    for (i32 i = 0; i < V_WIDTH; ++i) sum += v[i];
    return sum;
}
template <class V>
constexpr i32 V_count = sizeof(V) / sizeof(V{}[0]);
T_ALWAYS_INLINE void V_fill(V_I32& v, i32 value) { v = V_I32{} + value; }
T_ALWAYS_INLINE void V_fill(V_F32& v, f32 value) { v = V_F32{} + value; }
T_ALWAYS_INLINE void V_fill(V_U16& v, u16 value) { v = V_U16{} + value; }
T_ALWAYS_INLINE void V_fill(V_U32& v, u32 value) { v = V_U32{} + value; }
T_ALWAYS_INLINE void V_fill(V_U64& v, u64 value) { v = V_U64{} + value; }
template <class V, class T>
T_ALWAYS_INLINE V V_of(T value) {
    V v;
    V_fill(v, value);
    return v;
}
// Lane i has bit i.
template <class V>
T_ALWAYS_INLINE V V_bits() {
    V bits = {};
    for (i32 i = 0; i < V_count<V>; ++i) bits[i] = 1u << i;
    return bits;
}
template <i32 D, class V, i32... I>
T_ALWAYS_INLINE V V_shuffle(V a, V b, T_Indices<I...>) {
    return __builtin_shufflevector(a, b, (D + I)...);
}
// `d` is known when this is compiled: one of the shuffles remains.
template <class V, i32... I>
T_ALWAYS_INLINE V V_one_after(V a, V b, i32 d, T_Indices<I...> all) {
    V result = b;
    (void)((d == I && (result = V_shuffle<I>(a, b, all), true)) || ...);
    return result;
}
template <class V>
T_ALWAYS_INLINE V V_after(V a, V b, i32 d) {
    return V_one_after(a, b, d, typename T_IndicesTo<V_count<V>>::type{});
}
T_ALWAYS_INLINE bool V_any(V_U64 v) {
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
