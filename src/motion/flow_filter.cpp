#include "motion/flow_filter.h"

#include <utility>

#include "kernels/flow_median.kernel.h"

namespace tesela {
namespace {

// Launches the kernel that suits the level, of those that take one median, in low tiles or in high
// ones, and that which takes two. Gives how many it takes.
template <class Kernel, class... Arguments>
int launch_tiles(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                 const Kernel& low, const Kernel& high, const Kernel& twice,
                 Arguments&... arguments) {
    const auto launch = [&](const Kernel& kernel, int height) {
        constexpr int width = kernels::flow_median_width;
        queue.launch(kernel,
                     Groups{(size.width + width - 1) / width, (size.height + height - 1) / height,
                            2 * pairs},
                     arguments...);
    };
    if (pairs * size.points() > 200'000) {
        launch(high, kernels::flow_median_high_height);
    } else if (medians > 1) {
        launch(twice, kernels::flow_median_twice_height);
        return 2;
    } else {
        launch(low, kernels::flow_median_low_height);
    }
    return 1;
}

}  // namespace

void filter_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                 Buffer<float>& flow, Buffer<float>& filtered) {
    while (medians > 0) {
        if (queue.device().properties().is_gpu) {
            medians -= launch_tiles(queue, size, pairs, medians, kernels::flow_median_low,
                                    kernels::flow_median_high, kernels::flow_median_twice, flow,
                                    filtered, size.width, size.height);
        } else {
            queue.launch(kernels::flow_median, Range{size.width, size.height, 2 * pairs}, flow,
                         filtered, size.width, size.height);
            --medians;
        }
        std::swap(flow, filtered);
    }
}

void take_solved_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                      SolverPlanes planes, const Buffer<float>& solved, Buffer<float>& flow,
                      Buffer<float>& filtered) {
    const int is_board = planes == SolverPlanes::chessboard;
    if (medians > 0 && queue.device().properties().is_gpu) {
        medians -=
            launch_tiles(queue, size, pairs, medians, kernels::flow_take_median_low,
                         kernels::flow_take_median_high, kernels::flow_take_median_twice, solved,
                         flow, filtered, size.width, size.height, is_board, most_flow_step);
        std::swap(flow, filtered);
    } else {
        queue.launch(kernels::flow_take, Range{size.width, size.height, 2 * pairs}, solved, flow,
                     size.width, size.height, is_board, most_flow_step);
    }
    filter_flow(queue, size, pairs, medians, flow, filtered);
}

void begin_next_warp(Queue& queue, const LevelSize& size, std::int64_t pairs,
                     const Buffer<float>& solved, const Buffer<const float>& images,
                     const Buffer<float>& gradients, float alpha, Buffer<float>& flow,
                     Buffer<float>& filtered, Buffer<float>& system) {
    constexpr int width = kernels::flow_median_width, height = kernels::flow_next_warp_height;
    queue.launch(
        kernels::flow_next_warp,
        Groups{(size.width + width - 1) / width, (size.height + height - 1) / height, pairs},
        solved, flow, images, gradients, filtered, system, size.width, size.height, most_flow_step,
        alpha);
    std::swap(flow, filtered);
}

}  // namespace tesela
