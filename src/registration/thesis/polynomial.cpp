// The polynomial of the thesis, fitted to matches of which some are wrong.
#include <algorithm>
#include <cmath>

#include "registration/least_squares.h"
#include "registration/polynomials.h"
#include "tesela/register_thesis.h"

namespace tesela {
namespace {

constexpr double outlying = 4;  // deviations

// A polynomial of scaled coordinates in those of points.
ThesisPolynomial in_points(const Polynomials& terms, const std::vector<SpacePoint>& k) {
    const SpacePoint &c = terms.center(), &r = terms.reach();
    ThesisPolynomial polynomial;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double xx = k[2][axis] / (r[0] * r[0]), xy = k[4][axis] / (r[0] * r[1]);
        const double yy = k[5][axis] / (r[1] * r[1]);
        const double x = k[1][axis] / r[0], y = k[3][axis] / r[1];
        polynomial.coefficients[axis] = {xx,
                                         xy,
                                         yy,
                                         x - 2 * xx * c[0] - xy * c[1],
                                         y - 2 * yy * c[1] - xy * c[0],
                                         k[0][axis] - x * c[0] - y * c[1] + xx * c[0] * c[0] +
                                             xy * c[0] * c[1] + yy * c[1] * c[1]};
    }
    return polynomial;
}

class Fitter {
  public:
    Fitter(const std::vector<SpacePoint>& from, const std::vector<SpacePoint>& to)
        : from_(from), to_(to), terms_(from, 2) {}

    // Weights of rows, squared distances times them.
    std::optional<ThesisPolynomial> solve(const std::vector<double>& weights) const {
        std::vector<std::vector<double>> rows;
        std::vector<SpacePoint> values;
        for (std::size_t i = 0; i < from_.size(); ++i) {
            if (weights[i] == 0) continue;
            rows.push_back(terms_.at(from_[i]));
            values.push_back(to_[i]);
            const double root = std::sqrt(weights[i]);
            for (double& term : rows.back()) term *= root;
            for (double& value : values.back()) value *= root;
        }
        if (rows.empty()) return {};
        const auto found = least_squares(std::move(rows), std::move(values));
        if (!found) return {};
        return in_points(terms_, *found);
    }
    std::vector<double> distances(const ThesisPolynomial& polynomial) const {
        std::vector<double> distances;
        for (std::size_t i = 0; i < from_.size(); ++i) {
            const SpacePoint mapped = polynomial(from_[i]);
            distances.push_back(std::hypot(mapped[0] - to_[i][0], mapped[1] - to_[i][1]));
        }
        return distances;
    }

  private:
    const std::vector<SpacePoint>&from_, &to_;
    Polynomials terms_;
};

double deviation_of(std::vector<double> distances, double noise) {
    const auto middle = distances.begin() + std::ssize(distances) / 2;
    std::nth_element(distances.begin(), middle, distances.end());
    constexpr double median_length = 1.1774;  // of two normal distributions of deviation 1
    return std::max(*middle / median_length, noise);
}

// Weights of S. Geman, D. E. McClure, "Statistical methods for tomographic image reconstruction",
// 1987.
std::vector<double> weights_of(const std::vector<double>& distances, double deviation) {
    std::vector<double> weights;
    for (const double distance : distances) {
        const double far = distance / (3 * deviation);
        weights.push_back(1 / ((1 + far * far) * (1 + far * far)));
    }
    return weights;
}

ThesisPolynomial after(const ThesisPolynomial& polynomial, const LinearMap& map) {
    ThesisPolynomial all;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        for (std::size_t k = 0; k < 6; ++k)
            all.coefficients[axis][k] = map.matrix[3 * axis] * polynomial.coefficients[0][k] +
                                        map.matrix[3 * axis + 1] * polynomial.coefficients[1][k];
        all.coefficients[axis][5] += map.translation[axis];
    }
    return all;
}

}  // namespace

SpacePoint ThesisPolynomial::operator()(const SpacePoint& point) const {
    const double x = point[0], y = point[1];
    SpacePoint mapped{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto& [a, b, c, d, e, f] = coefficients[axis];
        mapped[axis] = (a * x + b * y + d) * x + (c * y + e) * y + f;
    }
    return mapped;
}

std::optional<ThesisFit> fit_thesis_polynomial(const std::vector<SpacePoint>& from,
                                               const std::vector<SpacePoint>& to, double noise) {
    constexpr std::size_t unknowns = 6;
    if (from.size() < unknowns) return {};
    const Fitter fitter(from, to);
    std::vector<double> weights(from.size(), 1.0), distances;
    double deviation = 0;
    const auto step = [&] {
        const std::optional<ThesisPolynomial> polynomial = fitter.solve(weights);
        if (!polynomial) return polynomial;
        distances = fitter.distances(*polynomial);
        return polynomial;
    };
    constexpr int rounds = 30;
    for (int round = 0; round < rounds; ++round) {
        if (!step()) return {};
        deviation = deviation_of(distances, noise);
        weights = weights_of(distances, deviation);
    }
    // Those that are no outliers alone, until they stay the same.
    ThesisFit fit;
    for (int round = 0; round < rounds; ++round) {
        std::vector<bool> is_outlier;
        for (const double distance : distances)
            is_outlier.push_back(distance > outlying * deviation);
        if (round > 0 && is_outlier == fit.is_outlier) break;
        fit.is_outlier = std::move(is_outlier);
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = fit.is_outlier[i] ? 0 : 1;
        const std::optional<ThesisPolynomial> polynomial = step();
        if (!polynomial) return {};
        fit.polynomial = *polynomial;
    }
    std::vector<double> kept;
    for (std::size_t i = 0; i < distances.size(); ++i)
        if (!fit.is_outlier[i]) kept.push_back(distances[i]);
    fit.deviation = deviation_of(std::move(kept), 0);
    return fit;
}

// A quadratic polynomial is the cubic B-spline whose nodes have its values less a sixth of the
// second differences.
Transform thesis_transform(const ThesisPolynomial& polynomial, const LinearMap& linear,
                           const ImageGrid& fixed, const ImageGrid& moving) {
    const LinearMap placed = placement(fixed);
    const auto width = static_cast<double>(fixed.shape.x);
    const auto height = static_cast<double>(fixed.shape.y);
    const SpacePoint a = placed({-width / 2, -height / 2, 0});
    const SpacePoint b = placed({1.5 * width, 1.5 * height, 0});
    SpacePoint low{}, high{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        low[axis] = std::min(a[axis], b[axis]);
        high[axis] = std::max(a[axis], b[axis]);
    }
    SplineMap spline = spline_over(low, high, 2, std::max(high[0] - low[0], high[1] - low[1]) / 4);
    const ThesisPolynomial bend = after(polynomial, linear.inverse());
    const auto nodes = static_cast<std::size_t>(spline.nodes());
    for (std::size_t node = 0; node < nodes; ++node) {
        const auto number = static_cast<std::int64_t>(node);
        const SpacePoint at{
            spline.origin[0] + spline.spacing[0] * static_cast<double>(number % spline.size[0]),
            spline.origin[1] + spline.spacing[1] * static_cast<double>(number / spline.size[0]), 0};
        const SpacePoint mapped = bend(at);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const auto& k = bend.coefficients[axis];
            const double second = 2 * k[0] * spline.spacing[0] * spline.spacing[0] +
                                  2 * k[2] * spline.spacing[1] * spline.spacing[1];
            spline.displacements[axis * nodes + node] = mapped[axis] - at[axis] - second / 6;
        }
    }
    return {.dimensions = 2,
            .unit = point_unit(fixed),
            .steps = {std::move(spline), linear},
            .fixed = fixed,
            .moving = moving};
}

}  // namespace tesela
