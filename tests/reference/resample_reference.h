// Values of an image between its pixels, in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tesela/resample.h"

namespace tesela::reference {

// The weight of a pixel at a distance from the position, along an axis.
inline double weight_of(Interpolation interpolation, double distance) {
    const double d = std::abs(distance);
    if (interpolation == Interpolation::linear) return std::max(0.0, 1 - d);
    // R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE TASSP 29(6),
    // 1981.
    if (d <= 1) return (1.5 * d - 2.5) * d * d + 1;
    return d < 2 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : 0;
}

// At a position in pixels, `outside` beyond half a pixel from the outermost ones. Borders are
// replicated.
template <class T>
double value_at(const Image<T>& image, std::array<double, 3> at, std::int64_t t, int channel,
                Interpolation interpolation, double outside) {
    const Shape& shape = image.shape();
    const std::array size{shape.x, shape.y, shape.z};
    for (std::size_t a = 0; a < 3; ++a) {
        if (at[a] < -0.5 || at[a] > static_cast<double>(size[a]) - 0.5) return outside;
        at[a] = std::clamp(at[a], 0.0, static_cast<double>(size[a] - 1));
        if (interpolation == Interpolation::nearest) at[a] = std::floor(at[a] + 0.5);
    }
    const auto pixel = [&](std::size_t a, std::int64_t k) {
        return std::clamp<std::int64_t>(std::llround(std::floor(at[a])) + k, 0, size[a] - 1);
    };
    const auto weight = [&](std::size_t a, std::int64_t k) {
        const double offset = at[a] - std::floor(at[a]) - static_cast<double>(k);
        return interpolation == Interpolation::nearest ? (k == 0)
                                                       : weight_of(interpolation, offset);
    };
    double sum = 0;
    for (std::int64_t k = -1; k <= 2; ++k)
        for (std::int64_t j = -1; j <= 2; ++j)
            for (std::int64_t i = -1; i <= 2; ++i)
                sum +=
                    weight(0, i) * weight(1, j) * weight(2, k) *
                    static_cast<double>(image(pixel(0, i), pixel(1, j), pixel(2, k), t, channel));
    return sum;
}

}  // namespace tesela::reference
