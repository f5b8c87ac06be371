// Declaration mode: host code includes a kernel file and gets, for each kernel, the typed handle
// `tesela::kernels::NAME`. The body becomes a static function that nobody calls.
#ifndef TESELA_KERNELS_DIALECT_DECLARE_H
#define TESELA_KERNELS_DIALECT_DECLARE_H

#include "kernels/cpu_box.h"
#include "tesela/compute/kernel.h"

namespace tesela::kernels {
#include "kernels/dialect_words_cpu.h"
}

// Bodies are checked with the warnings of their own builds, not with those of the host's.
#define T_FILE_BEGIN                                                                  \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"") \
        _Pragma("GCC diagnostic ignored \"-Wshadow\"")                                \
            _Pragma("GCC diagnostic ignored \"-Wunused\"")                            \
                _Pragma("GCC diagnostic ignored \"-Wpedantic\"") namespace tesela::kernels {
#define T_FILE_END \
    }              \
    _Pragma("GCC diagnostic pop")

#ifdef TESELA_CPU_LEVELS_X86
    #define T_CPU_DECLARE(name)                                        \
        void T_JOIN(tesela_cpu_v2_, name)(const T_Box*, void* const*); \
        void T_JOIN(tesela_cpu_v3_, name)(const T_Box*, void* const*); \
        void T_JOIN(tesela_cpu_v4_, name)(const T_Box*, void* const*);
    #define T_CPU_ENTRIES(name)                                           \
        {                                                                 \
            &T_JOIN(tesela_cpu_v2_, name), &T_JOIN(tesela_cpu_v3_, name), \
                &T_JOIN(tesela_cpu_v4_, name)                             \
        }
#else
    #define T_CPU_DECLARE(name) void T_JOIN(tesela_cpu_base_, name)(const T_Box*, void* const*);
    #define T_CPU_ENTRIES(name) \
        { &T_JOIN(tesela_cpu_base_, name) }
#endif
#ifdef TESELA_HAS_CUDA
    #define T_CUDA_DECLARE(name) const void* T_JOIN(tesela_cuda_, name)();
    #define T_CUDA_ENTRY(name) &T_JOIN(tesela_cuda_, name)
#else
    #define T_CUDA_DECLARE(name)
    #define T_CUDA_ENTRY(name) nullptr
#endif

// A kernel that a back end did not build is an undefined symbol: the linker finds it, not the user.
#define T_DECLARE_(name, Handle, gx, gy, gz, params)                        \
    extern "C" {                                                            \
    T_CPU_DECLARE(name)                                                     \
    T_CUDA_DECLARE(name)                                                    \
    extern const ::tesela::detail::KernelText T_JOIN(tesela_text_, T_FILE); \
    }                                                                       \
    inline constexpr ::tesela::detail::KernelCode T_JOIN(name, _code){      \
        T_TEXT(name),                                                       \
        T_CPU_ENTRIES(name),                                                \
        T_CUDA_ENTRY(name),                                                 \
        &T_JOIN(tesela_text_, T_FILE),                                      \
        {gx, gy, gz}};                                                      \
    inline constexpr ::tesela::Handle<void params> name{&T_JOIN(name, _code)};

#define T_KERNEL(name, params)                                                                \
    T_DECLARE_(name, ItemKernel, 0, 0, 0, params)                                             \
    [[maybe_unused]] static inline void T_JOIN(name, _body)([[maybe_unused]] const T_Id T_id, \
                                                            T_STRIP params)
#define T_SIMD_KERNEL(name, params) T_KERNEL(name, params)
#define T_GROUP_KERNEL(name, gx, gy, gz, params)             \
    T_DECLARE_(name, GroupKernel, gx, gy, gz, params)        \
    [[maybe_unused]] static inline void T_JOIN(name, _body)( \
        [[maybe_unused]] const T_Group<gx, gy, gz> T_group, T_STRIP params)

#endif
