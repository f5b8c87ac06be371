// Typed handles of kernels. Made by the kernel files in declaration mode (docs/kernels.md),
// launched by Queue::launch.
#pragma once

namespace tesela {
namespace detail {
struct KernelCode;  // one kernel's compiled forms: src/kernels/kernel_code.h
}

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
