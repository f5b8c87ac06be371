#include "tesela/synthetic_slide.h"

#include <algorithm>
#include <cmath>

#include "evaluation/section_tissue.h"

namespace tesela {
namespace {

constexpr double pi = 3.14159265358979323846;

// 1 inside of `edge`, 0 beyond `edge` + 1 pixel.
double soft(double distance, double edge, double pixel) {
    return std::clamp((edge - distance) / pixel + 0.5, 0.0, 1.0);
}

// What a tissue holds of both stains.
struct Amounts {
    double hematoxylin = 0, other = 0;
};

class Tissues {
  public:
    explicit Tissues(const SyntheticSlideOptions& options)
        : seed_(options.seed), mpp_(options.mpp) {}

    // Wavy bundles, 7 um from one to the next, with nuclei of 14 x 3 um along them.
    Amounts fibers(std::int64_t column, std::int64_t row, double angle) const {
        const double x = static_cast<double>(column) * mpp_, y = static_cast<double>(row) * mpp_;
        const double along = x * std::cos(angle) + y * std::sin(angle);
        const double wave = 3 * std::sin(along / 25) + 2 * std::sin(along / 11 + 1);
        const double across = y * std::cos(angle) - x * std::sin(angle) + wave;
        const double bundle = 0.5 + 0.5 * std::sin(2 * pi * across / 7);
        return {0.7 * spindle(along, across), 0.12 + 0.4 * bundle * bundle};
    }

    // Cells of about 14 um with walls of 1.2 um, around nuclei with a radius of about 3.5 um.
    Amounts mesh(std::int64_t column, std::int64_t row) const {
        const double x = static_cast<double>(column) * mpp_, y = static_cast<double>(row) * mpp_;
        constexpr double cell = 14;
        const auto i = static_cast<std::int64_t>(std::floor(x / cell));
        const auto j = static_cast<std::int64_t>(std::floor(y / cell));
        double nearest = 1e9, second = 1e9, radius = 0;
        for (std::int64_t cy = j - 1; cy <= j + 1; ++cy)
            for (std::int64_t cx = i - 1; cx <= i + 1; ++cx) {
                const double dx = (static_cast<double>(cx) + 0.2 + 0.6 * at(cx, cy, 1)) * cell - x;
                const double dy = (static_cast<double>(cy) + 0.2 + 0.6 * at(cx, cy, 2)) * cell - y;
                const double distance = std::sqrt(dx * dx + dy * dy);
                second = std::min(second, std::max(distance, nearest));
                if (distance < nearest) radius = 3 + at(cx, cy, 3);
                nearest = std::min(nearest, distance);
            }
        const double wall = soft(second - nearest, 1.2, mpp_);
        const double nucleus = soft(nearest, radius, mpp_);
        return {0.75 * nucleus, 0.08 + 0.4 * wall * (1 - nucleus)};
    }

    double at(std::int64_t x, std::int64_t y, std::uint64_t kind) const {
        return hashed(seed_, x, y, kind);
    }

  private:
    // In one of two fields of 30 x 7 um, in the middle of a bundle.
    double spindle(double along, double across) const {
        constexpr double length = 30, width = 7;
        const auto i = static_cast<std::int64_t>(std::floor(along / length));
        const auto j = static_cast<std::int64_t>(std::floor(across / width));
        if (at(i, j, 4) < 0.5) return 0;
        const double u = along - (static_cast<double>(i) + 0.5) * length;
        const double v = across - (static_cast<double>(j) + 0.25) * width;
        return soft(std::hypot(u / 7, v / 1.5), 1, mpp_ / 1.5);
    }

    std::uint64_t seed_;
    double mpp_;
};

// ---- Outlines ----------------------------------------------------------------------------------

// A smooth outline around a center, in parts of the side.
struct Blob {
    SyntheticTissue tissue;
    double x, y, radius, turn;
};
constexpr Blob blobs[] = {{SyntheticTissue::fibers, 0.28, 0.32, 0.20, 0.4},
                          {SyntheticTissue::mesh, 0.70, 0.64, 0.22, 1.9},
                          {SyntheticTissue::fibers, 0.74, 0.20, 0.11, 3.1},
                          {SyntheticTissue::mesh, 0.24, 0.76, 0.13, 5.2}};

// In eighths of a pixel, which decimal numbers show exactly.
PlanePoint on_grid(double x, double y) { return {std::round(8 * x) / 8, std::round(8 * y) / 8}; }

PlaneLine outline_of(const Blob& blob, double side, double scale) {
    constexpr int corners = 64;
    PlaneLine line;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2 * pi * i / corners;
        const double radius = blob.radius * scale * side *
                              (1 + 0.14 * std::cos(2 * angle + blob.turn) +
                               0.08 * std::sin(3 * angle + 2 * blob.turn));
        line.push_back(on_grid(blob.x * side + radius * std::cos(angle),
                               blob.y * side + radius * std::sin(angle)));
    }
    return line;
}

Annotation annotation_of(SyntheticTissue tissue, Polygon polygon) {
    constexpr const char* names[] = {"Empty", "Fibers", "Mesh"};
    constexpr std::array<std::uint8_t, 3> colors[] = {
        {200, 200, 200}, {230, 120, 40}, {70, 90, 220}};
    const auto index = static_cast<std::size_t>(tissue);
    return {
        .shape = Polygons{std::move(polygon)}, .classes = {names[index]}, .color = colors[index]};
}

std::vector<Annotation> tissues_of(double side) {
    Polygon glass{{{0, 0}, {side, 0}, {side, side}, {0, side}}, {}};
    std::vector<Annotation> tissues;
    for (const Blob& blob : blobs) {
        Polygon polygon{outline_of(blob, side, 1), {}};
        glass.holes.push_back(polygon.outer);
        if (blob.tissue == SyntheticTissue::mesh) {
            constexpr double lumen = 0.3;
            polygon.holes.push_back(outline_of(blob, side, lumen));
            tissues.push_back(annotation_of(SyntheticTissue::empty, {polygon.holes.front(), {}}));
        }
        tissues.push_back(annotation_of(blob.tissue, std::move(polygon)));
    }
    tissues.push_back(annotation_of(SyntheticTissue::empty, std::move(glass)));
    return tissues;
}

// The part of a ring below a limit of one axis (I. E. Sutherland, G. W. Hodgman, 1974).
PlaneLine cut(const PlaneLine& ring, double PlanePoint::*axis, double limit) {
    PlaneLine part;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const PlanePoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
        const bool a_inside = a.*axis <= limit, b_inside = b.*axis <= limit;
        if (a_inside) part.push_back(a);
        if (a_inside == b_inside) continue;
        const double share = (limit - a.*axis) / (b.*axis - a.*axis);
        PlanePoint crossing{a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
        crossing.*axis = limit;
        part.push_back(crossing);
    }
    return part;
}

PlaneLine moved_and_cut(PlaneLine ring, double x, double y, double width, double height) {
    for (PlanePoint& point : ring) point = {point.x + x, point.y + y};
    return cut(cut(ring, &PlanePoint::x, width), &PlanePoint::y, height);
}

// ---- The picture -------------------------------------------------------------------------------

class Painter {
  public:
    Painter(std::int64_t side, const SyntheticSlideOptions& options)
        : tissues_(options),
          matrix_(stain_matrix(options.stains)),
          section_{
              Image<std::uint8_t>({side, side, 1, 1, 3},
                                  micrometers_per_pixel(options.mpp, options.mpp)),
              Image<std::uint8_t>({side, side}, micrometers_per_pixel(options.mpp, options.mpp)),
              tissues_of(static_cast<double>(side))} {}

    SyntheticSection paint() {
        const std::int64_t side = section_.picture.shape().x;
        for (std::size_t i = 0; i < section_.tissues.size(); ++i) {
            const Annotation& annotation = section_.tissues[i];
            const std::string& name = annotation.classes.front();
            const auto tissue = name == "Fibers" ? SyntheticTissue::fibers
                                : name == "Mesh" ? SyntheticTissue::mesh
                                                 : SyntheticTissue::empty;
            const double angle = 0.5 + 1.1 * static_cast<double>(i);
            for_each_covered(std::get<Polygons>(annotation.shape).front(), {0, 0, side, side},
                             [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                                 for (std::int64_t x = first; x < end; ++x)
                                     put(x, y, tissue, angle);
                             });
        }
        return std::move(section_);
    }

  private:
    void put(std::int64_t x, std::int64_t y, SyntheticTissue tissue, double angle) {
        Amounts amounts;
        if (tissue == SyntheticTissue::fibers) amounts = tissues_.fibers(x, y, angle);
        if (tissue == SyntheticTissue::mesh) amounts = tissues_.mesh(x, y);
        section_.labels(x, y) = static_cast<std::uint8_t>(tissue);
        const double strength = 0.92 + 0.16 * tissues_.at(x, y, 5);
        for (int c = 0; c < 3; ++c) {
            const auto channel = static_cast<std::size_t>(c);
            const double density = strength * (amounts.hematoxylin * matrix_.stains[0][channel] +
                                               amounts.other * matrix_.stains[1][channel]);
            constexpr double glass = 243, grain = 4;
            const double value =
                glass * std::pow(10, -density) + grain * (tissues_.at(x, y, 6 + channel) - 0.5);
            section_.picture(x, y, 0, 0, c) =
                static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
        }
    }

    Tissues tissues_;
    StainMatrix matrix_;
    SyntheticSection section_;
};

}  // namespace

SyntheticSection synthetic_section(std::int64_t side, const SyntheticSlideOptions& options) {
    validate_options(options);
    constexpr std::int64_t least = 64;
    if (side < least)
        throw InvalidArgument("a synthetic section of " + std::to_string(side) +
                              " pixels is too small; it has at least " + std::to_string(least));
    return Painter(side, options).paint();
}

std::vector<Annotation> repeated_annotations(const SyntheticSection& section, std::int64_t width,
                                             std::int64_t height) {
    const std::int64_t side = section.picture.shape().x;
    std::vector<Annotation> all;
    for (std::int64_t y = 0; y < height; y += side)
        for (std::int64_t x = 0; x < width; x += side)
            for (const Annotation& annotation : section.tissues) {
                const auto part = [&](const PlaneLine& ring) {
                    return moved_and_cut(ring, static_cast<double>(x), static_cast<double>(y),
                                         static_cast<double>(width), static_cast<double>(height));
                };
                const Polygon& whole = std::get<Polygons>(annotation.shape).front();
                Polygon polygon{part(whole.outer), {}};
                if (polygon.outer.size() < 3 || area(polygon) == 0) continue;
                for (const PlaneLine& hole : whole.holes)
                    if (PlaneLine ring = part(hole); ring.size() >= 3)
                        polygon.holes.push_back(std::move(ring));
                all.push_back(annotation);
                all.back().shape = Polygons{std::move(polygon)};
            }
    return all;
}

}  // namespace tesela
