// Normalized cross-correlation by its formula, window by window, in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace tesela::reference {

template <class T>
std::vector<double> match(const std::vector<T>& pattern, int pattern_width, int pattern_height,
                          const std::vector<T>& image, int width, int height) {
    std::vector<double> scores;
    const double count = static_cast<double>(pattern_width) * pattern_height;
    for (int y = 0; y + pattern_height <= height; ++y)
        for (int x = 0; x + pattern_width <= width; ++x) {
            double sum_t = 0, sum_w = 0, tt = 0, ww = 0, tw = 0;
            const auto at = [&](int i, int j) {
                return static_cast<double>(
                    image[static_cast<std::size_t>((y + j) * width + x + i)]);
            };
            const auto pattern_at = [&](int i, int j) {
                return static_cast<double>(
                    pattern[static_cast<std::size_t>(j * pattern_width + i)]);
            };
            for (int j = 0; j < pattern_height; ++j)
                for (int i = 0; i < pattern_width; ++i) {
                    sum_t += pattern_at(i, j);
                    sum_w += at(i, j);
                }
            for (int j = 0; j < pattern_height; ++j)
                for (int i = 0; i < pattern_width; ++i) {
                    const double t = pattern_at(i, j) - sum_t / count, w = at(i, j) - sum_w / count;
                    tt += t * t;
                    ww += w * w;
                    tw += t * w;
                }
            constexpr double nothing = 1e-9;  // what rounding leaves of equal values
            scores.push_back(tt > nothing && ww > nothing ? tw / std::sqrt(tt * ww) : 0);
        }
    return scores;
}

// Places (x, y) of all peaks, the highest first, of equal ones the first: scores that none of their
// neighbors exceeds, and none before them reaches, `apart` from all better ones along x or y.
inline std::vector<std::array<int, 2>> peaks(const std::vector<float>& scores, int width,
                                             int height, int apart_x, int apart_y) {
    std::vector<std::array<int, 2>> tops;
    const auto at = [&](int x, int y) { return scores[static_cast<std::size_t>(y * width + x)]; };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            bool is_top = true;
            for (int v = std::max(y - 1, 0); v <= std::min(y + 1, height - 1); ++v)
                for (int u = std::max(x - 1, 0); u <= std::min(x + 1, width - 1); ++u) {
                    if (v < y || (v == y && u < x)) is_top &= at(u, v) < at(x, y);
                    is_top &= at(u, v) <= at(x, y);
                }
            if (is_top) tops.push_back({x, y});
        }
    std::stable_sort(tops.begin(), tops.end(),
                     [&](const auto& a, const auto& b) { return at(a[0], a[1]) > at(b[0], b[1]); });
    std::vector<std::array<int, 2>> chosen;
    for (const auto& top : tops)
        if (std::none_of(chosen.begin(), chosen.end(), [&](const auto& other) {
                return std::abs(top[0] - other[0]) < apart_x &&
                       std::abs(top[1] - other[1]) < apart_y;
            }))
            chosen.push_back(top);
    return chosen;
}

}  // namespace tesela::reference
