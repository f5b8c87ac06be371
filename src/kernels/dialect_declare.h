// Declaration mode: host code includes a kernel file and gets, for each kernel, the typed handle
// `tesela::kernels::NAME`. The body becomes a static function that nobody calls.
#ifndef TESELA_KERNELS_DIALECT_DECLARE_H
#define TESELA_KERNELS_DIALECT_DECLARE_H

#include "kernels/kernel_code.h"
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

#define T_DECLARE_(name, Handle, gx, gy, gz, params)                   \
    extern "C" {                                                       \
    T_DECLARE_ENTRIES(name)                                            \
    }                                                                  \
    inline constexpr ::tesela::detail::KernelCode T_JOIN(name, _code){ \
        T_TEXT(name), {gx, gy, gz}, T_ENTRIES(name)};                  \
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
#define T_FULL_GROUP_KERNEL(name, gx, gy, gz, params) T_GROUP_KERNEL(name, gx, gy, gz, params)

#endif
