#include "filters/gaussian.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "filters/points_inside.h"
#include "kernels/filters/gaussian.kernel.h"
#include "kernels/filters/gaussian_f32.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// At distances 0..radius; both sides sum up to 1.
std::vector<double> gaussian_weights(double deviation, int radius) {
    std::vector<double> weights;
    double sum = 0;
    const double squared = deviation * deviation;
    for (int k = 0; k <= radius; ++k) {
        weights.push_back(squared > 0 ? std::exp(-0.5 * k * k / squared) : k == 0 ? 1 : 0);
        sum += (k == 0 ? 1 : 2) * weights.back();
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

template <class T>
struct Kernels;
template <>
struct Kernels<std::uint16_t> {
    static constexpr auto& inside = kernels::gaussian_inside_u16;
    static constexpr auto& ends = kernels::gaussian_ends_u16;
};
template <>
struct Kernels<std::uint32_t> {
    static constexpr auto& inside = kernels::gaussian_inside_u32;
    static constexpr auto& ends = kernels::gaussian_ends_u32;
};

static_assert(most_float_radius == kernels::gaussian_tile_radius);

}  // namespace

int gaussian_radius(double deviation) { return static_cast<int>(std::ceil(3 * deviation)); }

std::vector<u32> gaussian_integers(double deviation, double total, WeightRounding rounding) {
    std::vector<u32> weights;
    double rest = total;
    for (const double weight : gaussian_weights(deviation, gaussian_radius(deviation))) {
        const double exact = weight * total;
        weights.push_back(
            static_cast<u32>(rounding == WeightRounding::nearest ? std::round(exact) : exact));
        if (weights.size() > 1) rest -= 2.0 * weights.back();
    }
    weights[0] = static_cast<u32>(rest);
    return weights;
}

template <class T>
void smooth_along(Queue& queue, const Shape& shape, int axis, std::span<const u32> weights,
                  const Buffer<T>& values, Buffer<T>& smoothed) {
    std::vector<u32> filled(weights.begin(), weights.end());
    filled.resize(std::max<std::size_t>(filled.size(), kernels::gaussian_taps + 1));
    const auto uploaded = queue.upload(std::span<const u32>(filled), "weights of smoothing");
    const auto radius = static_cast<i32>(weights.size()) - 1;
    const bool is_column = axis > 0;
    // Slices that follow one another are rows as long as a slice.
    const auto nx = static_cast<i32>(axis == 2 ? shape.x * shape.y : shape.x);
    const auto ny = static_cast<i32>(axis == 2 ? shape.z : shape.y);
    const std::int64_t slices = values.size() / (std::int64_t{nx} * ny);
    const i32 length = is_column ? ny : nx;
    const i32 inside = radius <= kernels::gaussian_taps ? points_inside(queue, length, radius) : 0;
    const auto range = [&](i32 along) {
        return is_column ? Range{nx, along, slices} : Range{along, ny, slices};
    };
    if (inside > 0)
        queue.launch(Kernels<T>::inside, range(inside), values, uploaded, smoothed, radius,
                     is_column ? nx : 1, is_column ? 0 : radius, is_column ? radius : 0, nx, ny);
    if (const i32 ends = length - inside; ends > 0)
        queue.launch(Kernels<T>::ends, range(ends), values, uploaded, smoothed, radius,
                     i32{is_column}, inside, nx, ny);
}
template void smooth_along(Queue&, const Shape&, int, std::span<const u32>,
                           const Buffer<std::uint16_t>&, Buffer<std::uint16_t>&);
template void smooth_along(Queue&, const Shape&, int, std::span<const u32>,
                           const Buffer<std::uint32_t>&, Buffer<std::uint32_t>&);

std::vector<float> gaussian_floats(double deviation, int most_radius) {
    const int radius = std::clamp(gaussian_radius(deviation), 1, most_radius);
    const std::vector<double> weights = gaussian_weights(deviation, radius);
    std::vector<float> both_sides;
    for (int k = -radius; k <= radius; ++k)
        both_sides.push_back(static_cast<float>(weights[static_cast<std::size_t>(std::abs(k))]));
    return both_sides;
}

std::vector<float> gaussian_one_side(double deviation, int radius) {
    const std::vector<double> weights = gaussian_weights(deviation, radius);
    return {weights.begin(), weights.end()};
}

// On a GPU in one launch.
Buffer<float> smooth_images(Queue& queue, int width, int height, std::int64_t count,
                            const Buffer<const float>& images, const Buffer<float>& weights) {
    constexpr int columns = kernels::gaussian_tile_columns, rows = kernels::gaussian_tile_rows;
    const auto radius = static_cast<i32>(weights.size() - 1) / 2;
    const auto room = [&] {
        return queue.allocate<float>(count * width * height, "smoothed images");
    };
    auto smoothed = room();
    if (prefers_groups(queue.device())) {
        queue.launch(kernels::gaussian_tile_f32,
                     Groups{(width + columns - 1) / columns, (height + rows - 1) / rows, count},
                     images, weights, smoothed, width, height, radius);
        return smoothed;
    }
    const Range range{width, height, count};
    auto along_x = room();
    queue.launch(kernels::gaussian_f32, range, images, weights, along_x, width, height, 0, radius);
    queue.launch(kernels::gaussian_f32, range, along_x, weights, smoothed, width, height, 1,
                 radius);
    return smoothed;
}

}  // namespace tesela
