#include "motion/flow_filter.h"

#include <utility>

#include "kernels/flow_median.kernel.h"

namespace tesela {
namespace {

constexpr float most_step = 2;  // pixels that a warp changes a component by, at most

// Launches the kernel, of one for low tiles and one for high ones, that suits so many pixels.
template <class Low, class High, class... Arguments>
void launch_tiles(Queue& queue, const LevelSize& size, std::int64_t pairs, const Low& low,
                  const High& high, Arguments&... arguments) {
    const auto launch = [&](const auto& kernel, int height) {
        constexpr int width = kernels::flow_median_width;
        queue.launch(kernel,
                     Groups{(size.width + width - 1) / width, (size.height + height - 1) / height,
                            2 * pairs},
                     arguments...);
    };
    if (pairs * size.points() < 200'000)
        launch(low, kernels::flow_median_low_height);
    else
        launch(high, kernels::flow_median_high_height);
}

}  // namespace

void filter_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                 Buffer<float>& flow, Buffer<float>& filtered) {
    for (int k = 0; k < medians; ++k) {
        if (queue.device().properties().is_gpu)
            launch_tiles(queue, size, pairs, kernels::flow_median_low, kernels::flow_median_high,
                         flow, filtered, size.width, size.height);
        else
            queue.launch(kernels::flow_median, Range{size.width, size.height, 2 * pairs}, flow,
                         filtered, size.width, size.height);
        std::swap(flow, filtered);
    }
}

void take_solved_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                      SolverPlanes planes, const Buffer<float>& solved, Buffer<float>& flow,
                      Buffer<float>& filtered) {
    const int is_board = planes == SolverPlanes::chessboard;
    if (medians > 0 && queue.device().properties().is_gpu) {
        launch_tiles(queue, size, pairs, kernels::flow_take_median_low,
                     kernels::flow_take_median_high, solved, flow, filtered, size.width,
                     size.height, is_board, most_step);
        std::swap(flow, filtered);
        --medians;
    } else {
        queue.launch(kernels::flow_take, Range{size.width, size.height, 2 * pairs}, solved, flow,
                     size.width, size.height, is_board, most_step);
    }
    filter_flow(queue, size, pairs, medians, flow, filtered);
}

}  // namespace tesela
