// Splines of the sections of a series, node by node, from those of its pairs.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "registration/chain_system.h"
#include "registration/spline_nodes.h"
#include "tesela/error.h"
#include "tesela/section_graph.h"

namespace tesela {
namespace {

using Shift = std::array<double, 2>;

// Least determinant of the Jacobian of a spline, and weights of nodes: of a displacement without
// pairs, beside 1 for a pair, and of the reference, which stays.
constexpr double least_determinant = 0.1;
constexpr double hold_weight = 1e-3, reference_weight = 1e6;

class SectionBending {
  public:
    SectionBending(const std::vector<ImageGrid>& grids, const std::vector<SectionPair>& pairs,
                   const SectionPlaces& places, const SectionBendOptions& options)
        : grids_(grids), pairs_(pairs), places_(places), options_(options) {
        const CanvasBox box = canvas_of(grids, transforms(nullptr));
        double longest = 0;
        for (const ImageGrid& grid : grids) {
            const double pixel = grid.geometry.known() ? std::max(grid.geometry.spacing_mm()[0],
                                                                  grid.geometry.spacing_mm()[1])
                                                       : 1;
            longest = std::max(longest,
                               pixel * static_cast<double>(std::max(grid.shape.x, grid.shape.y)));
        }
        const SplineMap nodes = spline_over(box.low, box.high, 2, longest / options.nodes);
        splines_.assign(grids.size(), nodes);
        spacing_ = std::min(nodes.spacing[0], nodes.spacing[1]);
        for_each_node(nodes,
                      [&](std::size_t, const SpacePoint& point) { points_.push_back(point); });
        values_.assign(grids.size(), std::vector<Shift>(points_.size()));
        for (const auto& map : places.maps) back_.push_back(map ? map->inverse() : LinearMap{});
    }

    std::vector<std::optional<Transform>> bent(const Progress& progress) {
        for (int round = 0; round < options_.rounds; ++round) {
            for (std::size_t node = 0; node < points_.size(); ++node) {
                progress.report(
                    (round + static_cast<double>(node) / static_cast<double>(points_.size())) /
                        options_.rounds,
                    "place");
                move_node(node);
            }
            for (std::size_t i = 0; i < splines_.size(); ++i)
                if (places_.maps[i]) set_spline(i);
        }
        return transforms(&splines_);
    }

  private:
    static std::size_t at(std::int64_t section) { return static_cast<std::size_t>(section); }

    std::vector<std::optional<Transform>> transforms(const std::vector<SplineMap>* splines) const {
        std::vector<std::optional<Transform>> made(grids_.size());
        for (std::size_t i = 0; i < grids_.size(); ++i) {
            if (!places_.maps[i]) continue;
            made[i] = Transform{.unit = point_unit(grids_[i]), .moving = grids_[i]};
            if (splines) made[i]->steps.emplace_back((*splines)[i]);
            made[i]->steps.emplace_back(*places_.maps[i]);
        }
        return made;
    }

    Shift shift_by(std::size_t section, const SpacePoint& point) const {
        const SpacePoint moved = splines_[section](point);
        return {moved[0] - point[0], moved[1] - point[1]};
    }

    // Where a pair moves a point of the canvas: there by one section, back by the other. Nothing
    // where the spline of the other has no way back.
    std::optional<Shift> change_of(const SectionPair& pair, const SpacePoint& point) const {
        const std::size_t fixed = at(pair.fixed), moving = at(pair.moving);
        const SpacePoint there = pair.map((*places_.maps[fixed])(splines_[fixed](point)));
        try {
            const SpacePoint back = splines_[moving].inverse_of(back_[moving](there));
            return Shift{back[0] - point[0], back[1] - point[1]};
        } catch (const InvalidArgument&) {
            return {};
        }
    }

    // The values of all sections at a node. A pair that contradicts the others there counts less.
    void move_node(std::size_t node) {
        struct Wanted {
            std::size_t fixed, moving;
            double weight, local = 1;
            Shift change;
        };
        std::vector<Wanted> wanted;
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            const std::size_t fixed = at(pairs_[p].fixed), moving = at(pairs_[p].moving);
            const double weight = pairs_[p].trust * places_.pairs[p].weight;
            if (!(weight > 0)) continue;
            const auto change = change_of(pairs_[p], points_[node]);
            if (!change) continue;
            const Shift from = shift_by(fixed, points_[node]), to = shift_by(moving, points_[node]);
            wanted.push_back({fixed,
                              moving,
                              weight,
                              1,
                              {(*change)[0] + to[0] - from[0], (*change)[1] + to[1] - from[1]}});
        }
        constexpr int rounds = 4;
        for (int round = 0; round < rounds; ++round) {
            ChainSystem<2> system(grids_.size(), band_of(pairs_));
            for (std::size_t i = 0; i < grids_.size(); ++i)
                if (options_.reference)
                    system.hold(i, at(*options_.reference) == i ? reference_weight : 0);
                else
                    system.hold(i, hold_weight);
            for (const Wanted& pair : wanted)
                system.add(pair.fixed, pair.moving, pair.weight * pair.local, pair.change);
            const std::vector<Shift> found = system.solve();
            for (std::size_t i = 0; i < found.size(); ++i) values_[i][node] = found[i];
            std::vector<double> residuals;
            for (const Wanted& pair : wanted)
                residuals.push_back(
                    std::hypot(found[pair.moving][0] - found[pair.fixed][0] - pair.change[0],
                               found[pair.moving][1] - found[pair.fixed][1] - pair.change[1]));
            constexpr double narrowest = 0.02;  // of the distance of nodes
            const double width = std::max(narrowest * spacing_, 3 * median_of(residuals));
            for (std::size_t p = 0; p < wanted.size(); ++p)
                wanted[p].local = robust_weight(residuals[p], width);
        }
    }

    // The spline through the values, scaled down until it does not fold.
    void set_spline(std::size_t section) {
        std::vector<Shift>& values = values_[section];
        if (options_.reference && at(*options_.reference) == section)
            std::fill(values.begin(), values.end(), Shift{});
        SplineMap& spline = splines_[section];
        constexpr int most_tries = 20;
        for (int attempt = 0; attempt < most_tries; ++attempt) {
            for (std::size_t axis = 0; axis < 2; ++axis)
                for (std::size_t node = 0; node < values.size(); ++node)
                    spline.displacements[axis * values.size() + node] = values[node][axis];
            interpolate_along(spline, 0);
            interpolate_along(spline, 1);
            if (least_determinant_of(spline) >= least_determinant) return;
            constexpr double shrink = 0.8;
            for (Shift& value : values) value = {shrink * value[0], shrink * value[1]};
        }
        std::fill(values.begin(), values.end(), Shift{});
        std::fill(spline.displacements.begin(), spline.displacements.end(), 0.0);
    }
    // At nodes and between them.
    double least_determinant_of(const SplineMap& spline) const {
        double least = 1;
        for (const SpacePoint& point : points_)
            for (const double offset : {0.0, 0.5})
                least = std::min(
                    least,
                    determinant(spline.jacobian({point[0] + offset * spline.spacing[0],
                                                 point[1] + offset * spline.spacing[1], 0})));
        return least;
    }

    const std::vector<ImageGrid>& grids_;
    const std::vector<SectionPair>& pairs_;
    const SectionPlaces& places_;
    const SectionBendOptions& options_;
    std::vector<LinearMap> back_;
    std::vector<SplineMap> splines_;
    std::vector<SpacePoint> points_;          // of the nodes
    std::vector<std::vector<Shift>> values_;  // of each section, at the nodes
    double spacing_ = 1;
};

}  // namespace

std::vector<std::optional<Transform>> bend_sections(const std::vector<ImageGrid>& grids,
                                                    const std::vector<SectionPair>& pairs,
                                                    const SectionPlaces& places,
                                                    const SectionBendOptions& options,
                                                    const Progress& progress) {
    if (std::none_of(places.maps.begin(), places.maps.end(),
                     [](const auto& map) { return map.has_value(); }))
        return std::vector<std::optional<Transform>>(grids.size());
    return SectionBending(grids, pairs, places, options).bent(progress);
}

}  // namespace tesela
