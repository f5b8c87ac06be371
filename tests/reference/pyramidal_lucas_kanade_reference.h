// Reference: Lucas-Kanade on a pyramid, pixel by pixel in double precision (docs/optical-flow.md).
// Nobody optimizes this.
#pragma once

#include <array>
#include <vector>

#include "reference/flow_plane.h"

namespace tesela::reference {

class PyramidalLucasKanade {
  public:
    double scale = 0.5, presmoothing = 0.5, damping = 0.3 / (255 * 255), doubtful = 15.0 / 255,
           most_step = 2;
    int block_width = 7, block_height = 7, warps = 3, medians = 2, most_levels = 20,
        least_side = 16;

    struct Result {
        std::array<Plane, 2> flow;
        Plane confidence;
    };
    Result run(const Image<float>& first, const Image<float>& second) const {
        const std::vector<Plane> a = pyramid(first, scale, presmoothing, most_levels, least_side);
        const std::vector<Plane> b = pyramid(second, scale, presmoothing, most_levels, least_side);
        std::array<Plane, 2> flow{Plane(a.back().width, a.back().height),
                                  Plane(a.back().width, a.back().height)};
        for (std::size_t level = a.size(); level-- > 0;) {
            if (level + 1 < a.size()) flow = enlarge(flow, a[level]);
            for (int k = 0; k < warps; ++k) refine(a[level], b[level], flow);
        }
        return {flow, confidence(a[0], b[0], flow)};
    }

  private:
    // Means over the window of the products of Ix, Iy and what is left; terms beyond the border
    // are 0.
    struct Means {
        double xx = 0, yy = 0, xy = 0, xr = 0, yr = 0;
    };
    struct Terms {
        Plane ix, iy, rest, weight;
    };

    Terms terms(const Plane& a, const Plane& b, const std::array<Plane, 2>& flow) const {
        const Plane ax = derivative(a, 1, 0), ay = derivative(a, 0, 1);
        const Plane bx = derivative(b, 1, 0), by = derivative(b, 0, 1);
        const Plane empty(a.width, a.height);
        Terms t{empty, empty, empty, empty};
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const double u = flow[0].clamped(x, y), v = flow[1].clamped(x, y);
                if (x + u < 0 || x + u > a.width - 1 || y + v < 0 || y + v > a.height - 1) continue;
                const double ix = (ax.clamped(x, y) + bilinear(bx, x + u, y + v)) / 2;
                const double iy = (ay.clamped(x, y) + bilinear(by, x + u, y + v)) / 2;
                const double it = bilinear(b, x + u, y + v) - a.clamped(x, y);
                t.ix.at(x, y) = ix;
                t.iy.at(x, y) = iy;
                t.rest.at(x, y) = it - ix * u - iy * v;
                t.weight.at(x, y) = 1 / std::pow(1 + it * it / (doubtful * doubtful), 2);
            }
        return t;
    }

    Means means(const Terms& t, int x, int y) const {
        Means sum;
        for (int j = y - block_height / 2; j <= y + block_height / 2; ++j)
            for (int i = x - block_width / 2; i <= x + block_width / 2; ++i) {
                if (i < 0 || i >= t.ix.width || j < 0 || j >= t.ix.height) continue;
                const double weight = t.weight.clamped(i, j) / (block_width * block_height);
                const double ix = t.ix.clamped(i, j), iy = t.iy.clamped(i, j);
                sum.xx += weight * ix * ix;
                sum.yy += weight * iy * iy;
                sum.xy += weight * ix * iy;
                sum.xr += weight * ix * t.rest.clamped(i, j);
                sum.yr += weight * iy * t.rest.clamped(i, j);
            }
        return sum;
    }

    void refine(const Plane& a, const Plane& b, std::array<Plane, 2>& flow) const {
        const Terms t = terms(a, b, flow);
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const Means m = means(t, x, y);
                double &u = flow[0].at(x, y), &v = flow[1].at(x, y);
                const double r1 = -(m.xr + m.xx * u + m.xy * v);
                const double r2 = -(m.yr + m.xy * u + m.yy * v);
                const double a11 = m.xx + damping, a22 = m.yy + damping;
                const double determinant = a11 * a22 - m.xy * m.xy;
                u += std::clamp((a22 * r1 - m.xy * r2) / determinant, -most_step, most_step);
                v += std::clamp((a11 * r2 - m.xy * r1) / determinant, -most_step, most_step);
            }
        for (Plane& component : flow)
            for (int k = 0; k < medians; ++k) component = median(component);
    }

    Plane confidence(const Plane& a, const Plane& b, const std::array<Plane, 2>& flow) const {
        const Terms t = terms(a, b, flow);
        Plane smaller(a.width, a.height);
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x) {
                const Means m = means(t, x, y);
                smaller.at(x, y) =
                    255 * 255 * (m.xx + m.yy - std::hypot(m.xx - m.yy, 2 * m.xy)) / 2;
            }
        return smaller;
    }
};

}  // namespace tesela::reference
