// Grids on which images are resampled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tesela/resample.h"

namespace tesela {
namespace {

std::array<std::int64_t, 3> sizes(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

// Pixels of `step` pixels of the image, from the outer corner of its first one on.
ResampleGrid from_corner(const ImageGrid& image, const std::array<std::int64_t, 3>& size,
                         const std::array<double, 3>& step) {
    ResampleGrid made{image, {}};
    Shape& shape = made.grid.shape;
    shape.x = size[0], shape.y = size[1], shape.z = size[2];
    validate(shape);
    constexpr double most = 0x1p48;  // beyond any memory
    if (static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]) >
        most)
        throw InvalidArgument("the result would have " + std::to_string(size[0]) + " x " +
                              std::to_string(size[1]) + " x " + std::to_string(size[2]) +
                              " pixels, more than fit into memory: make it smaller");
    for (std::size_t a = 0; a < 3; ++a) {
        made.to_image.matrix[4 * a] = step[a];
        made.to_image.translation[a] = (step[a] - 1) / 2;
    }
    Geometry& geometry = made.grid.geometry;
    if (!geometry.known()) return made;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t a = 0; a < 3; ++a)
            geometry.origin[row] += geometry.direction[3 * row + a] * image.geometry.spacing[a] *
                                    made.to_image.translation[a];
    for (std::size_t a = 0; a < 3; ++a) geometry.spacing[a] *= step[a];
    return made;
}

}  // namespace

ResampleGrid grid_of_step(const ImageGrid& image, const std::array<double, 3>& step) {
    std::array<std::int64_t, 3> size{};
    for (std::size_t a = 0; a < 3; ++a) {
        constexpr double most = std::numeric_limits<std::int32_t>::max();
        const double wanted = static_cast<double>(sizes(image.shape)[a]) / step[a];
        if (!(step[a] > 0) || !(wanted <= most))
            throw InvalidArgument("new pixels of " + detail::shown(step[a]) +
                                  " old ones: give a size above 0 that leaves fewer than 2^31 "
                                  "pixels along each axis");
        // Of two whole numbers that are equally near the smaller one, so that no pixel sticks out.
        size[a] = std::max<std::int64_t>(1, std::llround(std::ceil(wanted - 0.5 - 1e-9)));
    }
    return from_corner(image, size, step);
}

ResampleGrid grid_of_size(const ImageGrid& image, const std::array<std::int64_t, 3>& size) {
    std::array<double, 3> step{};
    for (std::size_t a = 0; a < 3; ++a) {
        if (size[a] < 1)
            throw InvalidArgument("the new size is " + std::to_string(size[a]) +
                                  " along an axis: give at least 1 pixel");
        step[a] = static_cast<double>(sizes(image.shape)[a]) / static_cast<double>(size[a]);
    }
    return from_corner(image, size, step);
}

ResampleGrid grid_like(const ImageGrid& image, const ImageGrid& other) {
    if (!image.geometry.known() || !other.geometry.known())
        throw InvalidArgument(
            std::string(image.geometry.known() ? "the image whose grid is taken" : "the image") +
            " does not say how large its pixels are and so not where it lies: give the number of "
            "pixels instead");
    ResampleGrid made{other, composed(placement(other), placement(image).inverse())};
    Shape& shape = made.grid.shape;
    shape.t = image.shape.t;
    shape.channels = image.shape.channels;
    made.grid.geometry.time_step = image.geometry.time_step;
    // Pictures are of the same plane, whatever their files say of their place across it.
    if (shape.z == 1 && image.shape.z == 1) {
        for (std::size_t k = 0; k < 3; ++k)
            made.to_image.matrix[6 + k] = made.to_image.matrix[3 * k + 2] = 0;
        made.to_image.translation[2] = 0;
    }
    return made;
}

}  // namespace tesela
