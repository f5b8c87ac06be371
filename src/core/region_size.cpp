#include "tesela/region_size.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

#include "tesela/error.h"

namespace tesela {
namespace {

struct Suffix {
    std::string_view text;
    int power;
    double millimeters;
};
constexpr std::array suffixes{
    Suffix{"", 0, 1},       Suffix{"px", 0, 1},     Suffix{"um", 1, 1e-3},
    Suffix{"mm", 1, 1},     Suffix{"um2", 2, 1e-6}, Suffix{"mm2", 2, 1},
    Suffix{"um3", 3, 1e-9}, Suffix{"mm3", 3, 1},    Suffix{"ml", 3, 1e3},
};

constexpr double most_points = 2147483647;

}  // namespace

RegionSize RegionSize::parse(std::string_view text) {
    const auto refused = [&](const std::string& reason) {
        return InvalidArgument("'" + std::string(text) + "' " + reason);
    };
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view behind(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error == std::errc{})
        for (const Suffix& suffix : suffixes) {
            if (suffix.text != behind) continue;
            if (!(value >= 0) || !std::isfinite(value))
                throw refused("is no size: it must be at least 0");
            if (suffix.power == 0 && (value != std::trunc(value) || value > most_points))
                throw refused("is not a whole number of pixels up to 2147483647");
            return {value * suffix.millimeters, suffix.power};
        }
    throw refused(
        "is no size: write pixels (40), a diameter (40um, 2mm), an area (500um2, 3mm2) or a "
        "volume (5mm3, 2ml)");
}

std::int64_t RegionSize::points(const Shape& shape, const Geometry& geometry) const {
    if (power == 0) return static_cast<std::int64_t>(value);
    if (shape.t > 1)
        throw InvalidArgument("objects over time have no physical size: give it in pixels");
    const bool is_volume = shape.z > 1;
    if (power == 2 && is_volume)
        throw InvalidArgument("it is an area, and the image is a volume: write mm3 or ml");
    if (power == 3 && !is_volume)
        throw InvalidArgument("it is a volume, and the image is a picture: write um2 or mm2");
    const auto spacing = geometry.spacing_mm();
    const double point = spacing[0] * spacing[1] * (is_volume ? spacing[2] : 1);
    const double pi = std::numbers::pi;
    const double measure = power > 1   ? value
                           : is_volume ? pi / 6 * value * value * value
                                       : pi / 4 * value * value;
    // What is as large but for rounding is.
    constexpr double rounding = 1e-9;
    return static_cast<std::int64_t>(
        std::min(std::ceil(measure / point * (1 - rounding)), most_points));
}

}  // namespace tesela
