// Reference: Horn-Schunck with its default solver, pixel by pixel in double precision
// (docs/optical-flow.md). Nobody optimizes this.
#pragma once

#include <array>
#include <vector>

#include "reference/flow_plane.h"

namespace tesela::reference {

class HornSchunck {
  public:
    double alpha = 40.0 / (255 * 255), scale = 0.7, presmoothing = 0.5, most_step = 2;
    int warps = 3, sweeps = 8, medians = 2, most_levels = 20, least_side = 16;
    bool jacobi = false;

    // u and v.
    std::array<Plane, 2> run(const Image<float>& first, const Image<float>& second) const {
        const std::vector<Plane> a = pyramid(first, scale, presmoothing, most_levels, least_side);
        const std::vector<Plane> b = pyramid(second, scale, presmoothing, most_levels, least_side);
        std::array<Plane, 2> flow{Plane(a.back().width, a.back().height),
                                  Plane(a.back().width, a.back().height)};
        for (std::size_t level = a.size(); level-- > 0;) {
            if (level + 1 < a.size()) flow = enlarge(flow, a[level]);
            for (int k = 0; k < warps; ++k) refine(a[level], b[level], flow);
        }
        return flow;
    }

  private:
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
};

}  // namespace tesela::reference
