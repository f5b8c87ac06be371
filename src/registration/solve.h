// Small symmetric systems of equations.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tesela {

// Cholesky's decomposition of a positive semi-definite matrix. Unknowns that nothing depends on are
// 0.
class Cholesky {
  public:
    explicit Cholesky(std::vector<double> matrix, std::size_t unknowns, double damping = 0)
        : factor_(std::move(matrix)), n_(unknowns) {
        double largest = 0;
        for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, at(i, i));
        for (std::size_t i = 0; i < n_; ++i)
            at(i, i) += damping * at(i, i) + 1e-12 * largest + 1e-300;
        for (std::size_t j = 0; j < n_; ++j) {
            for (std::size_t k = 0; k < j; ++k)
                for (std::size_t i = j; i < n_; ++i) at(i, j) -= at(i, k) * at(j, k);
            const double pivot = std::sqrt(std::max(at(j, j), 1e-300));
            for (std::size_t i = j; i < n_; ++i) at(i, j) /= pivot;
        }
    }

    // The factor's inverse times `right`, whose squared length is that of `right` in the inverse of
    // the matrix.
    std::vector<double> forward(std::vector<double> right) const {
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t k = 0; k < i; ++k) right[i] -= at(i, k) * right[k];
            right[i] /= at(i, i);
        }
        return right;
    }
    std::vector<double> solve(std::vector<double> right) const {
        right = forward(std::move(right));
        for (std::size_t i = n_; i-- > 0;) {
            for (std::size_t k = i + 1; k < n_; ++k) right[i] -= at(k, i) * right[k];
            right[i] /= at(i, i);
        }
        return right;
    }

  private:
    double& at(std::size_t row, std::size_t column) { return factor_[n_ * row + column]; }
    double at(std::size_t row, std::size_t column) const { return factor_[n_ * row + column]; }

    std::vector<double> factor_;  // below the diagonal
    std::size_t n_;
};

// (matrix + damping * its diagonal) x = right
inline std::vector<double> solve_damped(std::vector<double> matrix, std::vector<double> right,
                                        double damping) {
    return Cholesky(std::move(matrix), right.size(), damping).solve(std::move(right));
}

}  // namespace tesela
