#pragma once

#include <random>

#include "tesela/image.h"

namespace tesela::testing {

// `percent` of the pixels are not 0, of `levels` values.
template <class T>
Image<T> random_image(const Shape& shape, unsigned percent, unsigned levels, unsigned seed) {
    std::mt19937 generator(seed);
    Image<T> image(shape);
    for (T& pixel : image.pixels())
        pixel = generator() % 100 < percent ? static_cast<T>(1 + generator() % levels) : T{0};
    return image;
}

}  // namespace tesela::testing
