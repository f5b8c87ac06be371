// Points of a grid on a device, moved by transforms.
#pragma once

#include "kernels/registration/points.kernel.h"
#include "kernels/registration/sample_points.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/transform.h"

namespace tesela {

// The points of pixels, as all x, all y, all z.
Buffer<float> points_of(Queue& queue, const Shape& shape, const LinearMap& placed);
void move_points(Queue& queue, const LinearMap& map, Buffer<float>& points);
// Of a spline the displacements may be on the device already.
void move_points(Queue& queue, const SplineMap& map, Buffer<float>& points);
// What the spline moves to the points, within a hundredth of a pixel unless it nearly folds.
void move_points_back(Queue& queue, const SplineMap& map, Buffer<float>& points);

// The grid of an image that is warped, or of what it becomes: what the transform knows of an image
// of this size where one of both has no spacing. Throws InvalidArgument for a transform in
// millimeters and an image without spacing.
ImageGrid grid_for(const Transform& transform, const ImageGrid& own, bool is_moving);
// For each pixel of a grid that `placed` takes to points, the place that the transform, or its
// inverse, gives it in an image with pixels placed by `source`.
Buffer<float> source_points(Queue& queue, const Transform& transform, bool inverse,
                            const Shape& shape, const LinearMap& placed, const LinearMap& source);

inline kernels::sampled_image sampled(const Shape& shape, std::int64_t points, float margin,
                                      float outside) {
    return {points,
            {static_cast<std::int32_t>(shape.x), static_cast<std::int32_t>(shape.y),
             static_cast<std::int32_t>(shape.z)},
            shape.channels,
            margin,
            outside};
}

}  // namespace tesela
