// Sums in several words of 32 bits, and what follows from them without rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tesela::measuring {

__extension__ using WideSum = __int128;
__extension__ using WideBits = unsigned __int128;

// The low word comes first.
inline WideSum wide_sum(std::span<const std::uint32_t> words) {
    WideSum sum = 0;
    for (std::size_t k = words.size(); k-- > 0;) sum = (sum << 32) | words[k];
    return sum;
}

// Mean of the products of two values less the product of their means. Exact up to the division
// where all sums are of values below 2^32 and of at most 2^31 of them, or of indices below 2^21 and
// of at most 2^40; beyond that it is rounded to 64 bits.
inline double covariance_of(WideSum count, WideSum sum_a, WideSum sum_b, WideSum sum_of_products) {
    const auto points = static_cast<double>(count);
    constexpr auto most = static_cast<WideSum>(~WideBits{0} >> 1);
    if (sum_of_products <= most / count)
        return static_cast<double>(count * sum_of_products - sum_a * sum_b) / points / points;
    const auto mean_of = [&](WideSum sum) {
        return static_cast<long double>(sum) / static_cast<long double>(count);
    };
    return static_cast<double>(mean_of(sum_of_products) - mean_of(sum_a) * mean_of(sum_b));
}

}  // namespace tesela::measuring
