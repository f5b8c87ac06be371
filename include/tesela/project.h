// Projections: all slices, time points, rows or columns of an image as one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// What stands for all values along the axis; the deviation is the standard deviation.
enum class ProjectedValue { maximum, minimum, mean, sum, deviation };
constexpr auto enum_names(ProjectedValue) {
    return std::array{EnumNames<ProjectedValue>{ProjectedValue::maximum, "maximum"},
                      EnumNames<ProjectedValue>{ProjectedValue::minimum, "minimum"},
                      EnumNames<ProjectedValue>{ProjectedValue::mean, "mean"},
                      EnumNames<ProjectedValue>{ProjectedValue::sum, "sum"},
                      EnumNames<ProjectedValue>{ProjectedValue::deviation, "deviation"}};
}

enum class ProjectedAxis { x, y, z, t };
constexpr auto enum_names(ProjectedAxis) {
    return std::array{EnumNames<ProjectedAxis>{ProjectedAxis::x, "x"},
                      EnumNames<ProjectedAxis>{ProjectedAxis::y, "y"},
                      EnumNames<ProjectedAxis>{ProjectedAxis::z, "z"},
                      EnumNames<ProjectedAxis>{ProjectedAxis::t, "t"}};
}

struct ProjectOptions {
    ProjectedValue by = ProjectedValue::maximum;
    std::optional<ProjectedAxis> axis = {};  // z of volumes, t of pictures in time
};
template <class V>
void describe(V&& v, ProjectOptions& o) {
    v("by", o.by, "value that stands for all along the axis");
    v("axis", o.axis, "axis that goes away", OptionRange{.automatic = "z of volumes, else t"});
}

// What a projection is, and where it lies. The other axes keep their order, spacing and direction:
// along y, x and z of a volume become x and y of a picture. In space its pixels reach through all
// that was projected, and their centers lie in the middle.
struct Projection {
    ProjectedAxis axis;
    std::int64_t count;  // of values for each pixel
    PixelType pixels;
    Shape shape;
    Geometry geometry;
};
// Throws InvalidArgument where there is one value along the axis.
Projection projection_of(const Shape& shape, const Geometry& geometry, PixelType pixels,
                         const ProjectOptions& options);

// Each channel by itself, opacity included. Maxima and minima have the image's pixel type and are
// exact. Means, sums and deviations are float32: sums of whole numbers are exact and rounded once,
// those of floats compensated; deviations are those of all values, not of a sample. NaN along the
// axis makes NaN, and so do infinite values where they have no mean. Pixels of float64 are
// converted to single precision and back. The same bits on every device.
//
// Throws InvalidArgument (nothing to project, values of float64 beyond single precision),
// OutOfMemory, Cancelled.
AnyImage project(const AnyImageView& image, const ProjectOptions& options, Queue& queue,
                 const Progress& progress = {});
// Device level: T is any pixel type but double. Nothing is transferred.
template <class T>
AnyDeviceImage project(const DeviceImage<const T>& image, const ProjectOptions& options,
                       Queue& queue);

// Device memory that `project` takes at most, in bytes.
std::int64_t project_device_bytes(const AnyImageView& image, const ProjectOptions& options);

}  // namespace tesela
