#include "segmentation/growth/by_step.h"

#include <algorithm>

#include "segmentation/watershed/fixed_values.h"
#include "segmentation/watershed/minimax.h"

namespace tesela {

void check_steps(const Shape& shape, int axes) { MinimaxGrid(shape, axes); }

template <class T>
Buffer<std::uint32_t> grow_by_step(GrowthJob<T>& job, const std::optional<double>& max_step) {
    const MinimaxGrid grid(job.image.shape(), job.axes);
    auto labels = seed_label_image(job.queue, upload_seeds(job.queue, job.seeds), job.points());
    const FixedSpace space = fixed_space(job.image, FixedSteps::whole);
    auto values = fixed_values<T>(job.queue, job.pixels, job.color_channels, space);
    job.pixels.release();
    auto weights = minimax_weights(job.queue, grid, job.color_channels, values,
                                   max_step ? space.units(*max_step) : minimax_no_limit);
    values = {};
    const MinimaxReport report =
        minimax_grow(job.queue, grid, std::move(weights), labels, {}, job.progress);
    job.report.rounds = report.cost_rounds + report.hop_rounds;
    return labels;
}
template Buffer<std::uint32_t> grow_by_step(GrowthJob<std::uint8_t>&, const std::optional<double>&);
template Buffer<std::uint32_t> grow_by_step(GrowthJob<std::uint16_t>&,
                                            const std::optional<double>&);
template Buffer<std::uint32_t> grow_by_step(GrowthJob<std::int16_t>&, const std::optional<double>&);
template Buffer<std::uint32_t> grow_by_step(GrowthJob<float>&, const std::optional<double>&);

std::int64_t step_bytes(const Shape& shape, std::int64_t image_bytes, std::int64_t seeds, int axes,
                        int channels) {
    const MinimaxGrid grid(shape, axes);
    const std::int64_t values = 2 * channels * grid.points();
    const std::int64_t reading = image_bytes + std::max(8 * seeds, values);
    const std::int64_t weighing = values + minimax_weights_bytes(grid);
    return 4 * grid.points() + std::max({reading, weighing, minimax_bytes(grid)});
}

}  // namespace tesela
