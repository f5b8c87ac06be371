#include "viewer/server/slide_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "viewer/server/image_facts.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

// What its window is chosen from: the coarsest level of the file, or the middle of it.
AnyImage sample_of(const SlidePyramid& slide) {
    constexpr std::int64_t side = 2048;
    int coarsest = 0;
    for (std::size_t i = 0; i < slide.levels().size(); ++i)
        if (!slide.is_made(static_cast<int>(i))) coarsest = static_cast<int>(i);
    const Shape& shape = slide.levels()[static_cast<std::size_t>(coarsest)].shape;
    const std::int64_t width = std::min(side, shape.x), height = std::min(side, shape.y);
    return slide.read(coarsest, {(shape.x - width) / 2, (shape.y - height) / 2, width, height});
}

std::string size_text(const Shape& shape) {
    return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " pixels";
}

double millimeters(const Geometry& geometry, std::size_t axis) {
    return geometry.origin[axis] * (geometry.unit == Unit::micrometer ? 1e-3 : 1);
}

struct Placed {
    std::array<double, 2> corner{}, scale{1, 1};
};

// By the pixel sizes of both. A map that has no origin begins where the slide does.
Placed by_geometry(const std::string& name, const Geometry& map, const Geometry& slide) {
    if (map.direction != slide.direction)
        throw Refused(422,
                      "'" + name + "' lies in another direction than the slide: turn it first");
    Placed placed;
    const bool has_origin = map.origin != std::array<double, 3>{};
    for (std::size_t a = 0; a < 2; ++a) {
        const double step = slide.spacing_mm()[a] * slide.direction[3 * a + a];
        placed.scale[a] = map.spacing_mm()[a] / slide.spacing_mm()[a];
        if (has_origin)
            placed.corner[a] =
                (millimeters(map, a) - millimeters(slide, a)) / step + 0.5 - placed.scale[a] / 2;
    }
    return placed;
}

Placed by_size(const std::string& name, const Shape& map, const TileLevel& full) {
    if (map.x <= full.shape.x && map.y <= full.shape.y) {
        const auto scale = level_below(full, map.x, map.y, 1, 1).downsample;
        const auto fits = [](std::int64_t length, double step, std::int64_t whole) {
            return std::abs(static_cast<double>(length) * step - static_cast<double>(whole)) < step;
        };
        const double step = std::max(scale[0], scale[1]);
        if (fits(map.x, step, full.shape.x) && fits(map.y, step, full.shape.y))
            return {.corner = {}, .scale = scale};
    }
    throw Refused(422, "'" + name + "' has " + size_text(map) +
                           " and no pixel size, and the slide has " + size_text(full.shape) +
                           ": it is no level of it, so give it a pixel size");
}

}  // namespace

Json levels_json(const SlidePyramid& slide) {
    Json levels = Json::array();
    for (std::size_t i = 0; i < slide.levels().size(); ++i) {
        const TileLevel& level = slide.levels()[i];
        levels.push_back({{"width", level.shape.x},
                          {"height", level.shape.y},
                          {"downsample", level.downsample},
                          {"stored", !slide.is_made(static_cast<int>(i))}});
    }
    return levels;
}

Json facts_of_slide(Image image, const SlidePyramid& slide) {
    const TileSourceFacts& facts = slide.facts();
    const TileLevel& full = slide.levels().front();
    AnyImage sample = sample_of(slide);
    geometry_of(sample) = full.geometry;
    std::visit([&](auto& pixels) { pixels.has_alpha = facts.has_alpha; }, sample);
    image.pixels =
        operations::ImageValue(std::move(sample)).with_labels(image.pixels.label_table());
    image.separate_channels = facts.separate_channels;
    Json json = facts_of(image, 1);  // of a small sample
    json["shape"]["x"] = full.shape.x;
    json["shape"]["y"] = full.shape.y;
    if (facts.planes > 1)
        json["warnings"].push_back("the first of " + std::to_string(facts.planes) +
                                   " channels, slices or times is shown");
    json["slide"] = {{"format", facts.format},
                     {"magnification", facts.magnification ? Json(*facts.magnification) : Json()},
                     {"spacing_source", facts.spacing_source}};
    json["levels"] = levels_json(slide);
    return json;
}

Json place_on_slide(const std::string& name, const Shape& shape, const Geometry& geometry,
                    const TileLevel& full) {
    if (shape.z > 1 || shape.t > 1)
        throw Refused(422, "'" + name + "' is a volume or a series, and a slide is one picture");
    const bool has_sizes = geometry.known() && full.geometry.known();
    const Placed placed =
        has_sizes ? by_geometry(name, geometry, full.geometry) : by_size(name, shape, full);
    const std::array<std::int64_t, 2> own{shape.x, shape.y}, whole{full.shape.x, full.shape.y};
    for (std::size_t a = 0; a < 2; ++a)
        if (placed.corner[a] >= static_cast<double>(whole[a]) ||
            placed.corner[a] + placed.scale[a] * static_cast<double>(own[a]) <= 0)
            throw Refused(422, "'" + name + "' lies beside the slide: its origin is another one");
    return {{"left", placed.corner[0]}, {"top", placed.corner[1]}, {"scale", placed.scale}};
}

}  // namespace tesela::viewer
