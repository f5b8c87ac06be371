// Smoothing by Gaussians on a device, out to three deviations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// How far a Gaussian reaches.
int gaussian_radius(double deviation);

// Integer weights at distances 0, 1, ... that sum to `total` with both sides; the middle one takes
// the rounding error. A deviation of 0 has one weight.
enum class WeightRounding { down, nearest };
std::vector<std::uint32_t> gaussian_integers(double deviation, double total,
                                             WeightRounding rounding);

// Along axis 0, 1 or 2 of images stored one after the other, all of `shape`: weighted means,
// where a sum of weights of 2^16 keeps the values as they are. Borders are replicated. The same on
// every device. T is std::uint16_t or std::uint32_t.
template <class T>
void smooth_along(Queue& queue, const Shape& shape, int axis,
                  std::span<const std::uint32_t> weights, const Buffer<T>& values,
                  Buffer<T>& smoothed);

// Weights of floating-point smoothing, from -radius to radius, `most_radius` at most.
inline constexpr int most_float_radius = 20;
std::vector<float> gaussian_floats(double deviation, int most_radius = most_float_radius);

// At distances 0 to radius.
std::vector<float> gaussian_one_side(double deviation, int radius);

// Images of floating-point values, smoothed along rows and then along columns by such weights.
// Borders are mirrored.
Buffer<float> smooth_images(Queue& queue, int width, int height, std::int64_t count,
                            const Buffer<const float>& images, const Buffer<float>& weights);

}  // namespace tesela
