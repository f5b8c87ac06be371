// Measures of the objects of a label map: size and place, shape, boundary, convex hull, and the
// values of images in them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/image_parts.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// What is measured beside sizes, places and shapes, which always are.
struct MeasureOptions {
    bool boundaries = true;   // perimeter or surface, Euler number
    bool hulls = true;        // convex area and Feret diameters, of pictures alone
    bool percentiles = true;  // of the values of images
};

// Lengths and areas that depend on the spacing. Pictures have a perimeter, volumes a surface.
struct ObjectExtent {
    double perimeter_crofton = 0;   // Cauchy-Crofton formula, 4 directions
    double surface = 0;             // the same, 13 directions
    double feret_diameter_max = 0;  // of the pixels in the convex hull
    double feret_diameter_min = 0;  // of the hull itself: the narrowest slit that it passes
};

// Axes are x, y and z; indices are from 0. What was not asked for is 0.
struct MeasuredObject {
    std::uint32_t label = 0;
    std::int64_t points = 0;
    std::array<std::int32_t, 3> first{}, last{};  // box: lowest and highest index, both inside
    std::array<double, 3> centroid{};             // mean index
    std::array<double, 6> covariance{};           // of indices: xx, yy, zz, xy, xz, yz
    bool touches_border = false;                  // of the image
    std::int64_t euler_number = 0;                // with 8 neighbors in pictures, 26 in volumes
    double perimeter = 0;                         // pixels, by the steps of the border
    std::int64_t convex_points = 0;               // pixels in the convex hull
    ObjectExtent in_pixels = {}, in_space = {};   // the second in the geometry's unit
};

// Percentiles lie between two values where the number of pixels asks for it, as NumPy's do.
inline constexpr std::array<std::uint32_t, 5> measured_percentiles{5, 25, 50, 75, 95};

// Of one channel in one object.
struct MeasuredIntensity {
    double mean = 0, deviation = 0;  // of all pixels, not of a sample
    double lowest = 0, highest = 0, sum = 0;
    std::array<double, 5> percentiles{};
};

struct Measurements {
    Shape shape;  // of the label map
    Geometry geometry;
    MeasureOptions options;
    std::vector<MeasuredObject> objects = {};                      // by their labels, ascending
    std::vector<std::vector<MeasuredIntensity>> intensities = {};  // a list for each channel
    std::vector<std::string> warnings = {};
    std::vector<StageTime> stages = {};
};

// Measures each label of a map but 0, in pictures and volumes; labels need not follow one another.
// `images` lie on the same grid; each of their channels is measured, alpha is not. Everything but
// the intensities of floating-point images has the same bits on every device; these are summed up
// as integers, 2^-31 of the largest value apart. Throws UnsupportedFormat (a label map of several
// channels or of floating-point values, a time axis), InvalidArgument (negative labels, an image of
// another size, NaN or infinite values in an object, an axis of more than 2^21 points, more than
// 2^31-1 points), OutOfMemory, Cancelled.
Measurements measure(const AnyImageView& labels, std::span<const AnyImageView> images,
                     const MeasureOptions& options, Queue& queue, const Progress& progress = {});

// The same of images on the queue's device. Waits for the results. Throws UnsupportedFormat for
// images in double precision, too.
Measurements measure(const DeviceImage<const std::uint32_t>& labels,
                     std::span<const AnyDeviceView* const> images, const MeasureOptions& options,
                     Queue& queue, const Progress& progress = {});

// The same of a map and images that need not fit into memory, in parts of this size, on all queues
// at once. Parts of an object are joined by its label: everything is that of `measure` to the bit,
// whatever the parts and devices. The map may have up to 2^40 points, and labels as high as they
// like; a part has at most 2^31-1 points. The map is read once, and again with the images where
// there are any; a third time for percentiles of values of 32 bits in objects that lie in several
// parts. Memory holds parts for each queue and what is known of each object, which takes at most
// `max_bytes` (0: no limit): some hundred bytes, corners of hulls, and, of objects in several
// parts, counts of their values for percentiles. `geometry` is that of the map, as somebody may
// know better than its file. Throws as `measure`, and OutOfMemory for more than that.
Measurements measure_in_parts(const VolumeInput& labels, const Geometry& geometry,
                              std::span<const VolumeInput* const> images, const PartSize& size,
                              const MeasureOptions& options, std::span<Queue* const> queues,
                              std::int64_t max_bytes = 0, const Progress& progress = {});
// Memory of a queue's device that one part takes at most, and of the host.
struct MeasurePartBytes {
    std::int64_t device = 0, host = 0;
};
MeasurePartBytes measure_part_bytes(const VolumeInputFacts& labels,
                                    std::span<const VolumeInput* const> images,
                                    const PartSize& size, const MeasureOptions& options);

// The labels of an image of whole numbers. Throws as measure.
LabelImage label_map_of(const AnyImageView& image);

// Memory of the device that measure takes, in bytes, for as many objects, images of this many
// channels, and labels up to `highest`.
std::int64_t measure_device_bytes(const Shape& shape, std::int64_t objects, std::int64_t highest,
                                  bool has_images, const MeasureOptions& options);

// A column of a table with a row for each object. A property has one column or several: "centroid"
// has "centroid-0", "centroid-1" and, where the spacing is known, "centroid_x_mm" and so on.
// Properties and columns that scikit-image's regionprops_table has are called as they are there and
// have the same values, in pixels; axis 0 is the slowest one: y in pictures, z in volumes. Physical
// columns have their unit behind their name.
struct MeasureColumn {
    using Value = std::variant<std::int64_t, double>;

    std::string property, name;
    std::function<Value(std::size_t object)> value;
};
// The measurements outlive them.
std::vector<MeasureColumn> measure_columns(const Measurements& measurements);

// For each object of `labels`, in ascending order, the label of `parents` that most of its pixels
// have, 0 where that is the background; the lowest of several. Throws InvalidArgument where the
// sizes differ.
std::vector<std::uint32_t> parents_of(const LabelView& labels, const LabelView& parents);
// The same in parts, with so many threads (0: all of the CPU).
std::vector<std::uint32_t> parents_in_parts(const VolumeInput& labels, const VolumeInput& parents,
                                            const PartSize& size, int threads = 0,
                                            const Progress& progress = {});

}  // namespace tesela
