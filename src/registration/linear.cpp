// Rigid, similarity and affine maps by Gauss-Newton steps (K. Levenberg, 1944; D. Marquardt, 1963).
#include <algorithm>
#include <cmath>

#include "core/vectors.h"
#include "registration/levels.h"
#include "registration/overlap.h"
#include "registration/solve.h"

namespace tesela {
namespace {

constexpr double least_overlap = 0.25;  // of the fixed image that is compared

// The derivatives of a point by the parameters of a map.
class Motions {
  public:
    Motions(LinearKind kind, int dimensions, const SpacePoint& center, double reach)
        : kind_(kind), dimensions_(dimensions), center_(center), reach_(reach) {}

    int count() const {
        const int turns = dimensions_ == 2 ? 1 : 3;
        if (kind_ == LinearKind::affine) return dimensions_ + dimensions_ * dimensions_;
        return dimensions_ + turns + (kind_ == LinearKind::similarity ? 1 : 0);
    }
    // The shift of the point by each parameter, in units of points; parameters whose shift depends
    // on the position are scaled to shift by 1 at the distance `reach`.
    std::vector<SpacePoint> at(const SpacePoint& point) const {
        std::vector<SpacePoint> moves;
        SpacePoint p{};
        for (std::size_t a = 0; a < 3; ++a) p[a] = (point[a] - center_[a]) / reach_;
        const auto d = static_cast<std::size_t>(dimensions_);
        for (std::size_t a = 0; a < d; ++a) {
            moves.emplace_back();
            moves.back()[a] = 1;
        }
        if (kind_ == LinearKind::affine) {
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = 0; b < d; ++b) {
                    moves.emplace_back();
                    moves.back()[a] = p[b];
                }
            return moves;
        }
        moves.push_back({-p[1], p[0], 0});
        if (d == 3) {
            moves.push_back({p[2], 0, -p[0]});
            moves.push_back({0, -p[2], p[1]});
        }
        if (kind_ == LinearKind::similarity) moves.push_back(p);
        return moves;
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
            m = rotation(turn);
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
    // Rotation about an axis by the axis' length (O. Rodrigues, 1840).
    static SpaceMatrix rotation(const SpacePoint& turn) {
        const double angle = std::hypot(turn[0], turn[1], turn[2]);
        const double x = angle > 0 ? turn[0] / angle : 1, y = angle > 0 ? turn[1] / angle : 0,
                     z = angle > 0 ? turn[2] / angle : 0;
        const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
        return {c + t * x * x,     t * x * y - s * z, t * x * z + s * y,
                t * x * y + s * z, c + t * y * y,     t * y * z - s * x,
                t * x * z - s * y, t * y * z + s * x, c + t * z * z};
    }

    LinearKind kind_;
    int dimensions_;
    SpacePoint center_;
    double reach_;
};

// matrix * shift of a block
SpacePoint product(const std::array<double, 6>& s, const SpacePoint& shift) {
    return {s[0] * shift[0] + s[1] * shift[1] + s[2] * shift[2],
            s[1] * shift[0] + s[3] * shift[1] + s[4] * shift[2],
            s[2] * shift[0] + s[4] * shift[1] + s[5] * shift[2]};
}

struct NormalEquations {
    std::vector<double> matrix, right;
};
NormalEquations normal_equations(const MotionEquations& motion, const Motions& motions) {
    const auto n = static_cast<std::size_t>(motions.count());
    NormalEquations normal{std::vector<double>(n * n), std::vector<double>(n)};
    for (const MotionEquations::Block& block : motion.blocks) {
        const std::vector<SpacePoint> moves = motions.at(block.center);
        for (std::size_t i = 0; i < n; ++i) {
            const SpacePoint row = product(block.matrix, moves[i]);
            normal.right[i] += detail::dot(moves[i], block.right);
            for (std::size_t j = 0; j < n; ++j)
                normal.matrix[n * i + j] += detail::dot(row, moves[j]);
        }
    }
    return normal;
}

struct Placed {
    LinearMap map;
    MotionEquations motion;
};

// Gauss-Newton steps on one level until they are short. Where images differ, steps are much too
// short, so that they are stretched as long as that helps.
Placed optimize(LevelComparison& level, LinearMap map, const Motions& motions,
                const Progress& progress) {
    constexpr int most_steps = 40;
    constexpr double growth = 1.5, most_stretch = 8;
    constexpr double short_step = 0.01;  // pixels
    Placed best{map, level.equations(map)};
    double damping = 1e-3, stretch = 1;
    for (int step = 0; step < most_steps; ++step) {
        progress.throw_if_cancelled();
        NormalEquations normal = normal_equations(best.motion, motions);
        std::vector<double> change = solve_damped(normal.matrix, normal.right, damping);
        double length = 0;
        for (const double value : change) length = std::max(length, std::abs(value));
        if (length < short_step * level.pixel()) break;
        for (double& value : change) value *= stretch;
        const LinearMap tried = composed(motions.map_of(change), best.map);
        MotionEquations motion = level.equations(tried);
        if (motion.error < best.motion.error && motion.weight > least_overlap * level.pixels()) {
            best = {tried, std::move(motion)};
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

}  // namespace

LinearRegistration register_linear(const RegistrationImage& fixed, const RegistrationImage& moving,
                                   const LinearMap& start, LinearKind kind, Queue& queue,
                                   const Progress& progress, int coarsest, int finest) {
    const Shape& shape = fixed.grid.shape;
    const LinearMap placed = placement(fixed.grid);
    const SpacePoint last{double(shape.x - 1), double(shape.y - 1), double(shape.z - 1)};
    const SpacePoint center = placed({last[0] / 2, last[1] / 2, last[2] / 2});
    const SpacePoint corner = placed({0, 0, 0});
    const double reach =
        std::hypot(corner[0] - center[0], corner[1] - center[1], corner[2] - center[2]);
    const Motions motions(kind, fixed.dimensions(), center, reach);
    LinearRegistration result{start, {}};
    for (std::size_t i = fixed.levels.size(); i-- > 0;) {
        const RegistrationLevel& level = fixed.levels[i];
        if (level.longest() > finest && i + 1 < fixed.levels.size()) break;
        // Begins on the finest level that is coarse enough.
        if (i > 0 && fixed.levels[i - 1].longest() <= coarsest) continue;
        progress.report(1 - static_cast<double>(i + 1) / static_cast<double>(fixed.levels.size()),
                        "align");
        LevelComparison comparison(queue, level, matching_level(moving.levels, level),
                                   fixed.measure);
        const Placed found = optimize(comparison, result.map, motions, progress);
        result.map = found.map;
        result.score.similarity = found.motion.similarity;
    }
    result.map.kind = std::max(kind, start.kind);
    result.score.overlap = tissue_overlap(fixed, moving, Transform{.steps = {result.map}});
    return result;
}

}  // namespace tesela
