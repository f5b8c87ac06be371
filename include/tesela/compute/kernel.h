// Typed handles of kernels. Made by the kernel files in declaration mode (docs/kernels.md),
// launched by Queue::launch.
#pragma once

#include <cstdint>

struct T_Box;

namespace tesela {
namespace detail {

// The OpenCL text of one kernel file, preprocessed when Tesela was built.
struct KernelText {
    const char* file;  // relative to the repository
    const char* text;
    bool uses_f64;
};

using CpuEntry = void (*)(const T_Box*, void* const* arguments);

// One kernel on every back end that was built. Entries of the CPU stand in the order of the levels.
struct KernelCode {
    const char* name;
    CpuEntry cpu[3];
    const void* (*cuda)();  // null without CUDA
    const KernelText* opencl;
    int group[3];  // items of a group; zero for an item kernel
};

}  // namespace detail

// Kernels over independent items of a range, and over groups of items that share local memory.
// The signature is the kernel's own parameter list.
template <class Signature>
struct ItemKernel;
template <class... P>
struct ItemKernel<void(P...)> {
    const detail::KernelCode* code;
};

template <class Signature>
struct GroupKernel;
template <class... P>
struct GroupKernel<void(P...)> {
    const detail::KernelCode* code;
};

}  // namespace tesela
