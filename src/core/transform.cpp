#include "tesela/transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/spline_nodes.h"
#include "tesela/error.h"
#include "tesela/options.h"

namespace tesela {
namespace {

SpaceMatrix product(const SpaceMatrix& a, const SpaceMatrix& b) {
    SpaceMatrix result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            for (std::size_t k = 0; k < 3; ++k)
                result[3 * row + column] += a[3 * row + k] * b[3 * k + column];
    return result;
}

SpacePoint product(const SpaceMatrix& m, const SpacePoint& p) {
    return {m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
            m[6] * p[0] + m[7] * p[1] + m[8] * p[2]};
}

SpacePoint sum(const SpacePoint& a, const SpacePoint& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
SpacePoint difference(const SpacePoint& a, const SpacePoint& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// Throws where the matrix is as good as singular.
SpaceMatrix inverted(const SpaceMatrix& m) {
    const double d = determinant(m);
    double scale = 0;
    for (const double value : m) scale = std::max(scale, std::abs(value));
    if (!(std::abs(d) > 1e-12 * scale * scale * scale))
        throw InvalidArgument("the matrix of the transform cannot be inverted");
    return {(m[4] * m[8] - m[5] * m[7]) / d, (m[2] * m[7] - m[1] * m[8]) / d,
            (m[1] * m[5] - m[2] * m[4]) / d, (m[5] * m[6] - m[3] * m[8]) / d,
            (m[0] * m[8] - m[2] * m[6]) / d, (m[2] * m[3] - m[0] * m[5]) / d,
            (m[3] * m[7] - m[4] * m[6]) / d, (m[1] * m[6] - m[0] * m[7]) / d,
            (m[0] * m[4] - m[1] * m[3]) / d};
}

void check_numbers(std::span<const double> numbers) {
    for (const double number : numbers) {
        if (!std::isfinite(number))
            throw InvalidArgument("a number of the transform is not finite");
        if (std::abs(number) > farthest_coordinate)
            throw InvalidArgument("a number of the transform is " + detail::shown(number) +
                                  ", beyond " + detail::shown(farthest_coordinate));
    }
}

void validate_map(const LinearMap& map, int dimensions) {
    check_numbers(map.matrix);
    check_numbers(map.translation);
    const SpaceMatrix& m = map.matrix;
    if (dimensions == 2 &&
        !(m[2] == 0 && m[5] == 0 && m[6] == 0 && m[7] == 0 && m[8] == 1 && map.translation[2] == 0))
        throw InvalidArgument("a transform of two dimensions cannot move points along z");
    for (const double number : map.inverse().matrix)
        if (!(std::abs(number) <= farthest_coordinate))
            throw InvalidArgument("the matrix of the transform shrinks images by more than " +
                                  detail::shown(farthest_coordinate));
}

void validate_map(const SplineMap& map, int dimensions) {
    constexpr std::int64_t most = std::int64_t{1} << 28;
    constexpr double least_spacing = 1e-15;  // whose inverse single precision holds
    std::int64_t nodes = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool used = static_cast<int>(axis) < dimensions;
        if (used ? map.size[axis] < 4 : map.size[axis] != 1)
            throw InvalidArgument("a B-spline needs at least 4 nodes on each axis");
        if (map.size[axis] > most / nodes)
            throw InvalidArgument("a B-spline has more than 2^28 nodes");
        nodes *= map.size[axis];
        if (!(map.spacing[axis] >= least_spacing && map.spacing[axis] <= farthest_coordinate))
            throw InvalidArgument("the node spacing of a B-spline is " +
                                  detail::shown(map.spacing[axis]) + "; it must be from " +
                                  detail::shown(least_spacing) + " to " +
                                  detail::shown(farthest_coordinate));
    }
    if (std::ssize(map.displacements) != dimensions * nodes)
        throw InvalidArgument("a B-spline of " + std::to_string(nodes) + " nodes needs " +
                              std::to_string(dimensions * nodes) + " displacements, not " +
                              std::to_string(map.displacements.size()));
    check_numbers(map.origin);
    check_numbers(map.displacements);
}

}  // namespace

double determinant(const SpaceMatrix& m) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

SpacePoint LinearMap::operator()(const SpacePoint& point) const {
    return sum(product(matrix, point), translation);
}

LinearMap LinearMap::inverse() const {
    LinearMap back{kind, inverted(matrix), {}};
    const SpacePoint moved = product(back.matrix, translation);
    back.translation = {-moved[0], -moved[1], -moved[2]};
    return back;
}

LinearMap composed(const LinearMap& first, const LinearMap& second) {
    return {std::max(first.kind, second.kind), product(second.matrix, first.matrix),
            second(first.translation)};
}

SpacePoint SplineMap::operator()(const SpacePoint& point) const {
    SpacePoint mapped = point;
    for_nodes(*this, point, [&](std::size_t node, double weight, const SpacePoint&) {
        for (std::size_t axis = 0; axis < axes_of(*this); ++axis)
            mapped[axis] += weight * displacements[axis * static_cast<std::size_t>(nodes()) + node];
    });
    return mapped;
}

SpaceMatrix SplineMap::jacobian(const SpacePoint& point) const {
    SpaceMatrix matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
    for_nodes(*this, point, [&](std::size_t node, double, const SpacePoint& slopes) {
        for (std::size_t axis = 0; axis < axes_of(*this); ++axis)
            for (std::size_t along = 0; along < axes_of(*this); ++along)
                matrix[3 * axis + along] +=
                    slopes[along] * displacements[axis * static_cast<std::size_t>(nodes()) + node];
    });
    return matrix;
}

// Newton's method, with shorter steps where a whole one does not come closer.
SpacePoint SplineMap::inverse_of(const SpacePoint& mapped) const {
    const auto length = [](const SpacePoint& p) { return std::hypot(p[0], p[1], p[2]); };
    const double tolerance = 1e-7 * std::max({spacing[0], spacing[1], 1e-6});
    SpacePoint point = difference(mapped, difference((*this)(mapped), mapped));
    SpacePoint error = difference(mapped, (*this)(point));
    constexpr int most_steps = 50;
    for (int step = 0; step < most_steps && length(error) > tolerance; ++step) {
        const SpaceMatrix slopes = jacobian(point);
        if (!(determinant(slopes) > 1e-6)) break;
        const SpacePoint correction = product(inverted(slopes), error);
        for (double share = 1; share > 1e-3; share /= 2) {
            const SpacePoint tried{point[0] + share * correction[0],
                                   point[1] + share * correction[1],
                                   point[2] + share * correction[2]};
            const SpacePoint left = difference(mapped, (*this)(tried));
            if (length(left) >= length(error) && share > 2e-3) continue;
            point = tried;
            error = left;
            break;
        }
    }
    if (!(length(error) <= 1e-4 * std::max(spacing[0], spacing[1])))
        throw InvalidArgument("the transform folds and has no inverse everywhere");
    return point;
}

SplineNodes nodes_around(const SplineMap& spline, const SpacePoint& point) {
    const AxisNodes x = nodes_at(spline, 0, point[0]), y = nodes_at(spline, 1, point[1]);
    SplineNodes nodes{x.first, y.first, {}};
    for (std::size_t i = 0; i < 16; ++i) nodes.weight[i] = x.weight[i % 4] * y.weight[i / 4];
    return nodes;
}

SplineMap spline_over(const SpacePoint& first, const SpacePoint& last, int dimensions,
                      double spacing) {
    SplineMap map;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
        const double length = std::max(last[axis] - first[axis], 1e-6 * spacing);
        const double cells = std::max(1.0, std::round(length / spacing));
        map.spacing[axis] = length / cells;
        map.origin[axis] = first[axis] - map.spacing[axis];
        map.size[axis] = static_cast<std::int64_t>(cells) + 3;
    }
    map.displacements.resize(static_cast<std::size_t>(dimensions * map.nodes()));
    return map;
}

// Subdivision of cubic B-splines (J. M. Lane, R. F. Riesenfeld, IEEE TPAMI 2(1), 1980), along x,
// then along y.
SplineMap refined(const SplineMap& spline) {
    SplineMap map = spline;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const SplineMap coarse = map;
        map.spacing[axis] /= 2;
        map.origin[axis] += map.spacing[axis];
        map.size[axis] = 2 * coarse.size[axis] - 3;
        map.displacements.resize(static_cast<std::size_t>(2 * map.nodes()));
        const std::int64_t step = axis == 0 ? 1 : coarse.size[0];
        std::size_t fine = 0;
        for (std::int64_t plane = 0; plane < 2; ++plane)
            for (std::int64_t y = 0; y < map.size[1]; ++y)
                for (std::int64_t x = 0; x < map.size[0]; ++x) {
                    const std::int64_t along = axis == 0 ? x : y, across = axis == 0 ? y : x;
                    const std::int64_t node =
                        plane * coarse.nodes() + (axis == 0
                                                      ? across * coarse.size[0] + (along + 1) / 2
                                                      : (along + 1) / 2 * coarse.size[0] + across);
                    const double* at = &coarse.displacements[static_cast<std::size_t>(node)];
                    map.displacements[fine++] = along % 2 == 0
                                                    ? (at[0] + at[step]) / 2
                                                    : (at[-step] + 6 * at[0] + at[step]) / 8;
                }
    }
    return map;
}

SpacePoint Transform::operator()(SpacePoint point) const {
    for (const auto& step : steps)
        point = std::visit([&](const auto& map) { return map(point); }, step);
    return point;
}

SpacePoint Transform::inverse_of(SpacePoint mapped) const {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (const auto* linear = std::get_if<LinearMap>(&*step))
            mapped = linear->inverse()(mapped);
        else
            mapped = std::get<SplineMap>(*step).inverse_of(mapped);
    }
    return mapped;
}

SpaceMatrix Transform::jacobian(SpacePoint point) const {
    SpaceMatrix matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (const auto& step : steps) {
        if (const auto* linear = std::get_if<LinearMap>(&step))
            matrix = product(linear->matrix, matrix);
        else
            matrix = product(std::get<SplineMap>(step).jacobian(point), matrix);
        point = std::visit([&](const auto& map) { return map(point); }, step);
    }
    return matrix;
}

void validate(const Transform& transform) {
    if (transform.dimensions != 2 && transform.dimensions != 3)
        throw InvalidArgument("a transform has 2 or 3 dimensions, not " +
                              std::to_string(transform.dimensions));
    for (const auto& step : transform.steps)
        std::visit([&](const auto& map) { validate_map(map, transform.dimensions); }, step);
    for (const std::optional<ImageGrid>& grid : {transform.fixed, transform.moving})
        if (grid) validate_map(placement(*grid), 3);
}

LinearMap placement(const ImageGrid& grid) {
    LinearMap map;
    if (!grid.geometry.known()) return map;
    const std::array<double, 3> spacing = grid.geometry.spacing_mm();
    const double scale = spacing[0] / grid.geometry.spacing[0];
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[3 * row + column] =
                grid.geometry.direction[3 * row + column] * spacing[column];
        map.translation[row] = grid.geometry.origin[row] * scale;
    }
    return map;
}

double least_jacobian(const Transform& transform, const ImageGrid& grid, std::int64_t step) {
    const LinearMap placed = placement(grid);
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t z = 0; z < grid.shape.z; z += step)
        for (std::int64_t y = 0; y < grid.shape.y; y += step)
            for (std::int64_t x = 0; x < grid.shape.x; x += step)
                least = std::min(
                    least,
                    determinant(transform.jacobian(placed({double(x), double(y), double(z)}))));
    return least;
}

Image<float> displacement_field(const Transform& transform, const ImageGrid& grid) {
    Shape shape = grid.shape;
    shape.channels = transform.dimensions;
    Image<float> field(shape, grid.geometry);
    const LinearMap placed = placement(grid);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const SpacePoint point = placed({double(x), double(y), double(z)});
                const SpacePoint moved = difference(transform(point), point);
                for (int axis = 0; axis < transform.dimensions; ++axis)
                    field(x, y, z, 0, axis) = static_cast<float>(moved[std::size_t(axis)]);
            }
    return field;
}

}  // namespace tesela
