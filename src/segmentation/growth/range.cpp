#include "segmentation/growth/range.h"

#include <algorithm>

#include "segmentation/watershed/fixed_values.h"
#include "segmentation/watershed/minimax.h"

namespace tesela {

void check_range(const Shape& shape, int axes) { MinimaxGrid(shape, axes); }

template <class T>
Buffer<std::uint32_t> grow_range(GrowthJob<T>& job) {
    const MinimaxGrid grid(job.image.shape(), job.axes);
    auto labels = seed_label_image(job.queue, upload_seeds(job.queue, job.seeds), job.points());
    const FixedSpace space = fixed_space(job.image, FixedSteps::whole);
    const auto& threshold = job.options.growth_threshold;
    auto values = fixed_values(job.queue, job.pixels, job.color_channels, space);
    job.pixels.pixels = {};
    auto weights = minimax_weights(job.queue, grid, job.color_channels, values,
                                   threshold ? space.units(*threshold) : minimax_no_limit);
    values = {};
    const MinimaxReport report =
        minimax_grow(job.queue, grid, std::move(weights), labels, {}, job.progress);
    job.report.rounds = report.cost_rounds + report.hop_rounds;
    return labels;
}
template Buffer<std::uint32_t> grow_range(GrowthJob<std::uint8_t>&);
template Buffer<std::uint32_t> grow_range(GrowthJob<std::uint16_t>&);
template Buffer<std::uint32_t> grow_range(GrowthJob<std::int16_t>&);
template Buffer<std::uint32_t> grow_range(GrowthJob<float>&);

std::int64_t range_bytes(const Shape& shape, std::int64_t image_bytes, std::int64_t seeds, int axes,
                         int channels) {
    const MinimaxGrid grid(shape, axes);
    const std::int64_t values = 2 * channels * grid.points();
    const std::int64_t reading = image_bytes + std::max(8 * seeds, values);
    const std::int64_t weighing = values + minimax_weights_bytes(grid);
    return 4 * grid.points() + std::max({reading, weighing, minimax_bytes(grid)});
}

}  // namespace tesela
