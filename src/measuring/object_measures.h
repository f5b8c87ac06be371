// The measures of objects, each from counts that a device adds up.
#pragma once

#include <span>
#include <vector>

#include "measuring/object_map.h"
#include "tesela/measure.h"

namespace tesela::measuring {

// Labels, points, boxes, centroids, covariances and borders of the image.
std::vector<MeasuredObject> sizes_of(const ObjectMap& objects, Queue& queue);
// Perimeter, surface and Euler number.
void add_boundaries(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
                    std::vector<MeasuredObject>& measured);
// Convex areas and Feret diameters, of a picture whose objects have boxes.
void add_hulls(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
               std::vector<MeasuredObject>& measured);

// Of the values of one channel. Throws InvalidArgument that names the object with a value that is
// not finite.
std::vector<MeasuredIntensity> intensities_of(const ObjectMap& objects,
                                              std::span<const MeasuredObject> measured,
                                              const AnyDeviceView& image, int channel,
                                              bool percentiles, Queue& queue);

// Memory of the device in bytes, without the map and the images themselves.
std::int64_t sizes_bytes(const Shape& shape, std::int64_t objects);
std::int64_t boundaries_bytes(const Shape& shape, std::int64_t objects);
std::int64_t hulls_bytes(const Shape& shape, std::int64_t objects);
std::int64_t intensities_bytes(const Shape& shape, std::int64_t objects, bool percentiles);

}  // namespace tesela::measuring
