// Reference: Horn-Schunck with its default solver, pixel by pixel in double precision
// (docs/optical-flow.md). Nobody optimizes this.
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

class HornSchunck {
  public:
    double alpha = 40.0 / (255 * 255), scale = 0.7, most_step = 2;
    int warps = 3, sweeps = 8, medians = 2, most_levels = 20, least_side = 16;
    bool jacobi = false;

    // u and v.
    std::array<Plane, 2> run(const Image<float>& first, const Image<float>& second) const {
        std::vector<Plane> a{plane_of(first)}, b{plane_of(second)};
        for (int level = 1; level < most_levels; ++level) {
            const double factor = std::pow(scale, level);
            const int w = static_cast<int>(std::floor(a[0].width * factor + 0.5));
            const int h = static_cast<int>(std::floor(a[0].height * factor + 0.5));
            if (std::min(w, h) < least_side) break;
            a.push_back(shrink(a.back(), w, h));
            b.push_back(shrink(b.back(), w, h));
        }
        std::array<Plane, 2> flow{Plane(a.back().width, a.back().height),
                                  Plane(a.back().width, a.back().height)};
        for (std::size_t level = a.size(); level-- > 0;) {
            if (level + 1 < a.size())
                flow = {enlarge(flow[0], a[level], double(a[level].width) / flow[0].width),
                        enlarge(flow[1], a[level], double(a[level].height) / flow[1].height)};
            for (int k = 0; k < warps; ++k) refine(a[level], b[level], flow);
        }
        return flow;
    }

  private:
    static Plane plane_of(const Image<float>& image) {
        Plane plane(static_cast<int>(image.shape().x), static_cast<int>(image.shape().y));
        std::copy(image.pixels().begin(), image.pixels().end(), plane.values.begin());
        return plane;
    }
    static double place(int at, int new_length, int length) {
        return std::clamp((at + 0.5) * length / new_length - 0.5, 0.0, length - 1.0);
    }
    static std::array<double, 4> cubic(double t) {
        return {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
                ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
    }

    // A cubic sample of the image smoothed by a Gaussian, mirrored at its border.
    Plane shrink(const Plane& from, int w, int h) const {
        const double sigma = 0.6 * std::sqrt(1 / (scale * scale) - 1);
        const int radius = std::clamp(static_cast<int>(std::ceil(3 * sigma)), 1, 4);
        std::vector<double> gauss;
        double sum = 0;
        for (int k = -radius; k <= radius; ++k) {
            gauss.push_back(std::exp(-0.5 * k * k / (sigma * sigma)));
            sum += gauss.back();
        }
        const auto smooth = [&](int x, int y) {
            double value = 0;
            for (int j = -radius; j <= radius; ++j)
                for (int i = -radius; i <= radius; ++i)
                    value += gauss[static_cast<std::size_t>(i + radius)] *
                             gauss[static_cast<std::size_t>(j + radius)] *
                             from.mirrored(x + i, y + j);
            return value / (sum * sum);
        };
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
                                       smooth(x0 + i - 1, y0 + j - 1);
            }
        return to;
    }

    static double bilinear(const Plane& plane, double x, double y) {
        const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
        const double wx = x - x0, wy = y - y0;
        return (1 - wy) * ((1 - wx) * plane.clamped(x0, y0) + wx * plane.clamped(x0 + 1, y0)) +
               wy * ((1 - wx) * plane.clamped(x0, y0 + 1) + wx * plane.clamped(x0 + 1, y0 + 1));
    }
    static double bicubic(const Plane& plane, double x, double y) {
        const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
        const auto wx = cubic(x - x0), wy = cubic(y - y0);
        double sum = 0;
        for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i)
                sum += wx[static_cast<std::size_t>(i)] * wy[static_cast<std::size_t>(j)] *
                       plane.clamped(x0 + i - 1, y0 + j - 1);
        return sum;
    }
    static Plane enlarge(const Plane& from, const Plane& like, double factor) {
        Plane to(like.width, like.height);
        for (int y = 0; y < to.height; ++y)
            for (int x = 0; x < to.width; ++x)
                to.at(x, y) = factor * bilinear(from, place(x, to.width, from.width),
                                                place(y, to.height, from.height));
        return to;
    }
    static Plane derivative(const Plane& from, int dx, int dy) {
        Plane to(from.width, from.height);
        for (int y = 0; y < to.height; ++y)
            for (int x = 0; x < to.width; ++x)
                to.at(x, y) = (8 * (from.mirrored(x + dx, y + dy) - from.mirrored(x - dx, y - dy)) -
                               (from.mirrored(x + 2 * dx, y + 2 * dy) -
                                from.mirrored(x - 2 * dx, y - 2 * dy))) /
                              12;
        return to;
    }

    void refine(const Plane& a, const Plane& b, std::array<Plane, 2>& flow) const {
        const Plane ax = derivative(a, 1, 0), ay = derivative(a, 0, 1);
        const Plane bx = derivative(b, 1, 0), by = derivative(b, 0, 1);
        Plane ix(a.width, a.height), iy = ix, rest = ix;
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const double u = flow[0].at(x, y), v = flow[1].at(x, y);
                if (x + u < 0 || x + u > a.width - 1 || y + v < 0 || y + v > a.height - 1) continue;
                ix.at(x, y) = (ax.clamped(x, y) + bilinear(bx, x + u, y + v)) / 2;
                iy.at(x, y) = (ay.clamped(x, y) + bilinear(by, x + u, y + v)) / 2;
                rest.at(x, y) =
                    bicubic(b, x + u, y + v) - a.clamped(x, y) - ix.at(x, y) * u - iy.at(x, y) * v;
            }
        const std::array<Plane, 2> start = flow;
        solve(ix, iy, rest, flow);
        for (std::size_t c = 0; c < 2; ++c) {
            for (std::size_t i = 0; i < flow[c].values.size(); ++i) {
                const double s = start[c].values[i];
                flow[c].values[i] = s + std::clamp(flow[c].values[i] - s, -most_step, most_step);
            }
            for (int k = 0; k < medians; ++k) flow[c] = median(flow[c]);
        }
    }

    void solve(Plane& ix, Plane& iy, Plane& rest, std::array<Plane, 2>& flow) const {
        double omega = 1;
        for (int k = 0; k < (jacobi ? sweeps : 2 * sweeps); ++k) {
            if (!jacobi && k > 0) omega = 1 / (1 - 0.99 * 0.99 * omega / (k == 1 ? 2 : 4));
            const std::array<Plane, 2> old = flow;
            for (int y = 0; y < ix.height; ++y)
                for (int x = 0; x < ix.width; ++x) {
                    if (!jacobi && (x + y) % 2 != k % 2) continue;
                    const double gx = ix.at(x, y), gy = iy.at(x, y);
                    const double u = mean_around(old[0], x, y), v = mean_around(old[1], x, y);
                    const double s =
                        (gx * u + gy * v + rest.at(x, y)) / (alpha + gx * gx + gy * gy);
                    flow[0].at(x, y) += omega * (u - gx * s - flow[0].at(x, y));
                    flow[1].at(x, y) += omega * (v - gy * s - flow[1].at(x, y));
                }
        }
    }
    static double mean_around(const Plane& plane, int x, int y) {
        return (plane.clamped(x - 1, y) + plane.clamped(x + 1, y) + plane.clamped(x, y - 1) +
                plane.clamped(x, y + 1)) /
               4;
    }
    static Plane median(const Plane& from) {
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
};

}  // namespace tesela::reference
