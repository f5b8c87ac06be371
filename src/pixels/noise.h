// How noisy an image is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// The standard deviation of white noise, from the median of the absolute second differences along
// rows, of a million at most: those of even ground and of ramps are the noise alone. 0 where rows
// have fewer than three points. All values are finite; alpha does not count.
template <class Pixels>
double noise_deviation(const Pixels& image) {
    constexpr std::int64_t most_samples = 1 << 20;
    constexpr double median_of_normal = 0.6744897501960817;
    const Shape& shape = image.shape();
    const std::int64_t stride = (shape.points() + most_samples - 1) / most_samples;
    const int compared = shape.channels - (image.has_alpha ? 1 : 0);
    const std::span<const typename Pixels::value_type> pixels(image.pixels());
    std::vector<double> differences;
    for (std::int64_t i = 1; i + 1 < shape.points(); i += stride) {
        if (i % shape.x == 0 || i % shape.x == shape.x - 1) continue;
        for (int c = 0; c < compared; ++c) {
            const auto value = [&](std::int64_t point) {
                return static_cast<double>(
                    pixels[static_cast<std::size_t>(point * shape.channels + c)]);
            };
            differences.push_back(std::abs(value(i - 1) - 2 * value(i) + value(i + 1)));
        }
    }
    if (differences.empty()) return 0;
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    return *middle / (median_of_normal * std::sqrt(6.0));
}

}  // namespace tesela
