// Frames with known motion: the pattern of spec 002, Appendix A.
#pragma once

#include <cmath>
#include <functional>
#include <utility>

#include "tesela/image.h"

namespace tesela::testing {

// Where the point (x, y) of a frame, relative to its middle, was in the pattern.
using Origin = std::function<std::pair<double, double>(double x, double y)>;

inline constexpr double growth = 1.6 / 75;  // of the diverging frame

inline std::pair<double, double> still(double x, double y) { return {x, y}; }
inline std::pair<double, double> diverging(double x, double y) {
    return {x / (1 + growth), y / (1 + growth)};
}
inline std::pair<double, double> translating(double x, double y) { return {x - 1, y - 0.5}; }

inline Image<float> waves(const Shape& shape, const Origin& origin) {
    Image<float> frame(shape);
    for (std::int64_t j = 0; j < shape.y; ++j)
        for (std::int64_t i = 0; i < shape.x; ++i) {
            const auto [x, y] = origin(static_cast<double>(2 * i - shape.x + 1) / 2,
                                       static_cast<double>(2 * j - shape.y + 1) / 2);
            frame(i, j) = static_cast<float>(
                128 +
                20 * (std::sin(0.31 * x + 0.17 * y) + std::cos(0.23 * y - 0.11 * x + 0.7) +
                      std::sin(0.13 * x - 0.29 * y + 1.3) + std::cos(0.41 * x + 0.05 * y + 2.1)));
        }
    return frame;
}

}  // namespace tesela::testing
