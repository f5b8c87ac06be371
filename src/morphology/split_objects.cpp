#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "kernels/morphology/objects.kernel.h"
#include "morphology/mask_values.h"
#include "tesela/components.h"
#include "tesela/distance.h"
#include "tesela/mask.h"
#include "tesela/watershed.h"

namespace tesela {
namespace {

using kernels::u32;

// A neck less deep than this is one of the grid.
constexpr double least_depth = 0.75, depth_by_radius = 0.1;

Connectivity all_neighbors(const Shape& shape) {
    return shape.z > 1 ? Connectivity::twenty_six : Connectivity::eight;
}

// The median over the objects of their largest distance.
double median_radius(const DeviceComponents& objects, const Buffer<float>& distances,
                     Queue& queue) {
    auto highest =
        queue.allocate_filled<u32>(std::int64_t{objects.count} + 1, 0U, "largest distances");
    queue.launch(kernels::objects_highest, Range{distances.size()}, objects.labels.pixels,
                 distances, highest);
    std::vector<u32> bits = queue.download(highest);
    const auto middle = bits.begin() + 1 + static_cast<std::ptrdiff_t>(bits.size() - 1) / 2;
    std::nth_element(bits.begin() + 1, middle, bits.end());
    return static_cast<double>(std::bit_cast<float>(*middle));
}

double smallest_step(const Shape& shape, const Geometry& geometry) {
    const auto spacing = geometry.spacing_mm();
    return *std::min_element(spacing.begin(), spacing.begin() + (shape.z > 1 ? 3 : 2));
}

}  // namespace

DeviceSplitResult split_objects(const DeviceImage<const std::uint8_t>& mask,
                                const SplitOptions& options, Queue& queue,
                                const Progress& progress) {
    validate_options(options);
    DeviceComponents objects = components(mask, 0, {}, queue, ComponentOutput::labels_only);
    DeviceSplitResult result;
    result.objects = objects.count;
    if (objects.count == 0) {
        result.millimeters = !options.pixels && mask.geometry.known();
        result.labels = std::move(objects.labels);
        return result;
    }
    const DeviceDistanceResult inside =
        signed_distance(mask, {.pixels = options.pixels, .side = DistanceSide::inside}, queue,
                        progress.part(0, 0.2));
    result.millimeters = inside.millimeters;
    result.warnings = inside.warnings;
    const double step = inside.millimeters ? smallest_step(mask.shape, mask.geometry) : 1;
    result.depth = options.depth.value_or(
        std::max(depth_by_radius * median_radius(objects, inside.distance.pixels, queue),
                 least_depth * step));
    DeviceImage<float> relief{queue.allocate<float>(mask.shape.points(), "relief of objects"),
                              mask.shape, mask.geometry};
    queue.launch(kernels::objects_relief, Range{mask.shape.points()}, inside.distance.pixels,
                 relief.pixels);
    DeviceWatershedResult parts =
        watershed(DeviceImage<const float>(std::move(relief)), AutomaticSeeds{},
                  {.relief = Relief::values,
                   .sigma = 0,
                   .depth = result.depth,
                   .connectivity = all_neighbors(mask.shape)},
                  queue, progress.part(0.2, 1), &mask);
    result.parts = parts.count;
    result.labels = std::move(parts.labels);
    return result;
}

SplitResult split_objects(const AnyImageView& mask, const SplitOptions& options, Queue& queue,
                          const Progress& progress) {
    return mask.visit([&](const auto& typed) {
        if (typed.shape().channels != 1)
            throw UnsupportedFormat("masks have one channel; this image has " +
                                    std::to_string(typed.shape().channels));
        const std::vector<std::uint8_t> bytes = bytes_of_mask(typed.pixels());
        const DeviceImage<const std::uint8_t> lent{
            queue.lend(std::span<const std::uint8_t>(bytes), "mask"), typed.shape(),
            typed.geometry};
        DeviceSplitResult found = split_objects(lent, options, queue, progress);
        SplitResult result;
        static_cast<SplitReport&>(result) = found;
        result.labels = LabelImage::unwritten(typed.shape(), typed.geometry);
        queue.read(found.labels.pixels, std::span<u32>(result.labels.pixels()));
        return result;
    });
}

std::int64_t split_objects_device_bytes(const AnyImageView& mask) {
    const Shape& shape = mask.shape();
    // Only its form is asked for.
    const AnyImageView relief(PixelView<float>(nullptr, shape, mask.geometry(), false));
    const std::int64_t flooding = watershed_device_bytes(
        relief, AutomaticSeeds{}, {.relief = Relief::values, .connectivity = all_neighbors(shape)});
    return signed_distance_device_bytes(shape) + 12 * shape.points() + flooding;
}

}  // namespace tesela
