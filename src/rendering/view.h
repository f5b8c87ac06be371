// Cameras, clipping and pixels in the form that kernels take.
#pragma once

#include "core/vectors.h"
#include "rendering/bricks.h"
#include "tesela/geometry.h"
#include "tesela/image.h"
#include "tesela/render.h"

namespace tesela::rendering {

// The placement of a volume, or of a coarser level: voxels to millimeters around its middle.
// Without a spacing a voxel is 1 mm.
struct Placement {
    Placement(const Geometry& geometry, const Shape& shape);
    // The placement of a coarser level, whose voxels are 2^level as long.
    Placement at(int level) const;

    Vector3 middle{};                  // mm, in the physical frame
    Vector3 middle_voxel{};            // the same, in voxels
    detail::Matrix to_mm{};            // from voxels to mm, without origin
    detail::Matrix to_voxel{};         // its inverse
    double shortest = 1;               // side of a voxel, mm
    std::array<Vector3, 8> corners{};  // of the volume, mm
    double radius = 1;                 // of the sphere around the volume, mm
    Vector3 size{};                    // of the finest level, in its voxels
    double covers = 1;  // voxels of the finest level that a voxel covers along each axis
};

// Both throw InvalidArgument.
kernels::render_view view_of(const Camera& camera, const RenderSettings& settings,
                             const Placement& placement);
// `grid` with its clip box and clip planes.
kernels::render_grid clipped(kernels::render_grid grid, const RenderSettings& settings,
                             const Placement& placement);

// The point at this distance on the ray of a pixel.
Vector3 point_on_ray(const kernels::render_view& view, const Placement& placement, std::int64_t x,
                     std::int64_t y, double distance);

}  // namespace tesela::rendering
