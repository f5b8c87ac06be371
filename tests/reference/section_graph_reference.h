// Reference: places of sections as one linear least-squares problem, and how far apart sections lie
// that should show the same. Nobody optimizes this.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tesela/section_graph.h"

namespace tesela::reference {

// Gauss's elimination with pivots.
inline std::vector<double> solved(std::vector<std::vector<double>> matrix,
                                  std::vector<double> right) {
    const std::size_t n = right.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k; i < n; ++i)
            if (std::abs(matrix[i][k]) > std::abs(matrix[best][k])) best = i;
        std::swap(matrix[k], matrix[best]);
        std::swap(right[k], right[best]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = matrix[i][k] / matrix[k][k];
            for (std::size_t j = k; j < n; ++j) matrix[i][j] -= factor * matrix[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) right[k] -= matrix[k][j] * right[j];
        right[k] /= matrix[k][k];
    }
    return right;
}

// The affine maps T of all sections with T = identity for `reference`, for which the sum over pairs
// and points p of weight |T_moving(p) - M(T_fixed(p))|^2 is least, where M is the linear map of the
// pair: linear in the six numbers of each T.
inline std::vector<LinearMap> affine_places(std::size_t sections,
                                            const std::vector<SectionPair>& pairs,
                                            const std::vector<double>& weights,
                                            std::size_t reference,
                                            const std::vector<SpacePoint>& points) {
    const std::size_t n = 6 * sections;
    std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
    std::vector<double> right(n);
    const auto add = [&](const std::vector<double>& row, double wanted, double weight) {
        for (std::size_t i = 0; i < n; ++i) {
            if (row[i] == 0) continue;
            right[i] += weight * row[i] * wanted;
            for (std::size_t j = 0; j < n; ++j) matrix[i][j] += weight * row[i] * row[j];
        }
    };
    for (std::size_t p = 0; p < pairs.size(); ++p)
        for (const SpacePoint& point : points) {
            const auto& map = std::get<LinearMap>(pairs[p].map.steps.front());
            const double at[3] = {point[0], point[1], 1};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                std::vector<double> row(n);
                for (std::size_t k = 0; k < 3; ++k) {
                    row[6 * static_cast<std::size_t>(pairs[p].moving) + 3 * axis + k] += at[k];
                    for (std::size_t b = 0; b < 2; ++b)
                        row[6 * static_cast<std::size_t>(pairs[p].fixed) + 3 * b + k] -=
                            map.matrix[3 * axis + b] * at[k];
                }
                add(row, map.translation[axis], weights[p]);
            }
        }
    constexpr double fixed = 1e12;
    const double identity[6] = {1, 0, 0, 0, 1, 0};
    for (std::size_t k = 0; k < 6; ++k) {
        std::vector<double> row(n);
        row[6 * reference + k] = 1;
        add(row, identity[k], fixed);
    }
    const std::vector<double> numbers = solved(std::move(matrix), std::move(right));
    std::vector<LinearMap> maps(sections);
    for (std::size_t i = 0; i < sections; ++i) {
        const double* t = &numbers[6 * i];
        maps[i].matrix = {t[0], t[1], 0, t[3], t[4], 0, 0, 0, 1};
        maps[i].translation = {t[2], t[5], 0};
    }
    return maps;
}

// The mean distance of the places on the tissue that the points of the canvas show in all sections
// from one affine map of the canvas.
inline double residual_after_affine(const std::vector<std::pair<SpacePoint, SpacePoint>>& pairs) {
    std::vector<std::vector<double>> matrix(3, std::vector<double>(3));
    std::vector<std::vector<double>> right(2, std::vector<double>(3));
    for (const auto& [canvas, tissue] : pairs) {
        const double at[3] = {canvas[0], canvas[1], 1};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) matrix[i][j] += at[i] * at[j];
            for (std::size_t axis = 0; axis < 2; ++axis) right[axis][i] += at[i] * tissue[axis];
        }
    }
    const std::vector<double> x = solved(matrix, right[0]), y = solved(matrix, right[1]);
    double sum = 0;
    for (const auto& [canvas, tissue] : pairs)
        sum += std::hypot(x[0] * canvas[0] + x[1] * canvas[1] + x[2] - tissue[0],
                          y[0] * canvas[0] + y[1] * canvas[1] + y[2] - tissue[1]);
    return sum / static_cast<double>(pairs.size());
}

}  // namespace tesela::reference
