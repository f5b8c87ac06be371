#include "registration/landmark_spline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/spline_nodes.h"

namespace tesela {
namespace {

using Node = std::array<std::int64_t, 3>;

std::int64_t number_of(const SplineMap& spline, const Node& node) {
    return (node[2] * spline.size[1] + node[1]) * spline.size[0] + node[0];
}

}  // namespace

LandmarkSpline::LandmarkSpline(SplineMap nodes, const std::vector<SpacePoint>& points,
                               const std::vector<SpacePoint>& displacements)
    : nodes_(std::move(nodes)), displacements_(displacements) {
    for (const SpacePoint& point : points) {
        auto& weights = weights_.emplace_back();
        for_nodes(nodes_, point, [&](std::size_t node, double weight, const SpacePoint&) {
            weights.push_back({node, weight});
        });
    }
    add_bending();
}

void LandmarkSpline::add_bending() {
    const auto n = static_cast<std::size_t>(nodes_.nodes());
    const std::size_t axes = axes_of(nodes_);
    bending_.resize(n * n);
    double longest = 0, cells = 1;
    for (std::size_t a = 0; a < axes; ++a) {
        const auto along = static_cast<double>(nodes_.size[a] - 3);
        longest = std::max(longest, along * nodes_.spacing[a]);
        cells *= along;
    }
    // One difference is a weighted sum of nodes.
    const auto add = [&](const std::vector<Weight>& difference, double weight) {
        for (const Weight& one : difference)
            for (const Weight& other : difference)
                bending_[one.node * n + other.node] += weight * one.value * other.value;
    };
    const auto step = [&](std::size_t a) { return nodes_.spacing[a] / longest; };
    const auto at = [&](Node node, std::size_t a, std::int64_t i, std::size_t b, std::int64_t j) {
        node[a] += i;
        node[b] += j;
        return static_cast<std::size_t>(number_of(nodes_, node));
    };
    Node node{};
    for (node[2] = 0; node[2] < nodes_.size[2]; ++node[2])
        for (node[1] = 0; node[1] < nodes_.size[1]; ++node[1])
            for (node[0] = 0; node[0] < nodes_.size[0]; ++node[0])
                for (std::size_t a = 0; a < axes; ++a) {
                    if (node[a] + 2 < nodes_.size[a])
                        add({{at(node, a, 0, a, 0), 1},
                             {at(node, a, 1, a, 0), -2},
                             {at(node, a, 2, a, 0), 1}},
                            1 / (cells * std::pow(step(a), 4)));
                    for (std::size_t b = a + 1; b < axes; ++b)
                        if (node[a] + 1 < nodes_.size[a] && node[b] + 1 < nodes_.size[b])
                            add({{at(node, a, 0, b, 0), 1},
                                 {at(node, a, 1, b, 0), -1},
                                 {at(node, a, 0, b, 1), -1},
                                 {at(node, a, 1, b, 1), 1}},
                                2 / (cells * std::pow(step(a) * step(b), 2)));
                }
}

std::vector<double> LandmarkSpline::dense(const std::vector<Weight>& weights) const {
    std::vector<double> row(static_cast<std::size_t>(nodes_.nodes()));
    for (const Weight& weight : weights) row[weight.node] = weight.value;
    return row;
}

LandmarkSpline::Fit LandmarkSpline::fit(const std::vector<bool>& is_taken, double stiffness) const {
    const auto n = static_cast<std::size_t>(nodes_.nodes());
    const std::size_t axes = axes_of(nodes_);
    const double share =
        1 / static_cast<double>(std::count(is_taken.begin(), is_taken.end(), true));
    std::vector<double> matrix = bending_;
    for (double& value : matrix) value *= stiffness;
    std::vector<std::vector<double>> right(axes, std::vector<double>(n));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        if (!is_taken[i]) continue;
        for (const Weight& one : weights_[i]) {
            for (const Weight& other : weights_[i])
                matrix[one.node * n + other.node] += share * one.value * other.value;
            for (std::size_t a = 0; a < axes; ++a)
                right[a][one.node] += share * one.value * displacements_[i][a];
        }
    }
    const Cholesky factor(std::move(matrix), n);
    Fit fit{nodes_, {}, {}};
    fit.spline.displacements.clear();
    for (std::size_t a = 0; a < axes; ++a) {
        const std::vector<double> solved = factor.solve(std::move(right[a]));
        fit.spline.displacements.insert(fit.spline.displacements.end(), solved.begin(),
                                        solved.end());
    }
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        SpacePoint left = displacements_[i];
        for (const Weight& weight : weights_[i])
            for (std::size_t a = 0; a < axes; ++a)
                left[a] -= weight.value * fit.spline.displacements[a * n + weight.node];
        double leverage = 0;
        for (const double value : factor.forward(dense(weights_[i])))
            leverage += share * value * value;
        const double distance = std::hypot(left[0], left[1], left[2]);
        constexpr double least_freedom = 1e-3;
        const double freedom = std::max(1 - leverage, least_freedom);
        // What a point that is left out would change: D. M. Allen, "The relationship between
        // variable selection and data augmentation and a method for prediction", 1974.
        fit.predicted.push_back(is_taken[i] ? distance / freedom : distance);
        fit.studentized.push_back(distance / std::sqrt(is_taken[i] ? freedom : 1 + leverage));
    }
    return fit;
}

}  // namespace tesela
