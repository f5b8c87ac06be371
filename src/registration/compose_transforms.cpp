#include "tesela/compose_transforms.h"

#include <algorithm>
#include <cmath>

#include "registration/spline_nodes.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "tesela/options.h"

namespace tesela {
namespace {

const char* unit_name(const Transform& transform) {
    return transform.unit == Unit::millimeter ? "millimeters" : "pixels";
}

bool lies_on(const ImageGrid& grid, const ImageGrid& image) {
    try {
        axis_order(grid, image);
        return true;
    } catch (const InvalidArgument&) {
        return false;
    }
}

void require_followers(const Transform& first, const Transform& second) {
    if (first.dimensions != second.dimensions)
        throw InvalidArgument("a transform of " + std::to_string(second.dimensions) +
                              " dimensions cannot follow one of " +
                              std::to_string(first.dimensions));
    if (first.has_unit && second.has_unit && first.unit != second.unit)
        throw InvalidArgument(std::string("a transform in ") + unit_name(second) +
                              " cannot follow one in " + unit_name(first));
    if (!first.moving || !second.fixed) return;
    if (!lies_on(*second.fixed, *first.moving))
        throw InvalidArgument("the first transform ends at an image of " +
                              first.moving->to_string() + ", and the second one begins at one of " +
                              second.fixed->to_string());
}

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Through the inverse at its nodes.
SplineMap interpolated_inverse(const SplineMap& spline, double spacing) {
    const std::size_t axes = spline.size[2] == 1 ? 2 : 3;
    SpacePoint low{}, high{};
    double nodes = 1;
    for (std::size_t a = 0; a < axes; ++a) {
        const auto first =
            spline.displacements.begin() +
            static_cast<std::ptrdiff_t>(a) * static_cast<std::ptrdiff_t>(spline.nodes());
        const auto [least, most] = std::minmax_element(first, first + spline.nodes());
        low[a] = spline.origin[a] + spline.spacing[a] + std::min(*least, 0.0);
        high[a] = spline.origin[a] + spline.spacing[a] * static_cast<double>(spline.size[a] - 2) +
                  std::max(*most, 0.0);
        nodes *= (high[a] - low[a]) / spacing + 3;
    }
    constexpr double most_nodes = 1 << 26;
    if (!(nodes <= most_nodes))
        throw InvalidArgument(
            "the inverse of a B-spline would have more than 2^26 nodes: its "
            "displacements are much longer than its nodes are apart");
    SplineMap back = spline_over(low, high, static_cast<int>(axes), spacing);
    for_each_node(back, [&](std::size_t node, const SpacePoint& point) {
        const SpacePoint from = spline.inverse_of(point);
        for (std::size_t a = 0; a < axes; ++a)
            back.displacements[a * static_cast<std::size_t>(back.nodes()) + node] =
                from[a] - point[a];
    });
    for (std::size_t a = 0; a < axes; ++a) interpolate_along(back, a);
    return back;
}

// At nodes and between them.
double largest_error(const SplineMap& spline, const SplineMap& back) {
    double largest = 0;
    for (const double offset : {0.0, 0.5})
        for_each_node(spline, [&](std::size_t, SpacePoint point) {
            for (std::size_t a = 0; a < 3; ++a) {
                if (spline.size[a] == 1) continue;
                point[a] += offset * spline.spacing[a];
                const double first = spline.origin[a] + spline.spacing[a];
                const double last =
                    first + spline.spacing[a] * static_cast<double>(spline.size[a] - 3);
                if (point[a] < first || point[a] > last) return;
            }
            largest = std::max(largest, distance(back(spline(point)), point));
        });
    return largest;
}

InvertedTransform inverted_spline(const SplineMap& spline) {
    const double spacing = std::min(spline.spacing[0], spline.spacing[1]);
    InvertedTransform result;
    constexpr double tolerance = 0.001;
    for (const double share : {1.0, 0.5, 0.25, 0.125}) {
        const SplineMap back = interpolated_inverse(spline, share * spacing);
        result.transform.steps = {back};
        result.largest_error = largest_error(spline, back);
        if (result.largest_error <= tolerance * spacing) break;
    }
    return result;
}

}  // namespace

Transform composed(const Transform& first, const Transform& second) {
    validate(first);
    validate(second);
    require_followers(first, second);
    Transform result = first;
    result.moving = second.moving;
    if (!first.has_unit) {
        result.unit = second.unit;
        result.has_unit = second.has_unit;
    }
    for (const auto& step : second.steps) {
        auto* const last =
            result.steps.empty() ? nullptr : std::get_if<LinearMap>(&result.steps.back());
        const auto* const next = std::get_if<LinearMap>(&step);
        if (last && next)
            *last = composed(*last, *next);
        else
            result.steps.push_back(step);
    }
    return result;
}

InvertedTransform inverted(const Transform& transform) {
    validate(transform);
    InvertedTransform result{{.dimensions = transform.dimensions,
                              .unit = transform.unit,
                              .fixed = transform.moving,
                              .moving = transform.fixed,
                              .has_unit = transform.has_unit}};
    for (auto step = transform.steps.rbegin(); step != transform.steps.rend(); ++step) {
        if (const auto* linear = std::get_if<LinearMap>(&*step)) {
            result.transform.steps.emplace_back(linear->inverse());
            continue;
        }
        const InvertedTransform spline = inverted_spline(std::get<SplineMap>(*step));
        result.transform.steps.push_back(spline.transform.steps.front());
        result.largest_error = std::max(result.largest_error, spline.largest_error);
    }
    return result;
}

}  // namespace tesela
