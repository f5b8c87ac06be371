#include "segmentation/growth/automatic_seeds.h"

#include "kernels/growth/region_automatic_seeds.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {

Buffer<std::uint8_t> automatic_seeds(Queue& queue, const Shape& shape, int channels,
                                     const Buffer<std::int32_t>& features, const SeedRules& rules) {
    const std::int64_t points = shape.points();
    auto deviation = queue.allocate<std::uint32_t>(points, "deviations");
    auto mask = queue.allocate<std::uint8_t>(points, "seeds");
    const int shift = shape.t > 1 ? kernels::region_seed_shift_in_time : kernels::region_seed_shift;
    queue.launch(kernels::region_seed_deviations,
                 Groups{(shape.x - 1) / kernels::region_seed_points + 1, points / shape.x},
                 features, deviation, mask, points, channels, shift, rules.middle >> shift,
                 static_cast<float>(rules.distance * rules.distance), static_cast<int>(shape.x),
                 static_cast<int>(shape.y), static_cast<int>(shape.z), static_cast<int>(shape.t));
    auto largest = queue.allocate<std::uint32_t>(1, "largest deviation");
    reduce(queue, ReduceOperation::maximum, deviation, points, largest);
    queue.launch(kernels::region_seed_classify, Range{points}, largest, deviation);
    auto counts = queue.allocate<std::uint32_t>(kernels::region_seed_classes, "deviation counts");
    histogram(queue, deviation, points, kernels::region_seed_classes, counts);
    auto threshold = queue.allocate<std::uint32_t>(1, "deviation threshold");
    queue.launch(kernels::region_seed_threshold, Range{1}, counts, threshold);
    queue.launch(kernels::region_seed_mark, Range{points}, deviation, threshold, mask);
    return mask;
}

}  // namespace tesela
