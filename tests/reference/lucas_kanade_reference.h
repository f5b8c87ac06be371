// Lucas-Kanade of one scale as the thesis gives it (spec 002, sections 2.1 to 2.6), sequentially
// and in double precision, and the errors of a field. For nobody to optimize.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference::thesis {

// A plane of numbers, zero beyond its border.
struct Plane {
    std::int64_t width, height;
    std::vector<double> values;

    Plane(std::int64_t w, std::int64_t h,
          const std::function<double(std::int64_t, std::int64_t)>& f)
        : width(w), height(h) {
        for (std::int64_t y = 0; y < h; ++y)
            for (std::int64_t x = 0; x < w; ++x) values.push_back(f(x, y));
    }
    explicit Plane(const Image<float>& image)
        : Plane(image.shape().x, image.shape().y,
                [&](std::int64_t x, std::int64_t y) { return static_cast<double>(image(x, y)); }) {}
    double operator()(std::int64_t x, std::int64_t y) const {
        if (x < 0 || x >= width || y < 0 || y >= height) return 0;
        return values[static_cast<std::size_t>(y * width + x)];
    }
};

// Taps 1, 2, ... of the derivative filters, as the spec's table has them.
inline const std::vector<double>& positive_taps(int filter_size) {
    static const std::map<int, std::vector<double>> table{
        {3, {1 / 2.}},
        {5, {2 / 3., -1 / 12.}},
        {7, {3 / 4., -3 / 20., 1 / 60.}},
        {9, {4 / 5., -1 / 5., 4 / 105., -1 / 280.}},
        {11, {5 / 6., -5 / 21., 5 / 84., -5 / 504., 1 / 1260.}},
        {13, {6 / 7., -15 / 56., 5 / 63., -1 / 56., 1 / 385., -1 / 5544.}}};
    return table.at(filter_size);
}

// Along x for step (1, 0), along y for step (0, 1).
inline Plane derivative(const Plane& image, int filter_size, int step_x, int step_y) {
    const std::vector<double>& taps = positive_taps(filter_size);
    return {image.width, image.height, [&](std::int64_t x, std::int64_t y) {
                double sum = 0;
                for (std::size_t i = 0; i < taps.size(); ++i) {
                    const auto k = static_cast<std::int64_t>(i) + 1;
                    sum += taps[i] * (image(x + k * step_x, y + k * step_y) -
                                      image(x - k * step_x, y - k * step_y));
                }
                return sum;
            }};
}

inline Plane product(const Plane& a, const Plane& b) {
    return {a.width, a.height, [&](std::int64_t x, std::int64_t y) { return a(x, y) * b(x, y); }};
}

inline Plane window_sum(const Plane& plane, int block_width, int block_height) {
    const std::int64_t reach_x = block_width / 2, reach_y = block_height / 2;
    return {plane.width, plane.height, [&](std::int64_t x, std::int64_t y) {
                double sum = 0;
                const auto last_y = std::min(y + reach_y, plane.height - 1);
                const auto last_x = std::min(x + reach_x, plane.width - 1);
                for (auto j = std::max<std::int64_t>(y - reach_y, 0); j <= last_y; ++j)
                    for (auto i = std::max<std::int64_t>(x - reach_x, 0); i <= last_x; ++i)
                        sum += plane(i, j);
                return sum;
            }};
}

struct Flow {
    std::int64_t width, height;
    std::vector<double> u, v;
    std::vector<double> condition;  // determinant of the matrix as a part of its squared trace
};

inline Flow lucas_kanade(const Image<float>& first, const Image<float>& second, int filter_size,
                         int block_width, int block_height) {
    const Plane frame(first), next(second);
    const Plane ix = derivative(frame, filter_size, 1, 0);
    const Plane iy = derivative(frame, filter_size, 0, 1);
    const Plane it(frame.width, frame.height,
                   [&](std::int64_t x, std::int64_t y) { return next(x, y) - frame(x, y); });
    const auto sum = [&](const Plane& a, const Plane& b) {
        return window_sum(product(a, b), block_width, block_height).values;
    };
    const auto xx = sum(ix, ix), yy = sum(iy, iy), xy = sum(ix, iy), xt = sum(ix, it),
               yt = sum(iy, it);
    Flow flow{frame.width, frame.height, {}, {}, {}};
    for (std::size_t i = 0; i < xx.size(); ++i) {
        const double d = xx[i] * yy[i] - xy[i] * xy[i];
        const double trace = xx[i] + yy[i];
        const bool singular = !(d > 1e-14 * xx[i] * yy[i]);
        flow.u.push_back(singular ? 0 : (-yy[i] * xt[i] + xy[i] * yt[i]) / d);
        flow.v.push_back(singular ? 0 : (xy[i] * xt[i] - xx[i] * yt[i]) / d);
        flow.condition.push_back(trace > 0 ? d / (trace * trace) : 0);
    }
    return flow;
}

struct FlowErrors {
    double angular = 0;    // mean, radians
    double end_point = 0;  // mean, pixels
};

// The true motion at (x, y).
using Truth = std::function<std::pair<double, double>(std::int64_t x, std::int64_t y)>;

// Of all pixels but a strip of half of `strip` at each side.
inline FlowErrors errors(const Flow& flow, int strip, const Truth& truth) {
    FlowErrors sum;
    double count = 0;
    for (std::int64_t y = strip / 2; y < flow.height - strip / 2; ++y)
        for (std::int64_t x = strip / 2; x < flow.width - strip / 2; ++x) {
            const auto i = static_cast<std::size_t>(y * flow.width + x);
            const double u = flow.u[i], v = flow.v[i];
            const auto [true_u, true_v] = truth(x, y);
            const double cosine =
                (1 + u * true_u + v * true_v) /
                (std::sqrt(1 + u * u + v * v) * std::sqrt(1 + true_u * true_u + true_v * true_v));
            sum.angular += std::acos(std::clamp(cosine, -1.0, 1.0));
            sum.end_point += std::hypot(u - true_u, v - true_v);
            ++count;
        }
    return {sum.angular / count, sum.end_point / count};
}

}  // namespace tesela::reference::thesis
