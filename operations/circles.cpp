#include "tesela/circles.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "operations/all.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/align.h"
#include "tesela/circles_thesis.h"
#include "tesela/components.h"

namespace tesela::operations {
namespace {

using Cell = Table::Cell;

// Millimeters a unit of radius; nothing where a circle on the pixels is none in space.
std::optional<double> millimeters_of(const Geometry& geometry, const std::array<double, 2>& unit) {
    if (!geometry.known()) return {};
    const auto spacing = geometry.spacing_mm();
    const double x = spacing[0] / unit[0], y = spacing[1] / unit[1];
    if (std::abs(x - y) > 1e-6 * x) return {};
    return x;
}

std::string polarity_text(CirclePolarity polarity) {
    return polarity == CirclePolarity::any ? "none" : std::string(enum_name(polarity));
}

class CircleTable {
  public:
    CircleTable(const Shape& shape, const Geometry& geometry, const std::array<double, 2>& unit) {
        add("x", [](const Circle& c) -> Cell { return c.x; });
        add("y", [](const Circle& c) -> Cell { return c.y; });
        if (shape.z > 1) add("z", [n = shape.z](const Circle& c) -> Cell { return c.slice % n; });
        if (shape.t > 1) add("t", [n = shape.z](const Circle& c) -> Cell { return c.slice / n; });
        add("radius", [](const Circle& c) -> Cell { return c.radius; });
        if (geometry.known()) {
            const auto place = [geometry, n = shape.z](const Circle& c) {
                return physical_point(geometry, {c.x, c.y, static_cast<double>(c.slice % n)});
            };
            add("x_mm", [place](const Circle& c) -> Cell { return place(c)[0]; });
            add("y_mm", [place](const Circle& c) -> Cell { return place(c)[1]; });
            if (shape.z > 1) add("z_mm", [place](const Circle& c) -> Cell { return place(c)[2]; });
        }
        if (const auto mm = millimeters_of(geometry, unit))
            add("radius_mm", [mm = *mm](const Circle& c) -> Cell { return c.radius * mm; });
        add("votes", [](const Circle& c) -> Cell { return std::int64_t{c.votes}; });
        add("score", [](const Circle& c) -> Cell { return c.score; });
        add("residual", [](const Circle& c) -> Cell { return c.residual; });
        add("polarity", [](const Circle& c) -> Cell { return polarity_text(c.polarity); });
    }

    Table table(std::vector<Circle> circles) && {
        const auto rows = std::make_shared<const std::vector<Circle>>(std::move(circles));
        return {std::move(names_), std::ssize(*rows),
                [rows, columns = std::move(columns_)](std::int64_t row, std::size_t column) {
                    return columns[column]((*rows)[static_cast<std::size_t>(row)]);
                }};
    }

  private:
    void add(std::string name, std::function<Cell(const Circle&)> column) {
        names_.push_back(std::move(name));
        columns_.push_back(std::move(column));
    }

    std::vector<std::string> names_;
    std::vector<std::function<Cell(const Circle&)>> columns_;
};

Results run_circles(const Call& call, Queue& queue, const Progress& progress) {
    const AnyImageView& image = call.image();
    CircleResult found =
        circles(image, call.options.as<CircleOptions>(), queue, call.wants("votes"), progress);
    Results results;
    results.summary =
        printed("%s of %s, at %s", counted(std::ssize(found.circles), "circle").c_str(),
                counted(found.candidates, "candidate").c_str(),
                counted(found.radii, "radius value").c_str());
    results.figures = {{"circle_count", std::int64_t{std::ssize(found.circles)}},
                       {"candidate_count", found.candidates},
                       {"radius_count", found.radii},
                       {"edge_points", found.edge_points},
                       {"points", image.shape().points()}};
    results.stages = std::move(found.stages);
    results.warnings = std::move(found.warnings);
    const bool is_given = call.options.as<CircleOptions>().edges == CircleEdges::given;
    if (found.edge_points == 0)
        results.warnings.push_back(is_given ? "no pixel is an edge: all are 0"
                                            : "no edge was found, so there are no circles: lower "
                                              "--high and --low");
    else if (found.circles.empty())
        results.warnings.push_back(
            "no circle was found: look at --min-radius and --max-radius, or lower --min-score");
    if (!is_given)
        results.figures.push_back(
            {"range", std::vector<double>(found.range.begin(), found.range.end())});
    if (call.wants("votes")) results.outputs.set("votes", AnyImage(std::move(found.votes)));
    if (call.wants("labels"))
        results.outputs.set(
            "labels", circle_labels(found.circles, found.unit, image.shape(), image.geometry()));
    Annotations shapes = circle_outlines(found.circles, found.unit);
    results.outputs.set("circles", Outlines{CircleTable(image.shape(), image.geometry(), found.unit)
                                                .table(std::move(found.circles)),
                                            std::move(shapes)});
    return results;
}

Results run_thesis_circles(const Call& call, Queue& queue, const Progress& progress) {
    const AnyImageView& image = call.image();
    ThesisCircleResult found = circles_thesis(image, call.options.as<ThesisCircleOptions>(), queue,
                                              call.threads, progress);
    Results results;
    results.summary = printed("circles of the thesis: %s, %s of contours in %s",
                              counted(std::ssize(found.circles), "center").c_str(),
                              counted(found.contour_points, "point").c_str(),
                              counted(found.passes, "pass").c_str());
    results.figures = {{"circle_count", std::int64_t{std::ssize(found.circles)}},
                       {"contour_points", found.contour_points},
                       {"votes_of_point", found.votes_of_point},
                       {"passes", found.passes}};
    results.stages = std::move(found.stages);
    if (call.wants("votes")) results.outputs.set("votes", AnyImage(std::move(found.votes)));
    Annotations shapes = circle_outlines(found.circles, {1, 1});
    results.outputs.set(
        "circles",
        Outlines{
            CircleTable(image.shape(), image.geometry(), {1, 1}).table(std::move(found.circles)),
            std::move(shapes)});
    return results;
}

constexpr std::string_view circles_help = "list of circles, best first: CSV, JSON or GeoJSON";
PixelFormat vote_pixels(const AnyImageView&) { return PixelFormat{PixelType::u16}; }

}  // namespace

void add_thesis_circles(Registry& registry) {
    registry.add(Operation{
        .name = "thesis circles",
        .purpose = "circles of one radius by votes (A. Ruiz Sanchez, 2015)",
        .sentence = "Finds circles of one radius by the votes of points and polygons, as in "
                    "A. Ruiz Sanchez's thesis of 2015.",
        .examples = {"thesis circles contours.png --radius 20 -o circles.csv --votes votes.png",
                     "thesis circles contours.png --radius 50 --mode points --step 0.1 --json"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "picture whose nonzero pixels are contours",
                    .axes = 2}},
        .outputs =
            {{.name = "circles", .kind = kinds::outlines, .help = circles_help, .always = true},
             {.name = "votes",
              .kind = kinds::image,
              .help = "votes for each center",
              .pixels = vote_pixels}},
        .options = Options::of(ThesisCircleOptions{}),
        .run = run_thesis_circles,
        .memory = [](const Call& call, const Device&) {
            return Memory{.device = circles_thesis_bytes(call.image(),
                                                         call.options.as<ThesisCircleOptions>()),
                          .computing = 14 * call.image().shape().points()};
        }});
}

void add_circles(Registry& registry) {
    registry.add(Operation{
        .name = "circles",
        .purpose = "find round objects: centers, radii and scores",
        .sentence =
            "Finds circles with the Hough transform and measures them with subpixel accuracy.",
        .task = tasks::segment,
        .examples = {"circles coins.png --min-radius 15 --max-radius 35 -o coins.csv --overlay "
                     "coins-found.png",
                     "circles cells.tif --min-radius 4um --max-radius 9um --polarity dark -o "
                     "cells.geojson"},
        .inputs = {image_input},
        .outputs =
            {{.name = "circles", .kind = kinds::outlines, .help = circles_help, .always = true},
             {.name = "labels",
              .kind = kinds::labels,
              .help = "disks, labeled in the order of the list"},
             {.name = "votes",
              .kind = kinds::image,
              .help = "votes for each center, at its best radius",
              .pixels = vote_pixels}},
        .options = Options::of(CircleOptions{}),
        .run = run_circles,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{
                    .device = circles_device_bytes(call.image(), call.options.as<CircleOptions>(),
                                                   call.wants("votes")),
                    .computing = call.image().shape().points()};
            },
        .command_line = {.basic = {"min-radius", "max-radius", "edges", "sigma", "polarity",
                                   "min-score", "min-distance", "concentric"}}});
}

}  // namespace tesela::operations
