// Reference: masks and Canny's steps by their definitions, in double precision, on one slice of one
// channel. Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tesela::reference {

struct Slice {
    int nx = 0, ny = 0;
    std::vector<double> values;
    // Beyond the border the image goes on with its outermost pixels.
    double at(int x, int y) const {
        return values[std::clamp(y, 0, ny - 1) * nx + std::clamp(x, 0, nx - 1)];
    }
};

using Mask = std::array<std::array<double, 3>, 3>;  // rows, around the middle
inline constexpr Mask sobel_x{{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}};
inline constexpr Mask sobel_y{{{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}};
inline constexpr Mask prewitt_x{{{-1, 0, 1}, {-1, 0, 1}, {-1, 0, 1}}};
inline constexpr Mask prewitt_y{{{-1, -1, -1}, {0, 0, 0}, {1, 1, 1}}};
inline constexpr Mask roberts_x{{{0, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
inline constexpr Mask roberts_y{{{0, 0, 0}, {0, 0, 1}, {0, -1, 0}}};

inline double filtered(const Slice& slice, const Mask& mask, int x, int y) {
    double sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += mask[dy + 1][dx + 1] * slice.at(x + dx, y + dy);
    return sum;
}

// sqrt((gx^2 + gy^2)/2)/weight or (|gx| + |gy|)/2/weight of each pixel.
inline std::vector<double> magnitudes(const Slice& slice, const Mask& mask_x, const Mask& mask_y,
                                      double weight, bool is_sum) {
    std::vector<double> result;
    for (int y = 0; y < slice.ny; ++y)
        for (int x = 0; x < slice.nx; ++x) {
            const double gx = filtered(slice, mask_x, x, y), gy = filtered(slice, mask_y, x, y);
            result.push_back(
                (is_sum ? (std::abs(gx) + std::abs(gy)) / 2 : std::sqrt((gx * gx + gy * gy) / 2)) /
                weight);
        }
    return result;
}

// The slice under a Gaussian of deviation `sigma`, cut off at ceil(3 sigma).
inline Slice smoothed(const Slice& slice, double sigma) {
    const int radius = static_cast<int>(std::ceil(3 * sigma));
    const auto weight = [&](int k) { return std::exp(-0.5 * k * k / (sigma * sigma)); };
    double total = 0;
    for (int k = -radius; k <= radius; ++k) total += weight(k);
    Slice result = slice;
    for (int y = 0; y < slice.ny; ++y)
        for (int x = 0; x < slice.nx; ++x) {
            double sum = 0;
            for (int v = -radius; v <= radius; ++v)
                for (int u = -radius; u <= radius; ++u)
                    sum += weight(u) * weight(v) * slice.at(x + u, y + v);
            result.values[y * slice.nx + x] = sum / (total * total);
        }
    return result;
}

// Without smoothing, thresholds of sqrt(gx^2 + gy^2) by Sobel's masks.
inline std::vector<bool> canny(const Slice& slice, double low, double high) {
    const int nx = slice.nx, ny = slice.ny;
    std::vector<double> squares;
    std::vector<std::array<double, 2>> gradient;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            gradient.push_back({filtered(slice, sobel_x, x, y), filtered(slice, sobel_y, x, y)});
            squares.push_back(gradient.back()[0] * gradient.back()[0] +
                              gradient.back()[1] * gradient.back()[1]);
        }
    const auto square_at = [&](int x, int y) {
        return x < 0 || y < 0 || x >= nx || y >= ny ? 0.0 : squares[y * nx + x];
    };
    std::vector<int> kind(squares.size(), 0);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const auto [gx, gy] = gradient[y * nx + x];
            const double own = squares[y * nx + x];
            if (own == 0 || own < low * low) continue;
            // The nearest of the four directions; downwards is positive.
            const double degrees = std::atan2(gy, gx) * 180 / 3.14159265358979323846;
            const int sector = static_cast<int>(std::lround(degrees / 45)) & 3;
            const std::array<std::array<int, 2>, 4> steps{{{1, 0}, {1, 1}, {0, 1}, {-1, 1}}};
            const int dx = steps[sector][0], dy = steps[sector][1];
            if (own > square_at(x - dx, y - dy) && own >= square_at(x + dx, y + dy))
                kind[y * nx + x] = own >= high * high ? 2 : 1;
        }
    std::vector<bool> edges(squares.size(), false);
    std::vector<int> open;
    for (int i = 0; i < nx * ny; ++i)
        if (kind[i] == 2) open.push_back(i);
    while (!open.empty()) {
        const int i = open.back();
        open.pop_back();
        if (edges[i]) continue;
        edges[i] = true;
        for (int n = 0; n < 9; ++n) {
            const int x = i % nx + n % 3 - 1, y = i / nx + n / 3 - 1;
            if (x >= 0 && y >= 0 && x < nx && y < ny && kind[y * nx + x] != 0)
                open.push_back(y * nx + x);
        }
    }
    return edges;
}

}  // namespace tesela::reference
