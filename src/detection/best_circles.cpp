#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "detection/circle_fit.h"

namespace tesela {
namespace {

// Circles that were kept, found by their place.
class KeptCircles {
  public:
    KeptCircles(const std::array<double, 2>& unit, double farthest)
        : unit_(unit), side_(std::max(farthest, 1.0)) {}

    void add(const Circle& circle) { cells_[cell_of(circle, 0, 0)].push_back(circle); }

    // Whether one of them is near, in terms of `is_near(kept, distance)`.
    template <class IsNear>
    bool has_near(const Circle& circle, const IsNear& is_near) const {
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const auto found = cells_.find(cell_of(circle, dx, dy));
                if (found == cells_.end()) continue;
                for (const Circle& kept : found->second)
                    if (is_near(kept, std::hypot((kept.x - circle.x) * unit_[0],
                                                 (kept.y - circle.y) * unit_[1])))
                        return true;
            }
        return false;
    }

  private:
    using Cell = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    Cell cell_of(const Circle& circle, int dx, int dy) const {
        const auto along = [&](double place, double unit) {
            return static_cast<std::int64_t>(std::floor(place * unit / side_));
        };
        return {circle.slice, along(circle.y, unit_[1]) + dy, along(circle.x, unit_[0]) + dx};
    }

    std::array<double, 2> unit_;
    double side_;
    std::map<Cell, std::vector<Circle>> cells_;
};

// `least` for both sides of a line, the share for noise.
bool are_alike(double a, double b, double least) {
    constexpr double share = 0.125;
    return std::abs(a - b) < std::max(least, share * std::min(a, b));
}

}  // namespace

std::vector<Circle> best_circles(std::vector<Circle> circles, const std::array<double, 2>& unit,
                                 double min_score, double min_distance, bool concentric,
                                 double least_unlike) {
    std::erase_if(circles, [&](const Circle& c) { return c.score < min_score || c.score <= 0; });
    // Where scores are equal, as they are of contours without noise, the votes of a circumference
    // tell which is better.
    const auto density = [](const Circle& c) { return c.votes / std::max(c.radius, 1.0); };
    std::sort(circles.begin(), circles.end(), [&](const Circle& a, const Circle& b) {
        return std::tuple(-a.score, -density(a), a.slice, a.y, a.x, a.radius) <
               std::tuple(-b.score, -density(b), b.slice, b.y, b.x, b.radius);
    });
    double farthest = min_distance;
    if (min_distance < 0)
        for (const Circle& circle : circles) farthest = std::max(farthest, circle.radius / 2);
    KeptCircles kept(unit, farthest);
    std::vector<Circle> best;
    for (const Circle& circle : circles) {
        const bool hidden = kept.has_near(circle, [&](const Circle& better, double distance) {
            if (concentric && !are_alike(better.radius, circle.radius, least_unlike)) return false;
            const double limit =
                min_distance < 0 ? std::min(better.radius, circle.radius) / 2 : min_distance;
            return distance < std::max(limit, 1.0);  // several maxima lead to one circle
        });
        if (hidden) continue;
        kept.add(circle);
        best.push_back(circle);
    }
    return best;
}

}  // namespace tesela
