// Values of the sections of a series from differences between pairs of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace tesela {

// The normal equations of the sum over pairs of weight (value of moving - value of fixed -
// change)^2 and of the sum over sections of weight value^2. Pairs are of sections at most `band`
// apart. Several values of each section have the same matrix.
template <std::size_t values>
class ChainSystem {
  public:
    using Values = std::array<double, values>;

    ChainSystem(std::size_t sections, std::size_t band)
        : band_(band), rows_(sections * (band + 1)), right_(sections) {}

    void add(std::size_t fixed, std::size_t moving, double weight, const Values& change) {
        at(fixed, fixed) += weight;
        at(moving, moving) += weight;
        at(std::max(fixed, moving), std::min(fixed, moving)) -= weight;
        for (std::size_t v = 0; v < values; ++v) {
            right_[moving][v] += weight * change[v];
            right_[fixed][v] -= weight * change[v];
        }
    }
    void hold(std::size_t section, double weight) { at(section, section) += weight; }

    // By Cholesky's decomposition. Sections that nothing holds are 0.
    std::vector<Values> solve() {
        const std::size_t n = right_.size();
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t last = std::min(n, j + band_ + 1);
            double& pivot = at(j, j);
            if (!(pivot > 0)) pivot = 1;
            pivot = std::sqrt(pivot);
            for (std::size_t i = j + 1; i < last; ++i) at(i, j) /= pivot;
            for (std::size_t k = j + 1; k < last; ++k)
                for (std::size_t i = k; i < last; ++i) at(i, k) -= at(i, j) * at(k, j);
            for (std::size_t v = 0; v < values; ++v) {
                right_[j][v] /= pivot;
                for (std::size_t i = j + 1; i < last; ++i) right_[i][v] -= at(i, j) * right_[j][v];
            }
        }
        for (std::size_t j = n; j-- > 0;)
            for (std::size_t v = 0; v < values; ++v) {
                for (std::size_t i = j + 1; i < std::min(n, j + band_ + 1); ++i)
                    right_[j][v] -= at(i, j) * right_[i][v];
                right_[j][v] /= at(j, j);
            }
        return right_;
    }

  private:
    double& at(std::size_t row, std::size_t column) {
        return rows_[row * (band_ + 1) + band_ - (row - column)];
    }

    std::size_t band_;
    std::vector<double> rows_;
    std::vector<Values> right_;
};

// How far apart the sections of a pair are at most.
template <class Pairs>
std::size_t band_of(const Pairs& pairs) {
    std::int64_t band = 0;
    for (const auto& pair : pairs) band = std::max(band, std::abs(pair.moving - pair.fixed));
    return static_cast<std::size_t>(band);
}

// The weight of a residual (S. Geman, D. E. McClure, 1987): 1 for none, less than 0.04 beyond twice
// the width.
inline double robust_weight(double residual, double width) {
    const double ratio = residual / width, denominator = 1 + ratio * ratio;
    return 1 / (denominator * denominator);
}

inline double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace tesela
