// Samples of 8 bits that tests of wavelets transform.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "tesela/image.h"

namespace tesela::testing {

template <class T>
std::vector<T> random_samples(const Shape& shape, std::mt19937& generator) {
    std::uniform_int_distribution<int> any(0, 255);
    std::vector<T> samples(static_cast<std::size_t>(shape.elements()));
    for (T& sample : samples) sample = static_cast<T>(any(generator));
    return samples;
}

}  // namespace tesela::testing
