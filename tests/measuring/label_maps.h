// Label maps that are made of integers alone, so that other programs can make them too.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/image.h"

namespace tesela::testing {

// Ellipsoids one over the other, some with holes, some beyond the border. Labels are 2, 5, 8, ...
// make_scikit_image_vectors.py has the same.
inline LabelImage ellipsoids(const Shape& shape, int count, std::int64_t size, std::uint32_t seed) {
    LabelImage map(shape);
    std::uint32_t state = seed;
    const auto next = [&](std::int64_t below) {
        state = 1664525u * state + 1013904223u;
        return static_cast<std::int64_t>(state >> 16) % below;
    };
    for (int k = 0; k < count; ++k) {
        const std::array<std::int64_t, 3> center{next(shape.x), next(shape.y), next(shape.z)};
        const std::int64_t a = 1 + next(4), b = next(3) - 1, c = 1 + next(4), d = 1 + next(3);
        const std::int64_t limit = 1 + next(size * size), has_hole = next(2);
        const std::int64_t hole = has_hole * next(limit) / 3;
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x) {
                    const std::int64_t dx = x - center[0], dy = y - center[1], dz = z - center[2];
                    const std::int64_t out = a * dx * dx + b * dx * dy + c * dy * dy + d * dz * dz;
                    if (out <= limit && out >= hole)
                        map(x, y, z) = static_cast<std::uint32_t>(3 * k + 2);
                }
    }
    return map;
}

// Values from 0 to `levels` - 1 in no order.
template <class T>
Image<T> noise(const Shape& shape, std::uint32_t levels) {
    Image<T> image(shape);
    std::uint32_t state = 1;
    for (T& value : image.pixels()) {
        state = 1664525u * state + 1013904223u;
        value = static_cast<T>((state >> 16) % levels);
    }
    return image;
}

}  // namespace tesela::testing
