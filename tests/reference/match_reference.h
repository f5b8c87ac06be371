// Normalized cross-correlation by its formula, window by window, in double precision.
#pragma once

#include <cmath>
#include <cstdint>
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

}  // namespace tesela::reference
