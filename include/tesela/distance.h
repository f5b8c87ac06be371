// Signed Euclidean distances, exact but for rounding, with spacing.
//
// Each axis is one pass over its lines, along which the lowest of the parabolas that stand on their
// points is found: P. F. Felzenszwalb, D. P. Huttenlocher, "Distance transforms of sampled
// functions", Theory of Computing 8, 2012. As it never moves back from row to row, those of few
// rows bound the search in the others: A. Aggarwal, M. M. Klawe, S. Moran, P. Shor, R. Wilber,
// "Geometric applications of a matrix-searching algorithm", Algorithmica 2, 1987.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// Of which points distances are wanted.
enum class DistanceSide { both, inside, outside };
constexpr auto enum_names(DistanceSide) {
    return std::array{EnumNames<DistanceSide>{DistanceSide::both, "both"},
                      EnumNames<DistanceSide>{DistanceSide::inside, "inside"},
                      EnumNames<DistanceSide>{DistanceSide::outside, "outside"}};
}
constexpr auto enum_help(DistanceSide) {
    return std::array<std::string_view, 3>{"signed distances", "positive inside, 0 outside",
                                           "positive outside, 0 inside"};
}

struct DistanceOptions {
    std::int64_t label = 0;
    bool pixels = false;
    DistanceSide side = DistanceSide::both;
    bool inside_positive = false;       // of both sides
    std::optional<double> within = {};  // in the unit of the distances; larger ones become it
    // Of a larger image, of which the object need not be here, nor its outside; goes with `within`.
    bool is_part = false;
};

template <class V>
void describe(V&& v, DistanceOptions& o) {
    v("label", o.label, "label of the object; 0: all labels",
      OptionRange{.lowest = 0, .highest = 4294967295.0});
    v("pixels", o.pixels, "measure in pixels, without the spacing");
    v("side", o.side, "distances of both sides of the border, or of one alone");
    v("inside-positive", o.inside_positive, "positive inside the object, negative outside");
    v("within", o.within, "largest distance; larger ones become it",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "mm, or pixels without spacing"});
}

// Reported with the result.
struct DistanceReport {
    bool millimeters = false;        // otherwise pixels
    double lowest = 0, highest = 0;  // of the distances
    std::vector<std::string> warnings;
};

struct DistanceResult : DistanceReport {
    Image<float> distance;
    std::int64_t inside_points = 0;
};
// The same on the device.
struct DeviceDistanceResult : DistanceReport {
    DeviceImage<float> distance;
};

// Of each pixel to the nearest pixel of the other kind, from center to center: positive outside the
// object, negative inside, never 0; of one side alone positive there, and 0 elsewhere, which takes
// about 0.6 of the time on a CPU. `within` cuts both kinds off at that. In millimeters where the
// spacing is known. Takes masks and label maps of one channel, in 2-D and 3-D. Distances are within
// 1e-6 of their size of the exact ones. Throws InvalidArgument where the object is empty or the
// whole image, or the label is not there, inside_positive is given with one side, UnsupportedFormat
// (other channel counts, a time axis), OutOfMemory, Cancelled.
DistanceResult signed_distance(const AnyImageView& object, const DistanceOptions& options,
                               Queue& queue, const Progress& progress = {});
std::int64_t signed_distance_device_bytes(const Shape& shape);

// How many pixels a point is away at most on which distances `within` depend, along axes of more
// than one pixel; nothing without a bound, and beyond 1000 pixels, where rounded squares no longer
// tell near ties apart the same way in every part.
std::optional<std::int64_t> distance_reach(const DistanceOptions& options, const Shape& shape,
                                           const Geometry& geometry);

// Device level, for masks and label maps that are on the device; T is std::uint8_t, std::uint16_t
// or std::uint32_t. The lowest and the highest distance are read back, nothing else.
template <class T>
DeviceDistanceResult signed_distance(const DeviceImage<const T>& object,
                                     const DistanceOptions& options, Queue& queue,
                                     const Progress& progress = {});

// `inside` has one byte a point, which is not 0 in the object; `spacing` in any unit. Enqueues and
// does not wait. About 1e18 where all points are of one kind.
Buffer<float> signed_distance(Queue& queue, const Shape& shape,
                              const std::array<double, 3>& spacing,
                              const Buffer<const std::uint8_t>& inside);

}  // namespace tesela
