// Circles of one radius by votes as a thesis draws them, for comparison with `circles`.
//
// A. Ruiz Sanchez, "Clasificacion tisular en GPU: aceleracion y optimizaciones", doctoral thesis,
// Universidad de Malaga, 2015, chapter 3: every point of a contour votes for the centers that it
// may have (eq. 3.2), by points at an angular step or by the pixels of a polygon. Where its
// pictures counted coincident votes once, they are counted once here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tesela/circles.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class ThesisCircleMode {
    direct,
    table,
    points,
    gradient,
    polygon,
    semicircle,
    channels,
    blending
};
constexpr auto enum_names(ThesisCircleMode) {
    using E = ThesisCircleMode;
    return std::array{
        EnumNames<E>{E::direct, "direct"},     EnumNames<E>{E::table, "table"},
        EnumNames<E>{E::points, "points"},     EnumNames<E>{E::gradient, "gradient"},
        EnumNames<E>{E::polygon, "polygon"},   EnumNames<E>{E::semicircle, "semicircle"},
        EnumNames<E>{E::channels, "channels"}, EnumNames<E>{E::blending, "blending"}};
}
constexpr auto enum_help(ThesisCircleMode) {
    return std::array<std::string_view, 8>{
        "points, a cosine and a sine for each vote, on the host",
        "points, from a table of steps, on the host",
        "points, from a table of steps, on the device",
        "one vote on either side along the gradient",
        "polygons, a pass for each class of points whose polygons do not touch",
        "halves of polygons, a pass for each row class and side",
        "halves of polygons, three passes at once",
        "all polygons in one pass, which saturates"};
}

struct ThesisCircleOptions {
    double radius = 20;
    double step = 0;  // radians; 0: 1 / radius
    std::int32_t sides = 32;
    ThesisCircleMode mode = ThesisCircleMode::polygon;
    double weight = 0;  // of a vote in blending; 0: of as many as a circle has
    double sigma = 2;
    double min_share = 0.5;
};

template <class V>
void describe(V&& v, ThesisCircleOptions& o) {
    v("radius", o.radius, "radius of all circles",
      OptionRange{.lowest = 1, .highest = 2048, .unit = "pixels"});
    v("mode", o.mode, "how votes are drawn");
    v("step", o.step, "angle between two points, in radians; 0: one pixel, 1 / radius",
      OptionRange{.lowest = 0, .highest = 1});
    v("sides", o.sides, "sides of a polygon; 0: the fewest with an error below a pixel",
      OptionRange{.lowest = 0, .highest = 4096});
    v("weight", o.weight, "weight of a vote in blending, whose sum is at most 1; 0: the best",
      OptionRange{.lowest = 0, .highest = 1});
    v("sigma", o.sigma, "smoothing before the gradient, in pixels",
      OptionRange{.lowest = 0, .highest = 32, .unit = "pixels"});
    v("min-share", o.min_share, "least share of the votes that a whole circle has",
      OptionRange{.lowest = 0, .highest = 1});
}

// The fewest sides whose largest error r - r cos(pi / s) is below a pixel (eq. 3.9).
std::int32_t thesis_polygon_sides(double radius);
// The mean error of a vote on a polygon instead of the circle, in pixels (eq. 3.8).
double thesis_polygon_error(double radius, std::int32_t sides);
// Votes of a point: 0, step, 2 step, ... below a whole turn; some may fall on one pixel.
std::vector<RingPoint> thesis_points(double radius, double step);
// The pixels of a polygon with its first corner at (radius, 0), lines from corner to corner.
std::vector<RingPoint> thesis_polygon(double radius, std::int32_t sides);

struct ThesisCircleResult {
    std::vector<Circle> circles;  // the most votes first; equal ones by row and column
    Image<std::uint16_t> votes;   // at most 65535 each
    std::int64_t contour_points = 0;
    std::int64_t votes_of_point = 0;  // at most, inside the image
    std::int64_t passes = 0;          // that were issued
    std::vector<StageTime> stages;
};

// Of a picture of one channel whose nonzero pixels are contours; for `gradient` of gray values,
// with Canny's edges. `threads` are those of the host's modes, 0: all. Throws InvalidArgument,
// UnsupportedFormat for volumes and colors, OutOfMemory, Cancelled.
ThesisCircleResult circles_thesis(const AnyImageView& image, const ThesisCircleOptions& options,
                                  Queue& queue, int threads = 0, const Progress& progress = {});

// Device memory that it takes at most, in bytes.
std::int64_t circles_thesis_bytes(const AnyImageView& image, const ThesisCircleOptions& options);

}  // namespace tesela
