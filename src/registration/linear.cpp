// Rigid, similarity and affine maps by Gauss-Newton steps (K. Levenberg, 1944; D. Marquardt, 1963).
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "registration/levels.h"
#include "registration/linear_equations.h"
#include "registration/overlap.h"
#include "registration/rotation.h"
#include "registration/sampled_information.h"
#include "registration/solve.h"

namespace tesela {
namespace {

constexpr double least_overlap = 0.25;  // of the fixed image that is compared
// For mutual information; more where a few hundredths of a voxel count.
constexpr std::int64_t samples_of_level = 1 << 16, samples_of_fine_level = 1 << 19;

// The parameters of a map, as affine changes (LinearEquations). Those whose shift depends on the
// position shift by 1 at the distance `reach` from the center.
class Motions {
  public:
    Motions(LinearKind kind, int dimensions, const UnitSpace& space)
        : kind_(kind), dimensions_(dimensions), center_(space.center), reach_(space.reach) {
        const auto d = static_cast<std::size_t>(dimensions);
        const auto add = [&] { return moves_.emplace_back().data(); };
        for (std::size_t a = 0; a < d; ++a) add()[4 * a] = 1;
        if (kind == LinearKind::affine) {
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = 0; b < d; ++b) add()[4 * a + b + 1] = 1;
            return;
        }
        const auto add_turn = [&](std::size_t from, std::size_t to) {
            double* const move = add();
            move[4 * to + from + 1] = 1;
            move[4 * from + to + 1] = -1;
        };
        add_turn(0, 1);
        if (d == 3) {
            add_turn(2, 0);
            add_turn(1, 2);
        }
        if (kind != LinearKind::similarity) return;
        double* const growth = add();
        for (std::size_t a = 0; a < d; ++a) growth[4 * a + a + 1] = 1;
    }

    // The damped solution of the equations for these parameters.
    std::vector<double> step(const LinearEquations& equations, double damping) const {
        constexpr std::size_t unknowns = LinearEquations::unknowns;
        const std::size_t n = moves_.size();
        std::vector<double> matrix(n * n), right(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::array<double, unknowns> row{};
            for (std::size_t k = 0; k < unknowns; ++k) {
                if (moves_[i][k] == 0) continue;
                right[i] += moves_[i][k] * equations.right[k];
                for (std::size_t l = 0; l < unknowns; ++l)
                    row[l] += moves_[i][k] * equations.matrix[unknowns * k + l];
            }
            for (std::size_t j = 0; j < n; ++j)
                matrix[n * i + j] =
                    std::inner_product(row.begin(), row.end(), moves_[j].begin(), 0.0);
        }
        return solve_damped(std::move(matrix), std::move(right), damping);
    }
    // The map for a change of parameters; it stays rigid or a similarity.
    LinearMap map_of(const std::vector<double>& change) const {
        const auto d = static_cast<std::size_t>(dimensions_);
        LinearMap about_center{kind_, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}};
        SpaceMatrix& m = about_center.matrix;
        if (kind_ == LinearKind::affine) {
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = 0; b < d; ++b) m[3 * a + b] += change[d + d * a + b] / reach_;
        } else {
            const SpacePoint turn =
                d == 2 ? SpacePoint{0, 0, change[2] / reach_}
                       : SpacePoint{change[5] / reach_, change[4] / reach_, change[3] / reach_};
            m = rotation_about(turn);
            if (kind_ == LinearKind::similarity)
                for (double& value : m) value *= std::exp(change.back() / reach_);
            if (d == 2) m[8] = 1;
        }
        const SpacePoint moved = about_center(center_);
        for (std::size_t a = 0; a < 3; ++a)
            about_center.translation[a] = center_[a] - moved[a] + (a < d ? change[a] : 0);
        return about_center;
    }

  private:
    LinearKind kind_;
    int dimensions_;
    SpacePoint center_;
    double reach_;
    std::vector<std::array<double, LinearEquations::unknowns>> moves_;
};

// Of the shifts of blocks.
LinearEquations linear_equations(const MotionEquations& motion, const UnitSpace& space,
                                 double pixels) {
    LinearEquations equations;
    const LinearMap to_unit = space.map();
    for (const MotionEquations::Block& block : motion.blocks) {
        const auto& s = block.matrix;
        const double shift[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
        const SpacePoint p = to_unit(block.center);
        const std::array<double, 4> at{1, p[0], p[1], p[2]};
        for (std::size_t i = 0; i < equations.unknowns; ++i) {
            equations.right[i] += block.right[i / 4] * at[i % 4];
            for (std::size_t j = 0; j < equations.unknowns; ++j)
                equations.matrix[equations.unknowns * i + j] +=
                    shift[i / 4][j / 4] * at[i % 4] * at[j % 4];
        }
    }
    equations.error = motion.error;
    equations.similarity = motion.similarity;
    equations.compared = motion.weight / pixels;
    return equations;
}

using Equations = std::function<LinearEquations(const LinearMap&)>;

struct Placed {
    LinearMap map;
    LinearEquations equations;
};

// Gauss-Newton steps on one level until they are short. Where images differ, steps are much too
// short, so that they are stretched as long as that helps.
Placed optimize(const Equations& equations_at, double pixel, LinearMap map, const Motions& motions,
                const Progress& progress) {
    constexpr int most_steps = 40;
    constexpr double growth = 1.5, most_stretch = 8;
    constexpr double short_step = 0.01;  // pixels
    constexpr double least_gain = 1e-6;  // of the error
    Placed best{map, equations_at(map)};
    double damping = 1e-3, stretch = 1;
    for (int step = 0; step < most_steps; ++step) {
        progress.throw_if_cancelled();
        std::vector<double> change = motions.step(best.equations, damping);
        double length = 0;
        for (const double value : change) length = std::max(length, std::abs(value));
        if (stretch * length < short_step * pixel) break;
        for (double& value : change) value *= stretch;
        const LinearMap tried = composed(motions.map_of(change), best.map);
        LinearEquations equations = equations_at(tried);
        const double gain = best.equations.error - equations.error;
        if (gain > 0 && equations.compared > least_overlap) {
            best = {tried, equations};
            if (gain < least_gain * std::abs(equations.error)) break;
            damping = std::max(damping / 5, 1e-6);
            stretch = std::min(stretch * growth, most_stretch);
        } else if (stretch > 1) {
            stretch = 1;
        } else {
            damping *= 10;
            constexpr double most_damping = 1e3;
            if (damping > most_damping) break;
        }
    }
    return best;
}

Placed optimize_level(const RegistrationLevel& fixed, const RegistrationLevel& moving,
                      RegistrationMeasure measure, const LinearMap& start, const UnitSpace& space,
                      const Motions& motions, Queue& queue, const Progress& progress) {
    const double pixel = finest_spacing(fixed);
    if (is_information(measure)) {
        const std::int64_t count = fixed.longest() > 128 ? samples_of_fine_level : samples_of_level;
        SampledInformation samples(queue, fixed, moving, space, measure, count);
        return optimize([&](const LinearMap& map) { return samples.equations(map); }, pixel, start,
                        motions, progress);
    }
    LevelComparison comparison(queue, fixed, moving, measure);
    const auto pixels = static_cast<double>(fixed.shape.points());
    return optimize(
        [&](const LinearMap& map) {
            return linear_equations(comparison.equations(map), space, pixels);
        },
        pixel, start, motions, progress);
}

}  // namespace

LinearRegistration register_linear(const RegistrationImage& fixed, const RegistrationImage& moving,
                                   const LinearMap& start, LinearKind kind, Queue& queue,
                                   const Progress& progress, int coarsest, int finest) {
    const UnitSpace space(fixed.grid);
    const Motions motions(kind, fixed.dimensions(), space);
    LinearRegistration result{start, {}};
    for (std::size_t i = fixed.levels.size(); i-- > 0;) {
        const RegistrationLevel& level = fixed.levels[i];
        if (level.longest() > finest && i + 1 < fixed.levels.size()) break;
        // Begins on the finest level that is coarse enough.
        if (i > 0 && fixed.levels[i - 1].longest() <= coarsest) continue;
        progress.report(1 - static_cast<double>(i + 1) / static_cast<double>(fixed.levels.size()),
                        "align");
        const Placed found =
            optimize_level(level, matching_level(moving.levels, level), fixed.measure, result.map,
                           space, motions, queue, progress);
        result.map = found.map;
        result.score.similarity = found.equations.similarity;
    }
    result.map.kind = std::max(kind, start.kind);
    result.score.overlap = tissue_overlap(fixed, moving, Transform{.steps = {result.map}});
    return result;
}

}  // namespace tesela
