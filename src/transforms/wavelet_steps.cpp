#include "transforms/wavelet_steps.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

using kernels::i32;

// Four steps, of which the first adds to samples at odd places; weights of the samples before and
// behind. Then what low and high coefficients are multiplied by.
struct Lifting {
    std::array<double, 4> left, right;
    double low, high;
};

// Coefficients of the 9/7 wavelet: Daubechies and Sweldens, section 7.7.
constexpr double alpha = -1.586134342059924, beta = -0.052980118572961, gamma_ = 0.882911075530934,
                 delta = 0.443506852043971, gain = 1.230174104914001;

Lifting lifting_of(Wavelet wavelet) {
    const double root2 = std::sqrt(2.0), root3 = std::sqrt(3.0);
    switch (wavelet) {
        case Wavelet::bior4_4:
            return {{alpha, beta, gamma_, delta},
                    {alpha, beta, gamma_, delta},
                    root2 / gain,
                    -gain / root2};
        case Wavelet::bior2_2:
            return {{-0.5, 0.25, 0, 0}, {-0.5, 0.25, 0, 0}, root2, -1 / root2};
        case Wavelet::db2: {
            // Factored so that low coefficients are at even places and begin at x[2k-1].
            const double low = (1 + 1 / root3) / root2;
            return {
                {0, root3 / 4, -1.0 / 3, 0}, {-1 / root3, (6 - 3 * root3) / 4, 0, 0}, low, 1 / low};
        }
        default:
            return {{-1, 0, 0, 0}, {0, 0.5, 0, 0}, root2, -1 / root2};
    }
}

// Those of JPEG 2000's reversible 5/3 transform (ISO/IEC 15444-1, annex F), and of the S transform.
kernels::wavelet_steps_i32 integer_lifting_of(Wavelet wavelet) {
    if (wavelet == Wavelet::bior2_2_int)
        return {{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {-1, 1, 0, 0}};
    return {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, {-1, 1, 0, 0}};
}

template <class Number>
void reverse(Number (&values)[4]) {
    std::reverse(std::begin(values), std::end(values));
}

}  // namespace

template <class T>
typename WaveletKernels<T>::Steps wavelet_steps(Wavelet wavelet, bool is_inverse) {
    typename WaveletKernels<T>::Steps steps;
    if constexpr (std::is_same_v<T, i32>) {
        steps = integer_lifting_of(wavelet);
        if (!is_inverse) return steps;
        for (i32& sign : steps.sign) sign = -sign;
        reverse(steps.add);
        reverse(steps.shift);
        reverse(steps.sign);
    } else {
        const Lifting lifting = lifting_of(wavelet);
        // The inverse multiplies its results too, not the many coefficients that each takes: its
        // steps add high ones to low ones, or low to high, as if these had been multiplied before.
        for (std::size_t s = 0; s < 4; ++s) {
            const double ratio = s % 2 ? lifting.low / lifting.high : lifting.high / lifting.low;
            const double factor = is_inverse ? -ratio : 1;
            steps.left[s] = static_cast<T>(factor * lifting.left[s]);
            steps.right[s] = static_cast<T>(factor * lifting.right[s]);
        }
        steps.low = static_cast<T>(is_inverse ? 1 / lifting.low : lifting.low);
        steps.high = static_cast<T>(is_inverse ? 1 / lifting.high : lifting.high);
        if (!is_inverse) return steps;
    }
    reverse(steps.left);
    reverse(steps.right);
    return steps;
}
template WaveletKernels<float>::Steps wavelet_steps<float>(Wavelet, bool);
template WaveletKernels<double>::Steps wavelet_steps<double>(Wavelet, bool);
template WaveletKernels<i32>::Steps wavelet_steps<i32>(Wavelet, bool);

}  // namespace tesela
