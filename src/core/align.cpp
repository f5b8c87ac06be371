#include "tesela/align.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tesela/options.h"

namespace tesela {
namespace {

using Lengths = std::array<std::int64_t, 3>;
using Place = std::array<double, 3>;

Lengths lengths_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

double to_millimeters(const Geometry& geometry) {
    return geometry.unit == Unit::micrometer ? 1e-3 : 1;
}

// Millimeters from one point to the next along an axis.
Place step_along(const Geometry& geometry, std::size_t axis) {
    const double length = geometry.spacing_mm()[axis];
    return {geometry.direction[axis] * length, geometry.direction[3 + axis] * length,
            geometry.direction[6 + axis] * length};
}

double dot(const Place& a, const Place& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The axes of `image` that run most nearly along those of `grid`.
AxisOrder nearest_axes(const ImageGrid& grid, const ImageGrid& image) {
    AxisOrder order;
    std::array<bool, 3> taken{};
    const Lengths lengths = lengths_of(grid.shape);
    for (std::size_t a = 0; a < 3; ++a) {
        std::size_t nearest = 0;
        double cosine = 0;  // times a positive length
        for (std::size_t b = 0; b < 3; ++b) {
            const Place unit{image.geometry.direction[b], image.geometry.direction[3 + b],
                             image.geometry.direction[6 + b]};
            const double projection = dot(step_along(grid.geometry, a), unit);
            if (std::abs(projection) <= std::abs(cosine)) continue;
            cosine = projection;
            nearest = b;
        }
        if (std::exchange(taken[nearest], true)) return {};  // no two axes are the same
        order.axis[a] = static_cast<int>(nearest);
        order.backwards[a] = cosine < 0 && lengths[a] > 1;
    }
    return order;
}

bool same_sizes(const Shape& grid, const Shape& image, const AxisOrder& order) {
    const Lengths lengths = lengths_of(image);
    for (std::size_t a = 0; a < 3; ++a)
        if (lengths_of(grid)[a] != lengths[static_cast<std::size_t>(order.axis[a])]) return false;
    return grid.t == image.t;
}

Place place_of(const Geometry& geometry, const Lengths& index) {
    Place place = geometry.origin;
    for (double& coordinate : place) coordinate *= to_millimeters(geometry);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t row = 0; row < 3; ++row)
            place[row] += step_along(geometry, axis)[row] * static_cast<double>(index[axis]);
    return place;
}

// Between the corners of two grids of one size: the largest distance along an axis, in voxels.
double corner_distance(const ImageGrid& grid, const ImageGrid& image, const AxisOrder& order) {
    const Lengths lengths = lengths_of(grid.shape);
    double largest = 0;
    for (unsigned corner = 0; corner < 8; ++corner) {
        Lengths in_grid{}, in_image{};
        for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t last = lengths[a] - 1;
            in_grid[a] = (corner >> a & 1u) ? last : 0;
            in_image[static_cast<std::size_t>(order.axis[a])] =
                order.backwards[a] ? last - in_grid[a] : in_grid[a];
        }
        const Place here = place_of(grid.geometry, in_grid);
        const Place there = place_of(image.geometry, in_image);
        const Place apart{there[0] - here[0], there[1] - here[1], there[2] - here[2]};
        for (std::size_t a = 0; a < 3; ++a) {
            const Place step = step_along(grid.geometry, a);
            const double voxels = std::abs(dot(apart, step)) / dot(step, step);
            if (!(voxels <= largest)) largest = voxels;  // NaN as well
        }
    }
    return largest;
}

[[noreturn]] void throw_other_grid(const ImageGrid& grid, const ImageGrid& image,
                                   const std::string& difference) {
    throw InvalidArgument("its grid is " + image.to_string() + ", and " + grid.to_string() +
                          " is needed: " + difference);
}

// "1 x 1 x 2.5"; only as many axes as the image has.
template <class Number>
std::string product_text(const std::array<Number, 3>& numbers, const Shape& shape) {
    std::string text;
    for (std::size_t axis = 0; axis < (shape.dimensions() > 2 ? 3u : 2u); ++axis)
        text += (axis ? " x " : "") + detail::shown(static_cast<double>(numbers[axis]));
    return text;
}

template <class T>
Image<T> reordered(const Shape& grid, const AxisOrder& order, const Image<T>& image) {
    const auto stored = ImageView<T>::contiguous_strides(image.shape());
    const std::array<std::int64_t, 3> strides{stored.x, stored.y, stored.z};
    std::array<std::int64_t, 3> steps{};
    const T* first = image.data();
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t stride = strides[static_cast<std::size_t>(order.axis[a])];
        steps[a] = order.backwards[a] ? -stride : stride;
        if (order.backwards[a]) first += stride * (lengths_of(grid)[a] - 1);
    }
    const Shape shape{grid.x, grid.y, grid.z, grid.t, image.shape().channels};
    const typename ImageView<const T>::Strides strides_in_grid{steps[0], steps[1], steps[2],
                                                               stored.t, 1};
    const ImageView<const T> source(first, shape, strides_in_grid);
    Image<T> result(shape);
    result.has_alpha = image.has_alpha;
    T* next = result.data();
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int c = 0; c < shape.channels; ++c) *next++ = source(x, y, z, t, c);
    return result;
}

}  // namespace

std::string ImageGrid::to_string() const {
    const char* points = shape.dimensions() > 2 ? " voxels" : " pixels";
    std::string text = product_text(lengths_of(shape), shape);
    if (shape.t > 1) text += " x " + std::to_string(shape.t);
    text += points;
    if (!geometry.known()) return text;
    const std::string unit(unit_symbol(geometry.unit));
    text += " of " + product_text(geometry.spacing, shape) + " " + unit + ", origin (";
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += (axis ? ", " : "") + detail::shown(geometry.origin[axis] + 0.0);  // 0, not -0
    return text + ") " + unit + ", " + geometry.orientation();
}

AxisOrder axis_order(const ImageGrid& grid, const ImageGrid& image) {
    const bool in_space = grid.geometry.known() && image.geometry.known();
    AxisOrder order = in_space ? nearest_axes(grid, image) : AxisOrder{};
    if (!same_sizes(grid.shape, image.shape, order)) order = {};  // as the files are stored
    if (!same_sizes(grid.shape, image.shape, order))
        throw_other_grid(grid, image, "the sizes differ: resample it with --resample");
    if (!in_space) return order;
    const double apart = corner_distance(grid, image, order);
    if (!(apart <= grid_tolerance)) {
        char distance[32];
        std::snprintf(distance, sizeof distance, "%.3g", apart);
        throw_other_grid(
            grid, image,
            std::string("corners are up to ") + distance +
                " voxels apart: resample it with --resample, or match the files pixel by "
                "pixel with --ignore-geometry");
    }
    return order;
}

std::array<double, 3> physical_point(const Geometry& geometry, const std::array<double, 3>& index) {
    const std::array<double, 3> spacing = geometry.spacing_mm();
    const double to_mm = spacing[0] / geometry.spacing[0];
    std::array<double, 3> point{};
    for (std::size_t row = 0; row < 3; ++row) {
        point[row] = geometry.origin[row] * to_mm;
        for (std::size_t axis = 0; axis < 3; ++axis)
            point[row] += geometry.direction[3 * row + axis] * spacing[axis] * index[axis];
    }
    return point;
}

template <class T>
Image<T> align_to(const ImageGrid& grid, Image<T> image) {
    const AxisOrder order = axis_order(grid, grid_of(image));
    if (!(order == AxisOrder{})) image = reordered(grid.shape, order, image);
    image.geometry = grid.geometry;
    return image;
}
template Image<std::uint8_t> align_to(const ImageGrid&, Image<std::uint8_t>);
template Image<std::int8_t> align_to(const ImageGrid&, Image<std::int8_t>);
template Image<std::uint16_t> align_to(const ImageGrid&, Image<std::uint16_t>);
template Image<std::int16_t> align_to(const ImageGrid&, Image<std::int16_t>);
template Image<std::uint32_t> align_to(const ImageGrid&, Image<std::uint32_t>);
template Image<std::int32_t> align_to(const ImageGrid&, Image<std::int32_t>);
template Image<float> align_to(const ImageGrid&, Image<float>);
template Image<double> align_to(const ImageGrid&, Image<double>);

AnyImage align_to(const ImageGrid& grid, AnyImage image) {
    return std::visit(
        [&]<class T>(Image<T>& typed) -> AnyImage { return align_to(grid, std::move(typed)); },
        image);
}

}  // namespace tesela
