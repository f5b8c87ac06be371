// Landmarks and outlines mapped by a transform.
#include <algorithm>
#include <cmath>

#include "tesela/warp.h"

namespace tesela {
namespace {

// Maps pixels of one image to pixels of the other.
class PixelMap {
  public:
    PixelMap(const Transform& transform, bool inverse)
        : transform_(transform),
          inverse_(inverse),
          from_(place(inverse ? transform.fixed : transform.moving)),
          to_(place(inverse ? transform.moving : transform.fixed).inverse()) {}

    // Whether straight lines stay straight.
    bool is_linear() const {
        return std::all_of(transform_.steps.begin(), transform_.steps.end(), [](const auto& step) {
            return std::holds_alternative<LinearMap>(step);
        });
    }
    SpacePoint operator()(const SpacePoint& pixel) const {
        const SpacePoint point = from_(pixel);
        return to_(inverse_ ? transform_(point) : transform_.inverse_of(point));
    }
    // Annotations have (0, 0) at the corner of the first pixel.
    PlanePoint operator()(const PlanePoint& at) const {
        const SpacePoint mapped = (*this)(SpacePoint{at.x - 0.5, at.y - 0.5, 0});
        return {mapped[0] + 0.5, mapped[1] + 0.5};
    }

  private:
    static LinearMap place(const std::optional<ImageGrid>& grid) {
        return grid ? placement(*grid) : LinearMap{};
    }

    const Transform& transform_;
    bool inverse_;
    LinearMap from_, to_;
};

class LineWarp {
  public:
    LineWarp(const Transform& transform, bool inverse) : map_(transform, inverse) {}

    PlanePoint point(const PlanePoint& at) const { return map_(at); }
    PlaneLine line(const PlaneLine& points, bool closed) const {
        PlaneLine bent;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const PlanePoint mapped = map_(points[i]);
            bent.push_back(mapped);
            if (!map_.is_linear() && (i + 1 < points.size() || closed)) {
                const PlanePoint& next = points[(i + 1) % points.size()];
                add_between(points[i], next, mapped, map_(next), 0, bent);
            }
        }
        return bent;
    }
    Polygon polygon(const Polygon& polygon) const {
        Polygon bent{line(polygon.outer, true), {}};
        for (const PlaneLine& hole : polygon.holes) bent.holes.push_back(line(hole, true));
        return bent;
    }

  private:
    // In pixels, at three positions of an edge; large coordinates have larger rounding errors.
    static double tolerance(const PlanePoint& a, const PlanePoint& b) {
        constexpr double pixels = 0.25, rounding = 1e-9;
        return std::max({pixels, rounding * std::hypot(a.x, a.y), rounding * std::hypot(b.x, b.y)});
    }

    // Halves an edge while its middle or a quarter of it is off the straight line.
    void add_between(const PlanePoint& a, const PlanePoint& b, const PlanePoint& mapped_a,
                     const PlanePoint& mapped_b, int depth, PlaneLine& bent) const {
        constexpr int deepest = 16;
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        constexpr double shortest = 0.5;
        if (depth == deepest || length < shortest) return;
        const double most = tolerance(mapped_a, mapped_b);
        bool is_straight = true;
        for (const double share : {0.25, 0.5, 0.75}) {
            const PlanePoint at =
                map_(PlanePoint{a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
            is_straight &=
                std::hypot(at.x - mapped_a.x - share * (mapped_b.x - mapped_a.x),
                           at.y - mapped_a.y - share * (mapped_b.y - mapped_a.y)) <= most;
        }
        // A long edge may bend between these positions.
        constexpr double longest = 256;
        if (is_straight && length <= longest) return;
        if (is_straight && depth > 4) return;
        const PlanePoint middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
        const PlanePoint mapped = map_(middle);
        add_between(a, middle, mapped_a, mapped, depth + 1, bent);
        if (!is_straight) bent.push_back(mapped);
        add_between(middle, b, mapped, mapped_b, depth + 1, bent);
    }

    PixelMap map_;
};

// What was an ellipse along the axes is none any more.
void warp_shape(PlaneShape& shape, ShapeForm& form, const LineWarp& warp) {
    form.is_ellipse = false;
    if (auto* points = std::get_if<Points>(&shape)) {
        for (PlanePoint& point : *points) point = warp.point(point);
    } else if (auto* lines = std::get_if<Lines>(&shape)) {
        for (PlaneLine& line : *lines) line = warp.line(line, false);
    } else if (auto* polygons = std::get_if<Polygons>(&shape)) {
        for (Polygon& polygon : *polygons) polygon = warp.polygon(polygon);
    }
}

}  // namespace

Landmarks warp_landmarks(const Landmarks& landmarks, const Transform& transform, bool inverse) {
    if (landmarks.dimensions != transform.dimensions)
        throw InvalidArgument("the landmarks have other dimensions than the transform");
    const PixelMap map(transform, inverse);
    Landmarks warped = landmarks;
    for (Landmark& landmark : warped.list) landmark.point = map(landmark.point);
    return warped;
}

Annotations warp_annotations(const Annotations& annotations, const Transform& transform,
                             bool inverse) {
    if (transform.dimensions != 2)
        throw InvalidArgument("outlines are warped by transforms of two dimensions");
    const LineWarp warp(transform, inverse);
    Annotations warped = annotations;
    for (Annotation& annotation : warped.list) {
        warp_shape(annotation.shape, annotation.form, warp);
        warp_shape(annotation.nucleus, annotation.nucleus_form, warp);
    }
    return warped;
}

}  // namespace tesela
