// Reference: the flat window's mean shift in the integers of the device, every sample looked at,
// one point after the other. Where the reference in double precision agrees within rounding, this
// one is equal to the bit. Nobody optimizes this.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "segmentation/mean_shift/window.h"
#include "tesela/image.h"

namespace tesela::reference {

namespace detail {

// sum / count to the nearest integer, halves up.
inline std::int64_t rounded_quotient(std::int64_t sum, std::int64_t count) {
    return static_cast<std::int64_t>(std::floor((2 * static_cast<long double>(sum) + count) /
                                                (2 * static_cast<long double>(count))));
}

inline float square(std::int64_t a) {
    const auto f = static_cast<float>(a);
    return f * f;
}

// The point's coordinates x, y, z, t, and its features.
using IntegerPoint = std::array<std::int64_t, 7>;

inline IntegerPoint sample(const Shape& shape, int channels, const Window& w,
                           const std::vector<std::int32_t>& features, std::int64_t j) {
    IntegerPoint s{j % shape.x * w.steps[0], j / shape.x % shape.y * w.steps[1],
                   j / shape.x / shape.y % shape.z * w.steps[2],
                   j / shape.x / shape.y / shape.z * w.steps[3]};
    for (int c = 0; c < channels; ++c) s[4 + c] = features[c * shape.points() + j];
    return s;
}

// Moves the point to the mean of its window (spec 000, eq. 4.2 to 4.5). Gives whether it goes on.
inline bool move(const Shape& shape, int channels, const Window& w,
                 const std::vector<std::int32_t>& features, IntegerPoint& point) {
    IntegerPoint sums{};
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < shape.points(); ++j) {
        const IntegerPoint s = sample(shape, channels, w, features, j);
        IntegerPoint d{};
        for (std::size_t a = 0; a < 7; ++a) d[a] = s[a] - point[a];
        float range2 = 0;
        for (int c = 0; c < channels; ++c) range2 += square(d[4 + c]);
        if (!(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < w.spatial_limit2 &&
              d[3] * d[3] < w.time_limit2 && range2 < w.range_limit2))
            continue;
        ++count;
        for (std::size_t a = 0; a < 7; ++a) sums[a] += d[a];
    }
    if (count == 0) return false;
    IntegerPoint shift{};
    for (std::size_t a = 0; a < 7; ++a) {
        // Whole coordinates are averaged, differences of features.
        shift[a] = a < 4 ? rounded_quotient(sums[a] + count * point[a], count) - point[a]
                         : rounded_quotient(sums[a], count);
        point[a] += shift[a];
    }
    float spatial2 = 0, range2 = 0;
    for (std::size_t a = 0; a < 3; ++a) spatial2 += square(shift[a]);
    for (int c = 0; c < channels; ++c) range2 += square(shift[4 + c]);
    const float joint2 = spatial2 * w.inverse_spatial2 + range2 * w.inverse_range2;
    return !(joint2 + square(shift[3]) * w.inverse_time2 < w.epsilon2);
}

}  // namespace detail

struct IntegerModes {
    std::vector<std::int32_t> features;  // planes
    std::int64_t iterations = 0, still_moving = 0;
};

inline IntegerModes seek_integer_modes(const Shape& shape, int channels, const Window& window,
                                       const std::vector<std::int32_t>& features,
                                       int max_iterations) {
    IntegerModes modes{features, 0, 0};
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        detail::IntegerPoint point = detail::sample(shape, channels, window, features, i);
        bool moves = true;
        int round = 0;
        for (; moves && round < max_iterations; ++round)
            moves = detail::move(shape, channels, window, features, point);
        modes.iterations += round;
        modes.still_moving += moves;
        for (int c = 0; c < channels; ++c)
            modes.features[c * shape.points() + i] = static_cast<std::int32_t>(point[4 + c]);
    }
    return modes;
}

}  // namespace tesela::reference
