#include "io/pixel_size.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "io/tiff_description.h"
#include "tesela/tile_source.h"

namespace tesela::io {

PixelScale unless_print(PixelScale scale, bool is_ours) {
    constexpr double coarsest = 10;
    const auto [x, y] = scale.micrometers;
    const bool counts = std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0 &&
                        (is_ours || std::min(x, y) < coarsest);
    return counts ? scale : PixelScale{};
}

double rounded_length(double length, const std::function<bool(double)>& is_same) {
    constexpr int most_digits = 12;
    for (int digits = 1; digits <= most_digits; ++digits) {
        char text[32];
        const auto end = std::to_chars(text, text + sizeof text, length,
                                       std::chars_format::scientific, digits - 1)
                             .ptr;
        double rounded = length;
        std::from_chars(text, end, rounded);
        if (is_same(rounded)) return rounded;
    }
    return length;
}

std::array<double, 2> PixelCounts::size_of(const std::array<std::uint32_t, 2>& counts) const {
    std::array<double, 2> sizes{};
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (counts[axis] > 0)
            sizes[axis] = rounded_length(length / counts[axis], [&](double size) {
                return std::round(length / size) == counts[axis];
            });
    return sizes;
}

std::optional<std::array<std::uint32_t, 2>> PixelCounts::counts_of(const Shape& shape,
                                                                   const Geometry& geometry) const {
    if (!geometry.known()) return {};
    const auto sizes = micrometers(geometry);
    const double pixels[] = {static_cast<double>(shape.x), static_cast<double>(shape.y)};
    std::array<std::uint32_t, 2> counts{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double count = std::round(length / sizes[axis]);
        if (!(count >= 1 && count <= static_cast<double>(most))) return {};
        counts[axis] = static_cast<std::uint32_t>(count);
    }
    const auto read = size_of(counts);
    constexpr double farthest_off = 0.01;
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (std::abs(read[axis] / sizes[axis] - 1) * pixels[axis] > farthest_off) return {};
    return counts;
}

std::string set_pixel_size(AnyImage& image, const PixelScale& scale, int orientation,
                           std::vector<std::string>& warnings) {
    constexpr double ten_centimeters = 1e5;
    const PixelScale size = believable(scale, warnings, "--spacing", ten_centimeters);
    if (size.source.empty()) return {};
    auto [x, y] = size.micrometers;
    constexpr int first_turned = 5;  // of the orientations that swap x and y
    if (first_turned <= orientation && orientation <= 8) std::swap(x, y);
    geometry_of(image) = micrometers_per_pixel(x, y);
    return size.source;
}

}  // namespace tesela::io
