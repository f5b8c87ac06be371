#include "motion/lucas_kanade_filter.h"

namespace tesela {

std::array<double, longest_derivative_filter> derivative_filter(int size) {
    constexpr int middle = longest_derivative_filter / 2;
    std::array<double, longest_derivative_filter> filter{};
    const int p = size / 2;
    double quotient = 1;  // (p!)^2 / ((p - k)! (p + k)!), with the sign of (-1)^k
    for (int k = 1; k <= p; ++k) {
        quotient *= -static_cast<double>(p - k + 1) / static_cast<double>(p + k);
        filter[middle + k] = -quotient / k;
        filter[middle - k] = -filter[middle + k];
    }
    return filter;
}

}  // namespace tesela
