#include "tesela/section_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "registration/chain_system.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// A small affine change of the canvas: shift along both axes, rotation, growth, and two shears.
// All but the shifts are in units of the displacement at the distance `reach` from the center.
constexpr std::size_t changes = 6;
using Change = std::array<double, changes>;

std::size_t used_changes(LinearKind kind) {
    return kind == LinearKind::rigid ? 3 : kind == LinearKind::similarity ? 4 : changes;
}

LinearMap linear_part(const Transform& transform) {
    LinearMap map;
    for (const auto& step : transform.steps)
        if (const auto* linear = std::get_if<LinearMap>(&step)) map = composed(map, *linear);
    return map;
}

bool is_mirrored(const LinearMap& map) { return determinant(map.matrix) < 0; }

LinearMap about(const SpacePoint& center, const std::array<double, 4>& matrix,
                const SpacePoint& shift = {}) {
    LinearMap map;
    map.matrix = {matrix[0], matrix[1], 0, matrix[2], matrix[3], 0, 0, 0, 1};
    const SpacePoint moved = map(center);
    for (std::size_t a = 0; a < 2; ++a) map.translation[a] = center[a] - moved[a] + shift[a];
    return map;
}

// The symmetric matrix xx, xy, yy whose square is A^T A: by how much A stretches.
std::array<double, 3> stretch_of(const LinearMap& map) {
    const auto& m = map.matrix;
    const double xx = m[0] * m[0] + m[3] * m[3], xy = m[0] * m[1] + m[3] * m[4],
                 yy = m[1] * m[1] + m[4] * m[4];
    const double root = std::sqrt(std::max(xx * yy - xy * xy, 0.0));
    const double scale = std::sqrt(xx + yy + 2 * root);
    return {(xx + root) / scale, xy / scale, (yy + root) / scale};
}
std::array<double, 4> inverse_of(const std::array<double, 3>& s) {
    const double d = s[0] * s[2] - s[1] * s[1];
    return {s[2] / d, -s[1] / d, -s[1] / d, s[0] / d};
}

// The nearest map of a kind that moves the center alike.
LinearMap projected(const LinearMap& map, LinearKind kind, const SpacePoint& center) {
    if (kind == LinearKind::affine) return map;
    std::array<double, 4> back = inverse_of(stretch_of(map));
    if (kind == LinearKind::similarity)
        for (double& value : back) value *= std::sqrt(std::abs(determinant(map.matrix)));
    return composed(about(center, back), map);
}

class Graph {
  public:
    Graph(const std::vector<ImageGrid>& grids, const std::vector<SectionPair>& pairs,
          const SectionGraphOptions& options)
        : pairs_(pairs), options_(options), used_(used_changes(options.kind)) {
        places_.maps.resize(grids.size());
        places_.pairs.resize(pairs.size());
        for (const SectionPair& pair : pairs) maps_.push_back(linear_part(pair.map));
        find_group();
        const ImageGrid& grid = grids[root_];
        const LinearMap placed = placement(grid);
        const auto last_x = static_cast<double>(grid.shape.x - 1),
                   last_y = static_cast<double>(grid.shape.y - 1);
        center_ = placed({last_x / 2, last_y / 2, 0});
        const SpacePoint first = placed({-0.5, -0.5, 0}), last = placed({last_x, last_y, 0});
        reach_ = 0.5 * std::max(std::abs(last[0] - first[0]), std::abs(last[1] - first[1]));
        for (const ImageGrid& each : grids) {
            const LinearMap own = placement(each);
            centers_.push_back(own({static_cast<double>(each.shape.x - 1) / 2,
                                    static_cast<double>(each.shape.y - 1) / 2, 0}));
        }
    }

    SectionPlaces placed() {
        if (places_.maps.empty()) return places_;
        follow_tree();
        average();
        if (options_.reference)
            move_canvas(places_.maps[root_]->inverse());
        else
            move_least();
        for (auto& map : places_.maps)
            if (map) map->kind = options_.kind;
        if (options_.reference) places_.maps[root_] = LinearMap{.kind = options_.kind};
        return std::move(places_);
    }

  private:
    static std::size_t at(std::int64_t section) { return static_cast<std::size_t>(section); }

    // The largest group of sections that pairs join, and the section that the canvas begins with.
    void find_group() {
        const std::size_t n = places_.maps.size();
        group_.resize(n);
        std::iota(group_.begin(), group_.end(), std::size_t{0});
        for (const SectionPair& pair : pairs_) {
            if (std::min(pair.fixed, pair.moving) < 0 ||
                std::max(pair.fixed, pair.moving) >= std::ssize(places_.maps))
                throw InvalidArgument("a pair of sections " + std::to_string(pair.fixed) + " and " +
                                      std::to_string(pair.moving) + " of " + std::to_string(n));
            const std::size_t old = group_[at(pair.moving)], kept = group_[at(pair.fixed)];
            std::replace(group_.begin(), group_.end(), old, kept);
        }
        std::ptrdiff_t most = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto size = std::count(group_.begin(), group_.end(), group_[i]);
            if (size <= most) continue;
            most = size;
            largest_ = group_[i];
        }
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < n; ++i)
            if (is_joined(i)) members.push_back(i);
        root_ = members.empty() ? 0 : members[members.size() / 2];
        if (!options_.reference) return;
        const std::int64_t reference = *options_.reference;
        if (reference < 0 || reference >= static_cast<std::int64_t>(n) || !is_joined(at(reference)))
            throw InvalidArgument("the reference section matches none of the others");
        root_ = at(reference);
    }
    bool is_joined(std::size_t section) const { return group_[section] == largest_; }
    bool is_used(std::size_t pair) const { return is_joined(at(pairs_[pair].fixed)); }

    // Along the pairs of the most trust (R. C. Prim, 1957).
    void follow_tree() {
        places_.maps[root_] = LinearMap{};
        for (;;) {
            const SectionPair* best = nullptr;
            for (const SectionPair& pair : pairs_)
                if (places_.maps[at(pair.fixed)].has_value() !=
                        places_.maps[at(pair.moving)].has_value() &&
                    (!best || pair.trust > best->trust))
                    best = &pair;
            if (!best) return;
            const LinearMap& map = maps_[at(best - pairs_.data())];
            auto& fixed = places_.maps[at(best->fixed)];
            auto& moving = places_.maps[at(best->moving)];
            if (fixed)
                moving = projected(composed(*fixed, map), options_.kind, center_);
            else
                fixed = projected(composed(*moving, map.inverse()), options_.kind, center_);
        }
    }

    // What a pair makes of the canvas: there by one section, back by the other.
    std::optional<Change> change_of(std::size_t pair) const {
        const LinearMap around =
            composed(composed(*places_.maps[at(pairs_[pair].fixed)], maps_[pair]),
                     places_.maps[at(pairs_[pair].moving)]->inverse());
        if (is_mirrored(around)) return {};
        const auto& m = around.matrix;
        const double cos = (m[0] + m[4]) / 2, sin = (m[3] - m[1]) / 2;
        const double scale = std::hypot(cos, sin), c = cos / scale, s = sin / scale;
        const std::array<double, 4> left{c * m[0] + s * m[3], c * m[1] + s * m[4],
                                         c * m[3] - s * m[0], c * m[4] - s * m[1]};
        const SpacePoint moved = around(center_);
        return Change{moved[0] - center_[0],
                      moved[1] - center_[1],
                      reach_ * std::atan2(sin, cos),
                      reach_ * std::log(scale),
                      reach_ * (left[0] - left[3]) / (2 * scale),
                      reach_ * (left[1] + left[2]) / (2 * scale)};
    }
    LinearMap map_of(const Change& change) const {
        const double angle = change[2] / reach_, scale = std::exp(change[3] / reach_),
                     a = change[4] / reach_, b = change[5] / reach_;
        const double c = scale * std::cos(angle), s = scale * std::sin(angle);
        return about(
            center_,
            {c * (1 + a) - s * b, c * b - s * (1 - a), s * (1 + a) + c * b, s * b + c * (1 - a)},
            {change[0], change[1], 0});
    }

    // Over a square of twice the reach.
    double length_of(const Change& change) const {
        double sum = change[0] * change[0] + change[1] * change[1];
        constexpr double mean_square = 2.0 / 3;  // of the distance from the center
        for (std::size_t k = 2; k < used_; ++k) sum += mean_square * change[k] * change[k];
        return std::sqrt(sum);
    }

    // First by absolute values, which need no scale, then by a weight that is almost 0 for
    // outliers.
    void average() {
        constexpr int most_rounds = 100, first_rounds = 20;
        const double least = 1e-9 * reach_, floor = options_.precision.value_or(1e-2 * reach_);
        const std::size_t band = band_of(pairs_);
        std::vector<std::optional<Change>> found(pairs_.size());
        for (int round = 0; round < most_rounds; ++round) {
            std::vector<double> residuals;
            for (std::size_t p = 0; p < pairs_.size(); ++p) {
                if (!is_used(p)) continue;
                found[p] = change_of(p);
                places_.pairs[p].residual = found[p] ? length_of(*found[p]) : 2 * reach_;
                if (!pairs_[p].is_expected) residuals.push_back(places_.pairs[p].residual);
            }
            const double width = std::max(floor, 3 * median_of(residuals));
            ChainSystem<changes> system(places_.maps.size(), band);
            system.hold(root_, 1);
            for (std::size_t p = 0; p < pairs_.size(); ++p) {
                if (!is_used(p) || !found[p]) continue;
                SectionPairFit& fit = places_.pairs[p];
                fit.weight = round < first_rounds ? floor / std::max(fit.residual, floor)
                                                  : robust_weight(fit.residual, width);
                system.add(at(pairs_[p].fixed), at(pairs_[p].moving),
                           std::max(fit.weight, 1e-6) * pairs_[p].trust, *found[p]);
            }
            if (apply(system.solve()) < least && round > first_rounds) return;
        }
    }
    // Gives the largest step.
    double apply(const std::vector<Change>& steps) {
        double largest = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!places_.maps[i]) continue;
            Change step = steps[i];
            std::fill(step.begin() + static_cast<std::ptrdiff_t>(used_), step.end(), 0.0);
            places_.maps[i] = composed(map_of(step), *places_.maps[i]);
            largest = std::max(largest, length_of(step));
        }
        return largest;
    }

    void move_canvas(const LinearMap& to_old) {
        for (auto& map : places_.maps)
            if (map) map = composed(to_old, *map);
    }

    // Most sections are not mirrored; their mean stretch is none; rotations and shifts of their
    // centers have the least sum of squares.
    void move_least() {
        std::ptrdiff_t mirrored = 0, all = 0;
        for (const auto& map : places_.maps) {
            mirrored += map && is_mirrored(*map);
            all += map.has_value();
        }
        if (2 * mirrored > all) move_canvas(about(center_, {-1, 0, 0, 1}));
        constexpr int rounds = 10;  // as means of matrices are no means of their products
        for (int round = 0; round < rounds && options_.kind != LinearKind::rigid; ++round) {
            std::array<double, 3> mean{};
            for (const auto& map : places_.maps)
                for (std::size_t k = 0; map && k < 3; ++k)
                    mean[k] += stretch_of(*map)[k] / static_cast<double>(all);
            if (options_.kind == LinearKind::similarity) {
                mean[0] = mean[2] = (mean[0] + mean[2]) / 2;
                mean[1] = 0;
            }
            move_canvas(about(center_, inverse_of(mean)));
        }
        double cos = 0, sin = 0;
        for (const auto& map : places_.maps) {
            if (!map) continue;
            cos += map->matrix[0] + map->matrix[4];
            sin += map->matrix[1] - map->matrix[3];
        }
        const double length = std::hypot(cos, sin);
        if (length > 0)
            move_canvas(about(center_, {cos / length, -sin / length, sin / length, cos / length}));
        center_sections();
    }
    void center_sections() {
        double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
        for (std::size_t i = 0; i < places_.maps.size(); ++i) {
            if (!places_.maps[i]) continue;
            const auto& m = places_.maps[i]->matrix;
            const SpacePoint there = (*places_.maps[i])(center_);
            const double dx = centers_[i][0] - there[0], dy = centers_[i][1] - there[1];
            xx += m[0] * m[0] + m[3] * m[3];
            xy += m[0] * m[1] + m[3] * m[4];
            yy += m[1] * m[1] + m[4] * m[4];
            x += m[0] * dx + m[3] * dy;
            y += m[1] * dx + m[4] * dy;
        }
        const double d = xx * yy - xy * xy;
        if (d > 0)
            move_canvas(
                about(center_, {1, 0, 0, 1}, {(yy * x - xy * y) / d, (xx * y - xy * x) / d, 0}));
    }

    const std::vector<SectionPair>& pairs_;
    const SectionGraphOptions& options_;
    std::size_t used_, root_ = 0, largest_ = 0;
    SectionPlaces places_;
    std::vector<LinearMap> maps_;  // of the pairs
    std::vector<std::size_t> group_;
    std::vector<SpacePoint> centers_;
    SpacePoint center_{};
    double reach_ = 1;
};

}  // namespace

SectionPlaces place_sections(const std::vector<ImageGrid>& grids,
                             const std::vector<SectionPair>& pairs,
                             const SectionGraphOptions& options) {
    if (grids.empty()) return {};
    return Graph(grids, pairs, options).placed();
}

CanvasBox canvas_of(const std::vector<ImageGrid>& grids,
                    const std::vector<std::optional<Transform>>& maps) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    CanvasBox box{{infinity, infinity, 0}, {-infinity, -infinity, 0}};
    constexpr int samples = 16;  // along each side
    for (std::size_t i = 0; i < grids.size(); ++i) {
        if (!maps[i]) continue;
        const LinearMap placed = placement(grids[i]);
        const auto x = static_cast<double>(grids[i].shape.x - 1),
                   y = static_cast<double>(grids[i].shape.y - 1);
        for (int k = 0; k < 4 * samples; ++k) {
            const double along = static_cast<double>(k % samples) / samples;
            const int side = k / samples;
            const SpacePoint pixel = side == 0   ? SpacePoint{along * x, 0, 0}
                                     : side == 1 ? SpacePoint{x, along * y, 0}
                                     : side == 2 ? SpacePoint{(1 - along) * x, y, 0}
                                                 : SpacePoint{0, (1 - along) * y, 0};
            const SpacePoint there = maps[i]->inverse_of(placed(pixel));
            for (std::size_t a = 0; a < 2; ++a) {
                box.low[a] = std::min(box.low[a], there[a]);
                box.high[a] = std::max(box.high[a], there[a]);
            }
        }
    }
    return box;
}

}  // namespace tesela
