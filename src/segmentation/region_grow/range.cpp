#include "segmentation/region_grow/range.h"

#include "segmentation/region_grow/fixed_values.h"
#include "segmentation/region_grow/minimax.h"

namespace tesela {

void check_range(const Shape& shape, int axes) { MinimaxGrid(shape, axes); }

template <class T>
Buffer<std::uint32_t> grow_range(const GrowthJob<T>& job) {
    const MinimaxGrid grid(job.image.shape(), job.axes);
    auto labels = seed_label_image(job.queue, upload_seeds(job.queue, job.seeds), job.points());
    const FixedSpace space = fixed_space(job.image, FixedSteps::whole);
    const auto& threshold = job.options.growth_threshold;
    auto weights = minimax_weights(job.queue, grid, job.color_channels,
                                   fixed_values(job.queue, job.pixels, job.color_channels, space),
                                   threshold ? space.units(*threshold) : minimax_no_limit);
    const MinimaxReport report =
        minimax_grow(job.queue, grid, std::move(weights), labels, {}, job.progress);
    job.report.rounds = report.cost_rounds + report.hop_rounds;
    return labels;
}
template Buffer<std::uint32_t> grow_range(const GrowthJob<std::uint8_t>&);
template Buffer<std::uint32_t> grow_range(const GrowthJob<std::uint16_t>&);
template Buffer<std::uint32_t> grow_range(const GrowthJob<std::int16_t>&);
template Buffer<std::uint32_t> grow_range(const GrowthJob<float>&);

std::int64_t range_bytes(const Shape& shape, std::int64_t seeds, int axes, int channels) {
    return 8 * seeds + (4 + 2 * channels) * shape.points() +
           minimax_bytes(MinimaxGrid(shape, axes));
}

}  // namespace tesela
