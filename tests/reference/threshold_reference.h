// Reference: thresholds by their definitions, in double precision. Nobody optimizes this.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace tesela::reference {

struct TwoClasses {
    double below = 0, above = 0;  // means
    std::size_t count_below = 0, count_above = 0;
};

inline TwoClasses classes_at(const std::vector<double>& values, double threshold) {
    TwoClasses classes;
    for (const double value : values) {
        (value > threshold ? classes.above : classes.below) += value;
        ++(value > threshold ? classes.count_above : classes.count_below);
    }
    if (classes.count_below > 0) classes.below /= static_cast<double>(classes.count_below);
    if (classes.count_above > 0) classes.above /= static_cast<double>(classes.count_above);
    return classes;
}

// Variance between the classes (Otsu 1979, eq. 14).
inline double variance_between(const std::vector<double>& values, double threshold) {
    const TwoClasses classes = classes_at(values, threshold);
    const auto n = static_cast<double>(values.size());
    return static_cast<double>(classes.count_below) / n * static_cast<double>(classes.count_above) /
           n * (classes.above - classes.below) * (classes.above - classes.below);
}

// Laplace's equation with given values where `is_fixed` says so, flat along the border: Gauss and
// Seidel's iteration until nothing changes by more than 1e-9.
inline std::vector<double> laplace(std::vector<double> surface, const std::vector<bool>& is_fixed,
                                   int nx, int ny) {
    for (double change = 1; change > 1e-9;) {
        change = 0;
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                const int i = y * nx + x;
                if (is_fixed[i]) continue;
                const double sum = surface[x > 0 ? i - 1 : i] + surface[x < nx - 1 ? i + 1 : i] +
                                   surface[y > 0 ? i - nx : i] + surface[y < ny - 1 ? i + nx : i];
                change = std::max(change, std::abs(sum / 4 - surface[i]));
                surface[i] = sum / 4;
            }
    }
    return surface;
}

}  // namespace tesela::reference
