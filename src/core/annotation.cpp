#include "tesela/annotation.h"

#include <algorithm>
#include <cmath>

namespace tesela {
namespace {

// The first index from `lowest` to `highest` whose center is not before `at`.
std::int64_t first_center(double at, std::int64_t lowest, std::int64_t highest) {
    return static_cast<std::int64_t>(
        std::clamp(std::ceil(at - 0.5), static_cast<double>(lowest), static_cast<double>(highest)));
}

// Where the edges of a ring cross the centers of each row of a box.
void add_crossings(const PlaneLine& ring, const TileBox& box,
                   std::vector<std::vector<double>>& rows) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const PlanePoint& a = ring[i];
        const PlanePoint& b = ring[(i + 1) % ring.size()];
        // From the upper point, so that both neighbors at an edge find the same place.
        const PlanePoint& upper = a.y < b.y ? a : b;
        const PlanePoint& lower = a.y < b.y ? b : a;
        const std::int64_t bottom = box.y + box.height;
        const std::int64_t end = first_center(lower.y, box.y, bottom);
        for (std::int64_t y = first_center(upper.y, box.y, bottom); y < end; ++y) {
            const double share = (static_cast<double>(y) + 0.5 - upper.y) / (lower.y - upper.y);
            rows[static_cast<std::size_t>(y - box.y)].push_back(upper.x +
                                                                share * (lower.x - upper.x));
        }
    }
}

}  // namespace

double signed_area(const PlaneLine& ring) {
    double sum = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        // From the first point on: far from the origin less is lost to rounding.
        const PlanePoint& next = ring[(i + 1) % ring.size()];
        sum += (ring[i].x - ring[0].x) * (next.y - ring[0].y) -
               (next.x - ring[0].x) * (ring[i].y - ring[0].y);
    }
    return sum / 2;
}

double area(const Polygon& polygon) {
    double sum = std::abs(signed_area(polygon.outer));
    for (const PlaneLine& hole : polygon.holes) sum -= std::abs(signed_area(hole));
    return sum;
}

void for_each_covered(const Polygon& polygon, const TileBox& box,
                      const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& take) {
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(box.height));
    add_crossings(polygon.outer, box, rows);
    for (const PlaneLine& hole : polygon.holes) add_crossings(hole, box, rows);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::vector<double>& crossings = rows[row];
        std::sort(crossings.begin(), crossings.end());
        for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
            const std::int64_t first = first_center(crossings[i], box.x, box.x + box.width);
            const std::int64_t end = first_center(crossings[i + 1], box.x, box.x + box.width);
            if (first < end) take(box.y + static_cast<std::int64_t>(row), first, end);
        }
    }
}

}  // namespace tesela
