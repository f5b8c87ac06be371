// What the tests of growth from seeds share: images, limits within them, regions.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reference/region_grow_reference.h"
#include "tesela/image.h"

namespace tesela::region_growing {

// Smooth hills with noise, so that regions have ragged borders.
template <class T>
Image<T> hills(const Shape& shape, double height, unsigned seed) {
    Image<T> image(shape);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> noise(0, 0.25);
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const auto x = static_cast<double>(i % shape.x), y = static_cast<double>(i / shape.x);
        for (int c = 0; c < shape.channels; ++c)
            image.pixels()[static_cast<std::size_t>(i * shape.channels + c)] =
                static_cast<T>(height * (0.4 + 0.2 * std::sin(x / 7 + c) + 0.15 * std::cos(y / 9) +
                                         noise(generator)));
    }
    return image;
}

inline reference::Grid grid_of(const Shape& s, int axes) {
    return {{static_cast<int>(s.x), static_cast<int>(s.y), static_cast<int>(s.z),
             static_cast<int>(s.t)},
            axes};
}

// Limits of one channel, and a seed that is within them.
struct Case {
    double lower, upper;
    std::size_t seed;
};
template <class T>
Case case_of(const Image<T>& image, double height) {
    Case found{0.3 * height, 0.62 * height, 0};
    if (height < 0) std::swap(found.lower, found.upper);
    const auto value = [&](std::size_t i) { return static_cast<double>(image.pixels()[i]); };
    const std::size_t points = image.pixels().size();
    for (std::size_t k = 0; k < points; ++k) {
        found.seed = (points / 2 + k) % points;
        if (value(found.seed) >= found.lower && value(found.seed) <= found.upper) break;
    }
    return found;
}
inline std::string text_of(const Shape& s, std::size_t point) {
    const auto p = static_cast<std::int64_t>(point);
    return std::to_string(p % s.x) + "," + std::to_string(p / s.x % s.y) + "," +
           std::to_string(p / (s.x * s.y) % s.z) + "," + std::to_string(p / (s.x * s.y * s.z));
}

inline const std::vector<Shape> shapes{{1, 1},       {1, 9},       {9, 1},
                                       {37, 23},     {513, 511},   {40, 1, 9},
                                       {17, 19, 13}, {9, 8, 1, 6}, {6, 7, 5, 4}};

inline std::vector<bool> region_of(const std::vector<std::uint32_t>& labels) {
    std::vector<bool> region;
    for (const std::uint32_t label : labels) region.push_back(label != 0);
    return region;
}

}  // namespace tesela::region_growing
