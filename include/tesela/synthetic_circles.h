// Pictures of known circles, to test their detection with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tesela/circles.h"
#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

// Outlines of one pixel, 255 on 0, around whole pixels; disks of real centers and radii, 180 on 60.
enum class CircleDrawing { outlines, disks };
constexpr auto enum_names(CircleDrawing) {
    return std::array{EnumNames<CircleDrawing>{CircleDrawing::outlines, "outlines"},
                      EnumNames<CircleDrawing>{CircleDrawing::disks, "disks"}};
}
constexpr auto enum_help(CircleDrawing) {
    return std::array<std::string_view, 2>{"circles of one pixel", "filled disks"};
}

struct SyntheticCirclesOptions {
    CircleDrawing drawing = CircleDrawing::outlines;
    std::int64_t width = 1024, height = 1024;
    std::int32_t count = 20;
    double min_radius = 20, max_radius = 20;
    bool overlap = false;
    double separation = 3;  // least distance of two centers that overlap
    double blur = 0, noise = 0, gap = 0, salt = 0;
    std::uint64_t seed = 1;
};

template <class V>
void describe(V&& v, SyntheticCirclesOptions& o) {
    v("drawing", o.drawing, "outlines of one pixel, or disks");
    v("width", o.width, "width of the image",
      OptionRange{.lowest = 1, .highest = 65536, .unit = "pixels"});
    v("height", o.height, "height of the image",
      OptionRange{.lowest = 1, .highest = 65536, .unit = "pixels"});
    v("count", o.count, "number of circles", OptionRange{.lowest = 0, .highest = 1e6});
    v("min-radius", o.min_radius, "smallest radius",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("max-radius", o.max_radius, "largest radius",
      OptionRange{.lowest = 1, .highest = 32768, .unit = "pixels"});
    v("overlap", o.overlap, "let circles overlap");
    v("separation", o.separation, "smallest distance between centers, with --overlap",
      OptionRange{.lowest = 0, .unit = "pixels"});
    v("blur", o.blur, "standard deviation of the Gaussian blur",
      OptionRange{.lowest = 0, .highest = 32, .unit = "pixels"});
    v("noise", o.noise, "standard deviation of the noise, as a share of contrast",
      OptionRange{.lowest = 0, .highest = 10});
    v("gap", o.gap, "missing share of each outline, in one piece",
      OptionRange{.lowest = 0, .highest = 1});
    v("salt", o.salt, "share of pixels set to white", OptionRange{.lowest = 0, .highest = 1});
    v("seed", o.seed, "seed of the random numbers");
}

struct SyntheticCircles {
    Image<std::uint8_t> image;
    std::vector<Circle> truth;
};

// Throws InvalidArgument for options, and where there is no place for so many circles.
SyntheticCircles synthetic_circles(const SyntheticCirclesOptions& options);

// The nine images of table 3.8 in Ruiz Sanchez 2015, of 1024 x 1024 pixels, by number and radius,
// such as "c500r50". Nothing for other names.
std::optional<SyntheticCirclesOptions> circles_scene(std::string_view name);

}  // namespace tesela
