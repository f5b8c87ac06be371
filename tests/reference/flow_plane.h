// Reference: images of optical flow in double precision, and what is done to them between the steps
// of a method (docs/optical-flow.md). Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference {

struct Plane {
    int width = 0, height = 0;
    std::vector<double> values;

    Plane(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * h) {}
    double& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
    double clamped(int x, int y) const {
        return values[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width +
                      std::clamp(x, 0, width - 1)];
    }
    double mirrored(int x, int y) const { return clamped(mirror(x, width), mirror(y, height)); }
    static int mirror(int at, int length) {
        at = at < 0 ? -at - 1 : at;
        return at >= length ? 2 * length - 1 - at : at;
    }
};

inline Plane plane_of(const Image<float>& image) {
    Plane plane(static_cast<int>(image.shape().x), static_cast<int>(image.shape().y));
    std::copy(image.pixels().begin(), image.pixels().end(), plane.values.begin());
    return plane;
}
inline double place(int at, int new_length, int length) {
    return std::clamp((at + 0.5) * length / new_length - 0.5, 0.0, length - 1.0);
}
inline std::array<double, 4> cubic(double t) {
    return {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
            ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
}

inline std::vector<double> gaussian(double sigma, int most_radius) {
    const int radius = std::clamp(static_cast<int>(std::ceil(3 * sigma)), 1, most_radius);
    std::vector<double> weights;
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        weights.push_back(std::exp(-0.5 * k * k / (sigma * sigma)));
        sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}
// Mirrored at the border.
inline Plane smoothed(const Plane& from, const std::vector<double>& weights) {
    const int radius = static_cast<int>(weights.size()) / 2;
    Plane to(from.width, from.height);
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
            for (int j = -radius; j <= radius; ++j)
                for (int i = -radius; i <= radius; ++i)
                    to.at(x, y) += weights[static_cast<std::size_t>(i + radius)] *
                                   weights[static_cast<std::size_t>(j + radius)] *
                                   from.mirrored(x + i, y + j);
    return to;
}

// A cubic sample of the image smoothed by a Gaussian. Samples beside the border are those of the
// smoothed image mirrored.
inline Plane shrink(const Plane& from, double scale, int w, int h) {
    const Plane smooth = smoothed(from, gaussian(0.6 * std::sqrt(1 / (scale * scale) - 1), 4));
    Plane to(w, h);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            const double at_x = place(x, w, from.width), at_y = place(y, h, from.height);
            const int x0 = static_cast<int>(at_x), y0 = static_cast<int>(at_y);
            const auto wx = cubic(at_x - x0), wy = cubic(at_y - y0);
            for (int j = 0; j < 4; ++j)
                for (int i = 0; i < 4; ++i)
                    to.at(x, y) += wx[static_cast<std::size_t>(i)] *
                                   wy[static_cast<std::size_t>(j)] *
                                   smooth.mirrored(x0 + i - 1, y0 + j - 1);
        }
    return to;
}

// The frame on each level, from the finest on.
inline std::vector<Plane> pyramid(const Image<float>& frame, double scale, double presmoothing,
                                  int most_levels, int least_side) {
    std::vector<Plane> levels{plane_of(frame)};
    if (presmoothing > 0) levels[0] = smoothed(levels[0], gaussian(presmoothing, 20));
    for (int level = 1; level < most_levels; ++level) {
        const double factor = std::pow(scale, level);
        const int w = static_cast<int>(std::floor(levels[0].width * factor + 0.5));
        const int h = static_cast<int>(std::floor(levels[0].height * factor + 0.5));
        if (std::min(w, h) < least_side) break;
        levels.push_back(shrink(levels.back(), scale, w, h));
    }
    return levels;
}

inline double bilinear(const Plane& plane, double x, double y) {
    const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
    const double wx = x - x0, wy = y - y0;
    return (1 - wy) * ((1 - wx) * plane.clamped(x0, y0) + wx * plane.clamped(x0 + 1, y0)) +
           wy * ((1 - wx) * plane.clamped(x0, y0 + 1) + wx * plane.clamped(x0 + 1, y0 + 1));
}
inline double bicubic(const Plane& plane, double x, double y) {
    const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
    const auto wx = cubic(x - x0), wy = cubic(y - y0);
    double sum = 0;
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i)
            sum += wx[static_cast<std::size_t>(i)] * wy[static_cast<std::size_t>(j)] *
                   plane.clamped(x0 + i - 1, y0 + j - 1);
    return sum;
}
inline Plane enlarge(const Plane& from, const Plane& like, double factor) {
    Plane to(like.width, like.height);
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
            to.at(x, y) = factor * bilinear(from, place(x, to.width, from.width),
                                            place(y, to.height, from.height));
    return to;
}
// The flow of `like`'s level.
inline std::array<Plane, 2> enlarge(const std::array<Plane, 2>& flow, const Plane& like) {
    return {enlarge(flow[0], like, double(like.width) / flow[0].width),
            enlarge(flow[1], like, double(like.height) / flow[1].height)};
}
inline Plane derivative(const Plane& from, int dx, int dy) {
    Plane to(from.width, from.height);
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x)
            to.at(x, y) =
                (8 * (from.mirrored(x + dx, y + dy) - from.mirrored(x - dx, y - dy)) -
                 (from.mirrored(x + 2 * dx, y + 2 * dy) - from.mirrored(x - 2 * dx, y - 2 * dy))) /
                12;
    return to;
}

inline Plane median(const Plane& from) {
    Plane to(from.width, from.height);
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
            std::vector<double> around;
            for (int j = -2; j <= 2; ++j)
                for (int i = -2; i <= 2; ++i) around.push_back(from.clamped(x + i, y + j));
            std::nth_element(around.begin(), around.begin() + 12, around.end());
            to.at(x, y) = around[12];
        }
    return to;
}

// Share of the pixels of which a component is off by more than `tolerance`. It is rarely 0: where
// rounding decides whether a flow leaves the frame, those around it differ.
inline double share_beyond(double tolerance, const Image<float>& flow,
                           const std::array<Plane, 2>& expected) {
    std::int64_t count = 0;
    for (int y = 0; y < expected[0].height; ++y)
        for (int x = 0; x < expected[0].width; ++x) {
            const double off_u = flow(x, y, 0, 0, 0) - expected[0].clamped(x, y);
            const double off_v = flow(x, y, 0, 0, 1) - expected[1].clamped(x, y);
            count += !(std::abs(off_u) <= tolerance && std::abs(off_v) <= tolerance);
        }
    return static_cast<double>(count) / static_cast<double>(flow.shape().points());
}

}  // namespace tesela::reference
