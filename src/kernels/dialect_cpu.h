// CPU expansions of the dialect: each kernel becomes a loop over a box of items or groups, compiled
// once for each instruction-set level. Nothing here may come from the standard library, and
// templates stay in the unnamed namespace: a weak symbol of a v4 object could be picked for an
// older processor.
#ifndef TESELA_KERNELS_DIALECT_CPU_H
#define TESELA_KERNELS_DIALECT_CPU_H

#include "kernels/cpu_box.h"
#define T_TARGET_CPU  // declaration mode has the same words, and compiles nothing
#include "kernels/dialect_words_cpu.h"

namespace {
template <i32... I>
struct T_Indices {};
template <i32 N, i32... I>
struct T_IndicesTo : T_IndicesTo<N - 1, N - 1, I...> {};
template <i32... I>
struct T_IndicesTo<0, I...> {
    using type = T_Indices<I...>;
};
// Reads a kernel's arguments, typed by its own parameter list, and hands them to `loop`.
template <class Loop, class Id, class... P, i32... I>
T_ALWAYS_INLINE void T_read(void (*)(Id, P...), void* const* arguments, Loop loop,
                            T_Indices<I...>) {
    loop(*static_cast<P*>(arguments[I])...);
}
template <class Loop, class Id, class... P>
T_ALWAYS_INLINE void T_with_arguments(void (*kernel)(Id, P...), void* const* arguments, Loop loop) {
    T_read(kernel, arguments, loop, typename T_IndicesTo<sizeof...(P)>::type{});
}
}  // namespace

#define T_FILE_BEGIN
#define T_FILE_END

#define T_CPU_SYMBOL(name) T_JOIN(T_JOIN(tesela_cpu_, T_CPU_LEVEL), T_JOIN(_, name))
// Over a copy of the box, so that no store of the body may change the loop's end.
#define T_BOX_FOR(i, axis) for (i32 i = T_part.begin[axis]; i < T_part.end[axis]; ++i)

// An item kernel: `T_pragma` stands before the loop over x.
#define T_ITEM_KERNEL_(name, params, T_pragma)                                              \
    static void name(const T_Id T_id, T_STRIP params);                                      \
    extern "C" void T_CPU_SYMBOL(name)(const T_Box* T_box, void* const* arguments) {        \
        T_with_arguments(                                                                   \
            &name, arguments, [T_part = *T_box](auto... a) __attribute__((always_inline)) { \
                T_BOX_FOR(z, 2)                                                             \
                T_BOX_FOR(y, 1) T_pragma T_BOX_FOR(x, 0) name(T_Id{x, y, z}, a...);         \
            });                                                                             \
    }                                                                                       \
    static T_ALWAYS_INLINE void name([[maybe_unused]] const T_Id T_id, T_STRIP params)
#define T_KERNEL(name, params) T_ITEM_KERNEL_(name, params, )
#define T_SIMD_KERNEL(name, params) T_ITEM_KERNEL_(name, params, T_INDEPENDENT)

#define T_GROUP_KERNEL(name, gx, gy, gz, params) T_GROUP_KERNEL_(name, gx, gy, gz, params)
#define T_GROUP_KERNEL_(name, gx, gy, gz, params)                                                  \
    static void name(const T_Group<gx, gy, gz> T_group, T_STRIP params);                           \
    extern "C" void T_CPU_SYMBOL(name)(const T_Box* T_box, void* const* arguments) {               \
        T_with_arguments(                                                                          \
            &name, arguments, [T_part = *T_box](auto... a) __attribute__((always_inline)) {        \
                const T_Id count{T_part.size[0], T_part.size[1], T_part.size[2]};                  \
                T_BOX_FOR(z, 2)                                                                    \
                T_BOX_FOR(y, 1) T_BOX_FOR(x, 0) name(T_Group<gx, gy, gz>{{x, y, z}, count}, a...); \
            });                                                                                    \
    }                                                                                              \
    static T_ALWAYS_INLINE void name([[maybe_unused]] const T_Group<gx, gy, gz> T_group,           \
                                     T_STRIP params)
#define T_FULL_GROUP_KERNEL(name, gx, gy, gz, params) T_GROUP_KERNEL(name, gx, gy, gz, params)

#endif
