#include "viewer/server/label_strokes.h"

#include <algorithm>
#include <cmath>

#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

using Point = std::array<double, 3>;
using Index = std::array<std::int64_t, 3>;

constexpr double most_work = 4e9;  // voxels that are looked at
// Centers at the radius itself are inside, whatever single precision in a file has made of them.
constexpr double at_radius = 1 + 1e-6;

std::int64_t nearest(double coordinate) {
    return static_cast<std::int64_t>(std::floor(coordinate + 0.5));
}

// A stroke on a grid, whose lengths are in mm or pixels.
class Painter {
  public:
    Painter(const Stroke& stroke, const Shape& shape, const Geometry& geometry)
        : stroke_(stroke), lengths_{shape.x, shape.y, shape.z} {
        if (geometry.known()) spacing_ = geometry.spacing_mm();
        if (stroke.across) slice_ = nearest(stroke.points.front()[axis()]);
    }

    PaintedBox paint() {
        painted_.box = box_of(low_of_all(), high_of_all());
        if (painted_.box.empty()) return {painted_.box, {}};
        require_bounded_work();
        const LabelBox& box = painted_.box;
        std::int64_t count = 1;
        for (std::size_t a = 0; a < 3; ++a) count *= box.last[a] - box.first[a] + 1;
        painted_.inside.assign(static_cast<std::size_t>(count), 0);
        const auto& points = stroke_.points;
        paint_way(points.front(), points.front());
        for (std::size_t i = 1; i < points.size(); ++i) paint_way(points[i - 1], points[i]);
        return std::move(painted_);
    }

  private:
    std::size_t axis() const { return static_cast<std::size_t>(*stroke_.across); }

    Point low_of_all() const {
        return extreme([](double a, double b) { return std::min(a, b); });
    }
    Point high_of_all() const {
        return extreme([](double a, double b) { return std::max(a, b); });
    }
    template <class Choose>
    Point extreme(Choose choose) const {
        Point found = stroke_.points.front();
        for (const Point& point : stroke_.points)
            for (std::size_t a = 0; a < 3; ++a) found[a] = choose(found[a], point[a]);
        return found;
    }

    // What is within the radius of points from `low` to `high` lies in it.
    LabelBox box_of(const Point& low, const Point& high) const {
        LabelBox box;
        for (std::size_t a = 0; a < 3; ++a) {
            const double reach = stroke_.radius * at_radius / spacing_[a];
            const double last = static_cast<double>(lengths_[a] - 1);
            double from = std::min(std::ceil(low[a] - reach), std::floor(low[a] + 0.5));
            double to = std::max(std::floor(high[a] + reach), std::floor(high[a] + 0.5));
            if (stroke_.across && axis() == a) from = to = static_cast<double>(slice_);
            if (to < 0 || from > last) return {.first = {0, 0, 0}, .last = {-1, -1, -1}};
            box.first[a] = static_cast<std::int64_t>(std::max(from, 0.0));
            box.last[a] = static_cast<std::int64_t>(std::min(to, last));
        }
        return box;
    }
    LabelBox box_of_way(const Point& from, const Point& to) const {
        Point low, high;
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(from[a], to[a]);
            high[a] = std::max(from[a], to[a]);
        }
        return box_of(low, high);
    }

    void require_bounded_work() const {
        double work = 0;
        for (std::size_t i = 1; i < stroke_.points.size(); ++i) {
            const LabelBox box = box_of_way(stroke_.points[i - 1], stroke_.points[i]);
            double voxels = box.empty() ? 0 : 1;
            for (std::size_t a = 0; a < 3; ++a)
                voxels *= static_cast<double>(box.last[a] - box.first[a] + 1);
            work += voxels;
        }
        if (work > most_work)
            throw Refused(413, "the stroke is too long for a brush of this size", "points");
    }

    std::uint8_t& inside(std::int64_t x, std::int64_t y, std::int64_t z) {
        const LabelBox& box = painted_.box;
        const std::int64_t width = box.last[0] - box.first[0] + 1;
        const std::int64_t height = box.last[1] - box.first[1] + 1;
        const std::int64_t at =
            ((z - box.first[2]) * height + y - box.first[1]) * width + x - box.first[0];
        return painted_.inside[static_cast<std::size_t>(at)];
    }

    void paint_way(const Point& from, const Point& to) {
        const LabelBox box = box_of_way(from, to);
        if (box.empty()) return;
        for (std::int64_t z = box.first[2]; z <= box.last[2]; ++z)
            for (std::int64_t y = box.first[1]; y <= box.last[1]; ++y)
                for (std::int64_t x = box.first[0]; x <= box.last[0]; ++x)
                    if (is_near({x, y, z}, from, to)) inside(x, y, z) = 1;
        paint_line(from, to);
    }

    // Whether a center is within the radius of the way from a point to another one.
    bool is_near(const Index& voxel, const Point& from, const Point& to) const {
        double along = 0, length = 0;
        Point offset{}, way{};
        for (std::size_t a = 0; a < 3; ++a) {
            if (stroke_.across && axis() == a) continue;
            offset[a] = (static_cast<double>(voxel[a]) - from[a]) * spacing_[a];
            way[a] = (to[a] - from[a]) * spacing_[a];
            along += offset[a] * way[a];
            length += way[a] * way[a];
        }
        const double part = length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0;
        double distance = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double apart = offset[a] - part * way[a];
            distance += apart * apart;
        }
        return distance <= stroke_.radius * stroke_.radius * at_radius;
    }

    // The voxels that the way goes through, by points half a voxel apart.
    void paint_line(const Point& from, const Point& to) {
        double farthest = 0;
        for (std::size_t a = 0; a < 3; ++a)
            farthest = std::max(farthest, std::abs(to[a] - from[a]));
        const double steps = std::max(1.0, std::ceil(2 * farthest));
        for (double step = 0; step <= steps; ++step) {
            Index voxel;
            bool is_there = true;
            for (std::size_t a = 0; a < 3; ++a) {
                voxel[a] = stroke_.across && axis() == a
                               ? slice_
                               : nearest(from[a] + (to[a] - from[a]) * (step / steps));
                is_there = is_there && voxel[a] >= painted_.box.first[a] &&
                           voxel[a] <= painted_.box.last[a];
            }
            if (is_there) inside(voxel[0], voxel[1], voxel[2]) = 1;
        }
    }

    const Stroke& stroke_;
    const Index lengths_;
    std::array<double, 3> spacing_{1, 1, 1};
    std::int64_t slice_ = 0;  // of a disc
    PaintedBox painted_;
};

}  // namespace

PaintedBox painted_by(const Stroke& stroke, const Shape& shape, const Geometry& geometry) {
    return Painter(stroke, shape, geometry).paint();
}

}  // namespace tesela::viewer
