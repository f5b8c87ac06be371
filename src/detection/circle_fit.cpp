#include "detection/circle_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "kernels/detection/circle_fit.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// Rays at equal angles, at least as many as the largest circle has pixels; smaller ones take every
// second one, every fourth one and so on.
std::vector<float> directions(double largest_radius) {
    std::size_t rays = 32;
    while (static_cast<double>(rays) < 3 * largest_radius) rays *= 2;
    std::vector<float> made;
    for (std::size_t ray = 0; ray < rays; ++ray) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(ray) / static_cast<double>(rays);
        made.push_back(static_cast<float>(std::cos(angle)));
        made.push_back(static_cast<float>(std::sin(angle)));
    }
    return made;
}

// (s - f) / (1 - f): s the share of rays with an edge, f what a ray finds by chance among its
// three pixels near the circle.
double score_of(double rays, double supported, double density) {
    if (rays <= 0) return 0;
    const double chance = 1 - std::pow(1 - density, 3);
    if (chance >= 1) return 0;
    return std::max(0.0, (supported / rays - chance) / (1 - chance));
}

CirclePolarity polarity_of(double supported, double bright) {
    if (4 * bright >= 3 * supported) return CirclePolarity::bright;
    if (4 * bright <= supported) return CirclePolarity::dark;
    return CirclePolarity::any;
}

Circle circle_of(const u32* maximum, const float* fit, const CircleFitSetting& setting,
                 bool radial) {
    Circle circle;
    circle.x = static_cast<i32>(maximum[0]) + double{fit[0]};
    circle.y = static_cast<i32>(maximum[1]) + double{fit[1]};
    circle.slice = maximum[2];
    circle.radius = fit[2];
    circle.votes = maximum[4];
    circle.residual = fit[3];
    circle.score = score_of(fit[4], fit[5], fit[7]);
    if (!radial) return circle;
    circle.polarity = polarity_of(fit[5], fit[6]);
    // The steepest place of a disk smoothed by a Gaussian is nearer to the center by s^2 / 2r.
    const double variance = setting.sigma * setting.sigma * setting.unit[0] * setting.unit[1];
    circle.radius += variance / (2 * std::max(circle.radius, 1.0));
    return circle;
}

}  // namespace

std::vector<Circle> fit_circles(Queue& queue, const Shape& shape, const CircleMaxima& maxima,
                                const std::vector<double>& radii, const CircleFitSetting& setting,
                                const Buffer<const std::uint8_t>& edges, const Gradient* gradient) {
    if (maxima.count == 0) return {};
    const std::vector<float> rays = directions(radii.back());
    const std::vector<float> starts(radii.begin(), radii.end());
    const auto directions_there = queue.upload(std::span<const float>(rays), "directions");
    const auto radii_there = queue.upload(std::span<const float>(starts), "radii");
    auto fits = queue.allocate<float>(maxima.count * kernels::circle_fit_words, "fitted circles");
    const kernels::circle_fit_options options{
        static_cast<i32>(shape.x),           static_cast<i32>(shape.y),
        static_cast<i32>(rays.size() / 2),   gradient ? 1 : 0,
        static_cast<i32>(setting.polarity),  static_cast<float>(setting.unit[0]),
        static_cast<float>(setting.unit[1]), 1.0f};
    const auto nothing = queue.allocate<std::int32_t>(1, "no gradient");
    const auto& gradient_x = gradient ? gradient->x : nothing;
    const auto& gradient_y = gradient ? gradient->y : nothing;
    auto beside = queue.allocate<float>(gradient ? shape.points() : 1, "places of edges");
    if (gradient)
        queue.launch(kernels::circle_beside, Range{shape.x, shape.y, shape.z * shape.t}, edges,
                     gradient_x, gradient_y, beside, options.nx, options.ny);
    queue.launch(kernels::circle_fit, Range{maxima.count}, maxima.list, radii_there,
                 directions_there, edges, gradient_x, gradient_y, beside, fits, options);
    std::vector<u32> list(static_cast<std::size_t>(maxima.count * kernels::circle_maximum_words));
    queue.read(maxima.list, std::span<u32>(list));
    const std::vector<float> fitted = queue.download(fits);

    // Lists come in no order.
    std::vector<std::size_t> order(static_cast<std::size_t>(maxima.count));
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto words = [&](std::size_t i) { return &list[i * kernels::circle_maximum_words]; };
    const auto place = [&](std::size_t i) {
        const u32* m = words(i);
        return std::tuple(m[3], m[2], static_cast<i32>(m[1]), static_cast<i32>(m[0]));
    };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    std::vector<Circle> circles;
    circles.reserve(order.size());
    for (const std::size_t i : order)
        circles.push_back(circle_of(words(i), &fitted[i * kernels::circle_fit_words], setting,
                                    gradient != nullptr));
    return circles;
}

}  // namespace tesela
