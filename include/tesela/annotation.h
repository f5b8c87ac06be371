// What people and programs draw on slides: points, lines and areas with their classes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tesela/tile_source.h"

namespace tesela {

// In pixels of level 0, from the upper left corner of the first one: the center of pixel (0, 0) is
// (0.5, 0.5). Coordinates of tesela/tile_source.h are smaller by 0.5.
struct PlanePoint {
    double x = 0, y = 0;

    bool operator==(const PlanePoint&) const = default;
};

using PlaneLine = std::vector<PlanePoint>;

// Rings of at least three points, each open: its last point is joined to its first one.
struct Polygon {
    PlaneLine outer;
    std::vector<PlaneLine> holes;

    bool operator==(const Polygon&) const = default;
};

using Points = std::vector<PlanePoint>;
using Lines = std::vector<PlaneLine>;
using Polygons = std::vector<Polygon>;

// The area inside a ring, above 0 where it turns from x towards y.
double signed_area(const PlaneLine& ring);
// Without holes.
double area(const Polygon& polygon);

// Calls `take` with row `y` and pixels `first` to `end` - 1 of it, in raster order, whose centers
// the polygon covers, within a box of pixels. A center on an edge belongs to what lies right of it,
// or below, so that neighbors share no pixel and leave none. Rings that cross count by the even-odd
// rule.
void for_each_covered(
    const Polygon& polygon, const TileBox& box,
    const std::function<void(std::int64_t y, std::int64_t first, std::int64_t end)>& take);

using PlaneShape = std::variant<std::monostate, Points, Lines, Polygons>;

// What a file says of a shape beside its points.
struct ShapeForm {
    bool is_ellipse =
        false;  // the ellipse in the box of its points, whose axes are those of the image
    std::string members = {};  // further ones, the text of a JSON object; empty: none

    bool operator==(const ShapeForm&) const = default;
};

// Fields as in QuPath's GeoJSON.
struct Annotation {
    PlaneShape shape;
    std::string id = {};
    std::string type = "annotation";  // "annotation", "detection", "cell", "tile"
    std::string name = {};
    // A derived class has several names: "Tumor", "Positive". Empty: unclassified.
    std::vector<std::string> classes = {};
    std::optional<std::array<std::uint8_t, 3>> color = {};  // of the class
    std::vector<std::pair<std::string, double>> measurements = {};
    std::string properties = {};  // further ones, the text of a JSON object; empty: none
    std::string members = {};     // of the feature beside its properties, likewise
    ShapeForm form = {};          // of the shape
    PlaneShape nucleus = {};      // of a cell
    ShapeForm nucleus_form = {};

    bool operator==(const Annotation&) const = default;
};

// The slide on which annotations were drawn.
struct SlideCalibration {
    std::array<double, 2> micrometers_per_pixel{};
    std::array<double, 2> bounds{};  // where coordinates (0, 0) lie on the whole scan, in pixels

    bool operator==(const SlideCalibration&) const = default;
};

struct Annotations {
    std::vector<Annotation> list;
    std::optional<SlideCalibration> calibration = {};
    std::vector<std::string> warnings = {};  // of reading, sentences for the user
};

}  // namespace tesela
