// Typed handles of kernels. Made by the kernel files in declaration mode (docs/kernels.md),
// launched by Queue::launch.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace tesela {
namespace detail {
struct KernelCode;  // one kernel's compiled forms: src/kernels/kernel_code.h

// A struct that every compiler lays out alike. In a constant expression a struct can be read as
// words only if each of its bytes belongs to a number: there is no padding, and no pointer.
template <class P>
concept StructOfNumbers = std::is_class_v<P> && std::is_standard_layout_v<P> && requires {
    typename std::bool_constant<(
        std::bit_cast<std::array<std::uint32_t, sizeof(P) / sizeof(std::uint32_t)>>(P{}), true)>;
};

template <class P>
concept KernelParameter = std::is_arithmetic_v<P> || std::is_pointer_v<P> || StructOfNumbers<P>;

template <class... P>
constexpr bool takes() {
    static_assert((KernelParameter<P> && ...),
                  "a kernel takes numbers, pointers, and structs of numbers without padding");
    return true;
}
}  // namespace detail

// Kernels over independent items of a range, and over groups of items that share local memory.
// The signature is the kernel's own parameter list.
template <class Signature>
struct ItemKernel;
template <class... P>
struct ItemKernel<void(P...)> {
    static_assert(detail::takes<P...>());
    const detail::KernelCode* code;
};

template <class Signature>
struct GroupKernel;
template <class... P>
struct GroupKernel<void(P...)> {
    static_assert(detail::takes<P...>());
    const detail::KernelCode* code;
};

}  // namespace tesela
