#include "measuring/inertia.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/jacobi_rotation.h"

namespace tesela::measuring {

namespace {

// By Jacobi's rotations, which converge in a few rounds; of two axes one is enough.
std::array<double, 3> eigenvalues_of(SquareMatrix<3> m, std::size_t axes) {
    const int rounds = axes == 2 ? 1 : 8;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t p = 0; p + 1 < axes; ++p)
            for (std::size_t q = p + 1; q < axes; ++q) rotate_to_zero(m, p, q);
    std::array<double, 3> values{};
    for (std::size_t a = 0; a < axes; ++a) values[a] = std::max(m[a][a], 0.0);
    std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(axes), std::greater<>());
    return values;
}

}  // namespace

double Inertia::major_length() const {
    if (axes == 2) return 4 * std::sqrt(eigenvalues[0]);
    return std::sqrt(10 * std::max(eigenvalues[0] + eigenvalues[1] - eigenvalues[2], 0.0));
}

double Inertia::minor_length() const {
    if (axes == 2) return 4 * std::sqrt(eigenvalues[1]);
    return std::sqrt(10 * std::max(eigenvalues[1] + eigenvalues[2] - eigenvalues[0], 0.0));
}

double Inertia::eccentricity() const {
    return eigenvalues[0] > 0 ? std::sqrt(1 - eigenvalues[1] / eigenvalues[0]) : 0;
}

double Inertia::orientation() const {
    const double of_y = tensor[1][1], of_x = tensor[0][0], mixed = tensor[0][1];
    if (of_y == of_x) return mixed < 0 ? std::numbers::pi / 4 : -std::numbers::pi / 4;
    return std::atan2(-2 * mixed, of_x - of_y) / 2;
}

Inertia inertia_of(const MeasuredObject& object, const std::array<double, 3>& spacing,
                   std::size_t axes) {
    const auto& covariance = object.covariance;
    Inertia inertia{.axes = axes};
    double trace = 0;
    for (std::size_t a = 0; a < axes; ++a) trace += covariance[a] * spacing[a] * spacing[a];
    for (std::size_t a = 0; a < axes; ++a)
        inertia.tensor[a][a] = trace - covariance[a] * spacing[a] * spacing[a];
    for (std::size_t a = 0; a + 1 < axes; ++a)
        for (std::size_t b = a + 1; b < axes; ++b)
            inertia.tensor[a][b] = inertia.tensor[b][a] =
                -covariance[2 + a + b] * spacing[a] * spacing[b];
    inertia.eigenvalues = eigenvalues_of(inertia.tensor, axes);
    return inertia;
}

}  // namespace tesela::measuring
