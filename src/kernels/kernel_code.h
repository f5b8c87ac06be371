// The compiled forms of one kernel, and how declaration mode finds them. This is the one place
// where a kernel names the back ends.
#ifndef TESELA_KERNELS_KERNEL_CODE_H
#define TESELA_KERNELS_KERNEL_CODE_H

#include "kernels/cpu_box.h"

namespace tesela::detail {

// The text of one kernel file for back ends that compile on the user's machine, preprocessed when
// Tesela was built.
struct KernelText {
    const char* file;  // relative to the repository
    const char* text;
    bool uses_f64;
};

using CpuEntry = void (*)(const T_Box*, void* const* arguments);

struct KernelCode {
    const char* name;
    int group[3];     // items of a group; zero for an item kernel
    CpuEntry cpu[3];  // in the order of the instruction-set levels
    const void* (*cuda)();
    const KernelText* opencl;
};

}  // namespace tesela::detail

// T_DECLARE_*(name) declares what a back end compiled, T_ENTRY_*(name) is the member of KernelCode.
// Host code is the same whatever a build leaves out: of CPU levels and back ends that were left out
// the build generates entries that nobody calls (cmake/left_out_kernels.cmake). A kernel that is
// missing from a back end that was built is an undefined symbol: the linker finds it, not the user.
#ifdef __x86_64__
    #define T_DECLARE_CPU(name)                                        \
        void T_JOIN(tesela_cpu_v2_, name)(const T_Box*, void* const*); \
        void T_JOIN(tesela_cpu_v3_, name)(const T_Box*, void* const*); \
        void T_JOIN(tesela_cpu_v4_, name)(const T_Box*, void* const*);
    #define T_ENTRY_CPU(name)                                             \
        {                                                                 \
            &T_JOIN(tesela_cpu_v2_, name), &T_JOIN(tesela_cpu_v3_, name), \
                &T_JOIN(tesela_cpu_v4_, name)                             \
        }
#else
    #define T_DECLARE_CPU(name) void T_JOIN(tesela_cpu_base_, name)(const T_Box*, void* const*);
    #define T_ENTRY_CPU(name) \
        { &T_JOIN(tesela_cpu_base_, name) }
#endif
#define T_DECLARE_CUDA(name) const void* T_JOIN(tesela_cuda_, name)();
#define T_ENTRY_CUDA(name) &T_JOIN(tesela_cuda_, name)
#define T_DECLARE_OPENCL(name) \
    extern const ::tesela::detail::KernelText T_JOIN(tesela_text_, T_FILE);
#define T_ENTRY_OPENCL(name) &T_JOIN(tesela_text_, T_FILE)

#define T_DECLARE_ENTRIES(name) T_DECLARE_CPU(name) T_DECLARE_CUDA(name) T_DECLARE_OPENCL(name)
#define T_ENTRIES(name) T_ENTRY_CPU(name), T_ENTRY_CUDA(name), T_ENTRY_OPENCL(name)

#endif
