// Circles: round objects found by votes of edges, then measured.
//
// The transform of P. V. C. Hough for circles of a range of radii, every edge voting for all
// centers (R. O. Duda, P. E. Hart, Communications of the ACM 15(1), 1972); geometric least squares
// as in W. Gander, G. H. Golub, R. Strebel, BIT 34, 1994.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tesela/annotation.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class CircleEdges { canny, given };
constexpr auto enum_names(CircleEdges) {
    return std::array{EnumNames<CircleEdges>{CircleEdges::canny, "canny"},
                      EnumNames<CircleEdges>{CircleEdges::given, "given"}};
}
constexpr auto enum_help(CircleEdges) {
    return std::array<std::string_view, 2>{"Canny edges of the input",
                                           "nonzero pixels of the input"};
}
enum class CircleMethod { rings, gradient, pyramid };
constexpr auto enum_names(CircleMethod) {
    return std::array{EnumNames<CircleMethod>{CircleMethod::rings, "rings"},
                      EnumNames<CircleMethod>{CircleMethod::gradient, "gradient"},
                      EnumNames<CircleMethod>{CircleMethod::pyramid, "pyramid"}};
}
constexpr auto enum_help(CircleMethod) {
    return std::array<std::string_view, 3>{
        "every edge votes for all centers a radius away",
        "edges vote along their gradient alone: faster for wide ranges of radii and clean edges",
        "rings on a coarse picture, then finer ones: faster for large circles"};
}
enum class CirclePolarity { any, bright, dark };
constexpr auto enum_names(CirclePolarity) {
    return std::array{EnumNames<CirclePolarity>{CirclePolarity::any, "any"},
                      EnumNames<CirclePolarity>{CirclePolarity::bright, "bright"},
                      EnumNames<CirclePolarity>{CirclePolarity::dark, "dark"}};
}
constexpr auto enum_help(CirclePolarity) {
    return std::array<std::string_view, 3>{"both", "brighter than their surroundings",
                                           "darker than their surroundings"};
}

struct CircleOptions {
    std::optional<Length> min_radius = {}, max_radius = {};  // both are needed
    Length radius_step = 1;
    CircleMethod method = CircleMethod::rings;
    CircleEdges edges = CircleEdges::canny;
    double sigma = 2, low = 0.1, high = 0.2;
    CirclePolarity polarity = CirclePolarity::any;
    double min_score = 0.5;
    std::optional<Length> min_distance = {};
    bool concentric = false;
    std::int32_t max_circles = 0;
    bool outside = false;
};

template <class V>
void describe(V&& v, CircleOptions& o) {
    v("min-radius", o.min_radius, "smallest radius",
      OptionRange{.lowest = 0, .excludes_lowest = true, .automatic = "required"});
    v("max-radius", o.max_radius, "largest radius",
      OptionRange{.lowest = 0, .excludes_lowest = true, .automatic = "required"});
    v("radius-step", o.radius_step, "step between radii",
      OptionRange{.lowest = 0, .excludes_lowest = true});
    v("method", o.method, "how circles are looked for");
    v("edges", o.edges, "Canny edges, or the nonzero pixels of the input");
    v("sigma", o.sigma, "standard deviation of the Gaussian smoothing",
      OptionRange{.lowest = 0, .highest = 32, .unit = "pixels"});
    v("low", o.low, "lower threshold of Canny, a share of the range of values",
      OptionRange{.lowest = 0, .highest = 8});
    v("high", o.high, "upper threshold of Canny, a share of the range of values",
      OptionRange{.lowest = 0, .highest = 8});
    v("polarity", o.polarity, "circles brighter or darker than their surroundings");
    v("min-score", o.min_score, "lowest score of a circle", OptionRange{.lowest = 0, .highest = 1});
    v("min-distance", o.min_distance, "smallest distance between two centers",
      OptionRange{.lowest = 0, .automatic = "half the smaller radius"});
    v("concentric", o.concentric, "keep concentric circles");
    v("max-circles", o.max_circles, "keep this many of the best; 0: all", OptionRange{.lowest = 0});
    v("outside", o.outside, "find centers up to a radius beyond the border");
}

struct Circle {
    // Center in pixels, (0, 0) the center of the first one, of a slice of a volume or series.
    double x = 0, y = 0;
    std::int64_t slice = 0;
    // In pixels; of physical radii on unequal spacing in those of the finer spacing.
    double radius = 0;
    std::uint32_t votes = 0;
    // The share of the circumference inside the image that edges support, less what their density
    // gives by chance: 1 where all of it is supported, 0 at chance.
    double score = 0;
    double residual = 0;  // root of the mean squared distance of edges from the circle, as radius
    // `any` where edges have no direction or are of both kinds.
    CirclePolarity polarity = CirclePolarity::any;
};
// Circles in pixels, and in millimeters, as far as a list has them.
struct CircleLists {
    std::optional<std::vector<Circle>> pixels = {}, millimeters = {};
};

struct CircleResult {
    std::vector<Circle> circles;  // the best first; equal ones by slice, row, column, radius
    // Edge pixels on the ring around each pixel, the most of any radius; by `gradient` those whose
    // gradient points at the pixel or a neighbor, the most of any octave of radii. Where asked for.
    Image<std::uint16_t> votes;
    std::array<double, 2> unit{1, 1};  // a pixel's extent in units of `Circle::radius`
    std::array<double, 2> range{};     // that thresholds of Canny are shares of, as of EdgeResult
    std::int64_t edge_points = 0;
    std::int64_t radii = 0, candidates = 0;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Images of 1 or 3 channels, of which the luma is taken; alpha is ignored. Slices and frames stand
// by themselves. Votes are integers and the same on every device. Throws InvalidArgument (options,
// physical lengths without a spacing, NaN), UnsupportedFormat (channel counts), OutOfMemory,
// Cancelled.
CircleResult circles(const AnyImageView& image, const CircleOptions& options, Queue& queue,
                     bool wants_votes = false, const Progress& progress = {});

// A point of a ring, from its center, and how often it counts.
struct RingPoint {
    std::int32_t x = 0, y = 0, count = 1;

    bool operator==(const RingPoint&) const = default;
};

// The points that a circle or an ellipse along the axes goes through, one pixel wide, in raster
// order. Radii are in pixels, above 0.
std::vector<RingPoint> circle_ring(double radius_x, double radius_y);

// The number of pixels of `edges` that are not 0 on a ring around each pixel, counted as often as
// the ring says. Throws InvalidArgument for a ring of more than 65535 counts or beyond 2^20 pixels.
Image<std::uint16_t> circle_votes(const PixelView<std::uint8_t>& edges,
                                  std::span<const RingPoint> ring, Queue& queue);

// Disks numbered from 1 in the order of the list, the first on top, in an image like `shape`.
LabelImage circle_labels(std::span<const Circle> circles, const std::array<double, 2>& unit,
                         const Shape& shape, const Geometry& geometry = {});

// Polygons with corners at most about a pixel apart and the figures of the circles as measurements,
// in the coordinates of annotations, where (0.5, 0.5) is the center of the first pixel.
Annotations circle_outlines(std::span<const Circle> circles, const std::array<double, 2>& unit);

// Device memory that `circles` takes at most, in bytes, but for the list itself.
std::int64_t circles_device_bytes(const AnyImageView& image, const CircleOptions& options,
                                  bool wants_votes);

}  // namespace tesela
