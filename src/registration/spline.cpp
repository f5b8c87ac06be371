// Cubic B-spline displacements by Gauss-Newton steps, with bending energy.
#include <algorithm>
#include <cmath>

#include "registration/levels.h"
#include "registration/overlap.h"
#include "registration/spline_system.h"

namespace tesela {
namespace {

constexpr double bending_weight = 4;  // at a stiffness of 1
constexpr double least_spacing = 10;  // of nodes, in pixels of a level
constexpr double least_determinant =
    0.1;  // of the Jacobian; below this the spline counts as folded

struct Bent {
    SplineMap spline;
    MotionEquations motion;
    double energy = 0;  // error and bending
};

// Gauss-Newton steps on one level until they are short or gain little.
Bent optimize(LevelComparison& level, const LinearMap& linear, SplineMap spline, double stiffness,
              const Progress& progress) {
    constexpr int most_steps = 12;
    constexpr double short_step = 0.03;  // pixels
    constexpr double least_gain = 1e-4;  // of the energy
    Bent best{spline, level.equations(linear, &spline), 0};
    Bending bending(best.spline, stiffness);
    best.energy = best.motion.error + bending.energy();
    double damping = 1e-3;
    for (int step = 0; step < most_steps; ++step) {
        progress.throw_if_cancelled();
        const std::vector<float> change =
            SplineSystem(best.spline, best.motion, bending).step(damping);
        double length = 0;
        Bent tried{best.spline, {}, 0};
        for (std::size_t i = 0; i < change.size(); ++i) {
            tried.spline.displacements[i] += double{change[i]};
            length = std::max(length, std::abs(double{change[i]}));
        }
        if (length < short_step * level.pixel()) break;
        tried.motion = level.equations(linear, &tried.spline);
        const Bending bent(tried.spline, stiffness);
        tried.energy = tried.motion.error + bent.energy();
        const double before = best.energy;
        const double gain = before - tried.energy;
        if (gain > 0) {
            best = std::move(tried);
            bending = bent;
            damping = std::max(damping / 5, 1e-4);
        } else {
            damping *= 10;
            constexpr double most_damping = 1e3;
            if (damping > most_damping) break;
        }
        if (std::abs(gain) < least_gain * before) break;
    }
    return best;
}

// The number of nodes that a level can resolve: `most`, halved while they are too close together.
double nodes_on(const RegistrationLevel& level, double most) {
    while (most > 4 && most * least_spacing > static_cast<double>(level.longest())) most /= 2;
    return most;
}

// Nodes that cover the image.
SplineMap spline_of(const RegistrationImage& image, double nodes) {
    const LinearMap placed = placement(image.grid);
    const Shape& shape = image.grid.shape;
    const SpacePoint first = placed({-0.5, -0.5, 0});
    const SpacePoint last =
        placed({static_cast<double>(shape.x) - 0.5, static_cast<double>(shape.y) - 0.5, 0});
    const SpacePoint low{std::min(first[0], last[0]), std::min(first[1], last[1]), 0};
    const SpacePoint high{std::max(first[0], last[0]), std::max(first[1], last[1]), 0};
    return spline_over(low, high, 2, std::max(high[0] - low[0], high[1] - low[1]) / nodes);
}

// The median length of the step that tissue would still take without bending energy, by blocks of
// nodes.
double remaining_step(const SplineMap& spline, const MotionEquations& motion) {
    struct Sum {
        std::array<double, 6> matrix{};
        SpacePoint right{};
    };
    std::vector<Sum> sums(static_cast<std::size_t>(spline.nodes()));
    for (const MotionEquations::Block& block : motion.blocks) {
        const SplineNodes around = nodes_around(spline, block.center);
        Sum& sum = sums[static_cast<std::size_t>(around.y * spline.size[0] + around.x)];
        for (std::size_t k = 0; k < 6; ++k) sum.matrix[k] += block.matrix[k];
        for (std::size_t k = 0; k < 3; ++k) sum.right[k] += block.right[k];
    }
    double largest = 0;
    for (const Sum& sum : sums) largest = std::max(largest, sum.matrix[0] + sum.matrix[3]);
    std::vector<double> lengths;
    for (const Sum& sum : sums) {
        const double xx = sum.matrix[0], xy = sum.matrix[1], yy = sum.matrix[3];
        const double d = xx * yy - xy * xy;
        constexpr double least_structure = 0.05;
        if (xx + yy < least_structure * largest || !(d > 0)) continue;
        lengths.push_back(std::hypot((yy * sum.right[0] - xy * sum.right[1]) / d,
                                     (xx * sum.right[1] - xy * sum.right[0]) / d));
    }
    if (lengths.empty()) return 0;
    std::nth_element(lengths.begin(), lengths.begin() + std::ssize(lengths) / 2, lengths.end());
    return lengths[lengths.size() / 2];
}

}  // namespace

SplineRegistration register_spline(const RegistrationImage& fixed, const RegistrationImage& moving,
                                   const LinearMap& linear, const RegistrationOptions& options,
                                   Queue& queue, const Progress& progress) {
    constexpr int coarsest = 160;
    SplineRegistration result;
    result.stiffness = options.stiffness;
    constexpr int most_tries = 8;
    for (int attempt = 0; attempt < most_tries; ++attempt, result.stiffness *= 3) {
        Bent bent;
        double step = 0, nodes = 0;
        for (std::size_t i = fixed.levels.size(); i-- > 0;) {
            if (i > 0 && fixed.levels[i - 1].longest() <= coarsest) continue;
            progress.report(
                1 - static_cast<double>(i + 1) / static_cast<double>(fixed.levels.size()), "bend");
            LevelComparison level(queue, fixed.levels[i],
                                  matching_level(moving.levels, fixed.levels[i]));
            const double wanted = nodes_on(fixed.levels[i], options.nodes);
            if (nodes == 0) bent.spline = spline_of(fixed, nodes = wanted);
            for (; nodes < wanted; nodes *= 2) bent.spline = refined(bent.spline);
            bent =
                optimize(level, linear, bent.spline, bending_weight * result.stiffness, progress);
            step = remaining_step(bent.spline, bent.motion);
        }
        result.spline = bent.spline;
        result.score.similarity = bent.motion.similarity;
        result.estimated_error = step;
        const Transform transform{.steps = {result.spline}};
        constexpr std::int64_t samples = 4;
        result.least_jacobian = least_jacobian(transform, fixed.grid, samples);
        if (result.least_jacobian >= least_determinant) break;
    }
    result.score.overlap =
        tissue_overlap(fixed, moving, Transform{.steps = {result.spline, linear}});
    return result;
}

}  // namespace tesela
