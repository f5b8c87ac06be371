#include "tesela/evaluate_circles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace tesela {
namespace {

struct Pair {
    double difference;  // of centers and radii
    std::size_t found, truth;
    auto order() const { return std::tuple(difference, truth, found); }
};

// All pairs that may match, the nearest first.
std::vector<Pair> pairs_of(std::span<const Circle> found, std::span<const Circle> truth,
                           double tolerance) {
    using Cell = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    const double side = std::max(tolerance, 1.0);
    const auto cell_of = [&](const Circle& c, int dx, int dy) {
        return Cell{c.slice, static_cast<std::int64_t>(std::floor(c.y / side)) + dy,
                    static_cast<std::int64_t>(std::floor(c.x / side)) + dx};
    };
    std::map<Cell, std::vector<std::size_t>> cells;
    for (std::size_t t = 0; t < truth.size(); ++t) cells[cell_of(truth[t], 0, 0)].push_back(t);
    std::vector<Pair> pairs;
    for (std::size_t f = 0; f < found.size(); ++f)
        for (int k = 0; k < 9; ++k) {
            const auto cell = cells.find(cell_of(found[f], k % 3 - 1, k / 3 - 1));
            if (cell == cells.end()) continue;
            for (const std::size_t t : cell->second) {
                const double apart = std::hypot(found[f].x - truth[t].x, found[f].y - truth[t].y);
                if (apart > tolerance) continue;
                pairs.push_back({std::hypot(apart, found[f].radius - truth[t].radius), f, t});
            }
        }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.order() < b.order(); });
    return pairs;
}

double ratio(double a, double b) {
    return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

CircleAgreement evaluate_circles(std::span<const Circle> found, std::span<const Circle> truth,
                                 double tolerance) {
    if (!(tolerance >= 0) || !std::isfinite(tolerance))
        throw InvalidArgument("--tolerance is " + detail::shown(tolerance) +
                              "; it must be 0 or more");
    CircleAgreement result;
    result.found = std::ssize(found);
    result.truth = std::ssize(truth);
    std::vector<bool> found_taken(found.size()), truth_taken(truth.size());
    double centers = 0, radii = 0, bias = 0;
    for (const Pair& pair : pairs_of(found, truth, tolerance)) {
        if (found_taken[pair.found] || truth_taken[pair.truth]) continue;
        found_taken[pair.found] = truth_taken[pair.truth] = true;
        const Circle &f = found[pair.found], &t = truth[pair.truth];
        const double apart = std::hypot(f.x - t.x, f.y - t.y), longer = f.radius - t.radius;
        ++result.matched;
        centers += apart;
        radii += std::abs(longer);
        bias += longer;
        result.center_max = std::max(result.center_max, apart);
        result.radius_max = std::max(result.radius_max, std::abs(longer));
    }
    const auto matched = static_cast<double>(result.matched);
    result.precision = ratio(matched, static_cast<double>(result.found));
    result.recall = ratio(matched, static_cast<double>(result.truth));
    result.f = ratio(2 * matched, static_cast<double>(result.found + result.truth));
    result.center_mean = ratio(centers, matched);
    result.radius_mean = ratio(radii, matched);
    result.radius_bias = ratio(bias, matched);
    return result;
}

}  // namespace tesela
