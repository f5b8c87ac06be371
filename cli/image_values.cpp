#include "image_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tesela/error.h"

namespace tesela::cli {
namespace {

// Errors of seeds name their option.
template <class Work>
auto naming_at(const Work& work) {
    try {
        return work();
    } catch (const InvalidArgument& error) {
        constexpr std::string_view seeds = "--seeds";
        const std::string text = error.what();
        if (!text.starts_with(seeds)) throw;
        throw InvalidArgument("--at" + text.substr(seeds.size()));
    }
}

ProbedPoint probe(const AnyImage& image, const SeedPlace& place) {
    const Shape& shape = shape_of(image);
    const Geometry& geometry = geometry_of(image);
    ProbedPoint point{place, pixel_of(place, shape, geometry), {}, shape.dimensions(), {}};
    if (geometry.known()) point.millimeters = millimeters_of(point.pixel, geometry);
    const auto [x, y, z, t] = point.pixel;
    std::visit(
        [&, x = x, y = y, z = z, t = t](const auto& typed) {
            for (int c = 0; c < shape.channels; ++c)
                point.values.push_back(static_cast<double>(typed(x, y, z, t, c)));
        },
        image);
    return point;
}

std::vector<std::int64_t> pixel_numbers(const ProbedPoint& point) {
    return {point.pixel.begin(), point.pixel.begin() + point.dimensions};
}

}  // namespace

ValueStatistics value_statistics(const AnyImage& any) {
    ValueStatistics s;
    s.lowest = std::numeric_limits<double>::infinity();
    s.highest = -s.lowest;
    std::visit(
        [&](const auto& image) {
            const std::size_t channels = static_cast<std::size_t>(image.shape().channels);
            const std::size_t used = channels - (image.has_alpha && channels > 1 ? 1 : 0);
            const auto& pixels = image.pixels();
            for (std::size_t first = 0; first < pixels.size(); first += channels)
                for (std::size_t c = 0; c < used; ++c) {
                    const double value = static_cast<double>(pixels[first + c]);
                    s.nan += std::isnan(value);
                    s.infinite += std::isinf(value);
                    if (!std::isfinite(value)) continue;
                    ++s.finite;
                    s.lowest = std::min(s.lowest, value);
                    s.highest = std::max(s.highest, value);
                }
        },
        any);
    return s;
}

std::vector<ProbedPoint> probe(const AnyImage& image, const std::string& points) {
    return naming_at([&] {
        const auto seeds = parse_seeds(points);
        const auto* places = seeds ? std::get_if<std::vector<SeedPoint>>(&*seeds) : nullptr;
        if (!places)
            throw InvalidArgument("--at: '" + points +
                                  "' is no list of points: write x,y or x,y,z in pixels, or in "
                                  "millimeters with mm behind the last");
        std::vector<ProbedPoint> probed;
        for (const SeedPoint& point : *places) probed.push_back(probe(image, point.place));
        return probed;
    });
}

Json json_of(const std::vector<ProbedPoint>& points) {
    Json list = Json::array();
    for (const ProbedPoint& point : points)
        list.push_back(
            {{"at", text_of(point.asked)},
             {"pixel", pixel_numbers(point)},
             {"mm", point.millimeters ? Json(without_negative_zeros(*point.millimeters)) : Json()},
             {"values", point.values}});
    return list;
}

std::string text_of(const std::vector<ProbedPoint>& points) {
    std::string text;
    for (const ProbedPoint& point : points) {
        const char* thing = point.dimensions > 2 ? "voxel" : "pixel";
        text += fmt::format("  {:<13}{:.9g} at {}, {} {}\n", "point", fmt::join(point.values, ", "),
                            text_of(point.asked), thing, fmt::join(pixel_numbers(point), ","));
    }
    return text;
}

}  // namespace tesela::cli
