#include "core/single_precision.h"

#include "core/point_text.h"
#include "tesela/error.h"
#include "tesela/options.h"

namespace tesela {
namespace detail {

void refuse_value(const Shape& shape, std::int64_t point, double value, double most) {
    if (!std::isfinite(value))
        throw InvalidArgument("the pixel at " + point_text(shape, point) +
                              " is not a finite number; replace NaN and infinite values first");
    throw InvalidArgument("the pixel at " + point_text(shape, point) + " is " + shown(value) +
                          ", too much for " +
                          (most > std::numeric_limits<float>::max() ? "double" : "single") +
                          " precision, which takes values up to " + shown(most) +
                          " here; divide the image by a constant first");
}

}  // namespace detail

void require_values(const AnyImageView& image, double most, NotFinite not_finite) {
    image.visit([&]<class T>(const PixelView<T>& typed) {
        require_values(std::span<const T>(typed.pixels()), typed.shape(), most, not_finite);
    });
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
