// Small synthetic images for the tests of segmentation. Seeds are fixed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "reference/color_reference.h"
#include "reference/mean_shift_reference.h"
#include "tesela/image.h"

namespace tesela::testing {

// Smooth patches with steps between them and a little noise: like a photograph, in [0, 1].
inline Image<float> patches(const Shape& shape, double noise, unsigned seed) {
    Image<float> image(shape);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int c = 0; c < shape.channels; ++c) {
                        const std::int64_t patch = x / 9 + 2 * (y / 7) + z / 5 + t / 3 + c;
                        const double ramp = 0.004 * static_cast<double>(x + y - z + t);
                        const double value = 0.15 + 0.15 * static_cast<double>(patch % 5) + ramp +
                                             noise * uniform(generator);
                        image(x, y, z, t, c) = static_cast<float>(std::clamp(value, 0.0, 1.0));
                    }
    return image;
}

// The same values spread over an integer type: 0 and 1 become 0 and `full`.
template <class T>
Image<T> quantized(const Image<float>& image, double full) {
    Image<T> result(image.shape(), image.geometry);
    result.has_alpha = image.has_alpha;
    std::transform(image.pixels().begin(), image.pixels().end(), result.pixels().begin(),
                   [&](float v) { return static_cast<T>(std::lround(v * full)); });
    return result;
}

// The features of the reference: L*u*v* of colors in [0, 1], L* of gray, or the values themselves.
enum class Space { luv, lab, intensity };
inline reference::Samples samples_of(const Image<float>& image, Space space,
                                     reference::Gamma gamma = reference::Gamma::srgb) {
    const Shape& shape = image.shape();
    reference::Samples samples;
    samples.size = {static_cast<int>(shape.x), static_cast<int>(shape.y),
                    static_cast<int>(shape.z)};
    samples.frames = static_cast<int>(shape.t);
    samples.channels = shape.channels;
    samples.features.assign(image.pixels().begin(), image.pixels().end());
    if (space == Space::intensity) return samples;
    if (shape.channels == 1) {
        for (double& value : samples.features) value = reference::lightness_from_gray(value, gamma);
        return samples;
    }
    for (std::size_t i = 0; i < samples.features.size(); i += 3) {
        const reference::Color rgb{samples.features[i], samples.features[i + 1],
                                   samples.features[i + 2]};
        const reference::Color color = space == Space::luv ? reference::luv_from_rgb(rgb, gamma)
                                                           : reference::lab_from_rgb(rgb, gamma);
        std::copy(color.begin(), color.end(), samples.features.begin() + static_cast<long>(i));
    }
    return samples;
}

// Shares of points whose modes differ from the reference's by more than `limit` (spec 000, F25:
// feature differences over 100).
struct Deviation {
    double above_1e3 = 0, above_1e2 = 0;
};
inline Deviation deviation(const reference::Samples& filtered, const reference::Modes& modes,
                           double full_scale) {
    Deviation result;
    const std::size_t points = filtered.points();
    for (std::size_t i = 0; i < points; ++i) {
        double sum = 0;
        for (int c = 0; c < filtered.channels; ++c) {
            const std::size_t at = i * filtered.channels + c;
            sum += std::pow((filtered.features[at] - modes.features[at]) / full_scale, 2);
        }
        if (std::sqrt(sum) > 1e-3) result.above_1e3 += 1.0 / static_cast<double>(points);
        if (std::sqrt(sum) > 1e-2) result.above_1e2 += 1.0 / static_cast<double>(points);
    }
    return result;
}

}  // namespace tesela::testing
