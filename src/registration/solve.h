// Small symmetric systems of equations.
#pragma once

#include <cmath>
#include <vector>

namespace tesela {

// (matrix + damping * its diagonal) x = right, for a positive semi-definite matrix, by Cholesky's
// decomposition. Unknowns that nothing depends on are 0.
inline std::vector<double> solve_damped(std::vector<double> matrix, std::vector<double> right,
                                        double damping) {
    const std::size_t n = right.size();
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, matrix[n * i + i]);
    for (std::size_t i = 0; i < n; ++i)
        matrix[n * i + i] += damping * matrix[n * i + i] + 1e-12 * largest + 1e-300;
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < n; ++i)
                matrix[n * i + j] -= matrix[n * i + k] * matrix[n * j + k];
        const double pivot = std::sqrt(std::max(matrix[n * j + j], 1e-300));
        for (std::size_t i = j; i < n; ++i) matrix[n * i + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[n * i + k] * right[k];
        right[i] /= matrix[n * i + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[n * k + i] * right[k];
        right[i] /= matrix[n * i + i];
    }
    return right;
}

}  // namespace tesela
