#include "tesela/fit_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "registration/fit_linear.h"
#include "registration/landmark_spline.h"
#include "registration/linear_kind.h"

namespace tesela {
namespace {

constexpr double deviations = 3.5;  // beyond which a pair is an outlier
constexpr double clicked = 2;       // pixels that a landmark is off by at least
constexpr int most_rounds = 20;

void require_fitting(const LandmarkPairs& pairs, const std::optional<ImageGrid>& fixed,
                     const std::optional<ImageGrid>& moving) {
    if (fixed.has_value() != moving.has_value())
        throw InvalidArgument("a fit needs both images or none, and only the " +
                              std::string(fixed ? "fixed" : "moving") + " one is given");
    if (!fixed) return;
    for (const ImageGrid& grid : {*fixed, *moving})
        if ((grid.shape.z > 1 ? 3 : 2) != pairs.dimensions)
            throw InvalidArgument("the landmarks have " + std::to_string(pairs.dimensions) +
                                  " coordinates and an image has " + grid.to_string());
    if (fixed->geometry.known() != moving->geometry.known())
        throw InvalidArgument(
            "one image has a physical spacing and the other has none: the fixed one has " +
            fixed->to_string() + ", the moving one " + moving->to_string());
}

double finest_spacing(const ImageGrid& grid, int dimensions) {
    if (!grid.geometry.known()) return 1;
    const std::array<double, 3> spacing = grid.geometry.spacing_mm();
    return *std::min_element(spacing.begin(), spacing.begin() + dimensions);
}

std::vector<double> errors_of(const LinearMap& map, const PointPairs& pairs) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < pairs.from.size(); ++i) {
        const SpacePoint moved = map(pairs.from[i]);
        errors.push_back(std::hypot(moved[0] - pairs.to[i][0], moved[1] - pairs.to[i][1],
                                    moved[2] - pairs.to[i][2]));
    }
    return errors;
}

// As large as at most half of the pairs that are too many: with more wrong ones nothing is right.
double robust_error(std::vector<double> errors, std::size_t needed) {
    const std::size_t rank = std::min(errors.size(), (errors.size() + needed + 1) / 2) - 1;
    const auto at = errors.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(errors.begin(), at, errors.end());
    return *at;
}

std::vector<bool> within(const std::vector<double>& errors, double tolerance) {
    std::vector<bool> taken;
    for (const double error : errors) taken.push_back(error <= tolerance);
    return taken;
}

// From the errors of the pairs that are taken, after a fit of as many numbers as `needed` pairs
// have.
double tolerance_of(const std::vector<double>& errors, const std::vector<bool>& is_taken,
                    std::size_t needed, int dimensions, double pixel) {
    double squares = 0, count = -static_cast<double>(needed);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (!is_taken[i]) continue;
        squares += errors[i] * errors[i];
        count += 1;
    }
    const double deviation = count > 0 ? std::sqrt(squares / (count * dimensions)) : 0;
    return std::max(clicked * pixel, deviations * deviation);
}

struct LinearFit {
    LinearMap map;
    std::vector<double> errors;
    std::vector<bool> is_taken;
    double tolerance = 0;
};

// The map of few pairs that leaves about half of all closest.
std::optional<LinearMap> least_median(const PointPairs& pairs, LinearKind kind,
                                      std::size_t needed) {
    constexpr int trials = 500;
    constexpr std::size_t least = 3;  // with two, mirrored maps fit as well
    const std::size_t n = pairs.from.size(), count = std::min(n, std::max(needed, least));
    std::mt19937 random(1);
    std::optional<LinearMap> best;
    double smallest = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<bool> drawn(n);
        for (std::size_t left = count; left > 0;) {
            const std::size_t i = random() % n;
            left -= !drawn[i];
            drawn[i] = true;
        }
        const std::optional<LinearMap> map = fit_linear(chosen(pairs, drawn), kind);
        if (!map) continue;
        const double error = robust_error(errors_of(*map, pairs), needed);
        if (error >= smallest) continue;
        smallest = error;
        best = map;
    }
    return best;
}

LinearFit fit_robustly(const PointPairs& pairs, LinearKind kind, double pixel,
                       std::optional<double> tolerance) {
    const std::size_t needed = pairs_needed(kind, pairs.dimensions);
    const std::size_t n = pairs.from.size();
    std::optional<LinearMap> map = least_median(pairs, kind, needed);
    if (!map)
        throw InvalidArgument("the landmarks do not determine the " + std::string(enum_name(kind)) +
                              " map: they lie on a line or in a plane");
    LinearFit fit{*map, errors_of(*map, pairs), {}};
    // A few pairs may be close by chance (P. J. Rousseeuw, A. M. Leroy, 1987).
    const double doubt = 1 + 5 / std::max(1.0, static_cast<double>(n - needed));
    fit.tolerance = tolerance.value_or(std::max(
        clicked * pixel,
        deviations * doubt / std::sqrt(pairs.dimensions) * robust_error(fit.errors, needed)));
    fit.is_taken = within(fit.errors, fit.tolerance);
    for (int round = 0; round < most_rounds; ++round) {
        map = fit_linear(chosen(pairs, fit.is_taken), kind);
        if (!map) break;
        fit.map = *map;
        fit.errors = errors_of(*map, pairs);
        fit.tolerance = tolerance.value_or(
            tolerance_of(fit.errors, fit.is_taken, needed, pairs.dimensions, pixel));
        std::vector<bool> taken = within(fit.errors, fit.tolerance);
        if (taken == fit.is_taken) break;
        fit.is_taken = std::move(taken);
    }
    return fit;
}

// ---- Splines --------------------------------------------------------------------------------

struct SplineFit {
    SplineMap spline = {};
    std::vector<double> predicted = {};  // errors
    std::vector<bool> is_taken = {};
    double tolerance = 0, stiffness = 0;
};

// Nodes over the fixed image, or over its landmarks.
SplineMap nodes_for(const PointPairs& pairs, const std::optional<ImageGrid>& fixed) {
    std::vector<SpacePoint> corners = pairs.from;
    if (fixed) {
        const LinearMap placed = placement(*fixed);
        const Shape& shape = fixed->shape;
        corners.clear();
        for (int corner = 0; corner < 8; ++corner)
            corners.push_back(placed({corner & 1 ? static_cast<double>(shape.x - 1) : 0,
                                      corner & 2 ? static_cast<double>(shape.y - 1) : 0,
                                      corner & 4 ? static_cast<double>(shape.z - 1) : 0}));
    }
    SpacePoint first = corners[0], last = corners[0];
    double longest = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        for (const SpacePoint& corner : corners) {
            first[a] = std::min(first[a], corner[a]);
            last[a] = std::max(last[a], corner[a]);
        }
        longest = std::max(longest, last[a] - first[a]);
    }
    const int cells = pairs.dimensions == 2 ? 12 : 6;
    return spline_over(first, last, pairs.dimensions, longest / cells);
}

SplineFit bent_robustly(const LandmarkSpline& nodes, const LinearFit& linear, double stiffness,
                        int dimensions, double pixel, std::optional<double> tolerance) {
    SplineFit fit{.is_taken = linear.is_taken, .stiffness = stiffness};
    for (int round = 0; round < most_rounds; ++round) {
        LandmarkSpline::Fit found = nodes.fit(fit.is_taken, stiffness);
        fit.spline = std::move(found.spline);
        fit.predicted = std::move(found.predicted);
        fit.tolerance =
            tolerance.value_or(tolerance_of(found.studentized, fit.is_taken, 0, dimensions, pixel));
        std::vector<bool> taken = within(found.studentized, fit.tolerance);
        const auto left = std::count(taken.begin(), taken.end(), true);
        if (taken == fit.is_taken || 2 * left < std::ssize(taken)) break;
        fit.is_taken = std::move(taken);
    }
    return fit;
}

bool folds(const SplineMap& spline) {
    constexpr double least = 0.1;
    Transform bend{.dimensions = spline.size[2] == 1 ? 2 : 3, .steps = {spline}};
    ImageGrid nodes{{spline.size[0], spline.size[1], spline.size[2]}, {}};
    nodes.geometry.unit = Unit::millimeter;
    nodes.geometry.origin = spline.origin;
    nodes.geometry.spacing = spline.spacing;
    for (std::size_t a = 0; a < static_cast<std::size_t>(bend.dimensions); ++a)
        nodes.geometry.spacing[a] /= 2;
    nodes.shape.x *= 2;
    nodes.shape.y *= 2;
    if (bend.dimensions == 3) nodes.shape.z *= 2;
    return least_jacobian(bend, nodes, 1) < least;
}

// The spline, of those that do not fold, that predicts pairs best; a pair that is far off counts as
// one at the tolerance of the linear map.
std::optional<SplineFit> fit_spline(const PointPairs& pairs, const LinearFit& linear,
                                    const std::optional<ImageGrid>& fixed,
                                    const FitOptions& options, double pixel,
                                    std::optional<double> tolerance) {
    const LinearMap back = linear.map.inverse();
    std::vector<SpacePoint> displacements;
    for (std::size_t i = 0; i < pairs.from.size(); ++i) {
        const SpacePoint wanted = back(pairs.to[i]);
        displacements.push_back({wanted[0] - pairs.from[i][0], wanted[1] - pairs.from[i][1],
                                 wanted[2] - pairs.from[i][2]});
    }
    const LandmarkSpline nodes(nodes_for(pairs, fixed), pairs.from, displacements);
    std::vector<double> choices{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    if (options.stiffness) choices = {*options.stiffness};
    std::optional<SplineFit> best;
    double least = std::numeric_limits<double>::infinity();
    for (const double stiffness : choices) {
        SplineFit fit = bent_robustly(nodes, linear, stiffness, pairs.dimensions, pixel, tolerance);
        if (folds(fit.spline)) continue;
        double loss = 0;
        for (const double error : fit.predicted)
            loss += std::pow(std::min(error, linear.tolerance), 2);
        if (loss >= least) continue;
        least = loss;
        best = std::move(fit);
    }
    return best;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void add_spline(const PointPairs& pairs, const LinearFit& linear, const FitOptions& options,
                double pixel, std::optional<double> tolerance, TransformFit& result) {
    const std::optional<SplineFit> bent =
        fit_spline(pairs, linear, result.transform.fixed, options, pixel, tolerance);
    if (!bent)
        throw InvalidArgument(options.stiffness
                                  ? "the spline folds: give a larger --stiffness"
                                  : "every spline through the landmarks folds: some are wrong, or "
                                    "give a --tolerance");
    result.transform.steps.insert(result.transform.steps.begin(), bent->spline);
    result.tolerance = bent->tolerance;
    result.stiffness = bent->stiffness;
    result.prediction_error = median(bent->predicted);
    for (std::size_t i = 0; i < bent->is_taken.size(); ++i)
        result.is_outlier[i] = !bent->is_taken[i];
}

}  // namespace

std::size_t TransformFit::outliers() const {
    return static_cast<std::size_t>(std::count(is_outlier.begin(), is_outlier.end(), true));
}

TransformFit fit_transform(const LandmarkPairs& pairs, const std::optional<ImageGrid>& fixed,
                           const std::optional<ImageGrid>& moving, const FitOptions& options) {
    validate_options(options);
    require_fitting(pairs, fixed, moving);
    const int dimensions = pairs.dimensions;
    const LinearKind kind = linear_kind(options.model);
    const std::size_t needed = pairs_needed(kind, dimensions), n = pairs.fixed.size();
    if (n < needed)
        throw InvalidArgument("--model " + std::string(enum_name(options.model)) + " needs " +
                              std::to_string(needed) + " pairs of landmarks and there are " +
                              std::to_string(n));
    PointPairs points{dimensions, pairs.fixed, pairs.moving};
    double pixel = 1;
    if (fixed) {
        pixel = finest_spacing(*moving, dimensions);
        for (SpacePoint& point : points.from) point = placement(*fixed)(point);
        for (SpacePoint& point : points.to) point = placement(*moving)(point);
    }
    const Unit unit = fixed ? point_unit(*fixed) : Unit::unknown;
    std::optional<double> tolerance;
    if (options.tolerance) {
        if (options.tolerance->physical() && unit == Unit::unknown)
            throw InvalidArgument(
                "--tolerance in mm or um needs images with a spacing: give it in px");
        tolerance = options.tolerance->physical() ? options.tolerance->millimeters()
                                                  : options.tolerance->value * pixel;
    }
    const LinearFit linear = fit_robustly(points, kind, pixel, tolerance);
    TransformFit result{.transform = {.dimensions = dimensions,
                                      .unit = unit,
                                      .steps = {linear.map},
                                      .fixed = fixed,
                                      .moving = moving},
                        .tolerance = linear.tolerance};
    for (const bool is_taken : linear.is_taken) result.is_outlier.push_back(!is_taken);
    if (options.model == RegistrationModel::spline)
        add_spline(points, linear, options, pixel, tolerance, result);
    for (std::size_t i = 0; i < n; ++i) {
        const SpacePoint moved = result.transform(points.from[i]);
        result.errors.push_back(std::hypot(moved[0] - points.to[i][0], moved[1] - points.to[i][1],
                                           moved[2] - points.to[i][2]));
    }
    if (n - result.outliers() <= needed)
        result.warnings.push_back(
            "no more pairs are left than the model needs, so that none can show an error");
    return result;
}

}  // namespace tesela
