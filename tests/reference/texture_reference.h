// Reference: texture features as their equations stand (spec 003, sections 4.2 to 4.5; Haralick
// 1973; Ojala 2002). Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "reference/color_reference.h"

namespace tesela::reference {

struct Plane {
    int nx = 0, ny = 0;
    std::vector<int> values;

    int operator()(int x, int y) const { return values[static_cast<std::size_t>(y) * nx + x]; }
    bool has(int x, int y) const { return x >= 0 && x < nx && y >= 0 && y < ny; }
};

// 255 L* / 100, a* + 128, b* + 128, not rounded.
inline Color lab_bytes(int r, int g, int b) {
    const Color lab = lab_from_rgb({r / 255.0, g / 255.0, b / 255.0}, Gamma::srgb);
    return {lab[0] * 2.55, lab[1] + 128, lab[2] + 128};
}

// matrix[i][j]; an empty mask has all pixels inside.
inline std::vector<std::vector<std::int64_t>> cooccurrence(const Plane& levels, const Plane& mask,
                                                           int count, int dx, int dy) {
    std::vector<std::vector<std::int64_t>> matrix(count, std::vector<std::int64_t>(count));
    for (int y = 0; y < levels.ny; ++y)
        for (int x = 0; x < levels.nx; ++x) {
            if (!levels.has(x + dx, y + dy)) continue;
            if (!mask.values.empty() && !(mask(x, y) && mask(x + dx, y + dy))) continue;
            ++matrix[levels(x, y)][levels(x + dx, y + dy)];
        }
    return matrix;
}

inline std::map<std::string, double> descriptors(
    const std::vector<std::vector<std::int64_t>>& matrix) {
    const int n = static_cast<int>(matrix.size());
    double total = 0;
    for (const auto& row : matrix)
        for (const std::int64_t count : row) total += static_cast<double>(count);
    const auto p = [&](int i, int j) { return static_cast<double>(matrix[i][j]) / total; };
    const auto log_of = [](double v) { return v > 0 ? std::log(v) : 0.0; };
    std::vector<double> px(n), py(n), sums(2 * n - 1), differences(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            px[i] += p(i, j);
            py[j] += p(i, j);
            sums[i + j] += p(i, j);
            differences[std::abs(i - j)] += p(i, j);
        }
    const auto mean = [](const std::vector<double>& q) {
        double sum = 0;
        for (std::size_t k = 0; k < q.size(); ++k) sum += static_cast<double>(k) * q[k];
        return sum;
    };
    const auto variance = [&](const std::vector<double>& q) {
        double sum = 0;
        for (std::size_t k = 0; k < q.size(); ++k)
            sum += q[k] * std::pow(static_cast<double>(k) - mean(q), 2);
        return sum;
    };
    const auto entropy = [&](const std::vector<double>& q) {
        double sum = 0;
        for (const double v : q) sum -= v * log_of(v);
        return sum;
    };
    std::map<std::string, double> d;
    double hxy1 = 0, hxy2 = 0, covariance = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double difference = i - j;
            d["asm"] += p(i, j) * p(i, j);
            d["contrast"] += difference * difference * p(i, j);
            d["dissimilarity"] += std::abs(difference) * p(i, j);
            d["homogeneity"] += p(i, j) / (1 + std::abs(difference));
            d["inverse-difference-moment"] += p(i, j) / (1 + difference * difference);
            d["variance"] += std::pow(i - mean(px), 2) * p(i, j);
            d["entropy"] -= p(i, j) * log_of(p(i, j));
            covariance += (i - mean(px)) * (j - mean(py)) * p(i, j);
            hxy1 -= p(i, j) * log_of(px[i] * py[j]);
            hxy2 -= px[i] * py[j] * log_of(px[i] * py[j]);
        }
    const double spread = std::sqrt(variance(px) * variance(py));
    d["energy"] = std::sqrt(d["asm"]);
    d["correlation"] = spread > 1e-15 ? covariance / spread : 0;
    d["sum-average"] = mean(sums);
    d["sum-variance"] = variance(sums);
    d["sum-entropy"] = entropy(sums);
    d["difference-variance"] = variance(differences);
    d["difference-entropy"] = entropy(differences);
    const double larger = std::max(entropy(px), entropy(py));
    d["information-correlation-1"] = larger > 0 ? (d["entropy"] - hxy1) / larger : 0;
    d["information-correlation-2"] =
        std::sqrt(std::max(0.0, 1 - std::exp(-2 * (hxy2 - d["entropy"]))));
    return d;
}

inline int square_code(const Plane& plane, int x, int y) {
    const int dx[] = {-1, 0, 1, 1, 1, 0, -1, -1}, dy[] = {-1, -1, -1, 0, 1, 1, 1, 0};
    int code = 0;
    for (int k = 0; k < 8; ++k)
        code = 2 * code + (plane(x + dx[k], y + dy[k]) > plane(x, y) ? 1 : 0);
    return code;
}

inline int circular_class(const std::vector<int>& bits, int other) {
    int changes = 0, ones = 0;
    for (std::size_t k = 0; k < bits.size(); ++k) {
        changes += bits[k] != bits[(k + 1) % bits.size()];
        ones += bits[k];
    }
    return changes <= 2 ? ones : other;
}

// `ties`: samples that are exactly as bright as the center, where they lie between pixels.
struct CircleCode {
    int code = 0, ties = 0;
};
// Exact: offsets are whole multiples of 1e-5.
inline CircleCode circle_code(const Plane& plane, int x, int y, int points, double radius) {
    CircleCode result;
    std::vector<int> bits;
    for (int k = 0; k < points; ++k) {
        const double angle = 2 * std::numbers::pi * k / points;
        const auto dx = static_cast<std::int64_t>(std::nearbyint(radius * std::cos(angle) * 1e5));
        const auto dy = static_cast<std::int64_t>(std::nearbyint(-radius * std::sin(angle) * 1e5));
        const std::int64_t unit = 100000;
        std::int64_t sum = 0;
        const int reach = static_cast<int>(radius) + 1;
        for (int row = -reach; row <= reach; ++row)
            for (int column = -reach; column <= reach; ++column) {
                const std::int64_t wx = unit - std::abs(dx - column * unit);
                const std::int64_t wy = unit - std::abs(dy - row * unit);
                if (wx > 0 && wy > 0) sum += wx * wy * plane(x + column, y + row);
            }
        const std::int64_t center = unit * unit * plane(x, y);
        bits.push_back(sum >= center);
        result.ties += sum == center && (dx % unit != 0 || dy % unit != 0);
    }
    result.code = circular_class(bits, points + 1);
    return result;
}

}  // namespace tesela::reference
