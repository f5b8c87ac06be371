#include "tesela/transform_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/jacobi_rotation.h"

namespace tesela {
namespace {

// J^T J along the first axes, whose eigenvalues are the squares of the stretches.
template <std::size_t N>
SquareMatrix<N> squared(const SpaceMatrix& jacobian) {
    SquareMatrix<N> product{};
    for (std::size_t row = 0; row < N; ++row)
        for (std::size_t column = 0; column < N; ++column)
            for (std::size_t k = 0; k < N; ++k)
                product[row][column] += jacobian[3 * k + row] * jacobian[3 * k + column];
    return product;
}

void widen(TransformMeasures::Range& range, double value) {
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
}

// Of the rotation R in the polar decomposition J = R S, behind a mirror image along x if J has one.
double rotation_angle(const SpaceMatrix& jacobian, int dimensions) {
    const Eigensystem<3> found = eigensystem(squared<3>(jacobian));
    SpaceMatrix rotation{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double stretch = std::sqrt(std::max(found.values[k][k], 1e-300));
        for (std::size_t row = 0; row < 3; ++row) {
            double turned = 0;
            for (std::size_t i = 0; i < 3; ++i)
                turned += jacobian[3 * row + i] * found.vectors[i][k];
            for (std::size_t column = 0; column < 3; ++column)
                rotation[3 * row + column] += turned / stretch * found.vectors[column][k];
        }
    }
    const double sign = determinant(rotation) < 0 ? -1 : 1;
    constexpr double degree = 180 / 3.14159265358979323846;
    if (dimensions == 2) return degree * std::atan2(sign * rotation[3], sign * rotation[0]);
    const double trace = sign * rotation[0] + rotation[4] + rotation[8];
    return degree * std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0));
}

// Whole numbers from 0 to `last`, both included.
std::vector<double> spread(std::int64_t last, std::int64_t most) {
    std::vector<double> numbers;
    const std::int64_t count = std::min(last + 1, most);
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(count > 1
                              ? std::floor(static_cast<double>(last) * static_cast<double>(i) /
                                           static_cast<double>(count - 1))
                              : 0);
    return numbers;
}

SpacePoint displacement_at(const Transform& transform, const SpacePoint& point) {
    const SpacePoint mapped = transform(point);
    return {mapped[0] - point[0], mapped[1] - point[1], mapped[2] - point[2]};
}

template <std::size_t N>
void add_stretches(const SpaceMatrix& jacobian, TransformMeasures::Range& stretch) {
    const SquareMatrix<N> values = eigensystem(squared<N>(jacobian)).values;
    for (std::size_t a = 0; a < N; ++a) widen(stretch, std::sqrt(std::max(values[a][a], 0.0)));
}

}  // namespace

TransformMeasures measure_transform(const Transform& transform, const ImageGrid& fixed) {
    validate(transform);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    TransformMeasures measures{.determinant = {infinity, -infinity},
                               .stretch = {infinity, -infinity}};
    const LinearMap placed = placement(fixed);
    const std::int64_t most = transform.dimensions == 2 ? 257 : 41;
    const std::vector<double> along_x = spread(fixed.shape.x - 1, most),
                              along_y = spread(fixed.shape.y - 1, most),
                              along_z = spread(fixed.shape.z - 1, most);
    double points = 0, plain = 0;
    for (const double z : along_z)
        for (const double y : along_y)
            for (const double x : along_x) {
                const SpacePoint point = placed({x, y, z});
                const SpaceMatrix jacobian = transform.jacobian(point);
                widen(measures.determinant, determinant(jacobian));
                if (transform.dimensions == 2)
                    add_stretches<2>(jacobian, measures.stretch);
                else
                    add_stretches<3>(jacobian, measures.stretch);
                const SpacePoint moved = displacement_at(transform, point);
                const double length = std::hypot(moved[0], moved[1], moved[2]);
                measures.mean_displacement += length;
                measures.largest_displacement = std::max(measures.largest_displacement, length);
                plain += determinant(jacobian) > 0;
                points += 1;
            }
    measures.mean_displacement /= points;
    measures.mirrored = 2 * plain < points;
    measures.folded = (measures.mirrored ? plain : points - plain) / points;
    const Shape& shape = fixed.shape;
    const SpacePoint last{static_cast<double>(shape.x - 1), static_cast<double>(shape.y - 1),
                          static_cast<double>(shape.z - 1)};
    measures.angle = rotation_angle(
        transform.jacobian(placed({last[0] / 2, last[1] / 2, last[2] / 2})), transform.dimensions);
    for (int corner = 0; corner < (transform.dimensions == 2 ? 4 : 8); ++corner)
        measures.corners.push_back(
            displacement_at(transform, placed({corner & 1 ? last[0] : 0, corner & 2 ? last[1] : 0,
                                               corner & 4 ? last[2] : 0})));
    return measures;
}

}  // namespace tesela
