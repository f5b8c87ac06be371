#include "tesela/slide_region.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "core/point_text.h"
#include "tesela/error.h"

namespace tesela {
namespace {

std::string six_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::string is(const char* option, const Length& length) {
    return std::string("--") + option + " is " + length.to_string();
}

}  // namespace

const TileLevel& level_of(const TileSource& slide, int level) {
    const auto& levels = slide.facts().levels;
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size())
        throw InvalidArgument("--level is " + std::to_string(level) +
                              "; the levels of this slide are 0 to " +
                              std::to_string(levels.size() - 1));
    return levels[static_cast<std::size_t>(level)];
}

double pixels_of(std::string_view option, const Length& length, const TileLevel& level, int axis) {
    if (!length.physical()) return length.value;
    if (!level.geometry.known())
        throw InvalidArgument("--" + std::string(option) + " is " + length.to_string() +
                              ", but the slide does not say the size of its pixels; give it by "
                              "--mpp, or the option in pixels");
    return length.millimeters() / level.geometry.spacing_mm()[static_cast<std::size_t>(axis)];
}

TileBox region_box(const TileSource& slide, const SlideRegionOptions& options) {
    const TileLevel& first = level_of(slide, 0);
    const TileLevel& level = level_of(slide, options.level);
    const auto edge = [&](const char* name, const Length& length, int axis) {
        const double pixels =
            pixels_of(name, length, first, axis) / level.downsample[static_cast<std::size_t>(axis)];
        if (!(std::abs(pixels) < 0x1p40))
            throw InvalidArgument(is(name, length) + ", far from the slide");
        return static_cast<std::int64_t>(std::floor(pixels));
    };
    const auto side = [&](const char* name, const Length& length, int axis) {
        const double pixels = std::round(pixels_of(name, length, level, axis));
        if (!(pixels >= 1 && pixels < 0x1p31))
            throw InvalidArgument(is(name, length) + ", which is " + six_digits(pixels) +
                                  " pixels of level " + std::to_string(options.level) +
                                  "; 1 or more are needed");
        return static_cast<std::int64_t>(pixels);
    };
    const TileBox box{edge("x", options.x, 0), edge("y", options.y, 1),
                      side("width", options.width, 0), side("height", options.height, 1)};
    if (box.x >= level.shape.x || box.y >= level.shape.y || box.x + box.width <= 0 ||
        box.y + box.height <= 0)
        throw InvalidArgument("the region lies outside the slide, whose level " +
                              std::to_string(options.level) + " has " + size_text(level.shape) +
                              " pixels");
    return box;
}

}  // namespace tesela
