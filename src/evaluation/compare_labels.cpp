#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "core/single_precision.h"
#include "evaluation/contingency.h"
#include "tesela/distance.h"
#include "tesela/error.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

// A box of points, and how large it is.
struct Box {
    std::array<std::int64_t, 3> first{std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::max(),
                                      std::numeric_limits<std::int64_t>::max()};
    std::array<std::int64_t, 3> last{-1, -1, -1};

    void add(const std::array<std::int64_t, 3>& at) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            first[axis] = std::min(first[axis], at[axis]);
            last[axis] = std::max(last[axis], at[axis]);
        }
    }
    Shape shape() const {
        return {last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1};
    }
};

struct Found {
    std::int64_t points = 0, truth_points = 0, both = 0;
    Box box;
};

std::map<std::uint32_t, Found> labels_of(const LabelView& segmentation, const LabelView& truth) {
    std::map<std::uint32_t, Found> found;
    const Shape& s = segmentation.shape();
    std::size_t i = 0;
    for (std::int64_t z = 0; z < s.z; ++z)
        for (std::int64_t y = 0; y < s.y; ++y)
            for (std::int64_t x = 0; x < s.x; ++x, ++i) {
                const std::uint32_t a = segmentation.pixels()[i], b = truth.pixels()[i];
                if (a != 0) {
                    Found& own = found[a];
                    ++own.points;
                    own.both += a == b;
                    own.box.add({x, y, z});
                }
                if (b != 0) {
                    Found& own = found[b];
                    ++own.truth_points;
                    own.box.add({x, y, z});
                }
            }
    return found;
}

// 1 at the points of the label within the box that have a face neighbor of another label or the
// border of the image beside them. Of an axis of one point there are no neighbors; the only point
// of an image is a surface.
std::vector<std::uint8_t> surface_of(const LabelView& labels, std::uint32_t label, const Box& box) {
    const Shape& s = labels.shape();
    const std::array<std::int64_t, 3> lengths{s.x, s.y, s.z};
    std::vector<std::uint8_t> surface;
    surface.reserve(static_cast<std::size_t>(box.shape().points()));
    const auto is_label = [&](const std::array<std::int64_t, 3>& at) {
        return labels(at[0], at[1], at[2]) == label;
    };
    for (std::int64_t z = box.first[2]; z <= box.last[2]; ++z)
        for (std::int64_t y = box.first[1]; y <= box.last[1]; ++y)
            for (std::int64_t x = box.first[0]; x <= box.last[0]; ++x) {
                bool outside = s.points() == 1;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (const std::int64_t step : {-1, 1}) {
                        std::array<std::int64_t, 3> at{x, y, z};
                        at[axis] += step;
                        if (lengths[axis] == 1) continue;
                        outside =
                            outside || at[axis] < 0 || at[axis] >= lengths[axis] || !is_label(at);
                    }
                surface.push_back(outside && is_label({x, y, z}));
            }
    return surface;
}

// From the points of `from` to the nearest of `to`, ascending.
std::vector<double> distances(Queue& queue, const Shape& shape,
                              const std::array<double, 3>& spacing,
                              const std::vector<std::uint8_t>& from,
                              const std::vector<std::uint8_t>& to) {
    std::vector<double> found;
    const auto device =
        signed_distance(queue, shape, spacing, queue.lend(std::span(to), "surface"));
    const std::vector<float> away = queue.download(device);
    for (std::size_t i = 0; i < from.size(); ++i)
        if (from[i]) found.push_back(std::max(0.0, static_cast<double>(away[i])));
    std::sort(found.begin(), found.end());
    return found;
}

double percentile_95(const std::vector<double>& sorted) {
    return sorted[static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(sorted.size()))) -
                  1];
}

// From each of two surfaces to the other one.
struct SurfaceDistances {
    std::vector<double> there, back;  // ascending
};

// What surfaces are compared by.
struct Measure {
    std::array<double, 3> spacing;
    std::optional<double> tolerance;  // in the unit of the spacing, or in points
    bool is_in_points = false;
};

Measure measure_of(const Geometry& geometry, const std::optional<Length>& tolerance) {
    Measure measure{spacing_in_range(geometry), {}};
    if (!tolerance) return measure;
    if (!(tolerance->value >= 0) || !std::isfinite(tolerance->value))
        throw InvalidArgument("--tolerance is " + tolerance->to_string() +
                              ": give a length of at least 0");
    if (tolerance->physical() && !geometry.known())
        throw InvalidArgument("--tolerance is " + tolerance->to_string() +
                              ", and the segmentation has no pixel spacing: give the tolerance "
                              "in pixels, such as 2px");
    measure.tolerance = tolerance->physical() ? tolerance->millimeters() : tolerance->value;
    measure.is_in_points = !tolerance->physical() && geometry.known();
    return measure;
}

double surface_dice(const SurfaceDistances& distances, double tolerance) {
    // Distances that differ by rounding alone count as equal: 0.3 mm are three steps of 0.1 mm.
    const double highest = tolerance * (1 + 1e-6);
    const auto within = [&](const std::vector<double>& sorted) {
        return std::upper_bound(sorted.begin(), sorted.end(), highest) - sorted.begin();
    };
    return static_cast<double>(within(distances.there) + within(distances.back)) /
           static_cast<double>(distances.there.size() + distances.back.size());
}

void compare_surfaces(Queue& queue, const Measure& measure, const Box& box,
                      const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                      LabelComparison& comparison) {
    const auto with_spacing = [&](const std::array<double, 3>& spacing) -> SurfaceDistances {
        return {distances(queue, box.shape(), spacing, a, b),
                distances(queue, box.shape(), spacing, b, a)};
    };
    const SurfaceDistances found = with_spacing(measure.spacing);
    double sum = 0;
    for (const auto* list : {&found.there, &found.back})
        for (const double distance : *list) sum += distance;
    comparison.mean_distance = sum / static_cast<double>(found.there.size() + found.back.size());
    comparison.hausdorff_95 = std::max(percentile_95(found.there), percentile_95(found.back));
    comparison.hausdorff = std::max(found.there.back(), found.back.back());
    if (measure.tolerance)
        comparison.surface_dice = surface_dice(
            measure.is_in_points ? with_spacing({1, 1, 1}) : found, *measure.tolerance);
}

}  // namespace

std::vector<LabelComparison> compare_labels(const LabelView& segmentation, const LabelView& truth,
                                            Queue& queue, const std::optional<Length>& tolerance) {
    evaluation::check_images(segmentation, std::span(&truth, 1));
    if (segmentation.shape().t > 1)
        throw InvalidArgument(
            "labels are compared one by one in pictures and volumes; these have " +
            std::to_string(segmentation.shape().t) + " frames");
    const Geometry& geometry = segmentation.geometry;
    const Measure measure = measure_of(geometry, tolerance);
    const std::array<double, 3>& spacing = measure.spacing;
    const double point = spacing[0] * spacing[1] * (segmentation.shape().z > 1 ? spacing[2] : 1);
    std::vector<LabelComparison> comparisons;
    for (const auto& [label, found] : labels_of(segmentation, truth)) {
        LabelComparison one{label};
        const double either = static_cast<double>(found.points + found.truth_points - found.both);
        one.dice = 2 * static_cast<double>(found.both) /
                   static_cast<double>(found.points + found.truth_points);
        one.jaccard = static_cast<double>(found.both) / either;
        const auto share_of = [both = static_cast<double>(found.both)](std::int64_t points) {
            return points > 0 ? both / static_cast<double>(points)
                              : std::numeric_limits<double>::quiet_NaN();
        };
        one.sensitivity = share_of(found.truth_points);
        one.precision = share_of(found.points);
        one.points = found.points;
        one.truth_points = found.truth_points;
        one.volume = point * static_cast<double>(found.points);
        one.truth_volume = point * static_cast<double>(found.truth_points);
        one.mean_distance = one.hausdorff_95 = one.hausdorff =
            std::numeric_limits<double>::quiet_NaN();
        one.surface_dice = tolerance ? 0 : std::numeric_limits<double>::quiet_NaN();
        if (found.points > 0 && found.truth_points > 0)
            compare_surfaces(queue, measure, found.box, surface_of(segmentation, label, found.box),
                             surface_of(truth, label, found.box), one);
        comparisons.push_back(one);
    }
    return comparisons;
}

}  // namespace tesela
