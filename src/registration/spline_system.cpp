#include "registration/spline_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tesela {
namespace {

constexpr std::int64_t reach = 3;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// to += matrix * from, for nodes one behind the other.
void add_product(float* to_x, float* to_y, const float* from_x, const float* from_y,
                 const float* xx, const float* xy, const float* yy, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to_x[i] += xx[i] * from_x[i] + xy[i] * from_y[i];
    for (std::int64_t i = 0; i < count; ++i) to_y[i] += xy[i] * from_x[i] + yy[i] * from_y[i];
}

}  // namespace

SplineSystem::SplineSystem(const SplineMap& spline, const MotionEquations& motion,
                           const Bending& bending)
    : nx_(spline.size[0]),
      ny_(spline.size[1]),
      tissue_(static_cast<std::size_t>(2 * spline.nodes())),
      right_(static_cast<std::size_t>(2 * spline.nodes())) {
    const std::vector<float> none(static_cast<std::size_t>(spline.nodes()));
    for (std::int64_t dy = 0; dy <= reach; ++dy)
        for (std::int64_t dx = -reach; dx <= reach; ++dx)
            couplings_.push_back({dx, dy, none, none, none});
    add_blocks(spline, motion);
    const Coupling& own = coupling(0, 0);
    std::copy(own.xx.begin(), own.xx.end(), tissue_.begin());
    std::copy(own.yy.begin(), own.yy.end(), tissue_.begin() + spline.nodes());
    bending.for_each_entry([&](std::int64_t node, std::int64_t dx, std::int64_t dy, double part) {
        coupling(dx, dy).xx[static_cast<std::size_t>(node)] += static_cast<float>(part);
        coupling(dx, dy).yy[static_cast<std::size_t>(node)] += static_cast<float>(part);
    });
    const std::vector<double> bent = bending.times(spline.displacements);
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] -= static_cast<float>(bent[i]);
}

SplineSystem::Coupling& SplineSystem::coupling(std::int64_t dx, std::int64_t dy) {
    return couplings_[static_cast<std::size_t>(dy * (2 * reach + 1) + dx + reach)];
}

// Weights of nodes are those at the middle of a block.
void SplineSystem::add_blocks(const SplineMap& spline, const MotionEquations& motion) {
    const double share = 1 / std::max(motion.weight, 1.0);
    const auto nodes = static_cast<std::size_t>(spline.nodes());
    for (const MotionEquations::Block& block : motion.blocks) {
        const SplineNodes around = nodes_around(spline, block.center);
        for (std::int64_t a = 0; a < 16; ++a) {
            const std::int64_t ax = around.x + a % 4, ay = around.y + a / 4;
            const auto node = static_cast<std::size_t>(ay * nx_ + ax);
            const double weight = share * around.weight[static_cast<std::size_t>(a)];
            right_[node] += static_cast<float>(weight * block.right[0]);
            right_[nodes + node] += static_cast<float>(weight * block.right[1]);
            for (std::int64_t b = a; b < 16; ++b) {
                Coupling& both = coupling(b % 4 - a % 4, b / 4 - a / 4);
                const double share_of_both = weight * around.weight[static_cast<std::size_t>(b)];
                both.xx[node] += static_cast<float>(share_of_both * block.matrix[0]);
                both.xy[node] += static_cast<float>(share_of_both * block.matrix[1]);
                both.yy[node] += static_cast<float>(share_of_both * block.matrix[3]);
            }
        }
    }
}

std::vector<float> SplineSystem::times(const std::vector<float>& values) const {
    std::vector<float> result(values.size());
    const std::int64_t nodes = nx_ * ny_;
    for (const Coupling& c : couplings_) {
        if (c.dy == 0 && c.dx < 0) continue;
        const std::int64_t first = std::max<std::int64_t>(0, -c.dx);
        for (std::int64_t y = 0; y + c.dy < ny_; ++y) {
            const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i); };
            const std::int64_t here = y * nx_ + first, there = here + c.dy * nx_ + c.dx;
            const auto add = [&](std::int64_t to, std::int64_t from) {
                add_product(&result[at(to)], &result[at(nodes + to)], &values[at(from)],
                            &values[at(nodes + from)], &c.xx[at(here)], &c.xy[at(here)],
                            &c.yy[at(here)], nx_ - std::abs(c.dx));
            };
            add(here, there);
            if (here != there) add(there, here);
        }
    }
    return result;
}

// Conjugate gradients (M. R. Hestenes, E. Stiefel, 1952). The step need not be exact.
std::vector<float> SplineSystem::step(double damping) const {
    constexpr int most_rounds = 200;
    constexpr double tolerance = 1e-2;
    std::vector<float> solution(right_.size()), residual = right_, direction = residual;
    double squared = dot(residual, residual);
    const double enough = tolerance * tolerance * squared;
    for (int round = 0; round < most_rounds && squared > enough; ++round) {
        std::vector<float> product = times(direction);
        for (std::size_t i = 0; i < product.size(); ++i)
            product[i] += static_cast<float>(damping) * tissue_[i] * direction[i];
        const double curvature = dot(direction, product);
        if (!(curvature > 0)) break;
        const auto length = static_cast<float>(squared / curvature);
        for (std::size_t i = 0; i < solution.size(); ++i) {
            solution[i] += length * direction[i];
            residual[i] -= length * product[i];
        }
        const double left = dot(residual, residual);
        const auto kept = static_cast<float>(left / squared);
        for (std::size_t i = 0; i < direction.size(); ++i)
            direction[i] = residual[i] + kept * direction[i];
        squared = left;
    }
    return solution;
}

}  // namespace tesela
