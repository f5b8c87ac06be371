// Images that are compared or combined point by point must lie on one grid: the same places in
// space, in whatever order their files store them.
#pragma once

#include <array>
#include <string>

#include "tesela/image_view.h"

namespace tesela {

// The points of an image and where they lie. Channels and time steps are not compared.
struct ImageGrid {
    Shape shape;
    Geometry geometry;

    // "64 x 64 x 20 voxels of 1 x 1 x 2 mm, origin (0, 0, -30) mm, LPS", or the size alone
    std::string to_string() const;
};
inline ImageGrid grid_of(const AnyImageView& image) { return {image.shape(), image.geometry()}; }

// Where an index of x, y and z lies, in millimeters. Throws InvalidArgument where the unit is
// unknown.
std::array<double, 3> physical_point(const Geometry& geometry, const std::array<double, 3>& index);

// How an image stores the points of a grid: axis a of the grid is axis `axis[a]` of the image, from
// its end where `backwards[a]`.
struct AxisOrder {
    std::array<int, 3> axis{0, 1, 2};
    std::array<bool, 3> backwards{};

    bool operator==(const AxisOrder&) const = default;
};

// Corners may be apart by this part of a voxel: what single precision and six digits of text
// leave of a place.
constexpr double grid_tolerance = 0.01;

// The order in which `image` stores the points of `grid`. Axes may be swapped and turned around as
// long as the centers of the corner voxels coincide. Where either geometry is unknown, only the
// sizes are compared. Throws InvalidArgument, with both grids, where the points are not the same.
AxisOrder axis_order(const ImageGrid& grid, const ImageGrid& image);

// `image` with its points in the order of `grid`, and with that geometry. Throws as axis_order.
template <class T>
Image<T> align_to(const ImageGrid& grid, Image<T> image);
AnyImage align_to(const ImageGrid& grid, AnyImage image);

}  // namespace tesela
