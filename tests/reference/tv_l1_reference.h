// Reference: TV-L1, pixel by pixel in double precision (docs/optical-flow.md), its systems solved
// as two equations with two unknowns. Nobody optimizes this.
#pragma once

#include <array>
#include <vector>

#include "reference/flow_plane.h"

namespace tesela::reference {

class TvL1 {
  public:
    double alpha = 0.01, scale = 0.7, presmoothing = 0.5, most_step = 2;
    int warps = 2, updates = 3, sweeps = 8, medians = 1, most_levels = 20, least_side = 16;
    bool edges = true, weighted_median = true;

    // u and v, of frames of one or three channels.
    std::array<Plane, 2> run(const Image<float>& first, const Image<float>& second) const {
        const std::vector<Plane> a = levels_of(luma(first)), b = levels_of(luma(second));
        std::array<std::vector<Plane>, 3> guide;
        for (int c = 0; c < 3; ++c)
            guide[static_cast<std::size_t>(c)] = levels_of(channel(first, c));
        Flow flow{Plane(a.back().width, a.back().height), Plane(a.back().width, a.back().height)};
        for (std::size_t level = a.size(); level-- > 0;) {
            if (level + 1 < a.size()) flow = enlarge(flow, a[level]);
            const Guide colors{guide[0][level], guide[1][level], guide[2][level]};
            for (int k = 0; k < warps; ++k) refine(a[level], b[level], colors, flow);
            if (weighted_median) filter(a[level], b[level], colors, flow);
        }
        return flow;
    }

  private:
    using Flow = std::array<Plane, 2>;
    using Guide = std::array<Plane, 3>;
    static constexpr double white = 255;  // in whose units the constants are

    static Image<float> channel(const Image<float>& image, int c) {
        Image<float> plane({image.shape().x, image.shape().y});
        const int channels = image.shape().channels;
        for (std::size_t i = 0; i < plane.pixels().size(); ++i)
            plane.pixels()[i] = image.pixels()[i * channels + c % channels];
        return plane;
    }
    static Image<float> luma(const Image<float>& image) {
        Image<float> result = channel(image, 0);
        if (image.shape().channels == 3)
            for (std::size_t i = 0; i < result.pixels().size(); ++i) {
                const float* pixel = image.data() + 3 * i;
                result.pixels()[i] = static_cast<float>(
                    0.299 * double{pixel[0]} + 0.587 * double{pixel[1]} + 0.114 * double{pixel[2]});
            }
        return result;
    }
    std::vector<Plane> levels_of(const Image<float>& frame) const {
        return pyramid(frame, scale, presmoothing, most_levels, least_side);
    }
    static double distance2(const Guide& guide, int x, int y, int to_x, int to_y) {
        double sum = 0;
        for (const Plane& plane : guide)
            sum += std::pow(white * (plane.clamped(to_x, to_y) - plane.clamped(x, y)), 2);
        return sum;
    }
    static bool leaves(const Plane& plane, double x, double y) {
        return x < 0 || x > plane.width - 1 || y < 0 || y > plane.height - 1;
    }

    // What the frames say about the motion of each pixel.
    struct Data {
        Plane ix, iy, rest;
    };
    static Data linearized(const Plane& a, const Plane& b, const Flow& flow) {
        const Plane ax = derivative(a, 1, 0), ay = derivative(a, 0, 1);
        const Plane bx = derivative(b, 1, 0), by = derivative(b, 0, 1);
        const Plane none(a.width, a.height);
        Data data{none, none, none};
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const double u = flow[0].clamped(x, y), v = flow[1].clamped(x, y);
                if (leaves(a, x + u, y + v)) continue;
                const double ix = (ax.clamped(x, y) + bilinear(bx, x + u, y + v)) / 2;
                const double iy = (ay.clamped(x, y) + bilinear(by, x + u, y + v)) / 2;
                data.ix.at(x, y) = ix;
                data.iy.at(x, y) = iy;
                data.rest.at(x, y) = bicubic(b, x + u, y + v) - a.clamped(x, y) - ix * u - iy * v;
            }
        return data;
    }

    void refine(const Plane& a, const Plane& b, const Guide& guide, Flow& flow) const {
        const Data data = linearized(a, b, flow);
        const Flow start = flow;
        for (int k = 0; k < updates; ++k) solve(data, guide, flow);
        for (std::size_t c = 0; c < 2; ++c) {
            for (std::size_t i = 0; i < flow[c].values.size(); ++i) {
                const double s = start[c].values[i];
                flow[c].values[i] = s + std::clamp(flow[c].values[i] - s, -most_step, most_step);
            }
            for (int k = 0; k < medians; ++k) flow[c] = median(flow[c]);
        }
    }

    // The weight of the edge from (x, y) to its neighbor to the right (dx = 1) or below.
    double edge_weight(const Guide& guide, const Flow& flow, int x, int y, int dx, int dy) const {
        const Plane& u = flow[0];
        if (x < 0 || y < 0 || x + dx >= u.width || y + dy >= u.height) return 0;
        double variation = 0;
        for (const Plane& p : flow) {
            const double along = p.clamped(x + dx, y + dy) - p.clamped(x, y);
            const double across =
                ((p.clamped(x + dy, y + dx) - p.clamped(x - dy, y - dx)) +
                 (p.clamped(x + dx + dy, y + dy + dx) - p.clamped(x + dx - dy, y + dy - dx))) /
                4;
            variation += along * along + across * across;
        }
        double factor = 1;
        if (edges)
            factor =
                0.05 + 0.95 * std::exp(-std::sqrt(distance2(guide, x, y, x + dx, y + dy) / 3) / 20);
        return alpha * factor / std::sqrt(variation + 0.02 * 0.02);
    }

    void solve(const Data& data, const Guide& guide, Flow& flow) const {
        Plane right(flow[0].width, flow[0].height), down = right, of_data = right;
        for (int y = 0; y < right.height; ++y)
            for (int x = 0; x < right.width; ++x) {
                right.at(x, y) = edge_weight(guide, flow, x, y, 1, 0);
                down.at(x, y) = edge_weight(guide, flow, x, y, 0, 1);
                const double rest = data.ix.clamped(x, y) * flow[0].at(x, y) +
                                    data.iy.clamped(x, y) * flow[1].at(x, y) +
                                    data.rest.clamped(x, y);
                of_data.at(x, y) = 1 / std::hypot(rest, 0.3 / white);
            }
        constexpr double omega = 1.93;
        for (int k = 0; k < 2 * sweeps; ++k)
            for (int y = 0; y < right.height; ++y)
                for (int x = 0; x < right.width; ++x) {
                    if ((x + y) % 2 != k % 2) continue;
                    const double weight[4] = {x > 0 ? right.at(x - 1, y) : 0, right.at(x, y),
                                              y > 0 ? down.at(x, y - 1) : 0, down.at(x, y)};
                    const double ix = data.ix.clamped(x, y), iy = data.iy.clamped(x, y);
                    const double w = of_data.at(x, y);
                    double sum = 0, b[2] = {-w * ix * data.rest.clamped(x, y),
                                            -w * iy * data.rest.clamped(x, y)};
                    for (int i = 0; i < 4; ++i) {
                        constexpr int dx[] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};
                        sum += weight[i];
                        for (std::size_t c = 0; c < 2; ++c)
                            b[c] += weight[i] * flow[c].clamped(x + dx[i], y + dy[i]);
                    }
                    const double a11 = sum + w * ix * ix, a12 = w * ix * iy,
                                 a22 = sum + w * iy * iy, d = a11 * a22 - a12 * a12;
                    if (d <= 0) continue;
                    flow[0].at(x, y) += omega * ((a22 * b[0] - a12 * b[1]) / d - flow[0].at(x, y));
                    flow[1].at(x, y) += omega * ((a11 * b[1] - a12 * b[0]) / d - flow[1].at(x, y));
                }
    }

    static Plane reliability(const Plane& a, const Plane& b, const Flow& flow) {
        Plane trust(a.width, a.height);
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const double to_x = x + flow[0].clamped(x, y), to_y = y + flow[1].clamped(x, y);
                trust.at(x, y) = 1e-4;
                if (leaves(a, to_x, to_y)) continue;
                const double divergence = (flow[0].clamped(x + 1, y) - flow[0].clamped(x - 1, y) +
                                           flow[1].clamped(x, y + 1) - flow[1].clamped(x, y - 1)) /
                                          2;
                const double inflow = std::min(divergence, 0.0);
                const double off = white * (bilinear(b, to_x, to_y) - a.clamped(x, y));
                trust.at(x, y) +=
                    std::exp(-inflow * inflow / (2 * 0.3 * 0.3) - off * off / (2 * 10 * 10));
            }
        return trust;
    }

    void filter(const Plane& a, const Plane& b, const Guide& guide, Flow& flow) const {
        const Plane trust = reliability(a, b, flow);
        const Flow old = flow;
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x)
                for (std::size_t c = 0; c < 2; ++c) {
                    std::vector<std::pair<double, double>> samples;  // value and weight
                    for (int j = -9; j <= 9; j += 3)
                        for (int i = -9; i <= 9; i += 3) {
                            const double q = distance2(guide, x, y, x + i, y + j) / (2 * 8 * 8) / 4;
                            samples.emplace_back(
                                old[c].clamped(x + i, y + j),
                                (std::pow(1 + q, -4) + 1e-6) * trust.clamped(x + i, y + j));
                        }
                    flow[c].at(x, y) = weighted_median_of(samples);
                }
    }
    // By ten halvings of the interval that holds all values.
    static double weighted_median_of(const std::vector<std::pair<double, double>>& samples) {
        double low = samples[0].first, high = low, total = 0;
        for (const auto& sample : samples) {
            low = std::min(low, sample.first);
            high = std::max(high, sample.first);
            total += sample.second;
        }
        for (int k = 0; k < 10; ++k) {
            const double middle = (low + high) / 2;
            double below = 0;
            for (const auto& sample : samples)
                if (sample.first <= middle) below += sample.second;
            (below >= total / 2 ? high : low) = middle;
        }
        return (low + high) / 2;
    }
};

}  // namespace tesela::reference
