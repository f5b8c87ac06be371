// Small pictures for the tests of texture. Seeds are fixed.
#pragma once

#include <cstdint>
#include <random>

#include "reference/texture_reference.h"
#include "tesela/image.h"

namespace tesela::testing {

// The pictures of make_scikit_image_vectors.py.
inline Image<std::uint8_t> picture(std::int64_t nx, std::int64_t ny, std::uint32_t levels) {
    Image<std::uint8_t> image({nx, ny});
    std::uint32_t state = 1;
    for (std::uint8_t& pixel : image.pixels()) {
        state = 1664525u * state + 1013904223u;
        pixel = static_cast<std::uint8_t>((state >> 16) % levels);
    }
    return image;
}

inline Image<std::uint8_t> noise(const Shape& shape, std::uint32_t levels, unsigned seed) {
    std::mt19937 generator(seed);
    Image<std::uint8_t> image(shape);
    for (std::uint8_t& pixel : image.pixels())
        pixel = static_cast<std::uint8_t>(generator() % levels);
    return image;
}

inline reference::Plane plane_of(const Image<std::uint8_t>& image) {
    return {static_cast<int>(image.shape().x),
            static_cast<int>(image.shape().y),
            {image.pixels().begin(), image.pixels().end()}};
}

}  // namespace tesela::testing
