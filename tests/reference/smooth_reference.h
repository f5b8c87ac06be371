// Gaussian and median filters by their definitions, with replicated borders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference {

// At a place that may lie beyond the image.
template <class T>
T replicated(const Image<T>& image, std::array<std::int64_t, 3> at, std::int64_t t, int channel) {
    const Shape& s = image.shape();
    return image(std::clamp<std::int64_t>(at[0], 0, s.x - 1),
                 std::clamp<std::int64_t>(at[1], 0, s.y - 1),
                 std::clamp<std::int64_t>(at[2], 0, s.z - 1), t, channel);
}

// `value(x, y, z, t, channel)` of each pixel.
template <class T, class Value>
Image<T> pixel_by_pixel(const Image<T>& image, const Value& value) {
    const Shape& s = image.shape();
    Image<T> result(s, image.geometry);
    for (std::int64_t t = 0; t < s.t; ++t)
        for (std::int64_t z = 0; z < s.z; ++z)
            for (std::int64_t y = 0; y < s.y; ++y)
                for (std::int64_t x = 0; x < s.x; ++x)
                    for (int c = 0; c < s.channels; ++c)
                        result(x, y, z, t, c) = value(std::array{x, y, z}, t, c);
    return result;
}

template <class T>
Image<T> median(const Image<T>& image, std::array<std::int64_t, 3> radius) {
    return pixel_by_pixel(image, [&](std::array<std::int64_t, 3> at, std::int64_t t, int c) {
        std::vector<T> values;
        for (std::int64_t dz = -radius[2]; dz <= radius[2]; ++dz)
            for (std::int64_t dy = -radius[1]; dy <= radius[1]; ++dy)
                for (std::int64_t dx = -radius[0]; dx <= radius[0]; ++dx)
                    values.push_back(replicated(image, {at[0] + dx, at[1] + dy, at[2] + dz}, t, c));
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    });
}

// Not rounded; out to four deviations, one axis after the other. A deviation of 0 leaves an axis.
inline Image<double> gaussian(Image<double> image, std::array<double, 3> sigma) {
    for (std::size_t a = 0; a < 3; ++a) {
        if (sigma[a] == 0) continue;
        const auto radius = static_cast<std::int64_t>(4 * sigma[a] + 0.5);
        image = pixel_by_pixel(image, [&](std::array<std::int64_t, 3> at, std::int64_t t, int c) {
            double sum = 0, weights = 0;
            for (std::int64_t d = -radius; d <= radius; ++d) {
                std::array<std::int64_t, 3> there = at;
                there[a] += d;
                const double away = static_cast<double>(d) / sigma[a];
                const double weight = std::exp(-0.5 * away * away);
                weights += weight;
                sum += weight * replicated(image, there, t, c);
            }
            return sum / weights;
        });
    }
    return image;
}

}  // namespace tesela::reference
