// Color deconvolution in double precision (Ruifrok and Johnston, 2001), for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tesela::reference {

using Color = std::array<double, 3>;

inline Color stain_densities(const Color& values, double white, double full) {
    Color densities{};
    for (std::size_t c = 0; c < 3; ++c)
        densities[c] = std::log10((white * full + 1) / (values[c] + 1));
    return densities;
}

inline Color values_of_densities(const Color& densities, double white, double full) {
    Color values{};
    for (std::size_t c = 0; c < 3; ++c)
        values[c] = std::clamp((white * full + 1) * std::pow(10, -densities[c]) - 1, 0.0, full);
    return values;
}

inline double determinant(const Color& a, const Color& b, const Color& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Amounts of two stains and of a third at right angles to them, by Cramer's rule.
inline Color stain_amounts(const Color& densities, const Color& first, const Color& second) {
    Color third{first[1] * second[2] - first[2] * second[1],
                first[2] * second[0] - first[0] * second[2],
                first[0] * second[1] - first[1] * second[0]};
    const double length = std::hypot(third[0], third[1], third[2]);
    for (double& value : third) value /= length;
    const double all = determinant(first, second, third);
    return {determinant(densities, second, third) / all, determinant(first, densities, third) / all,
            determinant(first, second, densities) / all};
}

}  // namespace tesela::reference
