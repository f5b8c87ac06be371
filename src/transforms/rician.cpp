#include "transforms/rician.h"

#include <cmath>

#include "tesela/wavelet_denoise.h"

namespace tesela {
namespace {

// exp(-x) times the modified Bessel function of order 0 or 1, by the integral of exp(x (cos t - 1))
// cos(order t) over half a turn, where the trapezoidal rule converges faster than any power.
double scaled_bessel(int order, double x) {
    constexpr int points = 128;
    const double pi = std::acos(-1.0);
    double sum = 0;
    for (int k = 0; k <= points; ++k) {
        const double t = pi * k / points;
        sum += (k == 0 || k == points ? 0.5 : 1) * std::exp(x * (std::cos(t) - 1)) *
               std::cos(order * t);
    }
    return sum / points;
}

// Mean magnitude of a true value theta, both by sigma: Koay and Basser, equation 2.
double mean_magnitude(double theta) {
    const double half = theta * theta / 2;
    return std::sqrt(std::acos(-1.0) / 2) *
           ((1 + half) * scaled_bessel(0, half / 2) + half * scaled_bessel(1, half / 2));
}

// The inverse, by bisection: the mean grows with the value.
double true_ratio(double ratio) {
    double low = 0, high = ratio;
    if (ratio <= mean_magnitude(0)) return 0;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (mean_magnitude(middle) < ratio ? low : high) = middle;
    }
    return low;
}

}  // namespace

const std::vector<float>& rician_table() {
    static const std::vector<float> table = [] {
        std::vector<float> values;
        for (int k = 0; k < rician_entries; ++k)
            values.push_back(static_cast<float>(true_ratio(double(k) / rician_steps)));
        return values;
    }();
    return table;
}

double rician_corrected(double magnitude, double sigma) {
    if (sigma <= 0) return magnitude;
    const double ratio = magnitude / sigma;
    constexpr double far = 16;
    return sigma * (ratio < far ? true_ratio(ratio) : std::sqrt(ratio * ratio - 1));
}

}  // namespace tesela
