// The derivative filters of the Lucas-Kanade method.
#pragma once

#include <array>

namespace tesela {

constexpr int longest_derivative_filter = 13;

// Antisymmetric central differences of maximum order with `size` taps, 3 to 13, an odd number, for
// correlation: the derivative at 0 of the polynomial through `size` samples. The middle one is in
// the middle of the array; beyond the filter are zeros.
std::array<double, longest_derivative_filter> derivative_filter(int size);

}  // namespace tesela
