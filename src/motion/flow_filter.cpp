#include "motion/flow_filter.h"

#include <utility>

#include "filters/median.h"
#include "filters/median_tiles.h"
#include "kernels/motion/flow_median.kernel.h"

namespace tesela {

void take_solved_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                      SolverPlanes planes, const Buffer<float>& solved, Buffer<float>& flow,
                      Buffer<float>& filtered) {
    const int is_board = planes == SolverPlanes::chessboard;
    if (medians > 0 && prefers_groups(queue.device())) {
        medians -= launch_median_tiles(
            queue, size.width, size.height, 2 * pairs, medians, kernels::flow_take_median_low,
            kernels::flow_take_median_high, kernels::flow_take_median_twice, solved, flow, filtered,
            size.width, size.height, is_board, most_flow_step);
        std::swap(flow, filtered);
    } else {
        queue.launch(kernels::flow_take, Range{size.width, size.height, 2 * pairs}, solved, flow,
                     size.width, size.height, is_board, most_flow_step);
    }
    take_medians(queue, size.width, size.height, 2 * pairs, kernels::flow_margin, medians, flow,
                 filtered);
}

void begin_next_warp(Queue& queue, const LevelSize& size, std::int64_t pairs,
                     const Buffer<float>& solved, const Buffer<const float>& images,
                     const Buffer<float>& gradients, float alpha, Buffer<float>& flow,
                     Buffer<float>& filtered, Buffer<float>& system) {
    constexpr int width = kernels::median_tile_width, height = kernels::flow_next_warp_height;
    queue.launch(
        kernels::flow_next_warp,
        Groups{(size.width + width - 1) / width, (size.height + height - 1) / height, pairs},
        solved, flow, images, gradients, filtered, system, size.width, size.height, most_flow_step,
        alpha);
    std::swap(flow, filtered);
}

}  // namespace tesela
