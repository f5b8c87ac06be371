#include "tesela/evaluate_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include "core/point_text.h"

namespace tesela {

namespace {

struct Vector {
    float u, v;
};

// The angle between (u, v, 1) and (u', v', 1). Its cosine, of which the definition takes the arc,
// says nothing of small angles and does not give 0 for equal vectors; sine and cosine together do.
double angular_error(const Vector& a, const Vector& b) {
    const double au = a.u, av = a.v, bu = b.u, bv = b.v;
    const double sine = std::hypot(av - bv, bu - au, au * bv - av * bu);
    const double cosine = au * bu + av * bv + 1;
    return std::atan2(sine, cosine);
}

double endpoint_error(const Vector& a, const Vector& b) {
    return std::hypot(double{a.u} - double{b.u}, double{a.v} - double{b.v});
}

// `sorted` ascends and is not empty.
double percentile(const std::vector<double>& sorted, int percent) {
    const double place = static_cast<double>(sorted.size() - 1) * percent / 100;
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ErrorStatistics undefined_statistics() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    ErrorStatistics statistics{nan, nan, {}};
    statistics.percentiles.fill(nan);
    return statistics;
}

// Sorts the errors; the sums are taken before, in the order of the pixels.
ErrorStatistics statistics_of(std::vector<double>& errors) {
    if (errors.empty()) return undefined_statistics();
    const auto count = static_cast<double>(errors.size());
    ErrorStatistics statistics;
    statistics.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
    double squares = 0;
    for (const double error : errors)
        squares += (error - statistics.mean) * (error - statistics.mean);
    statistics.standard_deviation = std::sqrt(squares / count);
    std::sort(errors.begin(), errors.end());
    std::transform(flow_percentiles.begin(), flow_percentiles.end(), statistics.percentiles.begin(),
                   [&](int percent) { return percentile(errors, percent); });
    return statistics;
}

ErrorStatistics in_degrees(ErrorStatistics statistics) {
    const auto convert = [](double& radians) { radians *= 180 / std::acos(-1.0); };
    convert(statistics.mean);
    convert(statistics.standard_deviation);
    std::for_each(statistics.percentiles.begin(), statistics.percentiles.end(), convert);
    return statistics;
}

// The share of errors above the limit; `sorted` ascends.
double share_above(const std::vector<double>& sorted, double limit) {
    if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto above = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), limit);
    return static_cast<double>(above) / static_cast<double>(sorted.size());
}

void check_fields(const FlowView& estimate, const FlowView& truth) {
    check_flow(estimate, "the estimated flow");
    check_flow(truth, "the true flow");
    if (estimate.shape() != truth.shape())
        throw InvalidArgument("the estimated flow is " + size_text(estimate.shape()) +
                              " and the true flow " + size_text(truth.shape()) +
                              ": they must have one size");
}

void check_options(const EvaluateFlowOptions& options, const Shape& shape) {
    validate_options(options);
    const bool corrects = options.correction != BorderCorrection::none;
    const std::string correction(enum_name(options.correction));
    if (corrects && options.size == 0)
        throw InvalidArgument("correction '" + correction + "' needs a size above 0");
    if (!corrects && options.size > 0)
        throw InvalidArgument("a size of " + std::to_string(options.size) +
                              " means nothing without a correction: choose filter or block");
    if (options.size >= std::min(shape.x, shape.y))
        throw InvalidArgument("correction '" + correction + "' of size " +
                              std::to_string(options.size) + " leaves nothing of a flow field of " +
                              size_text(shape));
}

double density_by_formula(const Shape& shape, std::int64_t size) {
    const auto kept = [size](std::int64_t length) {
        return static_cast<double>(length - size) / static_cast<double>(length);
    };
    return kept(shape.x) * kept(shape.y);
}

// The errors of all vectors that are compared, row by row.
struct Errors {
    std::vector<double> angular, endpoint;
    std::int64_t known = 0;       // vectors of the truth
    std::int64_t known_kept = 0;  // of these, off the strips
};

Errors compare(const FlowView& estimate, const FlowView& truth, std::int64_t strip) {
    const Shape& shape = truth.shape();
    Errors errors;
    const auto points = static_cast<std::size_t>(shape.points());
    errors.angular.reserve(points);
    errors.endpoint.reserve(points);
    const float *e = estimate.data(), *t = truth.data();
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x, e += 2, t += 2) {
            if (!is_known(t[0], t[1])) continue;
            ++errors.known;
            const bool kept =
                x >= strip && x < shape.x - strip && y >= strip && y < shape.y - strip;
            if (!kept) continue;
            ++errors.known_kept;
            if (!is_known(e[0], e[1])) continue;
            errors.angular.push_back(angular_error({e[0], e[1]}, {t[0], t[1]}));
            errors.endpoint.push_back(endpoint_error({e[0], e[1]}, {t[0], t[1]}));
        }
    return errors;
}

}  // namespace

FlowEvaluation evaluate_flow(const FlowView& estimate, const FlowView& truth,
                             const EvaluateFlowOptions& options) {
    check_fields(estimate, truth);
    check_options(options, truth.shape());
    Errors errors = compare(estimate, truth, options.size / 2);
    if (errors.known_kept == 0)
        throw InvalidArgument(
            "the true flow has no known vector" +
            std::string(options.size > 0 ? " off the strips that are left out" : ""));
    FlowEvaluation evaluation;
    evaluation.known = errors.known;
    evaluation.compared = static_cast<std::int64_t>(errors.endpoint.size());
    evaluation.density =
        static_cast<double>(evaluation.compared) / static_cast<double>(evaluation.known);
    evaluation.density_by_formula = density_by_formula(truth.shape(), options.size);
    evaluation.angular_radians = statistics_of(errors.angular);
    evaluation.angular_degrees = in_degrees(evaluation.angular_radians);
    evaluation.endpoint = statistics_of(errors.endpoint);
    std::transform(flow_robustness_limits.begin(), flow_robustness_limits.end(),
                   evaluation.robustness.begin(),
                   [&](double limit) { return share_above(errors.endpoint, limit); });
    if (evaluation.compared > 0 &&
        !errors_agree(evaluation.angular_radians.mean, evaluation.endpoint.mean))
        evaluation.warnings.push_back(
            "the mean angular error is larger than the mean end-point error allows: one of them is "
            "wrong");
    return evaluation;
}

std::int64_t evaluate_flow_bytes(const Shape& shape) {
    return 2 * static_cast<std::int64_t>(sizeof(double)) * shape.points();
}

bool errors_agree(double mean_angular, double mean_endpoint) {
    constexpr double rounding = 1e-9;  // relative; both means are sums of rounded errors
    return mean_angular <= 2 * std::atan(mean_endpoint / 2) * (1 + rounding);
}

}  // namespace tesela
