#include "core/single_precision.h"

#include "tesela/error.h"
#include "tesela/options.h"

namespace tesela {
namespace detail {

std::string pixel_text(const Shape& shape, std::int64_t point) {
    std::string text = "the pixel at x " + std::to_string(point % shape.x) + ", y " +
                       std::to_string(point / shape.x % shape.y);
    const std::int64_t plane = point / shape.x / shape.y;
    if (shape.z > 1) text += ", z " + std::to_string(plane % shape.z);
    if (shape.t > 1) text += ", t " + std::to_string(plane / shape.z);
    return text;
}

void refuse_value(const Shape& shape, std::int64_t point, double value, double most) {
    if (!std::isfinite(value))
        throw InvalidArgument(pixel_text(shape, point) +
                              " is not a finite number; replace NaN and infinite values first");
    throw InvalidArgument(pixel_text(shape, point) + " is " + shown(value) + ", too much for " +
                          (most > std::numeric_limits<float>::max() ? "double" : "single") +
                          " precision, which takes values up to " + shown(most) +
                          " here; divide the image by a constant first");
}

}  // namespace detail

void require_values(const AnyImage& image, double most, NotFinite not_finite) {
    std::visit(
        [&]<class T>(const Image<T>& typed) {
            require_values(std::span<const T>(typed.pixels()), typed.shape(), most, not_finite);
        },
        image);
}

std::array<double, 3> spacing_in_range(const Geometry& geometry) {
    if (!geometry.known()) return {1, 1, 1};
    const std::array<double, 3> spacing = geometry.spacing_mm();
    constexpr double least = 1e-12, most = 1e12;
    for (const double length : spacing)
        if (!(length >= least && length <= most))
            throw InvalidArgument("the spacing of the image is " + detail::shown(length) +
                                  " mm, which cannot be computed with; give the right one with "
                                  "--spacing");
    return spacing;
}

}  // namespace tesela
