// Points of a grid on a device, moved by transforms.
#pragma once

#include "kernels/registration/points.kernel.h"
#include "kernels/registration/sample_points.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/transform.h"

namespace tesela {

kernels::linear_map rows_of(const LinearMap& map);
// The points of pixels, as all x, all y, all z.
Buffer<float> points_of(Queue& queue, const Shape& shape, const LinearMap& placed);
void move_points(Queue& queue, const LinearMap& map, Buffer<float>& points);
void move_points(Queue& queue, const SplineMap& map, Buffer<float>& points);
// The inverse of the spline, within a hundredth of a pixel unless it nearly folds.
void move_points_back(Queue& queue, const SplineMap& map, Buffer<float>& points);

// The grid of an image to be warped, or of the result: where one has no spacing, that of the
// transform's image of the same size. Throws InvalidArgument for a transform in
// millimeters and an image without spacing.
ImageGrid grid_for(const Transform& transform, const ImageGrid& own, bool is_moving);
// For each pixel of a grid that `placed` maps to points, its position under the transform or its
// inverse, in pixels of an image that `source` maps to points.
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
