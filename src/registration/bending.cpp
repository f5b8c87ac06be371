#include "registration/bending.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

struct Tap {
    std::int64_t x, y;
    double factor;
};
struct Stencil {
    std::array<Tap, 4> taps;
    double weight;
};
// The mixed difference stands for xy and yx.
constexpr std::array<Stencil, 3> stencils{{{{{{-1, 0, 1}, {0, 0, -2}, {1, 0, 1}, {0, 0, 0}}}, 1},
                                           {{{{0, -1, 1}, {0, 0, -2}, {0, 1, 1}, {0, 0, 0}}}, 1},
                                           {{{{0, 0, 1}, {1, 0, -1}, {0, 1, -1}, {1, 1, 1}}}, 2}}};

// Calls take(i) for the nodes around which the stencil has all of its own.
template <class Take>
void for_each_inner(const Stencil& stencil, std::int64_t nx, std::int64_t ny, const Take& take) {
    std::int64_t left = 0, right = 0, up = 0, down = 0;
    for (const Tap& tap : stencil.taps) {
        left = std::max(left, -tap.x), right = std::max(right, tap.x);
        up = std::max(up, -tap.y), down = std::max(down, tap.y);
    }
    for (std::int64_t y = up; y < ny - down; ++y)
        for (std::int64_t x = left; x < nx - right; ++x) take(y * nx + x);
}

double difference(const Stencil& stencil, const double* at, std::int64_t nx) {
    double sum = 0;
    for (const Tap& tap : stencil.taps) sum += tap.factor * at[tap.y * nx + tap.x];
    return sum;
}

}  // namespace

Bending::Bending(const SplineMap& spline, double weight)
    : nx_(spline.size[0]), ny_(spline.size[1]) {
    const auto length = [&](std::size_t axis) {
        return spline.spacing[axis] * static_cast<double>(spline.size[axis] - 3);
    };
    const double longest = std::max(length(0), length(1));
    const double scale = std::pow(longest / 16, 2) / (spline.spacing[0] * spline.spacing[1]);
    const auto nodes = static_cast<double>(nx_ * ny_);
    // Of the longer side; sections that are whole bend less.
    constexpr double sharp = 1e-3;
    const double crease = sharp * longest / scale;
    const double* displacements = spline.displacements.data();
    // `scale`^2 for the units of the differences, per square of theirs for those of the weight.
    const double unit = weight * scale * scale / (std::pow(longest / 16, 2) * nodes);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        const Stencil& stencil = stencils[kind];
        weights_[kind].resize(static_cast<std::size_t>(nx_ * ny_));
        for_each_inner(stencil, nx_, ny_, [&](std::int64_t i) {
            const double dx = difference(stencil, displacements + i, nx_);
            const double dy = difference(stencil, displacements + nx_ * ny_ + i, nx_);
            const double bent = std::sqrt(1 + (dx * dx + dy * dy) / (crease * crease));
            weights_[kind][static_cast<std::size_t>(i)] = unit * stencil.weight / bent;
            energy_ += unit * stencil.weight * 2 * crease * crease * (bent - 1);
        });
    }
}

std::vector<double> Bending::times(const std::vector<double>& values) const {
    std::vector<double> result(values.size());
    for (std::size_t kind = 0; kind < kinds; ++kind)
        for_each_inner(stencils[kind], nx_, ny_, [&](std::int64_t i) {
            const double weight = weights_[kind][static_cast<std::size_t>(i)];
            for (const std::int64_t plane : {std::int64_t{0}, nx_ * ny_}) {
                const double bent =
                    weight * difference(stencils[kind], &values[std::size_t(plane + i)], nx_);
                for (const Tap& tap : stencils[kind].taps)
                    result[static_cast<std::size_t>(plane + i + tap.y * nx_ + tap.x)] +=
                        tap.factor * bent;
            }
        });
    return result;
}

void Bending::for_each_entry(const Take& take) const {
    for (std::size_t kind = 0; kind < kinds; ++kind)
        for_each_inner(stencils[kind], nx_, ny_, [&](std::int64_t i) {
            const double weight = weights_[kind][static_cast<std::size_t>(i)];
            for (const Tap& a : stencils[kind].taps)
                for (const Tap& b : stencils[kind].taps) {
                    const std::int64_t dx = b.x - a.x, dy = b.y - a.y;
                    const double part = weight * a.factor * b.factor;
                    if ((dy > 0 || (dy == 0 && dx >= 0)) && part != 0)
                        take(i + a.y * nx_ + a.x, dx, dy, part);
                }
        });
}

}  // namespace tesela
