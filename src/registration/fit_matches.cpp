#include "registration/fit_matches.h"

#include <algorithm>
#include <cmath>

#include "registration/spline_system.h"

namespace tesela {
namespace {

SpacePoint rest_of(const SplineMap& spline, const MatchedPoint& point) {
    const SpacePoint mapped = spline(point.at);
    SpacePoint rest{};
    for (std::size_t axis = 0; axis < 2; ++axis)
        rest[axis] = point.displacement[axis] - (mapped[axis] - point.at[axis]);
    return rest;
}

double deviation_of(const SplineMap& spline, std::span<const MatchedPoint> points) {
    std::vector<double> lengths;
    for (const MatchedPoint& point : points) lengths.push_back(distance_to(spline, point));
    const auto middle = lengths.begin() + std::ssize(lengths) / 2;
    std::nth_element(lengths.begin(), middle, lengths.end());
    constexpr double median_length = 1.1774;  // of two normal distributions of deviation 1
    return *middle / median_length;
}

}  // namespace

double distance_to(const SplineMap& spline, const MatchedPoint& point) {
    const SpacePoint rest = rest_of(spline, point);
    return std::hypot(rest[0], rest[1]);
}

// Weights of S. Geman, D. E. McClure, "Statistical methods for tomographic image reconstruction",
// 1987: of large distances little is left.
FittedSpline fitted(const SplineMap& spline, std::span<const MatchedPoint> points, double noise,
                    double stiffness, const Progress& progress) {
    constexpr int most_rounds = 12;
    constexpr double short_change = 0.01;  // of the noise
    constexpr double reach = 3;            // deviations at which a weight is a fourth
    FittedSpline fit{spline, 0};
    for (int round = 0; round < most_rounds; ++round) {
        progress.throw_if_cancelled();
        fit.deviation = std::max(deviation_of(fit.spline, points), noise / 4);
        MotionEquations motion;
        for (const MatchedPoint& point : points) {
            const SpacePoint rest = rest_of(fit.spline, point);
            const double far = std::hypot(rest[0], rest[1]) / (reach * fit.deviation);
            const double weight = 1 / ((1 + far * far) * (1 + far * far));
            const double share = weight / (noise * noise);
            motion.blocks.push_back(
                {point.at, {share, 0, 0, share, 0, 0}, {share * rest[0], share * rest[1], 0}});
            motion.weight += weight;
        }
        const std::vector<float> change =
            SplineSystem(fit.spline, motion, Bending(fit.spline, stiffness)).step(0);
        double largest = 0;
        for (std::size_t i = 0; i < change.size(); ++i) {
            fit.spline.displacements[i] += double{change[i]};
            largest = std::max(largest, std::abs(double{change[i]}));
        }
        if (largest < short_change * noise) break;
    }
    fit.deviation = deviation_of(fit.spline, points);
    return fit;
}

}  // namespace tesela
