// What is required of tridiagonal systems.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "tesela/tridiagonal.h"

namespace tesela {

// Throw InvalidArgument, or DeviceUnavailable where `is_double` and the device has no such numbers.
void check_tridiagonal(const Device& device, const TridiagonalLines& lines,
                       const std::array<std::int64_t, 4>& sizes, bool is_double);
template <class T>
void check_tridiagonal(const Queue& queue, const TridiagonalLines& lines,
                       const std::array<std::int64_t, 4>& sizes) {
    check_tridiagonal(queue.device(), lines, sizes, std::is_same_v<T, double>);
}
void check_tridiagonal_status(const Buffer<std::uint32_t>& status);

}  // namespace tesela
