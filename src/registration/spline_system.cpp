#include "registration/spline_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tesela {
namespace {

constexpr std::int64_t reach = 3, width = 2 * reach + 1;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

SplineSystem::SplineSystem(const SplineMap& spline, const MotionEquations& motion,
                           const Bending& bending)
    : nx_(spline.size[0]),
      ny_(spline.size[1]),
      bending_(bending),
      coupling_(static_cast<std::size_t>(width * width * spline.nodes())),
      right_(static_cast<std::size_t>(2 * spline.nodes())) {
    add_blocks(spline, motion);
    const std::vector<double> bent = bending_.times(spline.displacements);
    for (std::size_t i = 0; i < right_.size(); ++i) right_[i] -= bent[i];
}

// Weights of nodes are those at the middle of a block.
void SplineSystem::add_blocks(const SplineMap& spline, const MotionEquations& motion) {
    const double share = 1 / std::max(motion.weight, 1.0);
    const auto nodes = static_cast<std::size_t>(spline.nodes());
    for (const MotionEquations::Block& block : motion.blocks) {
        const SplineNodes around = nodes_around(spline, block.place);
        for (int a = 0; a < 16; ++a) {
            const std::int64_t ax = around.x + a % 4, ay = around.y + a / 4;
            const auto node = static_cast<std::size_t>(ay * nx_ + ax);
            const double weight = share * around.weight[static_cast<std::size_t>(a)];
            right_[node] += weight * block.pull[0];
            right_[nodes + node] += weight * block.pull[1];
            for (int b = 0; b < 16; ++b) {
                const std::int64_t dx = b % 4 - a % 4, dy = b / 4 - a / 4;
                const double both = weight * around.weight[static_cast<std::size_t>(b)];
                auto& entry =
                    coupling_[node * width * width +
                              static_cast<std::size_t>((dy + reach) * width + dx + reach)];
                entry[0] += both * block.slopes[0];
                entry[1] += both * block.slopes[1];
                entry[2] += both * block.slopes[3];
            }
        }
    }
}

std::vector<double> SplineSystem::times(const std::vector<double>& values, double damping) const {
    std::vector<double> result = bending_.times(values);
    const std::int64_t nodes = nx_ * ny_;
    const auto diagonal = static_cast<std::size_t>(reach * width + reach);
    for (std::int64_t y = 0; y < ny_; ++y)
        for (std::int64_t x = 0; x < nx_; ++x) {
            const std::int64_t node = y * nx_ + x;
            const auto* row = &coupling_[static_cast<std::size_t>(node * width * width)];
            double sum_x = 0, sum_y = 0;
            for (std::int64_t dy = std::max(-reach, -y); dy <= std::min(reach, ny_ - 1 - y); ++dy)
                for (std::int64_t dx = std::max(-reach, -x); dx <= std::min(reach, nx_ - 1 - x);
                     ++dx) {
                    const auto& entry = row[(dy + reach) * width + dx + reach];
                    const auto other = static_cast<std::size_t>(node + dy * nx_ + dx);
                    const double vx = values[other], vy = values[other + std::size_t(nodes)];
                    sum_x += entry[0] * vx + entry[1] * vy;
                    sum_y += entry[1] * vx + entry[2] * vy;
                }
            const auto i = static_cast<std::size_t>(node), j = i + static_cast<std::size_t>(nodes);
            result[i] += sum_x + damping * row[diagonal][0] * values[i];
            result[j] += sum_y + damping * row[diagonal][2] * values[j];
        }
    return result;
}

// Conjugate gradients (M. R. Hestenes, E. Stiefel, 1952). The step need not be exact.
std::vector<double> SplineSystem::step(double damping) const {
    constexpr int most_rounds = 200;
    constexpr double tolerance = 1e-2;
    std::vector<double> solution(right_.size()), residual = right_, direction = residual;
    double squared = dot(residual, residual);
    const double enough = tolerance * tolerance * squared;
    for (int round = 0; round < most_rounds && squared > enough; ++round) {
        const std::vector<double> product = times(direction, damping);
        const double curvature = dot(direction, product);
        if (!(curvature > 0)) break;
        const double length = squared / curvature;
        for (std::size_t i = 0; i < solution.size(); ++i) {
            solution[i] += length * direction[i];
            residual[i] -= length * product[i];
        }
        const double left = dot(residual, residual);
        for (std::size_t i = 0; i < direction.size(); ++i)
            direction[i] = residual[i] + left / squared * direction[i];
        squared = left;
    }
    return solution;
}

}  // namespace tesela
