// Maps between the points of two images: rigid, similarity, affine, cubic B-spline displacements,
// and compositions of them.
//
// A transform maps points of the fixed image to corresponding points of the moving image, as in
// ITK: warping resamples the moving image at each pixel of the fixed grid. Points are in the
// physical frame of tesela/geometry.h, in millimeters; where the spacing is unknown they are in
// pixels, and the center of the first pixel is (0, 0). In two dimensions z is 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tesela/align.h"
#include "tesela/geometry.h"
#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

using SpacePoint = std::array<double, 3>;
using SpaceMatrix = std::array<double, 9>;  // by rows

enum class LinearKind { rigid, similarity, affine };
constexpr auto enum_names(LinearKind) {
    return std::array{EnumNames<LinearKind>{LinearKind::rigid, "rigid"},
                      EnumNames<LinearKind>{LinearKind::similarity, "similarity"},
                      EnumNames<LinearKind>{LinearKind::affine, "affine"}};
}

// matrix * point + translation
struct LinearMap {
    LinearKind kind = LinearKind::affine;
    SpaceMatrix matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
    SpacePoint translation{};

    SpacePoint operator()(const SpacePoint& point) const;
    // Throws InvalidArgument for a matrix that cannot be inverted.
    LinearMap inverse() const;

    bool operator==(const LinearMap&) const = default;
};
// first, then second
LinearMap composed(const LinearMap& first, const LinearMap& second);

// point + displacement. The displacement is a uniform cubic B-spline over nodes at origin +
// spacing * index; beyond the cells that have four nodes on each axis it has the value at their
// border. D. Rueckert et al., "Nonrigid registration using free-form deformations", IEEE Trans.
// Med. Imaging 18(8), 1999.
struct SplineMap {
    std::array<std::int64_t, 3> size{4, 4, 1};  // nodes; 1 along z in two dimensions
    SpacePoint origin{}, spacing{1, 1, 1};
    std::vector<double> displacements;  // of all nodes along x, then along y, then along z

    std::int64_t nodes() const { return size[0] * size[1] * size[2]; }
    SpacePoint operator()(const SpacePoint& point) const;
    // Derivatives of the mapped point.
    SpaceMatrix jacobian(const SpacePoint& point) const;
    // Throws InvalidArgument where the spline folds and no point is found.
    SpacePoint inverse_of(const SpacePoint& mapped) const;

    bool operator==(const SplineMap&) const = default;
};

// The 4 x 4 nodes of two dimensions around a point: the first along x and y, and their weights, x
// fastest.
struct SplineNodes {
    std::int64_t x = 0, y = 0;
    std::array<double, 16> weight{};
};
SplineNodes nodes_around(const SplineMap& spline, const SpacePoint& point);

// Nodes for displacements on a box from `first` to `last`, about `spacing` apart, all 0.
SplineMap spline_over(const SpacePoint& first, const SpacePoint& last, int dimensions,
                      double spacing);

// The same displacements of two dimensions with nodes half as far apart.
SplineMap refined(const SplineMap& spline);

struct Transform {
    int dimensions = 2;
    Unit unit = Unit::unknown;  // of points: millimeter, or unknown for pixels
    std::vector<std::variant<LinearMap, SplineMap>> steps = {};  // in order of application
    std::optional<ImageGrid> fixed = {}, moving = {};            // the images, where known
    bool has_unit = true;  // not of files that name none, as those of ITK

    SpacePoint operator()(SpacePoint point) const;
    // Throws InvalidArgument where the transform folds.
    SpacePoint inverse_of(SpacePoint mapped) const;
    SpaceMatrix jacobian(SpacePoint point) const;
};

// Coordinates, displacements and factors are at most this large.
inline constexpr double farthest_coordinate = 1e12;

// Throws InvalidArgument for dimensions other than 2 and 3, numbers that are not finite or too
// large, a matrix that cannot be inverted or that mixes z into two dimensions, and nodes that do
// not fit together or whose spacing is out of range.
void validate(const Transform& transform);

double determinant(const SpaceMatrix& matrix);

// From pixel numbers to points: in millimeters where the spacing is known.
LinearMap placement(const ImageGrid& grid);
inline Unit point_unit(const ImageGrid& grid) {
    return grid.geometry.known() ? Unit::millimeter : Unit::unknown;
}

// The least determinant of the Jacobian at the pixels of a grid, `step` pixels apart.
double least_jacobian(const Transform& transform, const ImageGrid& grid, std::int64_t step);

// The vectors from the points of a grid to where they are mapped, a channel an axis.
Image<float> displacement_field(const Transform& transform, const ImageGrid& grid);

}  // namespace tesela
