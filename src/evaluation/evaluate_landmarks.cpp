#include "tesela/evaluate_landmarks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "registration/least_squares.h"
#include "registration/polynomials.h"
#include "tesela/error.h"

namespace tesela {
namespace {

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Between the two nearest ranks.
double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

LandmarkEvaluation evaluation_of(const LandmarkPairs& pairs, const std::vector<SpacePoint>& mapped,
                                 double diagonal) {
    LandmarkEvaluation evaluation;
    std::int64_t closer = 0;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
        evaluation.errors.push_back(distance(mapped[i], pairs.moving[i]));
        closer += evaluation.errors.back() < distance(pairs.fixed[i], pairs.moving[i]);
    }
    evaluation.tre = summary_of(evaluation.errors, 1);
    if (diagonal > 0) evaluation.rtre = summary_of(evaluation.errors, 1 / diagonal);
    evaluation.robustness = static_cast<double>(closer) / static_cast<double>(mapped.size());
    return evaluation;
}

}  // namespace

ErrorSummary summary_of(std::vector<double> errors, double scale) {
    std::sort(errors.begin(), errors.end());
    const double mean =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    return {scale * quantile(errors, 0.5), scale * mean, scale * quantile(errors, 0.9),
            scale * errors.back()};
}

double diagonal_of(const ImageGrid& grid) {
    const std::array<double, 3> spacing =
        grid.geometry.known() ? grid.geometry.spacing_mm() : std::array<double, 3>{1, 1, 1};
    const double z = grid.shape.z > 1 ? static_cast<double>(grid.shape.z) * spacing[2] : 0;
    return std::hypot(static_cast<double>(grid.shape.x) * spacing[0],
                      static_cast<double>(grid.shape.y) * spacing[1], z);
}

LandmarkPairs paired(const Landmarks& fixed, const Landmarks& moving) {
    if (fixed.dimensions != moving.dimensions)
        throw InvalidArgument("some landmarks have two coordinates and some have three");
    std::map<std::string, SpacePoint> partners;
    for (const Landmark& landmark : moving.list) partners.emplace(landmark.name, landmark.point);
    LandmarkPairs pairs{.dimensions = fixed.dimensions};
    for (const Landmark& landmark : fixed.list)
        if (const auto partner = partners.find(landmark.name); partner != partners.end()) {
            pairs.fixed.push_back(landmark.point);
            pairs.moving.push_back(partner->second);
            pairs.names.push_back(landmark.name);
        }
    if (pairs.fixed.empty())
        throw InvalidArgument("no landmark of one file has its name in the other");
    pairs.without_partner =
        std::ssize(fixed.list) + std::ssize(moving.list) - 2 * std::ssize(pairs.fixed);
    return pairs;
}

LandmarkEvaluation evaluate_landmarks(const LandmarkPairs& pairs, const Transform& transform,
                                      double diagonal) {
    LandmarkPairs placed = pairs;
    if (transform.fixed) {
        const LinearMap from = placement(*transform.fixed);
        for (SpacePoint& point : placed.fixed) point = from(point);
    }
    if (transform.moving) {
        const LinearMap to = placement(*transform.moving);
        for (SpacePoint& point : placed.moving) point = to(point);
    }
    std::vector<SpacePoint> mapped;
    for (const SpacePoint& point : placed.fixed) mapped.push_back(transform(point));
    return evaluation_of(placed, mapped, diagonal);
}

LandmarkEvaluation evaluate_landmarks(const LandmarkPairs& pairs, LandmarkFit fit,
                                      double diagonal) {
    const Polynomials polynomials(pairs.fixed, static_cast<int>(fit) + 1);
    std::vector<std::vector<double>> rows;
    for (const SpacePoint& point : pairs.fixed) rows.push_back(polynomials.at(point));
    const std::size_t unknowns = rows[0].size();
    if (rows.size() < unknowns)
        throw InvalidArgument("the fit needs " + std::to_string(unknowns) +
                              " pairs of landmarks and there are " + std::to_string(rows.size()));
    const auto found = least_squares(rows, pairs.moving);
    if (!found)
        throw InvalidArgument("the landmarks do not determine the fit: they lie on a curve");
    const std::vector<SpacePoint>& coefficients = *found;
    std::vector<SpacePoint> mapped(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < unknowns; ++k)
            for (std::size_t axis = 0; axis < 3; ++axis)
                mapped[i][axis] += rows[i][k] * coefficients[k][axis];
    return evaluation_of(pairs, mapped, diagonal);
}

}  // namespace tesela
